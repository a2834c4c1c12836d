"""Loops: one trip is run as a region, until what it carries to the next has settled in type."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gradsmith.errors import ArgumentValueError, ControlFlowError, GradsmithError, Span
from gradsmith.frontend.branches import as_condition, condition_of, variables
from gradsmith.frontend.carried import (
    VARIES,
    Group,
    Slot,
    State,
    fresh_name,
    group_of,
    late_group,
    undefined_group,
)
from gradsmith.frontend.journal import Journal, journaling, note_container, reachable
from gradsmith.frontend.merging import as_value
from gradsmith.frontend.planned import NO_END, planned
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trips import Trips, as_trips
from gradsmith.frontend.unsettled import Unsettled, is_undefined
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building, current_builder
from gradsmith.ir.dims import Dim, Size, Symbol
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import item
from gradsmith.ir.types import python_number
from gradsmith.ops.regions import loop

FEW_TRIPS = 4
"""Loops of this many trips or less, known for good, are written out."""
MANY_TRIPS = 5_000
"""Loops that cannot stay loops are written out up to this many trips."""
MOST_ATTEMPTS = 12
"""Types settle after one or two."""


@dataclass(slots=True)
class Trip:
    """One trip while it is run: what it says about going on."""

    leave: Any = None
    test: Any = None


@dataclass(frozen=True, slots=True)
class LoopNames:
    """The variables of a loop, from its source.

    ``targets`` are set by the ``for`` itself, ``stored`` by the body; ``read`` are those that
    may be read in a trip before they are set in it.
    """

    targets: tuple[str, ...]
    stored: tuple[str, ...]
    read: frozenset[str]
    leaves: bool
    endless: bool = False  # a `while`
    kept: frozenset[str] | None = None
    """Those that are read outside the loop; None where that is not known."""


class Looping:
    """A ``for`` or ``while`` statement: runs trips, and knows the variables afterwards.

    Staged code is ``while looping.attempt(): try: for x in looping: ... except ...``. With
    ``rolled`` set, the trip is one of a region and its variables are ``state()``.
    """

    failure: type[BaseException] = GradsmithError

    def __init__(self, iterable: Any, names: LoopNames) -> None:
        self.plan = planned(iterable)
        self.iterable = self.plan.iterable
        self.names = names
        self.rolled = False
        self.resets = False
        self._trip = Trip()
        self._values: list[Any] = []
        self._switch = False
        self._state = "new"
        self._may_roll = self.plan.rolled is not False
        self._before: list[Any] = []
        self._journal: Journal | None = None

    # -- what staged code calls

    def attempt(self) -> bool:
        """Whether to run the loop (again)."""
        ready = self._state in ("new", "again")
        self._state = "running"
        return ready

    def failed(self) -> None:
        """The rolled loop could not be made: write it out, or raise the error."""
        error = sys.exc_info()[1]
        trips = as_trips(self.iterable)
        if not self.rolled or self._done or trips is None or dims.is_unbacked(trips.length):
            raise  # noqa: PLE0704  within the except block of staged code
        if self.plan.rolled:
            raise  # noqa: PLE0704
        if dims.hint(trips.length) > MANY_TRIPS or self._switch or error is None:
            raise  # noqa: PLE0704
        if self._journal is not None:
            self._journal.undo()
        self._may_roll, self.rolled, self.resets = False, False, True
        self._values = self._before[: len(self.names.stored)]
        self._state = "again"

    def state(self) -> list[Any]:
        """What the stored variables are to be now."""
        return self._values

    def reset(self) -> list[Any]:
        """The same once."""
        self.resets = False
        return self._values

    def test(self, value: Any) -> bool | None:
        """Whether to make this trip; None: begin it anew, as one of a loop in the graph."""
        value = as_condition(value)
        if not isinstance(value, Tracer):
            if self.rolled and not value:
                raise ControlFlowError("this loop ends in its first trip", current_span())
            return bool(value)
        if self.rolled:
            self._trip.test = value
            return True
        self._switch = True
        return None

    def leave(self, flag: Any) -> bool:
        """Whether this trip is the last."""
        if not isinstance(flag, Tracer):
            if self.rolled:
                self._trip.leave = flag or None
            return bool(flag) and not self.rolled
        if self.rolled:
            self._trip.leave = flag
        else:
            self._switch = True
        return False

    # -- trips

    _done = False

    def __iter__(self) -> Iterator[Any]:
        trace = current_trace()
        frame = sys._getframe(1)
        trips = as_trips(self.iterable)
        if trace is not None and trace.unrolling and not self.plan.rolled:
            self._may_roll = False
        if trace is None or (trips is None and not self.names.endless):
            # `yield from` would close the user's generator with this one
            for value in self.iterable:  # noqa: UP028
                yield value
            return
        if trips is not None and self._is_to_be_rolled(trips):
            yield from self._roll(trace, frame, trips)
        elif self.names.leaves or self.names.endless:
            yield from self._watched(trace, frame, trips)
        else:
            yield from iter(self.iterable)

    def _is_to_be_rolled(self, trips: Trips) -> bool:
        if not self._may_roll:
            return False
        length = trips.length
        if isinstance(length, int):
            return length > (0 if self.plan.rolled else FEW_TRIPS)
        return dims.is_unbacked(length) or dims.hint(length) > 0

    def _watched(self, trace: Trace, frame: Any, trips: Trips | None) -> Iterator[Any]:
        """Trips as Python makes them, until a traced value decides whether to go on."""
        place = 0
        while trips is None or place < len(trips):
            before = variables(frame, (*self.names.stored, *self.names.targets))
            if place == 0 and self._before:  # what a failed attempt has left in them
                first = len(self.names.stored)
                before[first:] = self._before[first:]
            with journaling() as journal:
                yield None if trips is None else trips[place]
                if self._switch:
                    journal.undo()
            if self._switch:
                yield from self._roll(
                    trace, frame, None if trips is None else trips.after(place), before
                )
                return
            place += 1

    def _roll(
        self, trace: Trace, frame: Any, trips: Trips | None, before: list[Any] | None = None
    ) -> Iterator[Any]:
        """Run one trip as a region; again, as long as what it carries changes its type."""
        everything = (*self.names.stored, *self.names.targets)
        trace.rolled = True
        self.rolled, self._before = True, before or variables(frame, everything)
        region = LoopRegion(
            trace, trips, self.names, self._before, current_span(), self.plan.slots
        )
        known = reachable(frame, trace)
        for _ in range(MOST_ATTEMPTS):
            self._trip = Trip()
            with journaling(known) as journal:
                self._journal = journal
                with trace.region() as builder:
                    index = region.open(builder)
                    self._values, self.resets = region.values(), True
                    yield index
                    after = variables(frame, (*self.names.stored, *self.names.targets))
                    settled = region.settle(after, journal)
            decided = self._switch or self.plan.rolled or isinstance(self._trip.leave, Tracer)
            if settled and not (decided or region.carries_data()):
                raise ControlFlowError("this loop only counts", current_span())
            if settled:
                self._done = True
                self._values, self.resets = region.close(self._trip), False
                return
        raise ControlFlowError(
            "what this loop carries from trip to trip does not settle in type", current_span()
        )


def listed(iterable: Any, element: Callable[..., Any], several: bool) -> list[Any]:
    """``[element(x) for x in iterable]``; *several* unpacks each ``x``."""
    made: list[Any] = []
    looping = Looping(iterable, LoopNames((), (), frozenset(), leaves=False))
    while looping.attempt():
        try:
            for item in looping:
                value = element(*item) if several else element(item)
                note_container(made)
                made.append(value)
        except looping.failure:
            looping.failed()
    return made


class LoopRegion:
    """The region of a loop while it is found out: what it carries, and its types."""

    def __init__(
        self,
        trace: Trace,
        trips: Trips | None,
        names: LoopNames,
        before: list[Any],
        span: Span | None,
        slots: int | None,
    ) -> None:
        self.trace = trace
        self.slots = slots
        self.trips = trips
        self.names = names
        self.before = dict(zip((*names.stored, *names.targets), before, strict=True))
        self.span = span
        self.state = State()
        self._started: dict[str, Any] = {}
        self._settled: dict[str, Any] = {}
        self._late: dict[str, Group] = {}
        self._overwritten: list[Storage] = []

    def open(self, builder: Builder) -> Any:
        """Begin a trip; what the loop's target is in it."""
        counts = self.trips is not None and self.trips.counts
        label = self.names.targets[0] if counts and len(self.names.targets) == 1 else "i"
        self.builder = builder
        size = self._index(fresh_name(self.trace, label))
        self.index = dims.as_symbol(size)
        builder.parameter(label, python_number(int), self.index)
        self._started = self.state.open(self.trace, builder)
        return None if self.trips is None else self.trips.item(TracedInt(size))

    def _index(self, name: str) -> Dim:
        if self.trips is None:
            return dims.changing(name, 0, 0, None)
        trips = self.trips
        last = trips.start + (trips.length - 1) * trips.step
        if abs(trips.step) == 1:
            last = trips.stop - trips.step
        low, high = (trips.start, last) if trips.step > 0 else (last, trips.start)
        return dims.changing(name, dims.hint(trips.start), low, high)

    def values(self) -> list[Any]:
        """The stored variables at the beginning of the trip."""
        return [self._started.get(name, self.before[name]) for name in self.names.stored]

    def settle(self, after: list[Any], journal: Journal) -> bool:
        """Take note of what a trip has done, and undo it; whether it carries on what it started
        with.
        """
        ends = dict(zip((*self.names.stored, *self.names.targets), after, strict=True))
        settled = [group.take(ends[name]) for name, group in self.state.variables.items()]
        settled.append(self.state.take_storages(journal, self.builder))
        settled.append(self._take_rebound(ends))
        settled.append(self.state.take_containers(journal, *self._extent()))
        if all(settled):
            self._check_aliases(journal.storages)
            self._take_late(ends)
        journal.undo()
        return all(settled)

    def _extent(self) -> tuple[Size | None, Size]:
        """How many trips there are, where that is known at the beginning; which one this is."""
        trips = self.trips
        if trips is None or self.names.leaves or self.index is None:
            return None, 0
        return trips.length, (dims.of_atom(self.index) - trips.start) // trips.step

    def _take_rebound(self, ends: dict[str, Any]) -> bool:
        """Variables whose value in the next trip is another than in this one.

        One that a trip only writes to in place is no such variable: its buffer is carried.
        """
        known = True
        for name in sorted(self.names.read - set(self.state.variables)):
            before, after = self.before[name], ends[name]
            if after is before or is_undefined(after):
                continue
            undefined = is_undefined(before)
            group = undefined_group(name, after) if undefined else group_of(name, before)
            if group is not None:
                self.state.variables[name] = group
                known = False
        if not known:  # their buffers are others from now on: begin anew to see what is written
            self.state.storages.clear()
        return known

    def _take_late(self, ends: dict[str, Any]) -> None:
        """Variables that every trip sets anew: after the loop they have their last value."""
        for name, value in ends.items():
            if name in self.state.variables:
                continue
            before = self.before.get(name)
            if value is before:
                self._settled[name] = value
                continue
            if self.names.kept is not None and name not in self.names.kept:
                self._settled[name] = Unsettled(name, VARIES)
                continue
            group = late_group(name, before, value)
            if group is None:
                self._settled[name] = Unsettled(name, VARIES)
            else:
                self._late[name] = group

    def _check_aliases(self, written: dict[Storage, Node]) -> None:
        """Two variables that are one array in some trips only cannot be written through."""
        ends: dict[Storage, str] = {}
        self._overwritten = []
        for group in self.state.variables.values():
            for slot in group.slots:
                if not (isinstance(slot.after, Tracer) and isinstance(slot.seen, Tracer)):
                    continue
                storage, own = slot.after.view.storage, slot.seen.view.storage
                initial = slot.initial
                first = initial.view.storage if isinstance(initial, Tracer) else None
                shared = ends.setdefault(storage, slot.label) != slot.label
                if own in written and first is not None:
                    self._overwritten.append(first)
                if slot.type.ndim and (
                    (shared and (own in written or storage in written))
                    or (first in written)
                    or (own in written and not self.builder.owns(storage.node))
                ):
                    raise ControlFlowError(
                        f"{slot.label!r} is the same array as another one in some trips of this "
                        "loop only, and is written to",
                        self.span,
                        "copy it: y = x.copy()",
                    )

    def carries_data(self) -> bool:
        """Whether a trip does anything but count in Python's numbers."""
        late = [slot for group in self._late.values() for slot in group.slots]
        slots = [*self.state.slots(), *late]
        counters = {slot.symbol for slot in slots} | {self.index}
        return any(s.node is not s.param and not _counts(s, counters) for s in slots)

    def close(self, trip: Trip) -> list[Any]:
        """Make the loop; what the variables are after it."""
        late = [slot for group in self._late.values() for slot in group.slots]
        slots = [*self.state.slots(), *late]
        with self.trace_region():
            for slot in late:
                slot.param = self.builder.parameter(slot.label, slot.type, self._late_symbol(slot))
        flags = self._flags(trip)
        results = [*(slot.result(self.builder) for slot in slots), *flags]
        test = self._test(trip)
        starts = [slot.start() for slot in slots]
        captured = self.builder.needed([*results, *test])
        body = self.builder.region(results, captured)
        attrs = self._attrs(trip, slots, body, test, captured)
        with self.trace.builder.at(self.span):
            whole = self.trace.builder.apply(loop, [*starts, *captured], attrs)
        return self._finish(whole, slots, attrs["symbols"])

    def trace_region(self) -> Any:
        """Make nodes of the body."""
        return building(self.builder)

    def _late_symbol(self, slot: Slot) -> Symbol | None:
        if not slot.whole:
            return None
        return dims.as_symbol(dims.changing(fresh_name(self.trace, slot.label), 0, None, None))

    def _flags(self, trip: Trip) -> list[Node]:
        if trip.leave is None:
            return []
        with building(self.builder):
            return [self.builder.inner(_truth(trip.leave))]

    def _test(self, trip: Trip) -> list[Node]:
        if trip.test is None:
            return []
        with building(self.builder):
            return [self.builder.inner(condition_of(trip.test))]

    def _attrs(
        self, trip: Trip, slots: list[Slot], body: Region, test: list[Node], captured: list[Node]
    ) -> dict[str, Any]:
        symbols = [self._result_symbol(slot) for slot in slots]
        counted = trip.leave is not None or trip.test is not None or self.trips is None
        if counted and self.slots is not None:
            raise ArgumentValueError(*NO_END)
        count = dims.changing(fresh_name(self.trace, "trips"), 1, 0, None) if counted else None
        symbols.append(None if count is None else dims.as_symbol(count))
        start: Size = 0 if self.trips is None else self.trips.start
        return {
            "body": body,
            "test": self.builder.region(test, captured) if test else None,
            "start": start,
            "stop": None if self.trips is None else self.trips.stop,
            "step": 1 if self.trips is None else self.trips.step,
            "reverse": False,
            "carried": len(slots),
            "tapes": 0,
            "leaves": trip.leave is not None,
            "symbols": tuple(symbols),
            **({} if self.slots is None else {"slots": self.slots}),
        }

    def _result_symbol(self, slot: Slot) -> Symbol | None:
        if not slot.whole:
            return None
        return dims.as_symbol(dims.changing(fresh_name(self.trace, slot.label), 0, None, None))

    def _finish(
        self, whole: Node, slots: list[Slot], symbols: tuple[Symbol | None, ...]
    ) -> list[Any]:
        finals: dict[int, Any] = {}
        builder = self.trace.builder
        for place, slot in enumerate(slots):
            node = item(whole, index=place)
            builder.name(node, slot.label)
            symbol = symbols[place]
            size = None if symbol is None else dims.of_atom(symbol)
            finals[id(slot)] = node, as_value(node, size, slot.label)
        for storage, slot in self.state.storages.items():
            storage.replace(finals[id(slot)][0])
        for storage in self._overwritten:
            storage.outdate()
        for contents in self.state.containers.values():
            contents.refill([finals[id(s)][1] for s in contents.slots])
        for growth in self.state.growing.values():
            growth.close(finals[id(growth.slot)][1])
        values = dict(self._settled)
        for name, group in {**self.state.variables, **self._late}.items():
            values[name] = group.final([self._final(s, finals) for s in group.slots])
        return [values[name] for name in (*self.names.stored, *self.names.targets)]

    def _final(self, slot: Slot, finals: dict[int, Any]) -> Any:
        return finals[id(slot)][1]


def _counts(slot: Slot, counters: set[Symbol | None]) -> bool:
    """Whether the value is an integer made of the index and other counters."""
    if not slot.whole or slot.node is None:
        return False
    value = slot.node.attrs.get("value")
    return not isinstance(value, Dim) or set(dims.symbols(value)) <= counters


def _truth(flag: Any) -> Node:
    return condition_of(flag) if isinstance(flag, Tracer) else current_builder().lift(bool(flag))
