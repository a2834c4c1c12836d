"""Quotients that are 0 where they would be 0 / 0: what derivatives divide by may be 0."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import is_number
from gradsmith.ir.op import NON_DIFF, Emitter, Op, Partials, Pole
from gradsmith.ir.types import ArrayType, DType, result_dtype
from gradsmith.ops import syntax
from gradsmith.ops.compare import greater, logical_or, not_equal
from gradsmith.ops.complex import absolute
from gradsmith.ops.declare import elementwise_infer, primitive
from gradsmith.ops.signs import sign_of


def _inexact(dtype: DType) -> DType:
    """NumPy divides integers as float64."""
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)


def _dtype(mask: ArrayType, x: ArrayType, y: ArrayType) -> DType:
    return _inexact(result_dtype(x, y))


def _evaluate(mask: Any, x: Any, y: Any) -> Any:
    shape = np.broadcast_shapes(np.shape(mask), np.shape(x), np.shape(y))
    out = np.zeros(shape, _inexact(np.result_type(x, y)))
    return np.divide(x, y, out=out, where=mask)[()]


def _emit(emitter: Emitter, node: Node, mask: ast.expr, x: ast.expr, y: ast.expr) -> ast.expr:
    """``np.divide(x, y, out=np.zeros(n), where=mask)``; of numbers a conditional expression."""
    if node.ndim:
        dtype = None if node.dtype == np.float64 else node.dtype
        zeros = syntax.call("np.zeros", emitter.shape(node.shape), dtype=dtype)
        return syntax.call("np.divide", x, y, out=zeros, where=mask)
    by_python = all(operand.array_type.weak for operand in node.inputs[1:])
    quotient = syntax.call("np.divide", x, y) if by_python else syntax.binary("/", x, y)
    condition, numerator, _ = node.inputs
    is_zero = _is_where_nonzero(condition, numerator) and numerator.dtype == node.dtype
    named = is_zero and isinstance(x, ast.Name) and not numerator.array_type.weak
    zero = x if named else syntax.expression(node.dtype.type(0))
    return ast.IfExp(mask, quotient, zero)


def _is_where_nonzero(mask: Node, x: Node) -> bool:
    return mask.op is not_equal and mask.inputs[0] is x


def _divide_there(
    emitter: Emitter, node: Node, target: ast.expr, mask: ast.expr, x: ast.expr, y: ast.expr
) -> list[ast.stmt]:
    """In place where what is not divided is 0 already, else as a new array."""
    if _is_where_nonzero(*node.inputs[:2]) and syntax.same(x, target):
        return [ast.Expr(syntax.call("np.divide", x, y, out=target, where=mask))]
    return [syntax.assign(target, _emit(emitter, node, mask, x, y))]


def _inverse(out: Node, mask: Node, x: Node, y: Node) -> Pole:
    return Pole(1 / y, y, mask=mask)


def _slope(out: Node, mask: Node, x: Node, y: Node) -> Pole:
    return Pole(-(out / y), y, -out, mask=mask)


masked_divide: Op = primitive(
    "masked_divide",
    infer=elementwise_infer(_dtype),
    evaluate=_evaluate,
    derivative=Partials((NON_DIFF, _inverse, _slope)),
    emit=_emit,
    inplace=_divide_there,
    traits=("elementwise",),
)
"""``x / y`` where the mask holds, 0 elsewhere, where nothing is divided."""


def can_divide(divisor: Node, *, maybe_nan: bool) -> Node:
    """Where the divisor is not 0, and is a number."""
    if not maybe_nan:
        return not_equal(divisor, 0)
    return greater(divisor if sign_of(divisor) else absolute(divisor), 0)


def is_tested(mask: Node, x: Node, y: Node) -> bool:
    """Whether the mask is "``x`` is not 0, or `can_divide` by ``y``"."""
    if mask.op is not logical_or:
        return False
    left, right = mask.inputs
    return any(_is_test(p, x) and _is_test(q, y) for p, q in ((left, right), (right, left)))


def _is_test(condition: Node, x: Node) -> bool:
    if condition.op not in (not_equal, greater) or not is_number(condition.inputs[1], 0):
        return False
    seen = condition.inputs[0]
    return seen is x or (condition.op is greater and seen.op is absolute and seen.inputs[0] is x)
