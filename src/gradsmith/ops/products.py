"""Products over axes and cumulative products, exact where elements are zero.

No gradient here divides by an element that may be zero, and to every order it is that of the
polynomial that a product is.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gradsmith.ir import dims
from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, Custom, Emitter, Op
from gradsmith.ir.types import ArrayType
from gradsmith.ops.compare import equal, greater_equal, less_equal, logical_and
from gradsmith.ops.complex import conjugated
from gradsmith.ops.create import ones
from gradsmith.ops.cumulative import (
    along,
    cumsum,
    cumulated,
    cumulative_evaluate,
    cumulative_infer,
    emit_cumulative,
    with_initial,
)
from gradsmith.ops.declare import implements, primitive
from gradsmith.ops.index import read
from gradsmith.ops.join import concatenate
from gradsmith.ops.manipulate import moveaxis, reshaped
from gradsmith.ops.ranges import integers
from gradsmith.ops.reduce import reduce_sum, reduction, spread
from gradsmith.ops.reductions import masked, reduced
from gradsmith.ops.select import where as select
from gradsmith.ops.shape import Axes, cast, expand_dims

# -- products ------------------------------------------------------------------------------------


def _others(x: Node, axis: Axes) -> Node:
    """For each element the product of all the others that it is multiplied with."""
    if len(axis) == 1:
        return _others_along(x, axis[0])
    kept = [i for i in range(x.ndim) if i not in axis]
    order = (*kept, *axis)
    moved = moveaxis(x, order, tuple(range(x.ndim)))
    size = dims.product(tuple(x.shape[a] for a in axis))
    flat = reshaped(moved, (*(x.shape[i] for i in kept), size))
    others = reshaped(_others_along(flat, len(kept)), moved.shape)
    return moveaxis(others, tuple(range(x.ndim)), order)


def _others_along(x: Node, axis: int) -> Node:
    """The product of those before times the product of those after."""
    one = ones(shape=tuple(1 if i == axis else s for i, s in enumerate(x.shape)), dtype=x.dtype)
    before = read(concatenate(one, x, axis=axis), along(axis, slice(None, -1)))
    after = read(concatenate(x, one, axis=axis), along(axis, slice(1, None)))
    left = cumprod(before, axis=axis, reverse=False)
    return left * cumprod(after, axis=axis, reverse=True)


def _prod_gradient(g: Node, out: Node, x: Node, *, axis: Axes, keepdims: bool, **_: Any) -> Node:
    if not axis:
        return g
    return spread(g, x.shape, axis, keepdims) * conjugated(_others(x, axis))


def _prod_tangent(
    out: Node, inputs: tuple[Node], tangents: list[Node], *, axis: Axes, keepdims: bool, **_: Any
) -> Node:
    if not axis:
        return tangents[0]
    return reduce_sum(tangents[0] * _others(inputs[0], axis), axis=axis, keepdims=keepdims)


reduce_prod = reduction("reduce_prod", np.prod, Custom((_prod_gradient,), jvp=_prod_tangent))


# -- cumulative products -------------------------------------------------------------------------


def _cumprod_gradient(g: Node, out: Node, x: Node, *, axis: int, reverse: bool, **_: Any) -> Node:
    return _adjoint(g, conjugated(x), conjugated(out), axis, reverse)


def _cumprod_tangent(
    out: Node, inputs: tuple[Node], tangents: list[Node], *, axis: int, reverse: bool, **_: Any
) -> Node:
    return _tangent(tangents[0], inputs[0], out, axis, reverse)


cumprod: Op = primitive(
    "cumprod",
    infer=cumulative_infer(np.cumprod),
    evaluate=cumulative_evaluate(np.cumprod),
    derivative=Custom((_cumprod_gradient,), jvp=_cumprod_tangent),
    emit=emit_cumulative("cumprod"),
)


# The Jacobian J of a cumulative product has the element (k, i), for i <= k, that is the product of
# all x_j with j <= k but x_i: out_k / x_i. With a first zero at z it is 0 for i < z <= k and for
# i > z, and what is left of column z is the cumulative product with 1 in place of that zero.


def _pieces(x: Node, axis: int, reverse: bool) -> tuple[Node, Node, Node]:
    """``x`` with 1 for each zero; where the first zero is; the products without the first."""
    zero = equal(x, 0)
    first = logical_and(zero, equal(cumsum(zero, axis=axis, reverse=reverse), 1))
    rest = cumprod(select(first, 1, x), axis=axis, reverse=reverse)
    return select(zero, 1, x), first, rest


def _adjoint(g: Node, x: Node, out: Node, axis: int, reverse: bool) -> Node:
    """``J.T @ g`` in linear time."""
    divisor, first, rest = _pieces(x, axis, reverse)
    regular = cumsum(g * out, axis=axis, reverse=not reverse) / divisor
    singular = cumsum(g * rest, axis=axis, reverse=not reverse)
    value = regular + select(first, singular, 0)
    return cumprod_product(value, g, x, axis=axis, reverse=reverse, transposed=True)


def _tangent(t: Node, x: Node, out: Node, axis: int, reverse: bool) -> Node:
    """``J @ t`` in linear time."""
    divisor, first, rest = _pieces(x, axis, reverse)
    regular = cumsum(t / divisor, axis=axis, reverse=reverse) * out
    singular = cumsum(select(first, t, 0), axis=axis, reverse=reverse) * rest
    return cumprod_product(regular + singular, t, x, axis=axis, reverse=reverse, transposed=False)


def _product(v: Node, x: Node, axis: int, reverse: bool, transposed: bool) -> Node:
    out = cumprod(x, axis=axis, reverse=reverse)
    return (_adjoint if transposed else _tangent)(v, x, out, axis, reverse)


# -- their second derivatives --------------------------------------------------------------------
#
# The formulas above are right at a zero and wrong beside it, so they must not be differentiated.
# `cumprod_product` is their value with a derivative of its own. It goes through the matrix with
# the rows x, each with 1 on the diagonal: J.T is its cumulative product, masked.


def _rows(x: Node, axis: int) -> Node:
    """``x`` as a row (last) of a matrix for each of its elements (last but one)."""
    return expand_dims(moveaxis(x, axis, -1), axis=(x.ndim - 1,))


def _columns(x: Node, axis: int) -> Node:
    return expand_dims(moveaxis(x, axis, -1), axis=(x.ndim,))


def _masks(x: Node, axis: int, reverse: bool) -> tuple[Node, Node]:
    """Where i == k, and where x_i takes part in out_k."""
    k = integers(0, x.shape[axis])
    i = expand_dims(k, axis=(1,))
    return equal(i, k), (greater_equal if reverse else less_equal)(i, k)


def _contract(matrix: Node, over: int, axis: int) -> Node:
    """The sum over rows (-2) or columns (-1), what is left at ``axis``."""
    total = reduce_sum(matrix, axis=(matrix.ndim + over,), keepdims=False)
    return moveaxis(total, -1, axis)


def _curvature_gradient(v: Node, h: Node, x: Node, axis: int, reverse: bool) -> Node:
    """The gradient in ``x`` of ``sum(h_k J_ki v_i)``, for operands that are conjugated already."""
    diagonal, part = _masks(x, axis, reverse)
    matrix = select(diagonal, 1, _rows(x, axis))
    weights = select(part, _columns(v, axis) * _rows(h, axis), 0)
    last = matrix.ndim - 1
    inner = _product(weights, matrix, last, reverse, transposed=True)
    return _contract(select(diagonal, 0, inner), -2, axis)


def _product_gradient(
    g: Node,
    out: Node,
    value: Node,
    v: Node,
    x: Node,
    *,
    axis: int,
    reverse: bool,
    transposed: bool,
) -> Node:
    vector, point = conjugated(v), conjugated(x)
    pair = (g, vector) if transposed else (vector, g)
    return _curvature_gradient(*pair, point, axis, reverse)


def _product_tangent(
    out: Node,
    inputs: tuple[Node, Node, Node],
    tangents: list[Node | None],
    *,
    axis: int,
    reverse: bool,
    transposed: bool,
) -> Node:
    _, v, x = inputs
    _, dv, dx = tangents
    terms: list[Node] = []
    if dv is not None:
        terms.append(_product(dv, x, axis, reverse, transposed))
    if dx is not None:
        diagonal, part = _masks(x, axis, reverse)
        matrix = select(diagonal, 1, _rows(x, axis))
        direction = select(diagonal, 0, _rows(dx, axis))
        moved = _product(direction, matrix, matrix.ndim - 1, reverse, transposed=False)
        weights = _rows(v, axis) if transposed else _columns(v, axis)
        moved = select(part, moved * weights, 0)
        terms.append(_contract(moved, -1 if transposed else -2, axis))
    return terms[0] if len(terms) == 1 else terms[0] + terms[1]


def _product_infer(value: ArrayType, v: ArrayType, x: ArrayType, **_: Any) -> ArrayType:
    return value


def _emit_value(emitter: Emitter, node: Node, value: ast.expr, *_: ast.expr) -> ast.expr:
    return value


cumprod_product: Op = primitive(
    "cumprod_product",
    infer=_product_infer,
    evaluate=lambda value, v, x, **_: value,
    derivative=Custom(
        (
            NON_DIFF,  # it is a function of the others
            lambda g, out, value, v, x, *, axis, reverse, transposed: _product(
                g, conjugated(x), axis, reverse, not transposed
            ),
            _product_gradient,
        ),
        jvp=_product_tangent,
    ),
    emit=_emit_value,
    traits={"alias"},
)


# -- NumPy's functions ---------------------------------------------------------------------------


@implements(np.prod)
def prod(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Node:
    """`numpy.prod`."""
    product = reduced(reduce_prod, masked(a, where, 1), axis, keepdims, dtype)
    return product if initial is None else cast(product * initial, product.dtype)


@implements(np.cumprod)
def cumprod_(a: Any, axis: Any = None, dtype: Any = None) -> Node:
    """`numpy.cumprod`."""
    return cumulated(cumprod, a, axis, dtype)


def cumulative_prod(
    x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False
) -> Node:
    """`numpy.cumulative_prod`."""
    return with_initial(cumprod, x, axis, dtype, 1 if include_initial else None)


if hasattr(np, "cumulative_prod"):  # NumPy 2.1
    implements(np.cumulative_prod)(cumulative_prod)
