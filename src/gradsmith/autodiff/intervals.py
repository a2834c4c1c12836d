"""Which part of an array a key takes, as intervals, and whether two parts are surely apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradsmith.ir import dims
from gradsmith.ir.bounds import extreme
from gradsmith.ir.dims import Dim, Size, Symbol
from gradsmith.ir.graph import Node
from gradsmith.ops.index_key import ELLIPSIS, NEWAXIS, Array, Slice, is_mask

Interval = tuple[Size, Size] | None
"""From the first to behind the last place along one axis; None where that is not known."""

Names = dict[Symbol, Symbol]
"""Other names for the indices of loops, so that those of two trips can be told apart."""


def intervals(node: Node, names: Names) -> list[Interval]:
    """The part of its operand that a reading or writing node takes, axis by axis."""
    first = 1 if node.op.name in ("getitem", "gather") else 2
    shape = [_renamed(size, names) for size in node.inputs[0].shape]
    found: list[Interval] = []
    for entry in node.attrs["index"].items:
        if entry is NEWAXIS:
            continue
        if entry is ELLIPSIS:
            return []
        if isinstance(entry, Array):
            operand = node.inputs[first + entry.position]
            found += [None] * (operand.ndim if is_mask(operand.array_type) else 1)
        else:
            found.append(_interval(entry, shape[len(found)], names))
    return found


def _interval(entry: Any, extent: Size, names: Names) -> Interval:
    if not isinstance(entry, Slice):
        place = _place(entry, extent, names)
        return None if place is None else (place, place + 1)
    if entry.step is not None and entry.step < 1:
        return None
    start = 0 if entry.start is None else _bound(entry.start, extent, names)
    stop = extent if entry.stop is None else _bound(entry.stop, extent, names)
    return None if start is None or stop is None else (start, stop)


def _place(entry: Size, extent: Size, names: Names) -> Size | None:
    """Negative places count from the end; what may be either is not known."""
    if isinstance(entry, int):
        return entry if entry >= 0 else extent + entry
    return _bound(entry, extent, names)


def _bound(entry: Size, extent: Size, names: Names) -> Size | None:
    place = _renamed(entry, names)
    return place if _is_nonnegative(place) else None


def _renamed(size: Size, names: Names) -> Size:
    return dims.renamed(size, lambda s: names.get(s, s))


def apart(left: Sequence[Interval], right: Sequence[Interval]) -> bool:
    """Whether two parts surely have no element in common."""
    return any(
        a is not None
        and b is not None
        and (_is_nonnegative(b[0] - a[1]) or _is_nonnegative(a[0] - b[1]))
        for a, b in zip(left, right, strict=False)
    )


def _is_nonnegative(size: Size) -> bool:
    """Whether it is so for all values of its symbols, of which axes are 2 at least."""
    least = extreme(size, lowest=True)
    if not isinstance(least, Dim):
        return least is not None and least >= 0
    total = 0
    for monomial, coefficient in least.terms:
        axes = all(isinstance(a, Symbol) and a.axis for a in monomial)
        if monomial and not (axes and coefficient > 0):
            return False
        total += coefficient * 2 ** len(monomial)
    return total >= 0
