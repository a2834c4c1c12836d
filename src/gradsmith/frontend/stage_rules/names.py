"""Variables: what comes from outside the function is read through the runtime, and so is what
may have no value.
"""

from __future__ import annotations

import ast

from gradsmith.frontend.stage_rules.rewriter import OWN, Rewriter, place, rule


@rule(ast.Name)
def name(rewriter: Rewriter, node: ast.Name) -> ast.expr:
    """``w`` → ``__gs__.read("w", w)`` for globals, builtins and variables of outer functions.

    A variable that may have no value here → ``__gs__.bound("w", w, False)``; one that may be None
    → ``__gs__.value_or_none("w", w)``.
    """
    staging = node.id.startswith(OWN)
    if rewriter.is_unsure(node) and isinstance(node.ctx, ast.Load):
        return rewriter.bound(node)
    if node.id in rewriter.optional and isinstance(node.ctx, ast.Load):
        at = place(node)
        return rewriter.call("value_or_none", at, rewriter.text(node.id, at), node)
    if staging or not isinstance(node.ctx, ast.Load) or not rewriter.scope.outside(node.id):
        return node
    if rewriter.scope.is_class and not rewriter.is_known(node.id):
        return node  # what the body has written to `locals()`
    at = place(node)
    return rewriter.call("read", at, rewriter.text(node.id, at), node)
