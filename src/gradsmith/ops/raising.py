"""Whether Python raises where it computes with numbers: asked where a ``try`` handles it."""

from __future__ import annotations

import ast
from typing import Any

from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, Emitter
from gradsmith.ir.types import ArrayType, python_number
from gradsmith.ops import syntax
from gradsmith.ops.declare import OPS, primitive

ARITHMETIC = ("divide", "floor_divide", "remainder", "power", "integer_power", "whole")
"""Operations that raise on Python's numbers, and on no others."""


def may_raise(node: Node) -> bool:
    """Whether it is a computation with Python's numbers that raises for some of them."""
    types = [i.type for i in node.inputs]
    numbers = bool(types) and all(isinstance(t, ArrayType) and t.weak for t in types)
    return node.op.name.startswith("math_") or (numbers and node.op.name in ARITHMETIC)


RAISES = '''
def raises(compute):
    """Whether Python raises an error where it computes this."""
    try:
        compute()
    except (ArithmeticError, ValueError):
        return True
    return False
'''


def _evaluate(*operands: Any, computing: str, attrs: tuple[tuple[str, Any], ...]) -> bool:
    try:
        OPS[computing].evaluate(*operands, **dict(attrs))
    except (ArithmeticError, ValueError):
        return True
    return False


def _emit(emitter: Emitter, node: Node, *operands: ast.expr) -> ast.expr:
    op = OPS[node.attrs["computing"]]
    asked = Node(op, node.inputs, dict(node.attrs["attrs"]), node.type, node.span)
    none = ast.arguments([], [], None, [], [], None, [])
    computed = ast.Lambda(none, op.emit(emitter, asked, *operands))
    return syntax.call(emitter.helper(RAISES), computed)


raises = primitive(
    "raises",
    infer=lambda *_, **__: python_number(bool),
    evaluate=_evaluate,
    derivative=NON_DIFF,
    emit=_emit,
    traits=("barrier",),
)
"""``raises(*operands; computing, attrs)``: whether the op raises on these operands."""


def raises_of(node: Node) -> Node:
    """Whether ``node`` raises."""
    return raises(*node.inputs, computing=node.op.name, attrs=tuple(node.attrs.items()))
