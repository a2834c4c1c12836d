"""Results."""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.conditions import stored_in
from gradsmith.frontend.stage_rules.rewriter import OWN, Rewriter, place, rule
from gradsmith.frontend.unsettled import RESULT


@rule(ast.Return)
def return_(rewriter: Rewriter, node: ast.Return) -> ast.stmt:
    """``return e`` → ``return __gs__.result(e)``; of a result that waited, and was noted before,
    ``return __gs__.returned("__gs_result", __gs_result)``.
    """
    if node.value is None:
        return node
    at = place(node.value)
    if isinstance(node.value, ast.Name) and node.value.id.startswith(OWN):
        name = rewriter.text(node.value.id, at)
        return replaced(node, value=rewriter.call("returned", at, name, node.value))
    value = stored_in(rewriter, ast.Name(RESULT, ast.Store(), **at), node.value)
    return replaced(node, value=rewriter.call("result", at, value))
