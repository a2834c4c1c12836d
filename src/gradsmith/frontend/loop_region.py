"""The region of a loop while it is found out: what it carries, and its types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gradsmith import tree
from gradsmith.errors import ControlFlowError, Span
from gradsmith.frontend.carried import State, differs
from gradsmith.frontend.counters import Guess
from gradsmith.frontend.doubts import Aliases
from gradsmith.frontend.exchanged_arrays import cycles_of
from gradsmith.frontend.frozen import NONE, Sites, freeze, note_remade
from gradsmith.frontend.groups import Group, group_of, late_group, rebound_group
from gradsmith.frontend.implied import Side, note_implied, side_of
from gradsmith.frontend.journal import Journal
from gradsmith.frontend.making import Made, Making
from gradsmith.frontend.merging import is_data
from gradsmith.frontend.names import LoopNames
from gradsmith.frontend.presence import NotFirst, found_at_end, found_before
from gradsmith.frontend.row_aliases import RowAliases
from gradsmith.frontend.row_buffers import Appended, RowKind
from gradsmith.frontend.slots import NO_DATA, VARIES, Slot, fresh_name, param_of
from gradsmith.frontend.storage import Storage, Unless
from gradsmith.frontend.suspended import check_none_suspended
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.traced_int import TracedInt, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trip import Trip
from gradsmith.frontend.trips import Trips
from gradsmith.frontend.unsettled import (
    NONE_OR_VALUE,
    Cause,
    SetByTrips,
    Unsettled,
    is_none_or_value,
    is_undefined,
)
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.dims import Dim, Size, Symbol
from gradsmith.ir.graph import Node
from gradsmith.ir.types import python_number

MOST_KINDS = 8
"""So often the kind of the elements that branches append is looked for anew."""
MOST_LISTS = 12
"""That branches append to: where the first iteration is made apart, each attempt has new ones."""


@dataclass(slots=True)
class Lists:
    """What earlier attempts have shown of the lists that the trips append to.

    ``reads``: trips read more of them than the last element. ``in_branches``: by identity, those
    that branches append to, and what.
    """

    reads: bool = False
    in_branches: dict[int, tuple[list[Any], Appended]] = field(default_factory=dict)
    renewed: int = 0

    def is_news(self, key: int, kind: RowKind) -> bool:
        """Whether nothing is known yet of a list that branches append elements of ``kind`` to, or
        another kind: types take a few attempts to settle.
        """
        if key not in self.in_branches:
            return len(self.in_branches) < MOST_LISTS
        known = self.in_branches[key][1]
        self.renewed += 1
        return self.renewed <= MOST_KINDS and kind != (known.form, known.types)


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
        guess: Guess | None = None,
        sites: Sites = NONE,
        lists: Lists | None = None,
    ) -> None:
        self.trace = trace
        self.guess = guess
        self.slots = slots
        self.trips = trips
        self.names = names
        self.before = dict(zip((*names.stored, *names.targets), before, strict=True))
        self.span = span
        self.state = State(sites)
        self._number = None
        if trips is None:
            self._number = dims.changing(fresh_name(trace, "trips"), 1, 0, None)
        if lists is not None:
            most = None if trips is None else trips.length
            self.state.reads = lists.reads
            self.state.note_branches(lists.in_branches.values(), most)
        self._started: dict[str, Any] = {}
        self._settled: dict[str, Any] = {}
        self._late: dict[str, Group] = {}
        self._overwritten: list[Storage] = []
        self._sides: list[Side] = []
        self._aliases = Aliases(trace, self.state.cause)
        self._rows: RowAliases | None = None
        if guess is not None:
            self._begin_to_count(guess)
        else:
            self._begin_as_before()

    def _begin_as_before(self) -> None:
        """Variables that the loop has carried whenever it was run are carried at once."""
        for name in self.trace.unrolling.carried.get(self.state.sites, ()):
            before = self.before[name]
            group = group_of(name, before) if is_data(before) else None
            if group is not None:
                self.state.variables[name] = group

    def _begin_to_count(self, guess: Guess) -> None:
        """Integers that the trips change have other numbers from the first trip on."""
        for name in guess.wholes:
            group = group_of(name, self.before[name])
            if group is not None and name != guess.counter:
                group.slots[0].bounds = guess.bounds(name)
                self.state.variables[name] = group

    def open(self, builder: Builder) -> Any:
        """Begin a trip; what the loop's target is in it."""
        counts = self.trips is not None and self.trips.counts
        label = self.names.index if counts and self.names.index else "i"
        self.builder = builder
        size = self._index(fresh_name(self.trace, label))
        self.index = dims.as_symbol(size)
        index = builder.parameter(label, python_number(int), self.index)
        self.trace.initial[index] = wrap_size(self._start())
        self.trace.bodies.add(builder)
        self.trace.sites[builder] = next(iter(self.state.sites), None)
        if self.trips is not None:
            self.trace.entered[builder] = self.trips.length
        later = NotFirst(size, self._start())
        self._started = self.state.open(self.trace, builder, later, self._extent()[1])
        self._aliases.doubt(self._started, self.before)
        self._doubt_same_at_first()
        for storage in self._overwritten:  # by iterations before this one
            storage.outdate(self.state.cause)
        self._note_firsts(later)
        if self.guess is not None:
            self._tell(self.guess, size)
        return None if self.trips is None else self.trips.item(TracedInt(size))

    def _tell(self, guess: Guess, index: Dim) -> None:
        if guess.counter is not None:
            self._started[guess.counter] = TracedInt(index)
        for name in guess.wholes:
            if name in self.state.variables:
                symbol = self.state.variables[name].slots[0].symbol
                if symbol is not None:
                    guess.symbols[name] = symbol

    def _index(self, name: str) -> Dim:
        if self.trips is None:
            return dims.changing(name, 0, 0, None)
        trips = self.trips
        last = trips.start + (trips.length - 1) * trips.step
        if abs(trips.step) == 1:
            last = trips.stop - trips.step
        low, high = (trips.start, last) if trips.step > 0 else (last, trips.start)
        return dims.changing(name, dims.hint(trips.start), low, high)

    def _start(self) -> Size:
        return 0 if self.trips is None else self.trips.start

    def _note_firsts(self, later: NotFirst) -> None:
        """Variables such as ``first``, True in the first trip, say which trip it is."""
        for slot in self.state.slots():
            for first in (True, False):
                if slot.always(first, not first):
                    self.trace.firsts[param_of(slot)] = later.node(), first

    def values(self) -> list[Any]:
        """The stored variables at the beginning of the trip."""
        started = {**self.before, **self.state.uncarried, **self._started}
        return [started[name] for name in self.names.stored]

    def settle(self, after: list[Any], journal: Journal) -> bool:
        """Take note of what a trip has done, and undo it; whether it carries on what it started
        with.
        """
        if self.trips is not None:
            self.trips.check_lists()
        check_none_suspended(self.trace, journal.first_generator)
        ends = dict(zip((*self.names.stored, *self.names.targets), after, strict=True))
        settled = [
            group.take(ends[name], self.trace) for name, group in self.state.variables.items()
        ]
        self._check_counter(ends)
        settled.append(self.state.take_storages(journal, self.builder))
        settled.append(self._take_rebound(ends, journal))
        most = None if self.trips is None else self.trips.length
        replaced = len(self.state.replaced())
        settled.append(self.state.take_containers(self.trace, journal, *self._extent(), most))
        if len(self.state.replaced()) > replaced:
            self._forget_buffers()
        settled.append(self.state.note_elements(self._started, ends, journal.known or {}))
        settled.append(self._aliases.learn(self._started, ends, journal.known or {}))
        if all(settled):
            settled += [not group.is_begun() for group in self.state.groups()]
        if all(settled):
            self._check_arguments(journal)
            settled.append(self._check_aliases(self._touched(journal)))
        if all(settled):
            self._rows = RowAliases(self.state, self.builder)
            self._rows.check(journal.storages, self.span)
            self._take_late(ends)
            self._sides = [
                side_of(variables, self.trace, found)
                for variables, found in ((self.before, found_before), (ends, found_at_end))
            ]
        journal.undo()
        if all(settled):
            plain = [name for name, g in self.state.variables.items() if g.present is None]
            self.trace.unrolling.carried[self.state.sites] = tuple(plain)
        return all(settled)

    def _check_arguments(self, journal: Journal) -> None:
        """A variable that is an array of the caller's before the loop, and is set anew in it, is
        not to be written to: only some of the writes would be to that array.

        Raises
        ------
        ControlFlowError
            It is, and the compiled function writes to the world outside.
        """
        outside = [storage for storage, _ in self.trace.buffers.values()]
        for cycle in cycles_of(self.state.replaced()):
            outside = [storage for storage in outside if storage not in cycle.storages()]
        for slot in self.state.slots() if self.trace.writes else ():
            pair = slot.seen, slot.initial
            if not all(isinstance(value, Tracer) for value in pair):
                continue
            seen, initial = (value.view.storage for value in pair)
            if seen in journal.storages and initial in outside:
                raise ControlFlowError(
                    f"{slot.label!r} is an argument before this loop, which writes to it and sets "
                    "it anew",
                    self.span,
                    "copy it before the loop: h = h.copy()",
                )

    @property
    def is_in_vain(self) -> bool:
        """Whether the trip just made has shown that it is to be made in another way."""
        return self.trips is None and self.guess is not None and self.guess.decided

    @property
    def counter(self) -> str | None:
        """The variable of a ``while`` that the index is."""
        return None if self.guess is None else self.guess.counter

    def _check_counter(self, ends: dict[str, Any]) -> None:
        if self.counter is None or self.trips is None or self.index is None:
            return
        end = ends[self.counter]
        following = dims.of_atom(self.index) + self.trips.step
        if not (isinstance(end, TracedInt) and end.dim == following):
            raise ControlFlowError(f"{self.counter!r} does not count the trips", self.span)

    def _extent(self) -> tuple[Size | None, Size]:
        """How many trips there are, where that is known at the beginning; which one this is."""
        trips = self.trips
        exits = self.guess is not None and self.guess.exits
        if (self.names.leaves and not exits) or self.index is None:
            return None, 0
        if trips is None:
            return self._number, dims.of_atom(self.index)
        return trips.length, (dims.of_atom(self.index) - trips.start) // trips.step

    def _take_rebound(self, ends: dict[str, Any], journal: Journal) -> bool:
        """Variables whose value in the next trip is another than in this one.

        One that a trip only writes to in place is no such variable: its buffer is carried.
        """
        known = True
        for name in sorted(self.names.read - {*self.state.variables, self.counter}):
            before, after = self.before[name], ends[name]
            if after is before or (is_undefined(after) and is_undefined(before)):
                continue
            group = rebound_group(name, journal.before(before), after, self.trace)
            if group is not None:
                self.state.variables[name] = group
                known = False
            elif name not in self.state.uncarried and differs(before, after):
                self.state.uncarried[name] = self._unsettled(name, NO_DATA)
                known = False
        if not known:
            self._forget_buffers()
        return known

    def _forget_buffers(self) -> None:
        """Variables or elements are found out to be replaced: their buffers are others from now
        on, and the next attempt is to see what is written.
        """
        self.state.storages.clear()

    def _take_late(self, ends: dict[str, Any]) -> None:
        """Variables that every trip sets anew: after the loop they have their last value."""
        for name, value in ends.items():
            if name in self.state.variables or name == self.counter:
                continue
            if self.guess is not None and self.guess.exits and name == self.names.broken:
                self._settled[name] = True
                continue
            before = self.before.get(name)
            if value is before:
                self._settled[name] = value
                continue
            if self.names.kept is not None and name not in self.names.kept:
                self._settled[name] = self._unsettled(name, VARIES)
                continue
            if self._is_another(name, before, value) and (trips := self._has_trips()) is not True:
                self._settled[name] = before if trips is False else self._unless_set(name, before)
                continue
            group = late_group(name, before, value, self.trace)
            if group is None:
                none = is_none_or_value(value) or (value is None) is not (before is None)
                self._settled[name] = self._unsettled(name, NONE_OR_VALUE if none else VARIES)
            else:
                group.sites = self.state.lists_with(value)
                self._late[name] = group

    def _is_another(self, name: str, before: Any, after: Any) -> bool:
        """Whether a variable that every trip sets to numbers or arrays is something else where
        there is no trip.
        """
        old, had = found_before(name, before, self.trace)
        if had is not True or is_undefined(old):
            return False
        if not tree.flatten(after, is_data)[0]:
            return False
        return tree.flatten(old, is_data)[1] != tree.flatten(after, is_data)[1]

    def _has_trips(self) -> bool | None:
        """Whether there is a trip, by a guard; None where sizes do not tell."""
        length = None if self.trips is None or self.names.leaves else self.trips.length
        if length is None or dims.is_unbacked(length):
            return None
        return (
            dims.settled(">", length, 0) if dims.changes(length) else dims.decide(">", length, 0)
        )

    @property
    def _loop(self) -> Span:
        return self.trace.unrolling.active[-1]

    def _unless_set(self, name: str, before: Any) -> Any:
        """What is there for a variable that holds this if there is no trip."""
        if isinstance(before, Unsettled):
            return before
        tried = self._loop in self.trace.learned.first_apart
        return (Unsettled if tried else SetByTrips)(name, VARIES, self._loop)

    def _unsettled(self, name: str, why: str) -> Unsettled:
        return Unsettled(name, why, self._loop)

    def _touched(self, journal: Journal) -> dict[Storage, None]:
        """The arrays that the iteration has written to, or may have."""
        outdated = [storage for storage in journal.outdated if storage.stale]
        known = {*self._overwritten, *(slot.seen.view.storage for slot in self._stale_slots())}
        return dict.fromkeys([*journal.storages, *(s for s in outdated if s not in known)])

    def _stale_slots(self) -> list[Slot]:
        """Those whose arrays may have been written to before the iteration."""
        slots = self.state.replaced()
        return [slot for slot in slots if slot.stale and isinstance(slot.seen, Tracer)]

    def _check_aliases(self, written: Mapping[Storage, None]) -> bool:
        """Two variables or elements that are one array in some trips only cannot be written
        through. Whether no other arrays from before the loop are overwritten than is known.
        """
        ends: dict[Storage, Slot] = {}
        replaced = self.state.replaced()
        seen = {s.seen.view.storage: s for s in replaced if isinstance(s.seen, Tracer)}
        known = self._overwritten
        self._overwritten = [*known, *(s for s in written if s.stale and self._is_outer(s))]
        for slot in replaced:
            if not (isinstance(slot.after, Tracer) and isinstance(slot.seen, Tracer)):
                continue
            storage, own = slot.after.view.storage, slot.seen.view.storage
            initial = slot.initial
            first = initial.view.storage if isinstance(initial, Tracer) else None
            family = storage.family(self._is_own)
            holders = [ends.setdefault(member, slot) for member in family]
            shared = any(holder is not slot for holder in holders)
            if own in written:  # in later iterations it is what other variables were before
                initials = [source.initial for source in (slot, *self._sources(slot, seen))]
                self._overwritten += [v.view.storage for v in initials if isinstance(v, Tracer)]
            if any(map(_is_array, (initial, slot.after))) and (
                (shared and (own in written or storage in written))
                or (first in written)
                or (own in written and any(map(self._is_outer, family)))
            ):
                raise ControlFlowError(
                    f"{slot.label!r} is the same array as another one in some trips of this "
                    "loop only, and is written to",
                    self.span,
                    "copy it: y = x.copy()",
                )
        return set(self._overwritten) <= set(known)

    def carries_data(self) -> bool:
        """Whether a trip does anything but count in Python's numbers."""
        late = [slot for group in self._late.values() for slot in group.carried()]
        slots = [*self.state.slots(), *late]
        counters = {slot.symbol for slot in slots} | {self.index}
        return any(s.node is not s.param and not _counts(s, counters) for s in slots)

    def close(self, trip: Trip) -> list[Any]:
        """Make the loop; what the variables are after it."""
        late = [slot for group in self._late.values() for slot in group.carried()]
        for buffer in self.state.buffers.values():
            buffer.prepare()
        for growth in self.state.growing.values():
            growth.prepare()
        making = Making(
            *(self.trace, self.builder, self.trips, self.slots, self.span, trip, self._number)
        )
        return self._finish(making.loop([*self.state.slots(), *late], late))

    def _finish(self, made: Made) -> list[Any]:
        length = None if self.trips is None else self._extent()[0]
        finals = made.finals(self.trace.builder, length)
        for storage, slot in self.state.storages.items():
            storage.replace(finals[id(slot)][0])
        self._replace_overwritten(finals, made)
        for contents in self.state.containers.values():
            contents.close([finals[id(s)][1] for s in contents.slots], made.any_trip)
        for growth in self.state.growing.values():
            growth.close([finals[id(slot)][1] for slot in growth.rows])
        for buffer in self.state.buffers.values():
            count = None if buffer.count is None else finals[id(buffer.count)][1]
            buffer.close([finals[id(slot)][1] for slot in buffer.rows], count)
        if self._rows is not None:
            late = [slot for group in self._late.values() for slot in group.slots]
            self._rows.doubt(finals, [*self.state.replaced(), *late], self.state.cause)
            self._rows.lock_firsts(self.state.replaced())
        for name, group in self.state.variables.items():
            freeze(self.before[name], group.sites)
        values = dict(self._settled)
        if self.counter is not None and self.trips is not None:
            count = made.symbols[-1]
            length = self.trips.length if count is None else dims.of_atom(count)
            values[self.counter] = wrap_size(self.trips.start + length * self.trips.step)
        for name, group in {**self.state.variables, **self._late}.items():
            ends = [finals[id(slot)][1] for slot in group.carried()]
            final = group.final(ends, made.any_trip, self.trace)
            values[name] = note_remade(self.trace, final, self.state.cause)
        note_implied(values, self._sides)
        self._doubt_aliases(finals)
        self.state.outdate()
        self._aliases.doubt(values, self.before)
        return [values[name] for name in (*self.names.stored, *self.names.targets)]

    def _replace_overwritten(self, finals: Mapping[int, tuple[Node, Any]], made: Made) -> None:
        """What the arrays hold that variables were before the loop, and that it has written to."""
        overwritten = dict.fromkeys(self._overwritten)
        for cycle in cycles_of(self.state.replaced()) if overwritten else ():
            if overwritten.keys().isdisjoint(cycle.storages()):
                continue
            count = self._count(made)
            if count is not None:
                cycle.replace(self.trace, finals, count)
                for storage in cycle.storages():
                    overwritten.pop(storage, None)
        for storage in overwritten:
            storage.put_back(storage.node)  # it counts as written
            storage.outdate(self.state.cause)

    def _count(self, made: Made) -> Size | None:
        """How many iterations the loop has made."""
        symbol = made.symbols[-1]
        if symbol is not None:
            return dims.of_atom(symbol)
        return None if self.trips is None else self.trips.length

    def _doubt_aliases(self, finals: Mapping[int, tuple[Node, Any]]) -> None:
        """Arrays that came out of the loop may share memory with others: writes to these tell."""
        seen: dict[Storage, Storage] = {}
        late = [slot for group in self._late.values() for slot in group.slots]
        for slot in [*self.state.replaced(), *late]:
            final, last = finals[id(slot)][1], slot.after
            if isinstance(final, Tracer) and _is_array(last):
                storage = final.view.storage
                for origin in last.view.storage.family(self._is_own):
                    first = seen.setdefault(origin, storage)
                    if first is not storage:
                        storage.doubt(first, cause=self.state.cause)
                    if not self._is_own(origin):
                        storage.doubt(origin, cause=self.state.cause)
        self._doubt_first_ones(finals)

    def _is_own(self, storage: Storage) -> bool:
        """Whether an iteration makes what the buffer holds, or starts with it."""
        return self.builder.owns(storage.node)

    def _is_outer(self, storage: Storage) -> bool:
        """Whether it is an array from before the loop."""
        return storage in self.state.storages or not self._is_own(storage)

    def _doubt_same_at_first(self) -> None:
        """Variables and elements that may be one array before the loop are so in an iteration:
        in the first one.
        """
        arrays = [
            (slot.seen.view.storage, slot.initial.view.storage)
            for slot in self.state.replaced()
            if isinstance(slot.seen, Tracer) and _is_array(slot.initial)
        ]
        for place, (seen, initial) in enumerate(arrays):
            for other, other_initial in arrays[:place]:
                if initial.may_be(other_initial):
                    seen.doubt(other, cause=self.state.cause)

    def _doubt_first_ones(self, finals: Mapping[int, tuple[Node, Any]]) -> None:
        """The same of the arrays that variables and elements were before: without a trip, or
        after one that leaves them, they still are, and where they exchange places they may be
        again.
        """
        replaced = self.state.replaced()
        late = [slot for group in self._late.values() for slot in group.slots]
        seen = {s.seen.view.storage: s for s in replaced if isinstance(s.seen, Tracer)}
        for slot in [*replaced, *late]:
            final = finals[id(slot)][1]
            unless = self._has_trips if slot.is_replaced() else None
            _doubt(final, slot.initial, unless, self.state.cause)
            for source in self._sources(slot, seen):
                _doubt(final, source.initial, None, self.state.cause)

    def _sources(self, slot: Slot, seen: Mapping[Storage, Slot]) -> list[Slot]:
        """Those whose arrays a slot has, or may have, after one trip, two trips, and so on."""
        found: dict[int, Slot] = {}
        stack = [slot]
        while stack:
            last = stack.pop().after
            family = last.view.storage.family(self._is_own) if isinstance(last, Tracer) else ()
            for source in (seen[storage] for storage in family if storage in seen):
                if id(source) not in found:
                    found[id(source)] = source
                    stack.append(source)
        return list(found.values())


def _doubt(final: Any, first: Any, unless: Unless, cause: Cause) -> None:
    if isinstance(final, Tracer) and _is_array(first):
        final.view.storage.doubt(first.view.storage, unless, cause)


def _is_array(value: Any) -> bool:
    """Whether it is an array, not a number: a variable may be either, after the same loop."""
    return isinstance(value, Tracer) and value.type.form == "array"


def _counts(slot: Slot, counters: set[Symbol | None]) -> bool:
    """Whether the value is an integer made of the index and other counters."""
    if not slot.whole or slot.node is None:
        return False
    value = slot.node.attrs.get("value")
    return not isinstance(value, Dim) or set(dims.symbols(value)) <= counters
