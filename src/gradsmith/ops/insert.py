"""Inserting and deleting: slices of what stays, joined again."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradsmith.errors import IndexRangeError, UnsupportedError
from gradsmith.ir import dims
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Dim, Size
from gradsmith.ir.graph import Node
from gradsmith.ops.arguments import normalize_axis, refuse, size_of
from gradsmith.ops.declare import as_node, as_stored, implements
from gradsmith.ops.index import read
from gradsmith.ops.join import concatenate
from gradsmith.ops.manipulate import broadcasted, moveaxis, ravel
from gradsmith.ops.shape import cast, expand_dims


def _subject(arr: Any, axis: Any) -> tuple[Node, int]:
    """The array and the axis to work on; without an axis the flattened array."""
    x = ravel(arr) if axis is None else as_node(arr)
    return x, 0 if axis is None else normalize_axis(axis, x.ndim)


def _part(x: Node, axis: int, start: Size | None, stop: Size | None) -> Node:
    return read(x, (*[slice(None)] * axis, slice(start, stop)))


def _place(position: Size, size: Size, last: Size) -> Size:
    """The position counted from the front, at most ``last``."""
    if dims.is_unbacked(position) and not (
        dims.settled(">=", position, 0) and dims.settled("<=", position, last)
    ):
        error = UnsupportedError(
            "the data decide at which position this is, from either end, or out of range",
            hint="join slices with np.concatenate",
        )
        error.size = position
        raise error
    place = position if dims.decide(">=", position, 0) else position + size
    if not (dims.decide(">=", place, 0) and dims.decide("<=", place, last)):
        raise IndexRangeError(
            f"index {dims.hint(position)} is out of bounds for axis with size {dims.hint(size)}"
        )
    return place


def _known(positions: Any) -> Any:
    """Positions whose numbers the code is specialised on."""
    if isinstance(positions, slice):
        return slice(*map(_known, (positions.start, positions.stop, positions.step)))
    if isinstance(positions, (list, tuple)):
        return [_known(position) for position in positions]
    return dims.concrete(positions) if isinstance(positions, Dim) else positions


@implements(np.delete)
def _delete(arr: Any, obj: Any, axis: Any = None) -> Node:
    x, along = _subject(arr, axis)
    size = x.shape[along]
    position = size_of(obj)
    if position is not None:
        place = _place(position, size, size - 1)
        parts = [_part(x, along, None, place), _part(x, along, place + 1, None)]
        return concatenate(*parts, axis=along)
    if isinstance(obj, Node) and obj.op.name != "constant":
        raise UnsupportedError("np.delete: what stays depends on the data", hint="use a mask")
    chosen = obj.attrs["value"].value if isinstance(obj, Node) else obj
    kept = np.delete(np.arange(dims.concrete(size)), _known(chosen))
    return read(x, (*[slice(None)] * along, current_builder().lift(kept)))


@implements(np.insert)
def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Node:
    x, along = _subject(arr, axis)
    size = x.shape[along]
    position = size_of(obj)
    if position is None:
        refuse("np.insert", "obj", obj, "insert at one position at a time")
    place = _place(position, size, size)
    new = cast(as_stored(values, x.dtype), x.dtype)
    missing = x.ndim - new.ndim
    if missing > 0:
        new = expand_dims(new, axis=tuple(range(missing)))
    new = moveaxis(new, 0, along)
    shape = (*x.shape[:along], new.shape[along], *x.shape[along + 1 :])
    parts = [_part(x, along, None, place), broadcasted(new, shape), _part(x, along, place, None)]
    return concatenate(*parts, axis=along)
