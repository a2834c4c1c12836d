"""Loops: one trip is run as a region, until what it carries to the next has settled in type."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from gradsmith.errors import ControlFlowError, GradsmithError
from gradsmith.frontend.branches import variables
from gradsmith.frontend.joint import as_condition, condition_of
from gradsmith.frontend.journal import Journal, journaling, note_container, reachable
from gradsmith.frontend.loop_region import LoopRegion
from gradsmith.frontend.planned import planned
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trip import LoopNames, Trip
from gradsmith.frontend.trips import Trips, as_trips
from gradsmith.ir import dims

FEW_TRIPS = 4
"""Loops of this many trips or less, known for good, are written out."""
MANY_TRIPS = 5_000
"""Loops that cannot stay loops are written out up to this many trips."""
MOST_ATTEMPTS = 12
"""Types settle after one or two."""


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
            self._trip.ask(condition_of(value))
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
            if place == 0 and self._before:  # a failed attempt has left its own in the frame
                before = list(self._before)
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
            if trips is not None and dims.is_unbacked(trips.length):
                decided = True  # it cannot be written out
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
