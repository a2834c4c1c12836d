"""Which parts of an array reads and writes come to, and whether two of these can overlap."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Literal, TypeAlias

from gradsmith.ir import dims
from gradsmith.ir.bounds import extreme
from gradsmith.ir.dims import Dim, Size, Symbol
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.parts import LoopView
from gradsmith.ops.index_key import Array, Index, Item, Slice

Extent: TypeAlias = tuple[Size, Size | None]
"""The first position on an axis that may be touched, and the one behind the last, if known."""

Part: TypeAlias = tuple[Extent, ...]
"""An extent for each of the first axes; of the others everything may be touched."""

Trips: TypeAlias = Literal["earlier", "later", "any"]

WHOLE: Part = ()
ANYWHERE: Extent = (0, None)


def part_of(node: Node) -> Part:
    """What an indexing node reads or writes."""
    index: Index = node.attrs["index"]
    found = []
    for item in index.items:
        if isinstance(item, Array):
            break  # a mask goes over several axes
        if item is not None and item is not ...:
            found.append(_extent(item))
    return tuple(found)


def _extent(item: Item) -> Extent:
    if isinstance(item, (int, Dim)):
        return (item, item + 1) if _never_negative(item) else ANYWHERE
    if not isinstance(item, Slice) or (item.step or 1) < 0:
        return ANYWHERE
    start, stop = item.start, item.stop
    low = start if start is not None and _never_negative(start) else 0
    return low, stop if stop is not None and _never_negative(stop) else None


def disjoint(one: Part, other: Part) -> bool:
    """Whether the two have no element in common, for all sizes and in all trips."""
    return any(
        _ends_before(left, right) or _ends_before(right, left)
        for left, right in zip(one, other, strict=False)
    )


def _ends_before(left: Extent, right: Extent) -> bool:
    return left[1] is not None and _never_negative(right[0] - left[1])


def _never_negative(size: Size) -> bool:
    lowest = extreme(size, lowest=True)
    bound = None if lowest is None else dims.least(lowest)
    return bound is not None and bound >= 0


def in_other_trips(part: Part, loop: Node, trips: Trips) -> Part:
    """A part that the loop's body touches, in trips other than the one that is looked at."""
    renewal = _Renewal(LoopView(loop), trips)

    def renewed(size: Size) -> Size:
        return dims.renamed(size, renewal.symbol)

    return tuple((renewed(low), None if high is None else renewed(high)) for low, high in part)


class _Renewal:
    """New symbols for those that a loop's body binds: they have other values in other trips."""

    def __init__(self, view: LoopView, trips: Trips) -> None:
        self.view = view
        self.trips = trips
        self.bound = set(_bound_in(view.body))
        self.made: dict[Symbol, Symbol] = {}

    def symbol(self, symbol: Symbol) -> Symbol:
        """What takes the place of ``symbol``."""
        if symbol not in self.bound:
            return symbol
        if symbol not in self.made:
            low, high = self._range(symbol)
            name = f"{symbol.name}'{next(_count)}"
            self.made[symbol] = Symbol(name, symbol.hint, unbacked=True, bounds=(low, high))
        return self.made[symbol]

    def _range(self, symbol: Symbol) -> tuple[Size | None, Size | None]:
        low, high = symbol.bounds or (None, None)
        if symbol == self.view.index.attrs["symbol"]:
            return self._trips(symbol, low, high)
        low, high = (None if b is None else dims.renamed(b, self.symbol) for b in (low, high))
        return low, high

    def _trips(
        self, symbol: Symbol, low: Size | None, high: Size | None
    ) -> tuple[Size | None, Size | None]:
        """The values of the index in the other trips."""
        step = self.view.range[2]
        if self.trips == "any" or not isinstance(step, int):
            return low, high
        upwards = (step > 0) != self.view.node.attrs["reverse"]
        this = dims.of_atom(symbol)
        if upwards == (self.trips == "later"):
            return this + abs(step), high
        return low, this - abs(step)


_count = itertools.count()


def _bound_in(region: Region) -> Iterator[Symbol]:
    """The symbols that have a value within a region only."""
    for node in (*region.params, *region.nodes):
        for symbol in (node.attrs.get("symbol"), *node.attrs.get("symbols", ())):
            if symbol is not None:
                yield symbol
        for inner in node.regions:
            yield from _bound_in(inner)
