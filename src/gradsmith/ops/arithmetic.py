"""Arithmetic: NumPy's mathematical operations that Python has operators for, and their kin.

Powers are in powers.py, absolute values in complex.py.
"""

from __future__ import annotations

import ast
import operator
from typing import Any

import numpy as np

from gradsmith.errors import UnsupportedError
from gradsmith.ir import dims
from gradsmith.ir.graph import OPERATORS, Node
from gradsmith.ir.intrinsics import constant, number, size
from gradsmith.ir.op import NON_DIFF, EmitRule, Emitter, Pole
from gradsmith.ir.types import DType
from gradsmith.ops import syntax
from gradsmith.ops.declare import as_node, elementwise, formula, implements, implements_python
from gradsmith.ops.emission import emit_operator
from gradsmith.ops.rounding import rint
from gradsmith.ops.shape import cast


def inverse(x: Node) -> Node:
    """``1 / x``, by NumPy also where ``x`` is a Python number, which may be 0: Python raises."""
    variable = x.array_type.weak and x.array_type.inexact and x.op is not constant
    return reciprocal(x) if variable else 1 / x


def quotient(x: Any, count: Any, dtype: DType) -> Node:
    """``x / count``, in NumPy's ``dtype`` where both are Python's and ``count`` may be 0."""
    left, right = as_node(x), as_node(count)
    by_python = left.array_type.weak and right.array_type.weak
    return (cast(left, dtype) if by_python and may_be_zero(right) else left) / right


def may_be_zero(number_: Node) -> bool:
    """Whether a Python number may be 0: constants are known, sizes have bounds."""
    if number_.op is multiply:
        return any(map(may_be_zero, number_.inputs))
    if number_.op is not size:
        return not number(number_)
    value = number_.attrs["value"]
    known = dims.changes(value) or not dims.is_unbacked(value)
    return not known or dims.settled(">", value, 0) is not True


def _inexact(*nodes: Node) -> bool:
    return all(node.array_type.inexact for node in nodes)


def _emit_sum(symbol: str) -> EmitRule:
    """``x - 2 * y`` for ``x + -2 * y``, ``y - 2 * x`` for ``-2 * x + y``: the same bits.

    Not for integers: of an unsigned ``y`` NumPy refuses ``-2 * y``.
    """
    plain = emit_operator(symbol)

    def emit(emitter: Emitter, node: Node, x: ast.expr, y: ast.expr) -> ast.expr:
        if _inexact(*node.inputs):
            first, second = node.inputs
            for left, other, right in ((x, second, y), (y, first, x))[: 1 + (symbol == "+")]:
                opposite = without_sign(other, right)
                if opposite is not None:
                    return syntax.binary("-" if symbol == "+" else "+", left, opposite)
        return plain(emitter, node, x, y)

    return emit


def without_sign(node: Node, value: ast.expr) -> ast.expr | None:
    """``-value``, which is the value of ``node``, where that is ``value`` less a minus: ``2 * x``
    for ``-2 * x`` and ``x + y`` for ``-x - y``, but not for the ``-x`` of integers, which may
    overflow.
    """
    if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)):
        return _sum_without_sign(node, value)
    return syntax.without_sign(value) if _takes_sign(node, value) else None


def _sum_without_sign(node: Node, value: ast.BinOp) -> ast.expr | None:
    if node.op not in (add, subtract) or not _inexact(*node.inputs):
        return None
    if syntax.without_sign(value.left) is None:
        return None  # also where `_emit_sum` has the operands the other way round
    left = without_sign(node.inputs[0], value.left)
    opposite = "-" if isinstance(value.op, ast.Add) else "+"
    return None if left is None else syntax.binary(opposite, left, value.right)


def _takes_sign(node: Node, x: ast.expr) -> bool:
    """Whether the sign of the first factor of ``x``, the value of ``node``, is free to change: of
    complex products zeros would have another sign.
    """
    while syntax.is_product(x):
        if not _inexact(node) or node.array_type.complex:
            return False
        node, x = node.inputs[0], x.left
    python = node.op is constant and node.array_type.weak  # np.uint8(1) wraps around, 1 does not
    return python or _inexact(node)


def _emit_negative(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    """``-x * y`` for ``-(x * y)``: the same bits, and no more work."""
    signed = _takes_sign(node.inputs[0], x)
    return syntax.negated(x) if signed else syntax.unary("-", x)


add = elementwise(
    "add",
    numpy=np.add,
    emit=_emit_sum("+"),
    operator="+",
    partials=(lambda out, x, y: 1, lambda out, x, y: 1),
    sympy=lambda x, y: x + y,
    commutative=True,
    python=operator.add,
)
subtract = elementwise(
    "subtract",
    numpy=np.subtract,
    emit=_emit_sum("-"),
    operator="-",
    partials=(lambda out, x, y: 1, lambda out, x, y: -1),
    sympy=lambda x, y: x - y,
    python=operator.sub,
)
multiply = elementwise(
    "multiply",
    numpy=np.multiply,
    operator="*",
    partials=(lambda out, x, y: y, lambda out, x, y: x),
    sympy=lambda x, y: x * y,
    commutative=True,
    python=operator.mul,
)


def _emit_quotient(emitter: Emitter, node: Node, x: ast.expr, y: ast.expr) -> ast.expr:
    """``x / y``; ``np.divide(x, y)`` of an adjoint that may be Python's, which raises at 0."""
    left, right = node.inputs
    adjoint = node.span is not None and node.span.adjoint
    wide = node.array_type.form == "scalar" and node.dtype.char in "dD"  # as Python's numbers
    zero = number(right) == 0 or (right.op is size and may_be_zero(right))
    if adjoint and wide and zero and left.op.name in _OF_EITHER_CLASS and right.array_type.weak:
        return syntax.call("np.divide", x, y)
    return _plain_quotient(emitter, node, x, y)


_plain_quotient = emit_operator("/")
_OF_EITHER_CLASS = frozenset({"widened", "item", "taken", "parameter"})
"""Where branches and loops join NumPy's numbers with Python's."""


def _inverse_divisor(out: Node, x: Node, y: Node) -> Any:
    if out.array_type.weak and y.array_type.inexact:
        return 1 / y  # where y is 0 Python's division has raised
    return Pole(inverse(y) if y.array_type.inexact else quotient(1, y, out.dtype), y)


def _divisor_partial(out: Node, x: Node, y: Node) -> Any:
    if out.array_type.weak:
        return -(out / y)
    numerator = x if x.array_type.inexact else cast(x, out.dtype)  # unsigned numbers wrap around
    return Pole(-(out / y), y, -numerator, order=2)


divide = elementwise(
    "divide",
    numpy=np.divide,
    emit=_emit_quotient,
    operator="/",
    partials=(_inverse_divisor, _divisor_partial),
    sympy=lambda x, y: x / y,
    python=operator.truediv,
)
negative = elementwise(
    "negative",
    numpy=np.negative,
    emit=_emit_negative,
    operator="-",
    partials=(lambda out, x: -1,),
    sympy=lambda x: -x,
    python=operator.neg,
)
positive = elementwise(
    "positive",
    numpy=np.positive,
    operator="+",
    partials=(lambda out, x: 1,),
    sympy=lambda x: x,
    python=operator.pos,
)
reciprocal = elementwise(
    "reciprocal",
    numpy=np.reciprocal,
    partials=(lambda out, x: Pole(-(out * out), x, -1, order=2),),
    sympy=lambda x: 1 / x,
)

OPERATORS.update({"+": add, "-": subtract, "*": multiply, "/": divide, "neg": negative})


@implements(np.reciprocal)
def _reciprocal(x: Any, /) -> Node:
    node = as_node(x)
    return inverse(node) if node.dtype.kind == "f" else reciprocal(node)


# -- division with remainder ---------------------------------------------------------------------

floor_divide = elementwise(
    "floor_divide",
    numpy=np.floor_divide,
    operator="//",
    partials=(NON_DIFF, NON_DIFF),
    sympy=formula("floor(x/y)"),
    python=operator.floordiv,
)
remainder = elementwise(
    "remainder",
    numpy=np.remainder,
    operator="%",
    partials=(lambda out, x, y: 1, lambda out, x, y: -floor_divide(x, y)),
    sympy=formula("x - y*floor(x/y)"),
    python=operator.mod,
)
fmod = elementwise(
    "fmod",
    numpy=np.fmod,
    # x - out is a multiple of y: rounding its quotient by y gives that number exactly, where
    # trunc(x / y) is off by one as soon as x / y rounds up to a whole number.
    partials=(lambda out, x, y: 1, lambda out, x, y: -rint((x - out) / y)),
    sympy=formula("x - y*sign(x/y)*floor(Abs(x/y))"),
)


@implements_python(divmod)
@implements(np.divmod)
def _divmod(x1: Any, x2: Any, /) -> tuple[Node, Node]:
    left, right = as_node(x1), as_node(x2)
    return floor_divide(left, right), remainder(left, right)


gcd = elementwise("gcd", numpy=np.gcd, partials=(NON_DIFF, NON_DIFF), commutative=True)
lcm = elementwise("lcm", numpy=np.lcm, partials=(NON_DIFF, NON_DIFF), commutative=True)


# -- signs ---------------------------------------------------------------------------------------


def _sign_partial(out: Node, x: Node) -> Any:
    if x.array_type.complex:
        raise UnsupportedError("np.sign of complex numbers has no complex derivative")
    return 0


sign = elementwise("sign", numpy=np.sign, partials=(_sign_partial,), sympy="sign")
fabs = elementwise(
    "fabs",
    numpy=np.fabs,
    partials=(lambda out, x: sign(x),),
    sympy="Abs",
)
