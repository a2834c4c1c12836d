"""Comprehensions and generator expressions."""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.conditions import test
from gradsmith.frontend.stage_rules.loops import iterated
from gradsmith.frontend.stage_rules.refused import asynchronous
from gradsmith.frontend.stage_rules.rewriter import Rewriter, rule
from gradsmith.frontend.stage_rules.scopes import (
    COMPREHENSIONS,
    Comprehension,
    comprehension_scope,
)


@rule(*COMPREHENSIONS)
def comprehension(rewriter: Rewriter, node: Comprehension) -> ast.expr:
    """``[e for x in xs if c]``: as the loops and conditions that it stands for."""
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


def _clause(
    rewriter: Rewriter, node: Comprehension, clause: ast.comprehension, items: ast.expr
) -> ast.comprehension:
    if clause.is_async:
        raise asynchronous(rewriter, node)
    target = rewriter.visit(clause.target)
    conditions = [test(rewriter, condition, "comprehension") for condition in clause.ifs]
    return replaced(clause, target=target, iter=items, ifs=conditions)
