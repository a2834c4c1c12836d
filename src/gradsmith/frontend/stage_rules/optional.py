"""Variables of a function that may be None at times: its code stores None in them, or asks."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from gradsmith.frontend.stage_rules.closures import FUNCTIONS
from gradsmith.frontend.stage_rules.liveness import SEE_ALL
from gradsmith.frontend.stage_rules.scopes import Scope, stored_names


def optional_names(
    statements: Sequence[ast.stmt], scope: Scope, unsure: frozenset[str]
) -> frozenset[str]:
    """The function's own variables that its statements store None in, or compare with None.

    Those that other functions see, that may have no value at all (``unsure``), or that are set by
    anything but assignments are left out.
    """
    nodes = list(_own(statements))
    compared = [n.left for n in nodes if isinstance(n, ast.Compare) and asks_for_none(n)]
    asked = {left.id for left in compared if isinstance(left, ast.Name)}
    found = (asked | _set_to_none(nodes)) & scope.bound & _assigned(nodes) - unsure
    if not found:
        return frozenset()
    inner = [part for s in statements for part in ast.walk(s) if isinstance(part, FUNCTIONS)]
    seen = {n.id for part in inner for n in ast.walk(part) if isinstance(n, ast.Name)}
    shared = any(isinstance(n, ast.Name) and n.id in SEE_ALL for n in nodes)
    return frozenset() if shared else frozenset(found - seen - _set_otherwise(nodes))


def asks_for_none(node: ast.Compare) -> bool:
    """Whether it is ``value is None``, or ``is not``."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Is, ast.IsNot)):
        return False
    return _is_none(node.comparators[0])


def _own(statements: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """What is in the statements, but for functions there."""
    stack: list[ast.AST] = list(statements)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, FUNCTIONS):
            stack += ast.iter_child_nodes(node)


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, (ast.AnnAssign, ast.AugAssign)) else []


def _assigned(nodes: Sequence[ast.AST]) -> set[str]:
    return {name for node in nodes for name in stored_names(_targets(node))}


def _set_to_none(nodes: Sequence[ast.AST]) -> set[str]:
    """The variables that assignments set to None."""
    found = set()
    for node in nodes:
        value = getattr(node, "value", None)
        for target in _targets(node):
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts, strict=False))
            found |= {t.id for t, v in pairs if isinstance(t, ast.Name) and _is_none(v)}
    return found


def _set_otherwise(nodes: Sequence[ast.AST]) -> set[str]:
    """The variables that loops, ``with``, ``:=``, imports and the like set."""
    by_assignment = {
        id(part)
        for node in nodes
        for target in _targets(node)
        for part in ast.walk(target)
        if isinstance(part, ast.Name)
    }
    bare = [n for n in nodes if isinstance(n, ast.Name) and id(n) not in by_assignment]
    found = {n.id for n in bare if not isinstance(n.ctx, ast.Load)}
    kept = [getattr(n, held, None) for n in nodes for held in ("name", "asname", "rest")]
    return found | {name for name in kept if isinstance(name, str)}


def _is_none(node: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
