"""Averages and spreads over axes: NumPy's "statistics"; norms are in norms.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ArgumentValueError, ShapeError
from gradsmith.ir import dims
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Custom, Linear, Op
from gradsmith.ir.types import DType, result_dtype, same_shape
from gradsmith.ops.arguments import normalize_axes, refuse, require_default, size_of
from gradsmith.ops.arithmetic import quotient
from gradsmith.ops.compare import equal
from gradsmith.ops.complex import conj, real
from gradsmith.ops.declare import as_node, implements
from gradsmith.ops.index import read
from gradsmith.ops.manipulate import broadcasted, reshaped, transpose
from gradsmith.ops.reduce import (
    expand_reduced,
    reduce_max,
    reduce_min,
    reduce_sum,
    reduction,
    spread,
)
from gradsmith.ops.reductions import masked, reduced, reduced_axes
from gradsmith.ops.shape import Axes, cast

# -- mean ----------------------------------------------------------------------------------------


def count(x: Node, axis: Axes) -> Size:
    """How many elements are reduced to one."""
    return dims.product(tuple(x.shape[a] for a in axis))


def _mean_transpose(g: Node, x: Node, *, axis: Axes, keepdims: bool, **_: Any) -> Node:
    return spread(quotient(g, count(x, axis), x.dtype), x.shape, axis, keepdims)


reduce_mean = reduction("reduce_mean", np.mean, Linear((_mean_transpose,)), adds=True)


# -- variance and standard deviation -------------------------------------------------------------


def _centred(x: Node, axis: Axes) -> Node:
    return x - reduce_mean(x, axis=axis, keepdims=len(axis) < x.ndim)


def _centred_exactly(x: Node, axis: Axes) -> Node:
    """As `_centred`, and exactly 0 where all elements are the same.

    The mean of three times 0.1 is not 0.1, and the deviations from it, divided by a standard
    deviation of 1e-17, would be taken for a direction. Counted from the first element they are 0.
    """
    first = tuple(slice(None, 1) if a in axis else slice(None) for a in range(x.ndim))
    return _centred(x - read(x, first), axis)


def nonzero(out: Node) -> Node:
    """``out`` with 1 for 0: a divisor of what is 0 there anyway."""
    return out + equal(out, 0)


def inner_real(x: Node, t: Node, axis: Axes, keepdims: bool) -> Node:
    """The sum of ``Re(conj(x) * t)``."""
    product = real(conj(x) * t) if x.array_type.complex else x * t
    return reduce_sum(product, axis=axis, keepdims=keepdims)


def _deviation(
    name: str,
    function: Callable[..., Any],
    centred: Callable[[Node, Axes], Node],
    scaled: Callable[[Node, Node, Any], Node],
) -> Op:
    """A spread with the gradient ``scaled(g, out, n - ddof)`` times the deviations."""

    def freedom(x: Node, axis: Axes, ddof: Any) -> Any:
        n = count(x, axis)
        return n - ddof if dims.is_size(ddof) else as_node(n) - ddof

    def gradient(
        g: Node, out: Node, x: Node, *, axis: Axes, keepdims: bool, ddof: Any = 0, **_: Any
    ) -> Node:
        scale = scaled(g, out, freedom(x, axis, ddof))
        return centred(x, axis) * expand_reduced(scale, axis, keepdims)

    def tangent(
        out: Node,
        inputs: tuple[Node],
        tangents: list[Node],
        *,
        axis: Axes,
        keepdims: bool,
        ddof: Any = 0,
        **_: Any,
    ) -> Node:
        moved = inner_real(centred(inputs[0], axis), tangents[0], axis, keepdims)
        return scaled(moved, out, freedom(inputs[0], axis, ddof))

    return reduction(name, function, Custom((gradient,), jvp=tangent), folds=False)


reduce_var = _deviation("reduce_var", np.var, _centred, lambda g, out, n: 2 * g / n)
reduce_std = _deviation(
    "reduce_std", np.std, _centred_exactly, lambda g, out, n: g / (n * nonzero(out))
)


# -- NumPy's functions ---------------------------------------------------------------------------


@implements(np.mean)
def mean(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, where: Any = True
) -> Node:
    """`numpy.mean`."""
    x = as_node(a)
    normalize_axes(axis, x.ndim)  # unlike np.sum it does not let a scalar have an axis 0
    if where is True:
        return reduced(reduce_mean, x, axis, keepdims, dtype)
    axes = reduced_axes(axis, x.ndim)
    kind = reduced(reduce_mean, x, axis, keepdims, dtype).dtype
    total = reduce_sum(masked(cast(x, kind), where, 0), axis=axes, keepdims=bool(keepdims))
    kept = broadcasted(as_node(where), x.shape)
    return cast(total / reduce_sum(kept, axis=axes, keepdims=bool(keepdims)), kind)


def _deviations(
    op: Op, a: Any, axis: Any, dtype: Any, ddof: Any, keepdims: bool, **options: Any
) -> Node:
    function = f"np.{op.name.removeprefix('reduce_')}"
    require_default(function, mean=(options["mean"], [None]))
    if options["where"] is not True:
        refuse(function, "where", "a mask", hint="compute it from means: E((x - E(x))**2)")
    correction = options["correction"]
    if correction is not None and ddof:
        raise ArgumentValueError("ddof and correction can't be provided simultaneously.")
    given = ddof if correction is None else correction
    size = size_of(given)
    if size is None and not isinstance(given, float):
        refuse(function, "ddof", given, hint="it must not depend on the data")
    freedom = given if size is None else size
    normalize_axes(axis, as_node(a).ndim)
    return reduced(op, a, axis, keepdims, dtype, **({"ddof": freedom} if freedom else {}))


@implements(np.var)
def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    ddof: Any = 0,
    keepdims: bool = False,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Node:
    """`numpy.var`."""
    options = {"where": where, "mean": mean, "correction": correction}
    return _deviations(reduce_var, a, axis, dtype, ddof, keepdims, **options)


@implements(np.std)
def std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    ddof: Any = 0,
    keepdims: bool = False,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Node:
    """`numpy.std`."""
    options = {"where": where, "mean": mean, "correction": correction}
    return _deviations(reduce_std, a, axis, dtype, ddof, keepdims, **options)


@implements(np.ptp)
def ptp(a: Any, axis: Any = None, *, keepdims: bool = False) -> Node:
    """`numpy.ptp`."""
    return reduced(reduce_max, a, axis, keepdims) - reduced(reduce_min, a, axis, keepdims)


# -- weighted average ----------------------------------------------------------------------------


@implements(np.average)
def average(
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """`numpy.average`; weights that sum to zero give inf or nan, since data decides that."""
    x = as_node(a)
    axes = reduced_axes(axis, x.ndim)
    if weights is None:
        found = reduced(reduce_mean, x, axis, keepdims)
        total = cast(as_node(count(x, axes)), found.dtype)
    else:
        w = _aligned_weights(as_node(weights), x, axis)
        kind = _average_dtype(x, w)
        total = reduced(reduce_sum, w, axis, keepdims, kind)
        product = cast(x, kind) * cast(w, kind)
        found = reduced(reduce_sum, product, axis, keepdims) / total
    if not returned:
        return found
    alike = same_shape(total.shape, found.shape)
    return found, total if alike else broadcasted(total, found.shape)


def _average_dtype(x: Node, w: Node) -> DType:
    kinds = [x.array_type.strong(), w.array_type.strong()]
    joint = result_dtype(*kinds)
    return joint if x.array_type.inexact else np.result_type(joint, np.float64)


def _aligned_weights(w: Node, x: Node, axis: Any) -> Node:
    """The weights in a shape that broadcasts against ``x``."""
    if w.ndim == x.ndim and same_shape(w.shape, x.shape):
        return reshaped(w, x.shape)  # raises an error where the data decide otherwise
    if axis is None:
        raise ArgumentTypeError("Axis must be specified when shapes of a and weights differ.")
    given = normalize_axes(axis, x.ndim)
    if not same_shape(w.shape, tuple(x.shape[a] for a in given)):
        raise ShapeError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    ordered = transpose(w, tuple(int(i) for i in np.argsort(given)))
    return reshaped(ordered, tuple(s if i in given else 1 for i, s in enumerate(x.shape)))
