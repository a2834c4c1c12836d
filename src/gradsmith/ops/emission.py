"""How most ops are written in NumPy source: calls, operators, results put over an operand."""

from __future__ import annotations

import ast

from gradsmith.ir.graph import Node
from gradsmith.ir.op import EmitRule, Emitter, UpdateRule
from gradsmith.ops import syntax


def emit_call(dotted: str) -> EmitRule:
    """``np.f(x, y)``, with the node's attributes as keywords."""

    def emit(emitter: Emitter, node: Node, *operands: ast.expr) -> ast.expr:
        return syntax.call(dotted, *operands, **dict(node.attrs))

    return emit


def emit_operator(operator: str) -> EmitRule:
    """``x <operator> y`` or ``<operator>x``."""

    def emit(emitter: Emitter, node: Node, *operands: ast.expr) -> ast.expr:
        if len(operands) == 1:
            return syntax.unary(operator, operands[0])
        return syntax.binary(operator, *operands)

    return emit


def write_over(dotted: str, operator: str | None = None) -> UpdateRule:
    """``t *= y``, or ``np.exp(t, out=t)`` where there is no such operator."""

    def inplace(
        emitter: Emitter, node: Node, target: ast.expr, *operands: ast.expr
    ) -> list[ast.stmt]:
        augmented = operator if len(operands) == 2 else None
        if augmented and syntax.same(operands[0], target):
            return [syntax.augment(target, augmented, operands[1])]
        if augmented and commutes(node) and syntax.same(operands[1], target):
            return [syntax.augment(target, augmented, operands[0])]
        return [ast.Expr(syntax.call(dotted, *operands, out=target))]

    return inplace


def commutes(node: Node) -> bool:
    """Whether the operands may be swapped to the last bit.

    NumPy takes products of complex numbers with fused multiply-adds, which are not symmetric.
    """
    return node.op.commutative and not (node.op.name == "multiply" and node.array_type.complex)
