"""NumPy functions that write into their first argument: what it is afterwards.

``WRITERS`` maps each to a function with NumPy's signature that returns the new value of the
first argument; the frontend stores it where the argument lives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import ShapeError, UnsupportedError
from gradsmith.ir import dims
from gradsmith.ir.graph import Node
from gradsmith.ops.arguments import normalize_axis, require_default
from gradsmith.ops.declare import FUNCTIONS, Implementation, as_node
from gradsmith.ops.index import write, write_added
from gradsmith.ops.manipulate import ravel, reshaped
from gradsmith.ops.pick import grid_around
from gradsmith.ops.ranges import integers

WRITERS: dict[Callable[..., Any], Implementation] = {}


def _writes(function: Callable[..., Any]) -> Callable[[Implementation], Implementation]:
    def declare(implementation: Implementation) -> Implementation:
        WRITERS[function] = implementation
        return implementation

    return declare


def _as_many(values: Any, wanted: Node, function: str) -> Node:
    """One value for all, or one for each: NumPy would repeat others cyclically."""
    node = as_node(values)
    if node.ndim == 0 or (node.ndim == 1 and dims.is_one(node.shape[0])):
        return node
    if not dims.same(node.array_type.size, wanted.array_type.size):
        raise UnsupportedError(
            f"{function} does not repeat {dims.hint(node.array_type.size)} values over "
            f"{dims.hint(wanted.array_type.size)} places"
        )
    return reshaped(node, wanted.shape)


@_writes(np.put)
def _put(a: Any, ind: Any, v: Any, mode: str = "raise") -> Node:
    require_default("np.put", mode=(mode, ("raise",)))
    x, positions = as_node(a), as_node(ind)
    return reshaped(write(ravel(x), positions, _as_many(v, positions, "np.put")), x.shape)


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
    return write(x, (places,) * x.ndim, _as_many(val, places, "np.fill_diagonal"))


@_writes(np.copyto)
def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> Node:
    x = as_node(dst)
    return write(x, ..., src if where is True else FUNCTIONS[np.where](where, src, x))


@_writes(np.putmask)
def _putmask(a: Any, /, mask: Any, values: Any) -> Node:
    x = as_node(a)
    chosen = FUNCTIONS[np.where](mask, _as_many(values, x, "np.putmask"), x)
    return write(x, ..., chosen)


@_writes(np.place)
def _place(arr: Any, mask: Any, vals: Any) -> Node:
    x, values = as_node(arr), as_node(vals)
    if not dims.is_one(values.array_type.size):
        raise UnsupportedError("np.place takes a single value here", hint="use x[mask] = values")
    return write(x, ..., FUNCTIONS[np.where](mask, reshaped(values, (1,)), x))


@_writes(np.add.at)
def _add_at(a: Any, indices: Any, b: Any, /) -> Node:
    return write_added(as_node(a), indices, b)


@_writes(np.subtract.at)
def _subtract_at(a: Any, indices: Any, b: Any, /) -> Node:
    return write_added(as_node(a), indices, -as_node(b))
