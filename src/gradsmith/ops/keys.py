"""From what the user writes between brackets to a normalised `Index` and its operands."""

from __future__ import annotations

from types import EllipsisType
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentValueError, IndexRangeError, UnsupportedError
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Shape, Size
from gradsmith.ir.graph import Node
from gradsmith.ops.arguments import as_size, as_static_int, size_of
from gradsmith.ops.data_sizes import mask_count
from gradsmith.ops.declare import as_node
from gradsmith.ops.index_key import ELLIPSIS, Array, Index, Item, Slice
from gradsmith.ops.shape import cast

INVALID = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
    "boolean arrays are valid indices"
)


def index_of(key: Any, shape: Shape) -> tuple[Index, tuple[Node, ...]]:
    """``key`` for an array of this shape, normalised, and the arrays that it mentions.

    Raises
    ------
    IndexRangeError
        NumPy raises IndexError for this key.
    UnsupportedError
        The key cannot be traced.
    """
    parts = [_part(part) for part in (key if isinstance(key, tuple) else (key,))]
    parts = _expand_ellipsis(parts, len(shape))
    arrays: list[Node] = []
    items: list[Item] = []
    axis = 0
    for part in parts:
        if part is None or part is ELLIPSIS:
            items.append(part)
            continue
        item = _item(part, shape, axis, arrays)
        items.append(item)
        axis += part.ndim if isinstance(part, Node) and _is_mask(part) else 1
    return Index(_trimmed(items, len(shape) - axis, arrays)), tuple(arrays)


# -- masks without axes --------------------------------------------------------------------------


def masks_as_axes(key: Any, ndim: int) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """Where True and False in a key for an array of ``ndim`` axes are to have axes of one element,
    and the key for the array with these axes: NumPy takes them for masks of such axes.
    """
    parts = key if isinstance(key, tuple) else (key,)
    axis = 0
    places: list[int] = []
    made: list[Any] = []
    for number, part in enumerate(parts):
        if is_truth(part):
            places.append(axis + len(places))
            made.append(as_node([0] if part else np.zeros(0, np.intp)))
            continue
        made.append(part)
        rest = sum(map(_axes_taken, parts[number + 1 :]))
        axis = ndim - rest if part is Ellipsis else axis + _axes_taken(part)
    return tuple(places), tuple(made)


def is_truth(part: Any) -> bool:
    """Whether a part of a key is one truth value."""
    return isinstance(part, (bool, np.bool_))


def _axes_taken(part: Any) -> int:
    if part is None or part is Ellipsis or is_truth(part):
        return 0
    mask = isinstance(part, (Node, np.ndarray)) and part.dtype.kind == "b"
    return part.ndim if mask else 1


# -- the parts of a key --------------------------------------------------------------------------


def _part(part: Any) -> Any:
    """A size, None, an ellipsis, a slice, or a node of integers or booleans."""
    if part is None or isinstance(part, (slice, EllipsisType)):
        return part
    if isinstance(part, (list, tuple, range)):
        part = as_node(list(part))
        # An empty list has no dtype to speak of.
        part = cast(part, np.dtype(np.intp)) if part.array_type.size == 0 else part
    size = size_of(part)
    if size is not None:
        return size
    if isinstance(part, (float, complex, str)):
        raise IndexRangeError(INVALID)
    return _array_part(as_node(part))


def _array_part(node: Node) -> Node:
    kind = node.dtype.kind
    if kind == "b" and node.ndim == 0:
        raise UnsupportedError(
            "a single boolean as an index adds an axis whose size depends on it",
            hint="use np.where, an if statement, or x[None] for a new axis",
        )
    if kind not in "biu" or (node.array_type.weak and kind != "i"):
        message = "arrays used as indices must be of integer (or boolean) type"
        raise IndexRangeError(message if node.ndim else INVALID)
    return node


def _is_mask(node: Node) -> bool:
    return node.dtype.kind == "b"


def _expand_ellipsis(parts: list[Any], ndim: int) -> list[Any]:
    """The parts with full slices for the ellipsis; it stays itself where it has no width."""
    wide = [p for p in parts if p is not None and p is not ELLIPSIS]
    used = sum(p.ndim if isinstance(p, Node) and _is_mask(p) else 1 for p in wide)
    if used > ndim:
        raise IndexRangeError(
            f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed"
        )
    dots = [i for i, p in enumerate(parts) if p is ELLIPSIS]
    if len(dots) > 1:
        raise IndexRangeError("an index can only have a single ellipsis ('...')")
    if not dots or used == ndim:
        return parts
    (place,) = dots
    return [*parts[:place], *[slice(None)] * (ndim - used), *parts[place + 1 :]]


def _item(part: Any, shape: Shape, axis: int, arrays: list[Node]) -> Item:
    if isinstance(part, slice):
        return slice_of(part.start, part.stop, part.step, shape[axis])
    if not isinstance(part, Node):
        _check_range(part, shape[axis], axis)
        size: Size = part
        return size
    arrays.append(part)
    if _is_mask(part):
        return Array(len(arrays) - 1, mask_count(part))
    if part.op.name == "constant":
        _check_constant(part, shape[axis], axis)
    return Array(len(arrays) - 1)


def _trimmed(items: list[Item], unread: int, arrays: list[Node]) -> tuple[Item, ...]:
    """Without trailing full slices, and without an ellipsis that says nothing."""
    scalar = not unread and not any(i is None or isinstance(i, Slice) for i in items)
    scalar = scalar and not any(a.ndim for a in arrays)
    kept = [i for i in items if i is not ELLIPSIS or scalar or arrays]
    silent: tuple[Item, ...] = (Slice(None, None),) if scalar else (Slice(None, None), ELLIPSIS)
    end = len(kept)
    while end and kept[end - 1] in silent:
        end -= 1
    short = kept[:end]
    while short and short[0] is ELLIPSIS and not scalar:
        short.pop(0)
    # an ellipsis that stays would take the axes of the slices
    return tuple([*short, *kept[end:]] if ELLIPSIS in short else short)


# -- positions -----------------------------------------------------------------------------------


def _at_least(left: Size, right: Size) -> bool:
    """Whether ``left >= right``, as a guard with the number on the right-hand side."""
    distance = left - right
    if isinstance(distance, int):
        return distance >= 0
    number = dict(distance.terms).get((), 0)
    return dims.decide(">=", distance - number, -number)


def _is_negative(size: Size) -> bool:
    """Whether a position counts from the end; one that depends on data is taken not to."""
    if isinstance(size, int):
        return size < 0
    if dims.changes(size):
        return not dims.decide(">=", size, 0)
    return not dims.is_unbacked(size) and not _at_least(size, 0)


def _check_range(position: Size, size: Size, axis: int) -> None:
    if dims.is_unbacked(position) or dims.is_unbacked(size):
        return  # NumPy itself will say so
    inside = (
        _at_least(size, -position) if _is_negative(position) else _at_least(size, position + 1)
    )
    if not inside:
        raise IndexRangeError(
            f"index {dims.hint(position)} is out of bounds for axis {axis} "
            f"with size {dims.hint(size)}"
        )


def _check_constant(node: Node, size: Size, axis: int) -> None:
    values = node.attrs["value"].value
    if np.size(values):
        _check_range(int(np.min(values)), size, axis)
        _check_range(int(np.max(values)), size, axis)


# -- slices --------------------------------------------------------------------------------------


def slice_of(start: Any, stop: Any, step: Any, size: Size) -> Slice:
    """``start:stop:step`` on an axis of this size; guards decide what is clamped."""
    stride = 1 if step is None else as_static_int(step, "a slice's step")
    if stride == 0:
        raise ArgumentValueError("slice step cannot be zero")
    low = None if start is None else as_size(start, "a slice's start")
    high = None if stop is None else as_size(stop, "a slice's stop")
    own = any(isinstance(s, Dim) and dims.is_unbacked(s) for s in (low, high, size))
    if stride < 0 and own and not (low is None and high is None):
        return Slice(low, high, stride, _own_length(low, high, stride, size), True)
    if stride < 0:
        return Slice(low, high, stride, _backward_length(low, high, stride, size))
    low = None if low == 0 else low
    if _may_count_from_either_end(low, high):
        step = None if stride == 1 else stride
        return Slice(low, high, step, _own_length(low, high, step, size), True)
    length = _forward_distance(low, high, size)
    high = None if high == size or (low is None and length == size) else high
    if stride == 1:
        return Slice(low, high, None, length)
    return Slice(low, high, stride, _ceil_divide(length, stride))


def _ceil_divide(distance: Size, stride: int) -> Size:
    return distance if stride == 1 else (distance + stride - 1) // stride


def _forward_distance(low: Size | None, high: Size | None, size: Size) -> Size:
    """How many positions lie in ``low:high``."""
    if low is None and high is None:
        return size
    bounds = [s for s in (low, high) if isinstance(s, Dim)]
    if any(dims.changes(s) for s in (*bounds, size)):
        return _changing_distance(low, high, size)
    if any(map(dims.is_unbacked, (*bounds, size))):
        return _unbacked_distance(low, high, size)
    start, stop = _from_front(low, size, 0), _from_front(high, size, size)
    # The usual case takes one guard: 0 <= start <= stop <= size.
    fits = high is None or _is_offset(high, size) or _at_least(size, stop)
    if fits and (not _is_offset(low, size) or _at_least(start, 0)) and _at_least(stop, start):
        return stop - start
    start, stop = _clamped(start, 0, size), _clamped(stop, 0, size)
    return stop - start if _at_least(stop, start) else 0


def _is_offset(bound: Size | None, size: Size) -> bool:
    """Whether the bound is written from the end, so that it cannot lie behind it."""
    return bound is not None and _is_negative(bound)


def _from_front(bound: Size | None, size: Size, default: Size) -> Size:
    if bound is None:
        return default
    return size + bound if _is_negative(bound) else bound


def _clamped(position: Size, lowest: Size, highest: Size) -> Size:
    if not _at_least(position, lowest):
        return lowest
    return position if _at_least(highest, position) else highest


def _may_count_from_either_end(low: Size | None, high: Size | None) -> bool:
    bounds = [b for b in (low, high) if isinstance(b, Dim)]
    if any(dims.changes(b) and dims.settled(">=", b, 0) is None for b in bounds):
        return True
    unbacked = (b for b in bounds if dims.is_unbacked(b))
    return any(not (_is_no_less_than_zero(b) or dims.settled("<", b, 0)) for b in unbacked)


def _own_length(low: Size | None, high: Size | None, step: int | None, size: Size) -> Size:
    """A length of which nothing is known but that equal bounds and steps give equal ones."""
    parts = (low, high) if step is None else (low, high, step)
    text = ":".join("" if part is None else dims.render(part) for part in parts)
    most = None if dims.changes(size) else size
    return dims.changing(f"len[{text} of {dims.render(size)}]", dims.hint(size), 0, most)


def _changing_distance(low: Size | None, high: Size | None, size: Size) -> Size:
    """Bounds that iterations change are cut off where that cannot be ruled out."""
    start, stop = _changing_bound(low, size, 0), _changing_bound(high, size, size)
    length = stop - start
    return length if dims.settled(">=", length, 0) else dims.compound("max", length, 0)


def _changing_bound(bound: Size | None, size: Size, default: Size) -> Size:
    place = _from_front(bound, size, default)
    if _is_offset(bound, size):
        return place if dims.settled(">=", place, 0) else dims.compound("max", place, 0)
    return place if dims.settled("<=", place, size) else dims.compound("min", place, size)


def _unbacked_distance(low: Size | None, high: Size | None, size: Size) -> Size:
    """How many there are where the data decide the size or a bound: cut at both ends, as NumPy
    does it, where nothing rules out that it has to. Of one element it is one at most, for that
    broadcasts (``y - y[:1]``).
    """
    first = 0 if low is None else low
    if high is not None and high == first + 1:
        return _least(1, _positive(size + high if _is_below_zero(high) else size - first))
    if high is None:
        return _least(-first, size) if _is_below_zero(first) else _positive(size - first)
    if not _is_below_zero(high):
        start = _positive(size + first) if _is_below_zero(first) else first
        stop = _least(high, size)
        return stop if start == 0 else _positive(stop - start)
    if not _is_below_zero(first):
        return _positive(size + high - first)
    return _positive(_positive(size + high) - _positive(size + first))


def _is_below_zero(bound: Size) -> bool:
    return bool(dims.settled("<", bound, 0)) if dims.is_unbacked(bound) else _is_negative(bound)


def _positive(distance: Size) -> Size:
    return distance if _is_no_less_than_zero(distance) else dims.compound("max", distance, 0)


def _is_no_less_than_zero(size: Size) -> bool:
    bound = dims.least(size)
    return (bound is not None and bound >= 0) or bool(dims.settled(">=", size, 0))


def _least(one: Size, other: Size) -> Size:
    if dims.settled("<=", one, other):
        return one
    return other if dims.settled(">=", one, other) else dims.compound("min", one, other)


def _backward_length(low: Size | None, high: Size | None, stride: int, size: Size) -> Size:
    start = size - 1 if low is None else _clamped(_from_front(low, size, 0), -1, size - 1)
    stop = -1 if high is None else _clamped(_from_front(high, size, 0), -1, size - 1)
    distance = start - stop
    if low is None and high is None:
        return _ceil_divide(size, -stride)
    return _ceil_divide(distance, -stride) if _at_least(distance, 0) else 0
