"""``with``."""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.assignments import binds, effects
from gradsmith.frontend.stage_rules.rewriter import Rewriter, place, rule


@rule(ast.With)
def with_(rewriter: Rewriter, node: ast.With) -> list[ast.stmt]:
    """``with e as x:`` → ``with __gs_scratch__.passing(e) as x:``, and ``x`` is bound."""
    targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
    bindings = binds(rewriter, targets) if targets else []
    items = [
        replaced(
            item,
            context_expr=_passing(rewriter, item.context_expr),
            optional_vars=item.optional_vars and rewriter.visit(item.optional_vars),
        )
        for item in node.items
    ]
    body = [*bindings, *rewriter.body(node.body)]
    return [
        *(effects(rewriter, targets) if targets else []),
        replaced(node, items=items, body=body),
    ]


def _passing(rewriter: Rewriter, manager: ast.expr) -> ast.expr:
    return rewriter.scratch("passing", place(manager), rewriter.visit(manager))
