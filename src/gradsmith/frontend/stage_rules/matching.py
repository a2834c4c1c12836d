"""``match``."""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.conditions import test
from gradsmith.frontend.stage_rules.rewriter import Rewriter, rule


@rule(ast.Match)
def match(rewriter: Rewriter, node: ast.Match) -> ast.stmt:
    """``match`` is Python's; patterns, which may hold no calls, stay as they are."""
    subject = rewriter.visit(node.subject)
    return replaced(node, subject=subject, cases=[_case(rewriter, c) for c in node.cases])


def _case(rewriter: Rewriter, case: ast.match_case) -> ast.match_case:
    guard = None if case.guard is None else test(rewriter, case.guard, "if")
    return replaced(case, guard=guard, body=rewriter.body(case.body))
