"""Which variables a stretch of code sets, and which it may read before it sets them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from gradsmith.frontend.stage_rules.scopes import COMPREHENSIONS, Scope, names_in, stored_names


def stored(statements: Sequence[ast.stmt], scope: Scope) -> tuple[str, ...]:
    """The function's own variables that the statements set, in alphabetical order."""
    found = names_in(statements).bound
    return tuple(sorted(name for name in found if scope.effect(name) is None))


def live(statements: Sequence[ast.stmt]) -> set[str]:
    """The names whose value before the statements may matter, after them, too.

    They may be read before the statements set them, or not be set on every way.
    """
    known: set[str] = set()
    read = _read_early(statements, known)
    return read | names_in(statements).bound - known


def _read_early(statements: Sequence[ast.stmt], known: set[str]) -> set[str]:
    """What is read before it is surely set; ``known`` grows by what is set on every way."""
    read: set[str] = set()
    for statement in statements:
        read |= _of_statement(statement, known)
    return read


def _of_statement(node: ast.stmt, known: set[str]) -> set[str]:
    if isinstance(node, ast.If):
        read = _of_expressions([node.test], known)
        arms = [set(known), set(known)]
        for arm, own in zip((node.body, node.orelse), arms, strict=True):
            read |= _read_early(arm, own)
        known |= arms[0] & arms[1]
        return read
    if isinstance(node, ast.For):
        read = _of_expressions([node.iter], known)
        inner = set(known)
        read |= _of_expressions([node.target], inner)
        return read | _read_early(node.body, inner) | _read_early(node.orelse, set(known))
    if isinstance(node, ast.While):
        read = _of_expressions([node.test], known)
        return read | _read_early(node.body, set(known)) | _read_early(node.orelse, set(known))
    if isinstance(node, ast.With):
        read = set()
        for item in node.items:
            targets = [] if item.optional_vars is None else [item.optional_vars]
            read |= _of_expressions([item.context_expr, *targets], known)
        return read | _read_early(node.body, known)
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)):
        before = set(known)
        read = _of_expressions([node], known)
        if isinstance(node, ast.AugAssign):
            return read | set(stored_names([node.target])) - before
        if isinstance(node, ast.AnnAssign) and node.value is None:
            known -= set(stored_names([node.target])) - before
        return read
    if isinstance(node, ast.Delete):
        read = _loads([node]) - known
        known -= set(stored_names(node.targets))
        return read
    return (_loads([node]) | names_in([node]).bound) - known


def _of_expressions(nodes: Sequence[ast.AST], known: set[str]) -> set[str]:
    read = _loads(nodes) - known
    known |= surely_set(nodes)
    return read


def _loads(nodes: Iterable[ast.AST]) -> set[str]:
    return {
        n.id
        for node in nodes
        for n in ast.walk(node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }


def surely_set(nodes: Iterable[ast.AST]) -> set[str]:
    """The variables that are set wherever this is evaluated to its end."""
    found: set[str] = set()
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        stack += _always(node)
    return found


def _always(node: ast.AST) -> Iterable[ast.AST]:
    """The parts of an expression that are evaluated in any case."""
    if isinstance(node, (ast.Lambda, *COMPREHENSIONS)):
        return ()
    if isinstance(node, ast.BoolOp):
        return node.values[:1]
    if isinstance(node, ast.IfExp):
        return (node.test,)
    if isinstance(node, ast.Compare):
        return (node.left, node.comparators[0])
    return ast.iter_child_nodes(node)


def loads_outside(statements: Sequence[ast.AST], loop: ast.For | ast.While) -> set[str]:
    """The names that are read in the statements, but for the trips of ``loop``."""
    found: set[str] = set()
    stack: list[ast.AST] = list(statements)
    while stack:
        node = stack.pop()
        if node is loop:
            stack += loop.orelse
            continue
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        stack += ast.iter_child_nodes(node)
    return found
