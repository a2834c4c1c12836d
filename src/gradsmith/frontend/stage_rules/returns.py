"""Results."""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.rewriter import OWN, Rewriter, place, rule


@rule(ast.Return)
def return_(rewriter: Rewriter, node: ast.Return) -> ast.stmt:
    """``return e`` → ``return __gs__.result(e)``; a result that waited was noted before."""
    waited = isinstance(node.value, ast.Name) and node.value.id.startswith(OWN)
    if node.value is None or waited:
        return node
    value = rewriter.visit(node.value)
    return replaced(node, value=rewriter.call("result", place(node.value), value))
