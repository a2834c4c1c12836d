"""Cumulative sums, differences, the trapezoidal rule; cumulative products are in products.py."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentValueError, ShapeError
from gradsmith.ir.graph import Node
from gradsmith.ir.op import EmitRule, Emitter, Linear, Op
from gradsmith.ir.types import ArrayType, DType
from gradsmith.ops import syntax
from gradsmith.ops.arguments import as_dtype, as_static_int, normalize_axis
from gradsmith.ops.declare import FUNCTIONS, as_node, implements, primitive
from gradsmith.ops.index import read
from gradsmith.ops.manipulate import broadcasted, ravel, reshaped
from gradsmith.ops.reduce import probe, reduce_sum

# ``reverse`` ops start at the far end: the transpose of a cumulative sum is one from the end.


def cumulative_infer(function: Callable[..., Any]) -> Callable[..., ArrayType]:
    """Type rule: the dtype that ``function`` itself gives, the same shape."""

    def infer(x: ArrayType, *, axis: int, reverse: bool, dtype: DType | None = None) -> ArrayType:
        return ArrayType(probe(function, x.dtype, dtype), x.shape)

    return infer


def cumulative_evaluate(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` along the axis, from either end."""

    def evaluate(x: Any, *, axis: int, reverse: bool, dtype: DType | None = None) -> Any:
        if not reverse:
            return function(x, axis, dtype)
        return np.flip(function(np.flip(x, axis), axis, dtype), axis)

    return evaluate


def emit_cumulative(method: str) -> EmitRule:
    """``x.cumsum(axis=0)``, or ``x[::-1].cumsum(axis=0)[::-1]`` from the end."""

    def emit(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
        axis, dtype = node.attrs["axis"], node.attrs.get("dtype")
        along = None if node.ndim == 1 else axis
        if not node.attrs["reverse"]:
            return syntax.method(x, method, axis=along, dtype=dtype)
        forward = syntax.method(_flipped(x, axis), method, axis=along, dtype=dtype)
        return _flipped(forward, axis)

    return emit


def _flipped(x: ast.expr, axis: int) -> ast.expr:
    key: list[ast.expr] = [ast.Slice(None, None, None) for _ in range(axis)]
    key.append(ast.Slice(None, None, syntax.expression(-1)))
    return syntax.subscript(x, key[0] if len(key) == 1 else syntax.tuple_(key))


cumsum: Op = primitive(
    "cumsum",
    infer=cumulative_infer(np.cumsum),
    evaluate=cumulative_evaluate(np.cumsum),
    derivative=Linear(
        (lambda g, x, *, axis, reverse, **_: cumsum(g, axis=axis, reverse=not reverse),)
    ),
    emit=emit_cumulative("cumsum"),
)


def cumulated(op: Op, a: Any, axis: Any, dtype: Any) -> Node:
    """``op`` along NumPy's ``axis``, over everything where that is None."""
    x = as_node(a)
    if axis is None or x.ndim == 0:
        normalize_axis(axis or 0, 1)
        x, number = ravel(x), 0
    else:
        number = normalize_axis(axis, x.ndim)
    attrs: dict[str, Any] = {"axis": number, "reverse": False}
    if dtype is not None and op.infer(x.type, **attrs) != op.infer(
        x.type, **attrs, dtype=as_dtype(dtype)
    ):
        attrs["dtype"] = as_dtype(dtype)
    return op(x, **attrs)


@implements(np.cumsum)
def cumsum_(a: Any, axis: Any = None, dtype: Any = None) -> Node:
    """`numpy.cumsum`."""
    return cumulated(cumsum, a, axis, dtype)


def with_initial(op: Op, x: Any, axis: Any, dtype: Any, initial: float | None) -> Node:
    """The array API's cumulative functions: ``axis`` may be left out for vectors alone."""
    array = as_node(x)
    if axis is None and array.ndim != 1:
        raise ArgumentValueError(
            "For arrays which have more than one dimension ``axis`` argument is required."
        )
    found = cumulated(op, array, axis, dtype)
    if initial is None:
        return found
    number = 0 if axis is None else normalize_axis(axis, array.ndim)
    first = tuple(1 if i == number else size for i, size in enumerate(found.shape))
    filled = FUNCTIONS[np.full](first, initial, dtype=found.dtype)
    joined: Node = FUNCTIONS[np.concatenate]((filled, found), axis=number)
    return joined


def cumulative_sum(
    x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False
) -> Node:
    """`numpy.cumulative_sum`."""
    return with_initial(cumsum, x, axis, dtype, 0 if include_initial else None)


if hasattr(np, "cumulative_sum"):  # NumPy 2.1
    implements(np.cumulative_sum)(cumulative_sum)


# -- differences ---------------------------------------------------------------------------------


def along(axis: int, part: slice) -> tuple[slice, ...]:
    """The key of ``part`` of one axis."""
    return (*[slice(None)] * axis, part)


def _neighbours(x: Node, axis: int) -> tuple[Node, Node]:
    return read(x, along(axis, slice(1, None))), read(x, along(axis, slice(None, -1)))


@implements(np.diff)
def diff(a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    """`numpy.diff`."""
    order = as_static_int(n, "n")
    if order == 0:
        return a  # whatever it is: a list, too
    x = as_node(a)
    if order < 0:
        raise ArgumentValueError(f"order must be non-negative but got {order}")
    if x.ndim == 0:
        raise ShapeError("diff requires input that is at least one dimensional")
    number = normalize_axis(axis, x.ndim)
    x = _extended(x, number, prepend, append)
    for _ in range(order):
        later, earlier = _neighbours(x, number)
        x = later - earlier if x.dtype.kind != "b" else FUNCTIONS[np.not_equal](later, earlier)
    return x


def _extended(x: Node, axis: int, prepend: Any, append: Any) -> Node:
    one = tuple(1 if i == axis else size for i, size in enumerate(x.shape))
    parts: list[Node] = []
    for value in (prepend, x, append):
        if value is None:
            continue
        part = as_node(value)
        parts.append(broadcasted(part, one) if part.ndim == 0 else part)
    if len(parts) == 1:
        return x
    joined: Node = FUNCTIONS[np.concatenate](tuple(parts), axis=axis)
    return joined


@implements(np.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Node:
    """`numpy.trapezoid`."""
    heights = as_node(y)
    later, earlier = _neighbours(heights, normalize_axis(axis, heights.ndim))
    areas = _widths(x, dx, heights, axis) * (later + earlier) / 2.0
    return reduce_sum(areas, axis=(normalize_axis(axis, areas.ndim),), keepdims=False)


def _widths(x: Any, dx: Any, heights: Node, axis: Any) -> Any:
    if x is None:
        return dx
    places = as_node(x)
    if places.ndim != 1:
        return diff(places, axis=axis)
    widths = diff(places)
    number = normalize_axis(axis, heights.ndim)
    shape = tuple(widths.shape[0] if i == number else 1 for i in range(heights.ndim))
    return reshaped(widths, shape)


if hasattr(np, "trapz"):  # before NumPy 2.4
    implements(np.trapz)(trapezoid)
