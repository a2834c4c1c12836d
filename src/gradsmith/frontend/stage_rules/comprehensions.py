"""Comprehensions and generator expressions."""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.conditions import needs_the_frame, test
from gradsmith.frontend.stage_rules.loops import iterated
from gradsmith.frontend.stage_rules.refused import asynchronous
from gradsmith.frontend.stage_rules.rewriter import Rewriter, place, rule
from gradsmith.frontend.stage_rules.scopes import (
    COMPREHENSIONS,
    Comprehension,
    comprehension_scope,
)


@rule(*COMPREHENSIONS)
def comprehension(rewriter: Rewriter, node: Comprehension) -> ast.expr:
    """``[e for x in xs if c]``: as the loops and conditions that it stands for."""
    if isinstance(node, ast.ListComp) and _is_simple(rewriter, node):
        return _listed(rewriter, node)
    first, *others = node.generators
    items = iterated(rewriter, first.iter)  # evaluated outside of the comprehension
    with rewriter.inside(comprehension_scope(node, rewriter.scope)):
        clauses = [_clause(rewriter, node, first, items)]
        for clause in others:
            items = iterated(rewriter, clause.iter)
            clauses.append(_clause(rewriter, node, clause, items))
        results = ("key", "value") if isinstance(node, ast.DictComp) else ("elt",)
        visited = {name: rewriter.visit(getattr(node, name)) for name in results}
        return replaced(node, generators=clauses, **visited)


def _is_simple(rewriter: Rewriter, node: ast.ListComp) -> bool:
    """Whether it is one loop over one iterable, whose element binds nothing outside."""
    (clause, *others) = node.generators
    target = clause.target
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    plain = all(isinstance(name, ast.Name) for name in names)
    alone = not others and not clause.ifs and not clause.is_async
    # What runs later sees the last value of the comprehension's variable, not that of its trip.
    later = any(isinstance(n, (ast.Lambda, ast.GeneratorExp)) for n in ast.walk(node.elt))
    return alone and plain and not later and not needs_the_frame(rewriter, node.elt)


def _listed(rewriter: Rewriter, node: ast.ListComp) -> ast.expr:
    """``[e for x in xs]`` → ``__gs__.listed(xs, lambda x: e)``; ``lambda x, y`` for pairs."""
    (clause,) = node.generators
    items = rewriter.visit(clause.iter)
    target = clause.target
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    at = place(node)
    parameters = [ast.arg(n.id, **at) for n in names if isinstance(n, ast.Name)]
    arguments = ast.arguments([], parameters, None, [], [], None, [])
    with rewriter.inside(comprehension_scope(node, rewriter.scope)):
        element = ast.Lambda(arguments, rewriter.visit(node.elt), **at)
    several = ast.Constant(isinstance(target, ast.Tuple), **at)
    return rewriter.call("listed", at, items, element, several)


def _clause(
    rewriter: Rewriter, node: Comprehension, clause: ast.comprehension, items: ast.expr
) -> ast.comprehension:
    if clause.is_async:
        raise asynchronous(rewriter, node)
    target = rewriter.visit(clause.target)
    conditions = [test(rewriter, condition, "comprehension") for condition in clause.ifs]
    return replaced(clause, target=target, iter=items, ifs=conditions)
