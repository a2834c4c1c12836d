"""Norms of vectors and, where they need no singular values, of matrices."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentValueError, ShapeError
from gradsmith.ir import dims
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Custom, Emitter, Op
from gradsmith.ir.types import ArrayType, DType
from gradsmith.ops import syntax
from gradsmith.ops.arguments import normalize_axes, refuse
from gradsmith.ops.compare import not_equal
from gradsmith.ops.complex import absolute, direction
from gradsmith.ops.declare import as_node, implements, primitive, result_form
from gradsmith.ops.manipulate import moveaxis, ravel, reshaped
from gradsmith.ops.reduce import expand_reduced, reduce_sum, reduced_shape
from gradsmith.ops.reductions import max_, min_
from gradsmith.ops.shape import Axes, cast
from gradsmith.ops.statistics import count, inner_real, nonzero

# The op's ``axis`` is None for the 2-norm of everything, which NumPy takes as a dot product: the
# last bit may differ from that of a sum over all axes. ``order`` is None for the 2-norm.


@lru_cache(maxsize=64)
def _norm_dtype(dtype: DType) -> DType:
    found: DType = np.asarray(np.linalg.norm(np.ones(1, dtype))).dtype
    return found


def _axes(x: ArrayType, axis: Axes | None) -> Axes:
    return tuple(range(x.ndim)) if axis is None else axis


def _norm_infer(
    x: ArrayType, *, axis: Axes | None, keepdims: bool, order: float | None
) -> ArrayType:
    shape = reduced_shape(x.shape, _axes(x, axis), keepdims)
    return ArrayType(_norm_dtype(x.dtype), shape, result_form(shape))


def _short(axis: Axes | None) -> Any:
    return axis[0] if axis is not None and len(axis) == 1 else axis


def _evaluate_norm(x: Any, *, axis: Axes | None, keepdims: bool, order: float | None) -> Any:
    return np.linalg.norm(x, order, _short(axis), keepdims)


def _emit_norm(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    axis, keepdims, order = (node.attrs[key] for key in ("axis", "keepdims", "order"))
    along = None if node.inputs[0].ndim == 1 and order is not None else _short(axis)
    return syntax.call("np.linalg.norm", x, ord=order, axis=along, keepdims=keepdims or None)


def _slope(out: Node, x: Node, axis: Axes, keepdims: bool, order: float) -> Node:
    """The gradient of a p-norm, ``sign(x) * (abs(x) / norm)**(p - 1)``; 0 at 0."""
    divisor = expand_reduced(nonzero(out), axis, keepdims)
    length = absolute(x)
    return direction(x, length) * (length / divisor) ** (order - 1)


def _norm_gradient(
    g: Node, out: Node, x: Node, *, axis: Axes | None, keepdims: bool, order: float | None
) -> Node:
    axes = _axes(x.array_type, axis)
    if order is None:
        return x * expand_reduced(g / nonzero(out), axes, keepdims)
    return expand_reduced(g, axes, keepdims) * _slope(out, x, axes, keepdims, order)


def _norm_tangent(
    out: Node,
    inputs: tuple[Node],
    tangents: list[Node],
    *,
    axis: Axes | None,
    keepdims: bool,
    order: float | None,
) -> Node:
    axes = _axes(inputs[0].array_type, axis)
    if order is None:
        return inner_real(inputs[0], tangents[0], axes, keepdims) / nonzero(out)
    slope = _slope(out, inputs[0], axes, keepdims, order)
    return inner_real(slope, tangents[0], axes, keepdims)


norm: Op = primitive(
    "norm",
    infer=_norm_infer,
    evaluate=_evaluate_norm,
    derivative=Custom((_norm_gradient,), jvp=_norm_tangent),
    emit=_emit_norm,
)


# -- NumPy's functions ---------------------------------------------------------------------------

NEED_SINGULAR_VALUES = (2, -2, "nuc")


@implements(np.linalg.norm)
def norm_(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Node:
    """`numpy.linalg.norm`."""
    array = _inexact(as_node(x))
    whole = {None: True, "f": array.ndim == 2, "fro": array.ndim == 2, 2: array.ndim == 1}
    if axis is None and whole.get(ord, False):
        return norm(array, axis=None, keepdims=bool(keepdims), order=None)
    axes = normalize_axes(axis, array.ndim)
    if len(axes) == 1:
        return _vector_norm(array, ord, axes, keepdims)
    if len(axes) == 2:
        return _matrix_norm(array, ord, axes, keepdims)
    raise ShapeError(f"Improper number of dimensions to norm: {len(axes)}, it must be 1 or 2")


def _inexact(x: Node) -> Node:
    return x if x.array_type.inexact else cast(x, np.dtype(np.float64))


def _extreme(which: Callable[..., Node], x: Node, axis: Any, keepdims: bool) -> Node:
    """The extreme of what is not negative; 0 is that of nothing."""
    empty = which is max_ and any(dims.is_below(x.shape[a], 1) for a in axis)
    return which(x, axis, keepdims=keepdims, initial=0 if empty else None)


def _vector_norm(x: Node, order: Any, axis: Axes, keepdims: bool) -> Node:
    if isinstance(order, str):
        raise ArgumentValueError(f"Invalid norm order {order!r} for vectors")
    if order is None or order == 2:
        return norm(x, axis=axis, keepdims=bool(keepdims), order=None)
    if order == 0:
        kind = absolute(x).dtype
        return reduce_sum(cast(not_equal(x, 0), kind), axis=axis, keepdims=bool(keepdims))
    if order == 1:
        return reduce_sum(absolute(x), axis=axis, keepdims=bool(keepdims))
    if np.isinf(order):
        return _extreme(max_ if order > 0 else min_, absolute(x), axis, keepdims)
    return norm(x, axis=axis, keepdims=bool(keepdims), order=order)


def _matrix_norm(x: Node, order: Any, axis: Axes, keepdims: bool) -> Node:
    if order in (None, "fro", "f"):
        return norm(x, axis=tuple(sorted(axis)), keepdims=bool(keepdims), order=None)
    if order in NEED_SINGULAR_VALUES:
        refuse("np.linalg.norm", "ord", order, hint="only norms without singular values are there")
    if order not in (1, -1, np.inf, -np.inf):
        raise ArgumentValueError(f"Invalid norm order {order!r} for matrices.")
    row, column = axis
    summed, chosen = (row, column) if abs(order) == 1 else (column, row)
    sums = reduce_sum(absolute(x), axis=(summed,), keepdims=bool(keepdims))
    left = chosen if keepdims or chosen < summed else chosen - 1
    return _extreme(max_ if order > 0 else min_, sums, (left,), keepdims)


@implements(np.linalg.vector_norm)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Node:
    """`numpy.linalg.vector_norm`."""
    array = _inexact(as_node(x))
    axes = normalize_axes(axis, array.ndim)
    kept = reduced_shape(array.shape, axes, True)
    if axis is None:
        # along an axis, where NumPy adds the squares in another order than without one
        found = _vector_norm(ravel(array), ord, (0,), False)
    elif len(axes) == 1:
        found = _vector_norm(array, ord, axes, False)
    else:
        moved = moveaxis(array, axes, tuple(range(len(axes))))
        flat = reshaped(moved, (count(array, axes), *moved.shape[len(axes) :]))
        found = _vector_norm(flat, ord, (0,), False)
    return reshaped(found, kept) if keepdims and kept else found


@implements(np.linalg.matrix_norm)
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Node:
    """`numpy.linalg.matrix_norm`."""
    return norm_(x, ord, (-2, -1), keepdims)
