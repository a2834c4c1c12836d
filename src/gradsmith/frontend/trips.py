"""What loops run over when its length is symbolic: ranges, arrays, and pairs of these."""

from __future__ import annotations

import functools
import itertools
import operator
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradsmith.errors import ControlFlowError, Span
from gradsmith.frontend import container_iterators
from gradsmith.frontend.grown import columns_of, is_grown
from gradsmith.frontend.iterated_lists import IteratedList, check_not_stacked, lists_under
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.stand_ins import ArrayLike, stands_for
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt, as_size, wrap_size
from gradsmith.frontend.tracer import Flat, Tracer
from gradsmith.frontend.unsettled import UndecidedError
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Size
from gradsmith.ops.regions import as_whole, length_of_range


def _itself(index: Any) -> Any:
    return index


@dataclass(frozen=True, slots=True, eq=False, repr=False)
@stands_for("range")
class Trips(ArrayLike):
    """``item(i) for i in range(start, stop, step)``: lazily, so that a loop may stay one."""

    start: Size
    stop: Size
    step: int
    item: Callable[[Any], Any] = _itself
    lists: tuple[IteratedList, ...] = ()
    """The stacked lists that the elements come from."""
    functions: tuple[Any, ...] = ()
    """Those of the user's that make the elements."""
    reads: bool = False
    """Whether an element is what arrays hold at the index, which is no part of it."""

    def __eq__(self, other: object) -> bool:
        """As ranges are compared, also by Python within containers: their ends are then known."""
        if self is other or not self.counts:
            return self is other
        if isinstance(other, Trips) and other.counts:
            same = (self.start, self.stop, self.step) == (other.start, other.stop, other.step)
            return same or self.as_range() == other.as_range()
        return self.as_range() == other if isinstance(other, range) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.as_range()) if self.counts else id(self)

    def __repr__(self) -> str:
        return repr(self.as_range()) if self.counts else object.__repr__(self)

    def check_lists(self) -> None:
        """None of these may have become longer or shorter since the iteration began."""
        for iterated in self.lists:
            iterated.check()

    @property
    def length(self) -> Size:
        """The number of trips."""
        return length_of_range(self.start, self.stop, self.step)

    @property
    def counts(self) -> bool:
        """Whether it gives the index itself."""
        return self.item is _itself

    def __len__(self) -> int:
        self.check_lists()
        return int(wrap_size(self.length))

    def __iter__(self) -> Iterator[Any]:
        for place in range(len(self)):
            yield self[place]
        self.check_lists()

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return self._cut(place) if self.counts else list(self)[place]
        self.check_lists()
        if self.counts:
            place = _as_pythons(place)
        if isinstance(place, int) and place < 0:
            place = place + wrap_size(self.length)
        return self.item(wrap_size(self.start) + place * self.step)

    def _cut(self, part: slice) -> Trips | range:
        """A slice of a range: of the present one where sizes cannot tell where it ends."""
        length = self.length
        step = 1 if part.step is None else operator.index(part.step)
        if step == -1 and part.start is part.stop is None:
            return self.backwards()
        ends = 0 if part.start is None else part.start, length if part.stop is None else part.stop
        if step < 1 or not all(isinstance(end, (int, Dim)) for end in ends):
            return self.as_range()[part]
        first, last = (_within(end, length) for end in ends)
        start = self.start + first * self.step
        return Trips(start, self.start + last * self.step, self.step * step)

    def as_range(self) -> range:
        """The range with its present ends."""
        return range(int(wrap_size(self.start)), int(wrap_size(self.stop)), self.step)

    def as_array(self) -> Any:
        """``np.array(range(...))``: an empty one has no integers."""
        if not dims.is_unbacked(self.length) and dims.decide("==", self.length, 0):
            return Tracer.apply(np.zeros, 0)
        return self.as_index()

    def as_index(self) -> Any:
        """The integers of a range, the elements of anything else."""
        if not self.counts:
            return Tracer.apply(np.stack, list(self))
        return Tracer.apply(np.arange, wrap_size(self.start), wrap_size(self.stop), self.step)

    def attribute(self, name: str) -> Any:
        """An attribute of the range."""
        bounds = {"start": self.start, "stop": self.stop, "step": self.step}
        if name in bounds:
            return wrap_size(bounds[name])
        if name in ("index", "count"):
            return getattr(list(self), name)
        return getattr(self if name.startswith("__") else range(0), name)

    def after(self, place: int) -> Trips:
        """The trips from that at ``place`` on."""
        return replace(self, start=self.start + place * self.step)

    def from_zero(self) -> Trips:
        """The same with an index that counts the trips."""
        if (self.start, self.step) == (0, 1):
            return self
        return replace(self, start=0, stop=self.length, step=1, item=lambda place: self[place])

    def backwards(self) -> Trips:
        """The same from the end."""
        last = self.start + (self.length - 1) * self.step
        return replace(self, start=last, stop=last - self.length * self.step, step=-self.step)


def _within(place: Size, length: Size) -> Size:
    """An end of a slice as a place from 0 to the length."""
    if isinstance(place, int) and place < 0:
        return dims.compound("max", length + place, 0)
    return dims.minimum(place, length)


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
    if isinstance(bound, Tracer) and not bound.ndim:
        bound = Tracer.of_exact_type(bound)
    integer = isinstance(bound, Tracer) and bound.dtype.kind in "iu" and not bound.ndim
    return as_whole(bound.node) if integer else as_size(bound)


def as_trips(value: Any) -> Trips | None:
    """What a loop over ``value`` runs over, if that can be one loop in the emitted code."""
    if isinstance(value, Trips):
        return value
    if isinstance(value, TripIterator):
        return value.peek()
    if isinstance(value, Flat):
        value.remaining()
        return Trips(0, value.base.type.size, 1, value.element, reads=True)
    if isinstance(value, range):
        return Trips(value.start, value.stop, value.step)
    if is_grown(value):
        columns = columns_of(value)
        lists = IteratedList.of(value)
        return Trips(0, columns.length, 1, columns.row, lists, reads=True)
    if isinstance(value, Tracer) and value.ndim:
        return Trips(0, value.type.shape[0], 1, lambda index: value[index], reads=True)
    return None


@stands_for("iterator")
class TripIterator(Iterator[Any]):
    """What ``zip``, ``enumerate`` and ``reversed`` give: trips that are made once.

    A loop over it takes all that is left. While the loop runs, and where it may have left some (a
    ``break``, an iterator of another ``zip``), nobody can say what comes next.
    """

    def __init__(self, trips: Trips) -> None:
        self._trips = trips
        self._place = 0
        self._unknown = False
        self._site: Span | None = None

    def __next__(self) -> Any:
        self._check()
        place = self._place
        self._trips.check_lists()
        if not self._is_left(place):
            raise StopIteration
        self._place = place + 1
        return self._trips[place]

    def _is_left(self, place: int) -> bool:
        """Whether there is an element at ``place``: a length that the data decide has to be known
        for that.
        """
        length = self._trips.length
        if dims.is_unbacked(length):
            return place < len(self._trips)
        return dims.decide("<", place, length)

    def peek(self) -> Trips:
        """The trips that are left."""
        self._check()
        return self._trips.after(self._place) if self._place else self._trips

    def take(self, *, whole: bool) -> Trips:
        """The same, for who makes them: the ``whole`` of them, or perhaps not all."""
        trips = self.peek()
        self._trips, self._place = Trips(0, 0, 1), 0
        self._unknown, self._site = not whole, current_span()
        return trips

    def begin(self) -> Trips:
        """The trips that are left, for a loop that makes them: until it has `ended`, its body must
        not ask for any.
        """
        return self.take(whole=False)

    def ended(self) -> None:
        """The loop has made all trips."""
        self._unknown = False

    def _check(self) -> None:
        if self._unknown:
            raise UndecidedError.at(
                self._site,
                f"how much a loop has left of this {type(self).__name__} iterator is not known "
                "when tracing",
                "make a new one for each loop, or index the arrays",
            )


_OVER_GRIDS = (
    itertools.product,
    itertools.combinations,
    itertools.combinations_with_replacement,
    itertools.permutations,
    np.ndindex,
    np.ndenumerate,
)
_ITERATORS: dict[Any, Any] = {
    builtin: type(builtin.__name__, (TripIterator,), {"__module__": "builtins"})
    for builtin in (zip, enumerate, reversed, map, *_OVER_GRIDS)
}
"""Called as in Python, for messages about what they cannot do."""


def iterator_of(
    builtin: Any, trips: Trips, made: Callable[[Any], Any], *functions: Any
) -> TripIterator:
    """What ``builtin`` gives that makes another element of each, by the user's ``functions``."""
    counted = trips.from_zero()
    known = (*counted.functions, *functions)
    whole = replace(counted, item=lambda place: made(counted.item(place)), functions=known)
    iterator: TripIterator = _ITERATORS[builtin](whole)
    return iterator


def enumerated(iterable: Any, start: Any = 0) -> Any:
    """``enumerate(iterable, start)``."""
    trips = taken(iterable)
    if trips is None:
        return enumerate(container_iterators.over(iterable), start)
    counted = trips.from_zero()
    start = start if isinstance(start, TracedInt) else operator.index(start)

    def pair(place: Any) -> Any:
        return start + place, counted.item(place)

    return _ITERATORS[enumerate](replace(counted, item=pair, reads=False))


def zipped(*values: Any, strict: Any = False) -> Any:
    """``zip(*values)``, which ends with the shortest."""
    if is_decided() and any(isinstance(value, TripIterator) for value in values):
        return zip(*map(steps, values), strict=strict)
    found = [as_trips(value) for value in values]
    trips = [t.from_zero() for t in found if t is not None]
    lengths = [t.stop for t in trips]
    if len(trips) < len(values) or not values or (strict and not _is_one_length(lengths)):
        return zip(*map(steps, values), strict=strict)
    for value in values:
        taken(value)
    length = functools.reduce(dims.minimum, lengths)
    lists = tuple(iterated for t in trips for iterated in t.lists)
    functions = tuple(function for t in trips for function in t.functions)

    def row(place: Any) -> Any:
        return tuple(t.item(place) for t in trips)

    reads = all(t.reads for t in trips)
    return _ITERATORS[zip](Trips(0, length, 1, row, lists, functions, reads))


def steps(value: Any) -> Iterator[Any]:
    """Python's iterator over the elements, also of a list that a loop has made."""
    return each(value) if is_grown(value) else iter(container_iterators.over(value))


def _is_one_length(lengths: list[Size]) -> bool:
    """Whether these are equal, by guards.

    Raises
    ------
    ControlFlowError
        Only running tells.
    """
    first, *others = lengths
    for other in others:
        if first != other and dims.is_unbacked(first - other):
            settled = dims.settled("==", first, other) if dims.changes(first - other) else None
            if settled is None:
                raise ControlFlowError(
                    "zip(strict=True) of lengths that only running tells",
                    current_span(),
                    "compare the lengths with an assert, and use zip() as it is",
                )
            if not settled:
                return False
        elif not dims.decide("==", first, other):
            return False
    return True


def reversed_trips(value: Any) -> Any:
    """``reversed(value)``."""
    trips = None if isinstance(value, TripIterator) else as_trips(value)
    if trips is None and isinstance(value, deque):
        return container_iterators.over(value, backwards=True)
    return reversed(value) if trips is None else _ITERATORS[reversed](trips.backwards())


def taken(value: Any) -> Trips | None:
    """`as_trips` for who makes these trips himself, in part perhaps."""
    if not isinstance(value, TripIterator):
        return as_trips(value)
    return None if is_decided() else value.take(whole=False)


def is_decided() -> bool:
    """Whether what is here leaves some of an iterator, which is used later: Python makes the
    trips then, and the present values decide how many.
    """
    trace = current_trace()
    return trace is not None and current_span() in trace.decided


def _as_pythons(place: Any) -> Any:
    """An integer of NumPy's as one of Python's, which the elements of a range are."""
    if isinstance(place, np.integer):
        return int(place)
    if isinstance(place, Tracer) and not place.ndim and place.dtype.kind in "iu":
        return wrap_size(as_whole(place.node))
    return place


def each(iterable: Any) -> Iterator[Any]:
    """What Python goes through: the elements of a list that a loop has made are what they are, and
    not the one thing that stands for all of them.
    """
    trips = as_trips(iterable) if is_grown(iterable) else None
    return one_by_one(iterable if trips is None else trips)


def each_list(iterables: Iterable[Any]) -> list[Any]:
    """The same of lists among these, that a function may append to which Python calls."""
    return [
        each(values) if type(values) is list or container_iterators.is_watched(values) else values
        for values in iterables
    ]


def one_by_one(iterable: Iterable[Any]) -> Iterator[Any]:
    """The elements as Python takes them: the others are left."""
    lists = lists_under(iterable)
    for element in container_iterators.over(iterable):  # which is not closed with this one
        check_not_stacked(lists)
        yield element
        check_not_stacked(lists)
    check_not_stacked(lists)


Tracer.each = staticmethod(each)
