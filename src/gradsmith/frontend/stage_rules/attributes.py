"""Attributes."""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.rewriter import Rewriter, place, place_of_attribute, rule


@rule(ast.Attribute)
def attribute(rewriter: Rewriter, node: ast.Attribute) -> ast.expr:
    """``x.a`` → ``__gs__.attribute(x, "a")``; as a target → ``__gs__.target(x, "a").a``."""
    owner = rewriter.visit(node.value)
    at = place_of_attribute(node, node)
    name = rewriter.text(node.attr, at)
    if isinstance(node.ctx, ast.Load):
        return rewriter.call("attribute", at, owner, name)
    return replaced(node, value=rewriter.call("target", place(node.value), owner, name))
