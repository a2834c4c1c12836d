"""NumPy functions that write into their first argument: what it is afterwards.

``WRITERS`` maps each to a function with NumPy's signature that returns the new value of the
first argument; the frontend stores it where the argument lives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ShapeError,
    UnsupportedError,
)
from gradsmith.ir import dims
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import size as size_node
from gradsmith.ir.types import DType, describe_shape
from gradsmith.ops.arguments import normalize_axis, require_default
from gradsmith.ops.declare import FUNCTIONS, Implementation, as_node, as_stored
from gradsmith.ops.index import read, write, write_added
from gradsmith.ops.manipulate import ravel, reshaped
from gradsmith.ops.pick import grid_around
from gradsmith.ops.ranges import integers
from gradsmith.ops.shape import cast, copy

WRITERS: dict[Callable[..., Any], Implementation] = {}


def _writes(function: Callable[..., Any]) -> Callable[[Implementation], Implementation]:
    def declare(implementation: Implementation) -> Implementation:
        WRITERS[function] = implementation
        return implementation

    return declare


def _check_cast(function: str, value: Any, x: Node, casting: Any) -> Node:
    """The operand ``value``, if NumPy casts it into ``x``."""
    node = as_node(value)
    if not np.can_cast(node.dtype, x.dtype, casting):
        raise ArgumentTypeError(
            f"{function} cannot cast {node.dtype} to {x.dtype}, the dtype of the array that it "
            f"writes to, by the rule {casting!r}",
            hint="convert the values first, with .astype",
        )
    return node


def _safely(function: str, value: Any, x: Node) -> Node:
    """The same by the rule of functions that take Python's numbers as they are."""
    node = as_stored(value, x.dtype)
    return node if node.array_type.weak else _check_cast(function, node, x, "safe")


def _masking(function: str, mask: Any, x: Node) -> Node:
    """A mask with an element for each of the array's."""
    node = as_node(mask)
    if not dims.same(node.array_type.size, x.array_type.size):
        raise ShapeError(
            f"{function}: the mask has shape {describe_shape(node.shape)}, the array "
            f"{describe_shape(x.shape)}",
            hint="pass a mask of the shape of the array, or write x[mask] = values",
        )
    return reshaped(node, x.shape)


def _repeated(values: Any, count: Size, function: str) -> Node | None:
    """One value for all, or as many as there are places: the given ones over and over again, as
    often as it takes; None where there are none.
    """
    node = as_node(values)
    size = node.array_type.size
    if node.ndim == 0 or (node.ndim == 1 and dims.is_one(size)):
        return node
    if size == count:
        return ravel(node)
    if dims.is_unbacked(size):
        raise UnsupportedError(
            f"the data decide how many values {function} writes, and it repeats them where they "
            "are too few",
            hint="write x[places] = values, which takes one value or as many as there are places",
        )
    if dims.decide("==", size, 0):
        return None
    if not dims.is_unbacked(count) and dims.decide("==", size, count):
        return ravel(node)
    return read(ravel(node), FUNCTIONS[np.remainder](integers(0, count), size_node(value=size)))


@_writes(np.put)
def _put(a: Any, ind: Any, v: Any, mode: str = "raise") -> Node:
    require_default("np.put", mode=(mode, ("raise",)))
    x, positions = as_node(a), as_node(ind)
    values = _repeated(as_stored(v, x.dtype), positions.array_type.size, "np.put")
    if values is None or positions.array_type.size == 0:
        return x
    return reshaped(write(ravel(x), ravel(positions), values), x.shape)


@_writes(np.put_along_axis)
def _put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> Node:
    x, positions = as_node(arr), as_node(indices)
    if axis is None:
        return reshaped(write(ravel(x), positions, values), x.shape)
    return write(x, grid_around(positions, normalize_axis(axis, x.ndim), x), values)


@_writes(np.fill_diagonal)
def _fill_diagonal(a: Any, val: Any, wrap: bool = False) -> Node:
    require_default("np.fill_diagonal", wrap=(wrap, (False,)))
    x = as_node(a)
    if x.ndim < 2:
        raise ShapeError("array must be at least 2-d")
    length = x.shape[0]
    for size in x.shape[1:]:
        if x.ndim > 2 and not dims.same(size, length):
            raise ShapeError("All dimensions of input must be of equal length")
        if not (size == length or dims.decide("<=", length, size)):
            length = size
    places = integers(0, length)
    values = _repeated(val, length, "np.fill_diagonal")
    return x if values is None else write(x, (places,) * x.ndim, values)


@_writes(np.copyto)
def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> Node:
    x = as_node(dst)
    src = as_node(src)
    if not (src.array_type.weak and src.dtype.kind == "i" and x.dtype.kind in "iu"):
        src = _check_cast("np.copyto", src, x, casting)
    return write(x, ..., src if where is True else FUNCTIONS[np.where](where, src, x))


@_writes(np.putmask)
def _putmask(a: Any, /, mask: Any, values: Any) -> Node:
    x = as_node(a)
    given = _repeated(_safely("np.putmask", values, x), x.array_type.size, "np.putmask")
    if given is None:
        return x
    given = cast(given, x.dtype)
    every = given if dims.is_one(given.array_type.size) else reshaped(given, x.shape)
    return write(x, ..., FUNCTIONS[np.where](_masking("np.putmask", mask, x), every, x))


@_writes(np.place)
def _place(arr: Any, mask: Any, vals: Any) -> Node:
    x = as_node(arr)
    chosen, given = _masking("np.place", mask, x), _safely("np.place", vals, x)
    if dims.is_one(given.array_type.size):
        every = reshaped(cast(given, x.dtype), (1,))
        return write(x, ..., FUNCTIONS[np.where](chosen, every, x))
    places = FUNCTIONS[np.flatnonzero](chosen)
    values = _repeated(given, places.shape[0], "np.place")
    if values is None:
        raise ArgumentValueError("Cannot insert from an empty array!")
    return reshaped(write(ravel(x), places, cast(values, x.dtype)), x.shape)


@_writes(np.add.at)
def _add_at(a: Any, indices: Any, b: Any, /) -> Node:
    return write_added(as_node(a), indices, b)


@_writes(np.subtract.at)
def _subtract_at(a: Any, indices: Any, b: Any, /) -> Node:
    x = as_node(a)
    return write_added(x, indices, _opposite(as_node(b), x.dtype))


def _opposite(value: Node, dtype: DType) -> Node:
    """``-value`` as it is added to an array: unsigned numbers and truths have no other sign."""
    if value.array_type.inexact:
        return -value
    if dtype.kind not in "iu":
        return -cast(value, dtype)
    return cast(-cast(copy(value), np.dtype(np.int64)), dtype)  # both wrap around
