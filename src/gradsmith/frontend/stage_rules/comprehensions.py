"""Comprehensions and generator expressions.

``[e for x in xs if c for y in ys]`` becomes::

    __gs__.listed(
        lambda x, y: e,
        (xs, "x", (lambda __gs_ask, x: __gs_ask(c),)),
        (lambda x: ys, "y", ()),
    )

So the runtime makes the trips, as a loop in the graph where it can. What would not be the same in
functions of their own stays a comprehension of Python's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.assignments import shape_of
from gradsmith.frontend.stage_rules.conditions import condition, needs_the_frame, test
from gradsmith.frontend.stage_rules.loops import iterated
from gradsmith.frontend.stage_rules.refused import asynchronous
from gradsmith.frontend.stage_rules.rewriter import OWN, Rewriter, argument, place, rule
from gradsmith.frontend.stage_rules.scopes import (
    COMPREHENSIONS,
    Comprehension,
    comprehension_scope,
    stored_names,
)

_ASK = f"{OWN}ask"
_CONSUMERS = frozenset({"all", "any", "len", "list", "max", "min", "sum", "tuple"})


@rule(*COMPREHENSIONS)
def comprehension(rewriter: Rewriter, node: Comprehension) -> ast.expr:
    """``[e for x in xs if c]``: as the loops and conditions that it stands for."""
    if isinstance(node, ast.ListComp) and _is_simple(rewriter, node):
        return _taken_apart(rewriter, node, "listed")
    first, *others = node.generators
    items = iterated(rewriter, first.iter)  # evaluated outside of the comprehension
    with rewriter.inside(comprehension_scope(node, rewriter.scope)):
        clauses = [_clause(rewriter, node, first, items)]
        for clause in others:
            items = iterated(rewriter, clause.iter)
            clauses.append(_clause(rewriter, node, clause, items))
        results = ("key", "value") if isinstance(node, ast.DictComp) else ("elt",)
        visited = {name: rewriter.visit(getattr(node, name)) for name in results}
        made = replaced(node, generators=clauses, **visited)
    has_keys = isinstance(node, (ast.SetComp, ast.DictComp))
    return rewriter.scratch("keyed", place(node), made) if has_keys else made


@argument(ast.ListComp, ast.GeneratorExp)
def given(rewriter: Rewriter, node: ast.ListComp | ast.GeneratorExp) -> ast.expr:
    """The same as the argument of a call: what is called may take the elements one by one."""
    if not _is_simple(rewriter, node):
        return comprehension(rewriter, node)
    kind = "elements" if isinstance(node, ast.ListComp) else "generated"
    return _taken_apart(rewriter, node, kind)


def _is_simple(rewriter: Rewriter, node: ast.ListComp | ast.GeneratorExp) -> bool:
    """Whether its parts do the same in functions of their own."""
    clauses = node.generators
    plain = all(_is_pattern(clause.target) and not clause.is_async for clause in clauses)
    inner = [node.elt, *(c for clause in clauses for c in clause.ifs)]
    inner += [clause.iter for clause in clauses[1:]]
    return plain and not _is_kept(rewriter, inner) and not needs_the_frame(rewriter, *inner)


def _is_pattern(target: ast.expr) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(map(_is_pattern, target.elts))
    return isinstance(target, ast.Name)


def _is_kept(rewriter: Rewriter, nodes: list[ast.expr]) -> bool:
    """Whether something in them runs later, and sees the last values of the variables."""
    within = [n for node in nodes for n in ast.walk(node)]
    done = {id(n) for call in within for n in _consumed(rewriter, call)}
    return any(isinstance(n, (ast.Lambda, ast.GeneratorExp)) and id(n) not in done for n in within)


def _consumed(rewriter: Rewriter, node: ast.AST) -> Iterator[ast.expr]:
    """The arguments of a builtin that is done with them when it returns."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return
    if node.func.id in _CONSUMERS and rewriter.is_builtin(node.func):
        yield from node.args


def _taken_apart(rewriter: Rewriter, node: ast.ListComp | ast.GeneratorExp, kind: str) -> ast.expr:
    """``__gs__.kind(element, clause, clause, ...)``."""
    at = place(node)
    first = rewriter.visit(node.generators[0].iter)  # evaluated outside of the comprehension
    names: list[str] = []
    clauses: list[ast.expr] = []
    with rewriter.inside(comprehension_scope(node, rewriter.scope)):
        for clause in node.generators:
            items = _function(names, rewriter.visit(clause.iter)) if clauses else first
            names = list(dict.fromkeys([*names, *stored_names([clause.target])]))
            asked = [_asked(rewriter, names, asked) for asked in clause.ifs]
            parts = [items, _pattern(clause.target), ast.Tuple(asked, ast.Load(), **at)]
            clauses.append(ast.Tuple(parts, ast.Load(), **at))
        element = _function(names, rewriter.visit(node.elt))
    return rewriter.call(kind, at, element, *clauses)


def _function(names: list[str], value: ast.expr) -> ast.expr:
    """``lambda a, b: value``."""
    at = place(value)
    parameters = [ast.arg(name, **at) for name in names]
    return ast.Lambda(ast.arguments([], parameters, None, [], [], None, []), value, **at)


def _asked(rewriter: Rewriter, names: list[str], node: ast.expr) -> ast.expr:
    """``lambda __gs_ask, a, b: __gs_ask(c)``: who asks says what a traced truth means."""
    at = place(node)
    ask = ast.Call(ast.Name(_ASK, ast.Load(), **at), [condition(rewriter, node)], [], **at)
    return _function([_ASK, *names], ask)


def _pattern(target: ast.expr) -> ast.expr:
    """``x, (y, z)`` → ``("x", ("y", "z"))``."""
    at = place(target)
    if isinstance(target, ast.Name):
        return ast.Constant(target.id, **at)
    assert isinstance(target, (ast.Tuple, ast.List))
    return ast.Tuple([_pattern(part) for part in target.elts], ast.Load(), **at)


def _clause(
    rewriter: Rewriter, node: Comprehension, clause: ast.comprehension, items: ast.expr
) -> ast.comprehension:
    if clause.is_async:
        raise asynchronous(rewriter, node)
    target = rewriter.visit(clause.target)
    if isinstance(clause.target, (ast.Tuple, ast.List)) and not _is_pattern(clause.target):
        shape = shape_of(clause.target)
        items = rewriter.scratch("each_unpacked", place(clause.iter), items, shape)
    conditions = [test(rewriter, condition, "comprehension") for condition in clause.ifs]
    return replaced(clause, target=target, iter=items, ifs=conditions)
