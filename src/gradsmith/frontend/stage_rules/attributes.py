"""Attributes."""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.rewriter import Rewriter, place_of_attribute, rule


@rule(ast.Attribute)
def attribute(rewriter: Rewriter, node: ast.Attribute) -> ast.expr:
    """``x.name`` → ``__gs__.attribute(x, "name")``; as a target only ``x`` is rewritten."""
    owner = rewriter.visit(node.value)
    if not isinstance(node.ctx, ast.Load):
        return replaced(node, value=owner)
    at = place_of_attribute(node, node)
    return rewriter.call("attribute", at, owner, rewriter.text(rewriter.mangled(node.attr), at))
