"""What loops run over when its length is symbolic: ranges, arrays, and pairs of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gradsmith.frontend.grown import columns_of, is_grown
from gradsmith.frontend.traced_int import as_size, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir import dims
from gradsmith.ir.dims import Size
from gradsmith.ops.regions import as_whole, length_of_range


def _itself(index: Any) -> Any:
    return index


@dataclass(frozen=True, slots=True)
class Trips:
    """``item(i) for i in range(start, stop, step)``: lazily, so that a loop may stay one."""

    start: Size
    stop: Size
    step: int
    item: Callable[[Any], Any] = _itself

    @property
    def length(self) -> Size:
        """The number of trips."""
        return length_of_range(self.start, self.stop, self.step)

    @property
    def counts(self) -> bool:
        """Whether it gives the index itself."""
        return self.item is _itself

    def __len__(self) -> int:
        return int(wrap_size(self.length))

    def __iter__(self) -> Iterator[Any]:
        for place in range(len(self)):
            yield self[place]

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return list(self)[place]
        if isinstance(place, int) and place < 0:
            place = place + wrap_size(self.length)
        return self.item(wrap_size(self.start) + place * self.step)

    def after(self, place: int) -> Trips:
        """The trips from that at ``place`` on."""
        return Trips(self.start + place * self.step, self.stop, self.step, self.item)

    def from_zero(self) -> Trips:
        """The same with an index that counts the trips."""
        if (self.start, self.step) == (0, 1):
            return self
        return Trips(0, self.length, 1, lambda place: self[place])

    def backwards(self) -> Trips:
        """The same from the end."""
        last = self.start + (self.length - 1) * self.step
        return Trips(last, last - self.length * self.step, -self.step, self.item)


def of_range(*bounds: Any) -> Trips | None:
    """``range(...)`` of symbolic bounds; None where that is not to be had."""
    sizes = [_whole(b) for b in bounds]
    if len(sizes) == 1:
        sizes = [0, *sizes]
    start, stop, step = (*sizes, 1)[:3]
    if start is None or stop is None or not isinstance(step, int) or step == 0:
        return None
    return Trips(start, stop, step)


def _whole(bound: Any) -> Size | None:
    integer = isinstance(bound, Tracer) and bound.dtype.kind in "iu" and not bound.ndim
    return as_whole(bound.node) if integer else as_size(bound)


def as_trips(value: Any) -> Trips | None:
    """What a loop over ``value`` runs over, if that can be one loop in the emitted code."""
    if isinstance(value, Trips):
        return value
    if isinstance(value, range):
        return Trips(value.start, value.stop, value.step)
    if is_grown(value):
        columns = columns_of(value)
        return Trips(0, columns.length, 1, columns.row)
    if isinstance(value, Tracer) and value.ndim:
        return Trips(0, value.type.shape[0], 1, lambda index: value[index])
    return None


def enumerated(value: Any, start: Any = 0) -> Any:
    """``enumerate(value, start)``."""
    trips = as_trips(value)
    if trips is None:
        return enumerate(value, start)
    counted = trips.from_zero()
    return Trips(0, counted.stop, 1, lambda place: (start + place, counted.item(place)))


def zipped(*values: Any, strict: bool = False) -> Any:
    """``zip(*values)``, which ends with the shortest."""
    found = [as_trips(value) for value in values]
    trips = [t.from_zero() for t in found if t is not None]
    if len(trips) < len(values) or not values:
        return zip(*[iter(v) for v in values], strict=strict)
    length = trips[0].stop
    for other in trips[1:]:
        if not dims.same(length, other.stop):
            length = min(length, other.stop, key=dims.hint)
    return Trips(0, length, 1, lambda place: tuple(t.item(place) for t in trips))


def reversed_trips(value: Any) -> Any:
    """``reversed(value)``."""
    trips = as_trips(value)
    return reversed(value) if trips is None else trips.backwards()
