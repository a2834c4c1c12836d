"""``match``."""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.conditions import test
from gradsmith.frontend.stage_rules.rewriter import Rewriter, place, rule


@rule(ast.Match)
def match(rewriter: Rewriter, node: ast.Match) -> ast.stmt:
    """``match`` is Python's; patterns, which may hold no calls, stay as they are.

    Patterns such as ``float()`` ask for the class of the subject: the runtime is told.
    """
    subject = rewriter.visit(node.subject)
    if any(isinstance(n, ast.MatchClass) for c in node.cases for n in ast.walk(c.pattern)):
        subject = rewriter.call("matched", place(node.subject), subject)
    return replaced(node, subject=subject, cases=[_case(rewriter, c) for c in node.cases])


def _case(rewriter: Rewriter, case: ast.match_case) -> ast.match_case:
    guard = None if case.guard is None else test(rewriter, case.guard, "case")
    return replaced(case, guard=guard, body=rewriter.body(case.body))
