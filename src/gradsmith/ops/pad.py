"""`numpy.pad`: each mode is a store into a filled array, or a concatenation of slices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ShapeError, UnsupportedError
from gradsmith.ir import dims
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.types import describe
from gradsmith.ops.arguments import as_size, refuse
from gradsmith.ops.create import filled, zeros
from gradsmith.ops.declare import as_node, implements
from gradsmith.ops.index import index_set, read
from gradsmith.ops.index_key import Index
from gradsmith.ops.join import between, concatenate
from gradsmith.ops.manipulate import broadcasted
from gradsmith.ops.shape import cast, flip, wrapped

Pair = tuple[Any, Any]
Border = Callable[[Node, int, Size, Size], tuple[Node, Node]]


@implements(np.pad)
def _pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Node:
    x = as_node(array)
    widths = _widths(pad_width, x.ndim)
    if mode in ("constant", "empty"):
        return _constant(x, widths, kwargs.pop("constant_values", 0))
    if mode not in _BORDERS:
        refuse("np.pad", "mode", mode, hint=f"use one of constant, {', '.join(_BORDERS)}")
    if kwargs.get("reflect_type", "even") != "even":
        refuse("np.pad", "reflect_type", kwargs["reflect_type"])
    for axis, (before, after) in enumerate(widths):
        x = _bordered(x, axis, before, after, _BORDERS[mode])
    return x


def _widths(pad_width: Any, ndim: int) -> list[tuple[Size, Size]]:
    if isinstance(pad_width, Node) and pad_width.dtype.kind not in "iu":
        raise ArgumentTypeError(
            f"the widths of np.pad are integers, not a {describe(pad_width.type)}",
            hint="pass ints that are known when tracing",
        )
    if isinstance(pad_width, dict):
        chosen = {axis % ndim: pair for axis, pair in pad_width.items()}
        pairs = [_pair(chosen.get(axis, 0)) for axis in range(ndim)]
    else:
        pairs = _pairs(pad_width, ndim)
    sizes = [(as_size(a, "pad_width"), as_size(b, "pad_width")) for a, b in pairs]
    if any(dims.is_below(size, 0) for pair in sizes for size in pair):
        raise ShapeError("index can't contain negative values")
    return sizes


def _pair(value: Any) -> Pair:
    """``(before, after)`` from a number, one number in a list, or two."""
    if isinstance(value, (tuple, list, np.ndarray)):
        return (value[0], value[-1])
    return (value, value)


def _pairs(value: Any, ndim: int) -> list[Pair]:
    """One pair per axis, broadcast as `numpy.pad` does."""
    nested = isinstance(value, (tuple, list, np.ndarray)) and any(
        isinstance(v, (tuple, list, np.ndarray)) for v in value
    )
    if not nested:
        return [_pair(value)] * ndim
    if len(value) not in (1, ndim):
        raise ShapeError(f"{len(value)} pairs do not fit an array of {ndim} axes")
    return [_pair(v) for v in value] * (ndim if len(value) == 1 else 1)


# -- constant ------------------------------------------------------------------------------------


def _constant(x: Node, widths: list[tuple[Size, Size]], values: Any) -> Node:
    fills = _pairs(values, x.ndim)
    first = fills[0][0] if fills else 0
    if not all(fill is first or _equal(fill, first) for pair in fills for fill in pair):
        return _framed(x, widths, fills)
    shape = tuple(a + size + b for size, (a, b) in zip(x.shape, widths, strict=True))
    if _equal(first, 0):
        base = zeros(shape=shape, dtype=x.dtype)
    else:
        base = filled(shape, wrapped(as_node(first), x.dtype), x.dtype)
    inner = [
        between([before] if before != 0 else [], size, [after] if after != 0 else [])
        for size, (before, after) in zip(x.shape, widths, strict=True)
    ]
    return index_set(base, x, index=Index(tuple(inner)))


def _equal(left: Any, right: Any) -> bool:
    return not isinstance(left, Node) and not isinstance(right, Node) and bool(left == right)


def _framed(x: Node, widths: list[tuple[Size, Size]], fills: list[Pair]) -> Node:
    """Another value on each side: later axes go over the corners."""
    for axis, (pair, fill) in enumerate(zip(widths, fills, strict=True)):
        blocks = [
            filled(
                (*x.shape[:axis], width, *x.shape[axis + 1 :]),
                wrapped(as_node(value), x.dtype),
                x.dtype,
            )
            for width, value in zip(pair, fill, strict=True)
        ]
        x = concatenate(blocks[0], cast(x, x.dtype), blocks[1], axis=axis)
    return x


# -- copies of what is inside --------------------------------------------------------------------


def _bordered(x: Node, axis: int, before: Size, after: Size, border: Border) -> Node:
    if before == 0 and after == 0:
        return x
    left, right = border(x, axis, before, after)
    parts = [left] if before != 0 else []
    parts += [x, right] if after != 0 else [x]
    return concatenate(*parts, axis=axis)


def _along(x: Node, axis: int, start: Size | None, stop: Size | None) -> Node:
    return read(x, (*[slice(None)] * axis, slice(start, stop)))


def _edge(x: Node, axis: int, before: Size, after: Size) -> tuple[Node, Node]:
    ends = (_along(x, axis, None, 1), _along(x, axis, x.shape[axis] - 1, None))
    left, right = (
        broadcasted(end, (*x.shape[:axis], width, *x.shape[axis + 1 :]))
        for end, width in zip(ends, (before, after), strict=True)
    )
    return left, right


def _wrap(x: Node, axis: int, before: Size, after: Size) -> tuple[Node, Node]:
    size = _enough(x.shape[axis], before, after, 0)
    return _along(x, axis, size - before, None), _along(x, axis, None, after)


def _symmetric(x: Node, axis: int, before: Size, after: Size) -> tuple[Node, Node]:
    size = _enough(x.shape[axis], before, after, 0)
    left, right = _along(x, axis, None, before), _along(x, axis, size - after, None)
    return flip(left, axis=(axis,)), flip(right, axis=(axis,))


def _reflect(x: Node, axis: int, before: Size, after: Size) -> tuple[Node, Node]:
    size = _enough(x.shape[axis], before, after, 1)
    left = _along(x, axis, 1, before + 1)
    right = _along(x, axis, size - after - 1, size - 1)
    return flip(left, axis=(axis,)), flip(right, axis=(axis,))


def _enough(size: Size, before: Size, after: Size, spare: int) -> Size:
    """The size of the axis, if it has as many elements as its borders repeat."""
    for width in (before, after):
        if not dims.decide(">=", size - width, spare):
            raise UnsupportedError(
                f"np.pad by {dims.hint(width)} on an axis of size {dims.hint(size)} repeats "
                "elements more than once",
                hint="pad in several steps",
            )
    return size


_BORDERS: dict[str, Border] = {
    "edge": _edge,
    "wrap": _wrap,
    "symmetric": _symmetric,
    "reflect": _reflect,
}
