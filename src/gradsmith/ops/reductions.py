"""Reductions over axes, second part: what NumPy's functions mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import ShapeError
from gradsmith.ir import dims
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Op
from gradsmith.ir.types import describe_shape
from gradsmith.ops.arguments import as_dtype, normalize_axes, normalize_axis
from gradsmith.ops.create import filled
from gradsmith.ops.declare import FUNCTIONS, as_node, implements
from gradsmith.ops.join import concatenate
from gradsmith.ops.reduce import (
    argmax,
    argmin,
    count_nonzero,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_min,
    reduce_sum,
    reduced_shape,
)
from gradsmith.ops.select import where as select
from gradsmith.ops.shape import Axes, cast, expand_dims

# -- arguments -----------------------------------------------------------------------------------


def reduced_axes(axis: Any, ndim: int) -> Axes:
    """NumPy's ``axis`` of a reduction as sorted axes from the front."""
    if ndim == 0 and axis is not None and not isinstance(axis, tuple):
        normalize_axis(axis, 1)  # NumPy lets a scalar have an axis 0
        return ()
    return tuple(sorted(normalize_axes(axis, ndim)))


def reduced(op: Op, a: Any, axis: Any, keepdims: Any, dtype: Any = None, **options: Any) -> Node:
    """``op`` over NumPy's ``axis``, with the ``dtype`` where it is not the one taken anyway."""
    x = as_node(a)
    attrs = {"axis": reduced_axes(axis, x.ndim), "keepdims": bool(keepdims), **options}
    if dtype is not None and op.infer(x.type, **attrs) != op.infer(
        x.type, **attrs, dtype=as_dtype(dtype)
    ):
        attrs["dtype"] = as_dtype(dtype)
    return op(x, **attrs)


def masked(a: Any, where: Any, identity: float) -> Node:
    """The operand of a reduction with ``where=``: what is left out is the identity.

    Raises
    ------
    ShapeError
        The mask has axes that the operand has not.
    """
    x = as_node(a)
    if where is True:
        return x
    kept = select(as_node(where), x, identity)
    if kept.ndim != x.ndim:
        raise ShapeError(f"where= has more axes than the operand, {describe_shape(x.shape)}")
    return kept


# -- sums ----------------------------------------------------------------------------------------


@implements(np.sum)
def sum_(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Node:
    """`numpy.sum`."""
    total = reduced(reduce_sum, masked(a, where, 0), axis, keepdims, dtype)
    return total if initial is None else cast(total + initial, total.dtype)


# -- extrema -------------------------------------------------------------------------------------


def _extreme(
    op: Op, join: Callable[..., Any], a: Any, axis: Any, keepdims: Any, initial: Any, where: Any
) -> Node:
    if initial is None:
        if where is not True:
            raise ShapeError(f"{op.name} with where= needs initial=: it may choose from nothing")
        return reduced(op, a, axis, keepdims)
    x = as_node(a)
    first = cast(as_node(initial), x.dtype)
    axes = reduced_axes(axis, x.ndim)
    may_be_empty = x.ndim == 1 and dims.is_unbacked(x.shape[0])
    if not may_be_empty and any(dims.decide("==", x.shape[i], 0) for i in axes):
        shape = reduced_shape(x.shape, axes, bool(keepdims))
        return filled(shape, first, x.dtype) if shape else _as_scalar(join, first)
    kept = x if where is True else select(as_node(where), x, first)
    if may_be_empty:
        return reduced(
            op, concatenate(kept, expand_dims(first, axis=(0,)), axis=0), axis, keepdims
        )
    result: Node = FUNCTIONS[join](reduced(op, kept, axis, keepdims), first)
    return result


def _as_scalar(join: Callable[..., Any], first: Node) -> Node:
    """The initial value, which NumPy gives as a scalar where there is no axis."""
    scalar: Node = FUNCTIONS[join](first, first) if first.array_type.form == "array" else first
    return scalar


@implements(np.max, np.amax)
def max_(
    a: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Node:
    """`numpy.max`."""
    return _extreme(reduce_max, np.maximum, a, axis, keepdims, initial, where)


@implements(np.min, np.amin)
def min_(
    a: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Node:
    """`numpy.min`."""
    return _extreme(reduce_min, np.minimum, a, axis, keepdims, initial, where)


# -- truth values, counts, positions -------------------------------------------------------------


@implements(np.any)
def any_(a: Any, axis: Any = None, *, keepdims: bool = False, where: Any = True) -> Node:
    """`numpy.any`."""
    return reduced(reduce_any, masked(a, where, 0), axis, keepdims)


@implements(np.all)
def all_(a: Any, axis: Any = None, *, keepdims: bool = False, where: Any = True) -> Node:
    """`numpy.all`."""
    return reduced(reduce_all, masked(a, where, 1), axis, keepdims)


@implements(np.count_nonzero)
def count_nonzero_(a: Any, axis: Any = None, *, keepdims: bool = False) -> Node:
    """`numpy.count_nonzero`."""
    return reduced(count_nonzero, a, axis, keepdims)


def _where_extreme(op: Op, a: Any, axis: Any, keepdims: bool) -> Node:
    x = as_node(a)
    along = None if axis is None else normalize_axis(axis, max(x.ndim, 1))
    return op(x, axis=along, keepdims=bool(keepdims))


@implements(np.argmax)
def argmax_(a: Any, axis: Any = None, *, keepdims: bool = False) -> Node:
    """`numpy.argmax`."""
    return _where_extreme(argmax, a, axis, keepdims)


@implements(np.argmin)
def argmin_(a: Any, axis: Any = None, *, keepdims: bool = False) -> Node:
    """`numpy.argmin`."""
    return _where_extreme(argmin, a, axis, keepdims)
