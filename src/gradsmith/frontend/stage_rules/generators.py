"""Generators that the traced function itself goes through.

Their code runs when whoever consumes them asks for the next value. So what surrounds a ``yield``
stays Python's: loops are gone through one iteration after the other, and conditions must be known
when tracing. Everything else in them is staged as in other functions.
"""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.rewriter import Rewriter, place, rule


@rule(ast.Yield)
def yields(rewriter: Rewriter, node: ast.Yield) -> ast.expr:
    """``yield e``."""
    return replaced(node, value=node.value and rewriter.visit(node.value))


@rule(ast.YieldFrom)
def yields_from(rewriter: Rewriter, node: ast.YieldFrom) -> ast.expr:
    """``yield from e`` → ``yield from __gs_scratch__.delegated(e)``."""
    value = rewriter.visit(node.value)
    return replaced(node, value=rewriter.scratch("delegated", place(node.value), value))
