"""Loops: one trip is run as a region, until what it carries to the next has settled in type."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from gradsmith.errors import ControlFlowError, GradsmithError, InternalError
from gradsmith.frontend.branches import variables
from gradsmith.frontend.counters import Guess
from gradsmith.frontend.first_iteration import Apart, FirstIteration, OnlyIteration
from gradsmith.frontend.joint import as_condition, condition_of
from gradsmith.frontend.journal import (
    Changes,
    Journal,
    check_iterators,
    is_plain_iterator,
    journaling,
    reachable,
)
from gradsmith.frontend.loop_region import Lists, LoopRegion
from gradsmith.frontend.names import LoopNames, read_by
from gradsmith.frontend.outside_iterators import checked_iterable
from gradsmith.frontend.path_errors import is_an_end
from gradsmith.frontend.planned import Planned, planned
from gradsmith.frontend.row_buffers import Appended, AppendedInBranchError, flush_rows
from gradsmith.frontend.spans import current_span, in_users_name, staged_frame
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trip import Trip
from gradsmith.frontend.trips import (
    TripIterator,
    Trips,
    as_trips,
    each,
    is_decided,
    one_by_one,
)
from gradsmith.frontend.unrolling import NOWHERE
from gradsmith.frontend.unsettled import (
    AskedAheadError,
    OptionalError,
    TracedAnewError,
    UndecidedError,
)
from gradsmith.frontend.value_guards import TentativeError, decide
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.mentions import has_effect

FEW_TRIPS = 4
"""Loops of this many trips or less, known for good, are written out."""
MANY_TRIPS = 5_000
"""Loops that cannot stay loops are written out up to this many trips."""
MOST_ATTEMPTS = 12
"""Types settle after one or two."""


def _in_order(plan: Planned, names: LoopNames) -> Planned:
    """Written out, where functions that make the elements read what the iterations before set."""
    trips = as_trips(plan.iterable) if isinstance(plan.iterable, (Trips, TripIterator)) else None
    set_ = {*names.stored, *names.targets}
    if trips is None or set_.isdisjoint(read_by(trips.functions)):
        return plan
    return replace(plan, rolled=False)


@dataclass(slots=True)
class _Counting:
    """A ``while`` whose iterations are made to count them: ``count`` meanwhile, then ``trips``."""

    allowed: bool
    trips: Trips | None = None
    count: int | None = None
    ended: bool = False
    why: BaseException | None = None
    """Why it could not carry what its iterations change."""

    def taken(self) -> int | None:
        """The number of iterations; None where a traced condition has ended the counting."""
        count, self.count, self.ended = self.count, None, False
        return count


class Looping:
    """A ``for`` or ``while`` statement: runs trips, and knows the variables afterwards.

    Staged code is ``for x in looping: try: ... except looping.failure: looping.failed()``. With
    ``rolled`` set, the trip is one of a region and its variables are ``state()``.
    """

    # Not in a dict: it is a variable of the user's function, where `reachable` looks for lists.
    __slots__ = (
        "_again",
        "_before",
        "_begun",
        "_carries",
        "_counting",
        "_done",
        "_ends_first",
        "_first",
        "_guess",
        "_is_pythons",
        "_is_repeated",
        "_iterator",
        "_journal",
        "_lists",
        "_may_carry",
        "_may_guess",
        "_may_roll",
        "_only",
        "_original",
        "_region",
        "_sees_iterators",
        "_switch",
        "_tentative",
        "_trip",
        "_trying",
        "_values",
        "ahead",
        "failure",
        "iterable",
        "names",
        "place",
        "plan",
        "resets",
        "rolled",
    )

    def __init__(self, iterable: Any, names: LoopNames) -> None:
        self.failure: type[BaseException] = Exception
        self.plan = _in_order(planned(checked_iterable(iterable)), names)
        self._iterator: TripIterator | None = None
        if isinstance(self.plan.iterable, TripIterator):
            self._begin_iterator(self.plan.iterable, leaves=names.leaves)
        self.iterable = self.plan.iterable
        self.place = current_span() or NOWHERE
        trace = current_trace()
        self.ahead = trace is not None and self.place in trace.learned.asked_ahead
        self.names = names.ahead() if self.ahead else names
        self._begun: tuple[Builder, int, Changes] | None = None
        self._is_pythons = self.rolled = self.resets = self._done = False
        self._trip = Trip()
        self._values: list[Any] = []
        self._switch, self._again = False, True
        self._trying: Generator[Any, None, None] | None = None
        self._may_roll = self.plan.rolled is not False and not self._is_decided()
        self._before: list[Any] = []
        self._original: list[Any] = []
        self._journal: Journal | None = None
        self._first = FirstIteration(self.place)
        self._guess: Guess | None = None
        self._may_guess = self._may_carry = names.endless
        self._counting = _Counting(names.endless and not names.leaves)
        self._region: LoopRegion | None = None
        self._lists = Lists()
        self._tentative: Journal | None = None
        self._carries = self._ends_first = self._is_repeated = False
        self._sees_iterators = False
        self._only: OnlyIteration | None = None

    def _begin_iterator(self, iterator: TripIterator, *, leaves: bool) -> None:
        """Take all that is left of it; where the loop is decided, Python takes one by one."""
        check_iterators([iterator])
        if is_decided():
            self.plan = replace(self.plan, iterable=one_by_one(iterator))
            return
        self.plan = replace(self.plan, iterable=iterator.begin())
        self._iterator = None if leaves else iterator

    # -- what staged code calls

    def failed(self) -> None:
        """The rolled loop could not be made: do it in another way, or raise the error."""
        error = sys.exc_info()[1]
        if isinstance(error, TracedAnewError):
            raise  # noqa: PLE0704  within the except block of staged code
        if self._only is not None:
            self._give_up(self._only)
            return
        if isinstance(error, TentativeError) and error.looping is not self:
            raise  # noqa: PLE0704  within the except block of staged code
        if self._trying is not None:
            self._trying.close()
        if self._is_pythons and not (isinstance(error, GradsmithError) and error.own is None):
            self._release_iterator()
        if isinstance(error, TentativeError):
            if self._tentative is not None:
                self._tentative.undo()
            self._values = self._original = self._before
            self._region, self._carries, self._is_repeated = None, True, True
        elif self._learns(error):
            if self._guess is None:
                self._repeat()
            else:
                self._undo()
                if self._guess.trips is None:
                    self._guess, self._may_guess = None, True
        else:
            self._go_another_way(error)
        self.rolled, self.resets, self._again = False, True, True

    def _go_another_way(self, error: BaseException | None) -> None:
        trips = self._trips()
        guessed = self._guess is not None and not self._done
        hopeless = trips is None or dims.is_unbacked(trips.length)
        ends = is_an_end(error)
        final = not self.rolled or self._done or isinstance(error, InternalError)
        if final or self._is_of_another(error, guessed=guessed):
            raise  # noqa: PLE0704  within the except block of staged code
        tried = guessed or self._carries or self._counting.trips is not None
        if hopeless and not (tried or ends):
            self._refuse()
        changed = self._region is not None and self._region.state.refused
        changed = changed or any(value is None for value in self._original)
        changed = changed and not self._sees_iterators  # what these give cannot be undone
        self._undo()
        if self._carries:
            self._carries, self._counting.why = False, error
        elif self._counting.trips is not None:
            self._counting.trips, self._counting.why = None, error
        elif changed and self._first.state is Apart.NO and not (hopeless or self.names.leaves):
            self._first.state = Apart.NEXT
            self._guess, self._may_guess = None, guessed
        elif guessed:
            self._guess, self._may_guess, self._first = None, False, FirstIteration(self.place)
        elif ends and (hopeless or self._switch) and not self.names.leaves:
            self._ends_first = True
        elif (
            hopeless
            or self.plan.rolled
            or self._switch
            or trips is None
            or dims.hint(trips.length) > MANY_TRIPS
        ):
            self._refuse()
        else:
            self._write_out(error, trips)

    def _learns(self, error: BaseException | None) -> bool:
        """Whether the error shows how the trips use a list that they append to, so that the region
        is to be run again.
        """
        region, journal, lists = self._region, self._journal, self._lists
        if not self.rolled or self._done or region is None:
            return False
        if isinstance(error, AppendedInBranchError):
            key, trace = id(error.container), current_trace()
            known = journal is not None and key in (journal.known or ())
            is_list = type(error.container) is list  # a deque drops elements at its other end
            if not (is_list and known and error.kind and lists.is_news(key, error.kind)):
                return False
            if trace is None or trace.unrolling.is_from_outside(error.container):
                return False  # the outermost loop makes the rows
            lists.in_branches[key] = error.container, Appended(*error.kind, None)
            return True
        own = isinstance(error, GradsmithError) and error.loop == self.place
        if lists.reads or not (own and region.state.growing):
            return False
        lists.reads = True
        return True

    def _is_of_another(self, error: BaseException | None, *, guessed: bool) -> bool:
        """Whether the error says that it is another loop that has to be written out.

        While a ``while`` is tried as one that counts, only one of the enclosing loops.
        """
        trace = current_trace()
        if trace is not None and isinstance(error, AppendedInBranchError):
            return trace.unrolling.is_from_outside(error.container)
        loop = None if trace is None else trace.unrolling.culprit(error)
        if trace is None or loop in (None, self.place):
            return False
        tried = guessed or self._carries or self._counting.trips is not None
        return not tried or loop in trace.unrolling.active

    def _write_out(self, error: BaseException | None, trips: Trips) -> None:
        self._check_optional(error)
        self._may_roll, trace = False, current_trace()
        if trace is not None and isinstance(error, GradsmithError):
            trace.unrolling.note_written_out(self.place, dims.hint(trips.length), error)

    def _is_decided(self) -> bool:
        """Whether its iterations are those of the present call, which the emitted code checks."""
        trace = current_trace()
        if trace is None:
            return False
        return self.place in trace.decided or trace.unrolling.is_asked_for(self.place)

    def _refuse(self) -> NoReturn:
        """Raise the error of an iteration again: the loop cannot be one of the graph."""
        error = sys.exc_info()[1]
        self._check_optional(error)
        if isinstance(error, ControlFlowError) and not (self.plan.rolled or self._is_decided()):
            raise UndecidedError.because(error, self.place)
        raise  # noqa: PLE0704

    @staticmethod
    def _check_optional(error: BaseException | None) -> None:
        """Have the function traced anew where iterations ask for what is None at first."""
        if isinstance(error, GradsmithError) and error.optional is not None:
            raise OptionalError(error.optional, error.span)

    def _ask(self, test: Node) -> None:
        self._trip.ask(test)
        trace = current_trace()
        if trace is not None:
            trace.entered[trace.builder] = test

    def _trips(self) -> Trips | None:
        return as_trips(self.iterable) if self._guess is None else self._guess.trips

    def _repeat(self) -> None:
        """Run the region again: Python may have made iterations before it, which stay made."""
        if self._journal is not None:
            self._journal.undo()
        self._values, self._is_repeated = self._before[: len(self.names.stored)], True

    def _undo(self) -> None:
        if self._journal is not None:
            self._journal.undo()
        self._first.undo()
        if self._first.state is not Apart.NO:
            self._before = list(self._original)  # not what the first trip has left
        self._values = self._original[: len(self.names.stored)]

    @property
    def is_tentative(self) -> bool:
        """Whether what its iterations have done can be undone."""
        return self._tentative is not None and not self._tentative.is_final

    def state(self) -> list[Any]:
        """What the stored variables are to be now."""
        return self._values

    def reset(self) -> list[Any]:
        """The same once."""
        self.resets = False
        return self._values

    def test(self, value: Any) -> bool | None:
        """Whether to make this trip; None: begin it anew, as one of a loop in the graph."""
        if self._is_decided() or self._first.state is Apart.NOW:
            return decide(value)
        value = as_condition(value)
        if self.rolled and not self.ahead and self._asking_changed():
            raise AskedAheadError(self.place)
        if self._only is not None and isinstance(value, Tracer):
            self._only.begin(condition_of(value))
            return True
        guess = self._guess
        if guess is not None and self.rolled and not guess.decided:
            if isinstance(value, Tracer):
                self._ask(condition_of(value))
            return guess.test(value, current_builder())
        if self.rolled and self._counting.trips is not None:
            return True  # it is known how many there are
        if not isinstance(value, Tracer):
            if self.rolled and not value:
                raise ControlFlowError("this loop ends in its first trip", current_span())
            if self._counting.count is not None and not value:
                self._counting.ended = True
                return None
            return bool(value)
        if self.rolled:
            if guess is not None and guess.trips is not None:
                raise ControlFlowError(
                    f"more than {guess.counter!r}, which counts its iterations, ends this loop",
                    current_span(),
                )
            self._ask(condition_of(value))
            return True
        self._switch = True
        return None

    def _asking_changed(self) -> bool:
        """Whether anything is another since the trip began, of which only the condition was asked.

        Variables that the condition sets come from asking once more after the loop: not where that
        would do something twice.
        """
        if self._begun is None or self._journal is None:
            return False
        builder, count, begun = self._begun
        if self._journal.has_changed_since(begun):
            return True
        return bool(self.names.asked) and any(map(has_effect, builder.nodes[count:]))

    @property
    def asks_at_last(self) -> bool:
        """Whether the condition is to be asked once more after the loop, for what it sets."""
        return self.rolled and not self.ahead

    def leave(self, flag: Any) -> bool:
        """Whether this trip is the last."""
        if self._is_pythons:  # Python goes over the elements of a list or an iterator
            return self._leave_iterator(decide(flag))
        if self._is_decided() or self._first.state is Apart.NOW:
            return decide(flag)
        guess = self._guess
        if guess is not None and self.rolled and (guess.exits or self._trip.test is None):
            if not guess.decided:
                guess.leave(flag, current_builder())
            if guess.exits or guess.off:
                return False
        if not isinstance(flag, Tracer):
            if self.rolled:
                self._trip.leave = flag or None
            return bool(flag) and not self.rolled
        if self.rolled:
            self._trip.leave = flag
        else:
            self._switch = True
        return False

    def _leave_iterator(self, left: bool) -> bool:
        """``left``; where it holds, an iterator that nobody else has ends here, as in Python."""
        if left:
            self._release_iterator()
        return left

    def _release_iterator(self) -> None:
        if self._trying is not None:
            self.iterable, self.plan = None, replace(self.plan, iterable=None)
            self._trying.close()

    # -- trips

    def __iter__(self) -> Iterator[Any]:
        frame = sys._getframe(1)
        while self._again:
            self._again, self._trying = False, self._tried(frame)
            try:
                yield from self._trying
            except self.failure:
                self.failed()
        if self._iterator is not None:
            self._iterator.ended()
        if self._is_pythons:
            self._release_iterator()
        self._before, self._original = [], []  # what variables hold no more is closed now
        self._journal = self._tentative = self._region = self._guess = None

    @in_users_name
    def _tried(self, frame: Any) -> Generator[Any, None, None]:
        """The trips of one attempt, which `failed` ends."""
        trace = current_trace()
        trips = as_trips(self.iterable)
        if trace is not None and trace.unrolling.is_chosen(self.place) and not self.plan.rolled:
            self._may_roll = self._is_too_long(trace, trips)
        if trace is not None and self._ends_first:
            self._only = OnlyIteration(trace, reachable(frame, trace, self._original))
            yield from self._only.made(trips)
        if trace is None or (trips is None and not self.names.endless):
            check_iterators([self.iterable])
            self._is_pythons = True
            yield from one_by_one(self.iterable)
            return
        rolls = trips is not None and self._is_to_be_rolled(trips)
        if self._first.state is Apart.NEXT and self._may_roll:
            if not (yield from self._made_apart(trace, frame, trips)):
                return
            trips = None if trips is None else trips.after(1)
        if self._counting.trips is not None or self._is_repeated:
            yield from self._roll(trace, frame, self._repeated_trips(), self._before or None)
            return
        if self._guess is not None:
            trips = self._guess.trips
            rolls = trips is not None and self._is_to_be_rolled(trips)
        if rolls:
            yield from self._roll(trace, frame, trips)
        elif self.names.endless and self._may_guess and self._may_roll:
            yield from self._guessed(trace, frame)
        elif self.names.leaves or self.names.endless:
            yield from self._watched(trace, frame, trips)
        else:
            yield from each(self.iterable)

    def _repeated_trips(self) -> Trips | None:
        """The trips of a loop that is counted, or of the region that is run again."""
        again, self._is_repeated = self._is_repeated, False
        if self._counting.trips is not None or not again or self._region is None:
            return self._counting.trips
        return self._region.trips

    def _is_too_long(self, trace: Trace, trips: Trips | None) -> bool:
        """Whether a loop that is to be written out has too many iterations, or nobody knows."""
        if trips is None or dims.is_unbacked(trips.length):
            return False
        count, error = dims.hint(trips.length), trace.unrolling.chosen.get(self.place)
        if error is not None and self.plan.rolled is None:
            trace.unrolling.note_written_out(self.place, count, error)
        return error is not None and count > MANY_TRIPS

    def _give_up(self, only: OnlyIteration) -> None:
        """The first trip, if it is made, always ends in an error: there are no others."""
        self._only = None
        if not only.ends(sys.exc_info()[1]):
            raise  # noqa: PLE0704  within the except block of staged code
        if self._trying is not None:
            self._trying.close()
        self._values, self.rolled, self._done = self._original, True, True

    def _is_to_be_rolled(self, trips: Trips) -> bool:
        return self._may_roll and is_to_be_rolled(self.plan, trips)

    def _made_apart(
        self, trace: Trace, frame: Any, trips: Trips | None
    ) -> Generator[Any, None, bool]:
        """Make the first trip before the loop, if there is one; whether there is."""
        everything = (*self.names.stored, *self.names.targets)
        self._original = self._original or variables(frame, everything)
        found = yield from self._first.made(trace, trips)
        self._before = variables(frame, everything)
        return found

    def _guessed(self, trace: Trace, frame: Any) -> Iterator[Any]:
        """A ``while``: it may count, as a ``for`` over a range does."""
        everything = (*self.names.stored, *self.names.targets)
        # an attempt that has failed has left its own values in the frame
        apart = self._first.state is Apart.DONE
        before = list(self._before if apart else self._original) or variables(frame, everything)
        self._guess = guess = Guess(self.names, dict(zip(everything, before, strict=True)))
        self._may_guess = False
        if guess.wholes:
            yield from self._roll(trace, frame, None, before)
            if self._done:
                return
            self._values, self.resets = before[: len(self.names.stored)], True
            trips = guess.trips
            if trips is not None and self._is_to_be_rolled(trips):
                yield from self._roll(trace, frame, trips, before)
                return
        self._guess, self.rolled = None, False
        yield from self._watched(trace, frame, None)

    def _watched(self, trace: Trace, frame: Any, trips: Trips | None) -> Iterator[Any]:
        """Trips as Python makes them, until a traced value decides whether to go on.

        A ``while`` that goes on and on is tried as a loop that carries its plain numbers.
        """
        first = self._before or variables(frame, (*self.names.stored, *self.names.targets))
        if self._may_carry and self._may_roll:
            self._may_carry = False
            found = reachable(frame, trace, first)
            self._before = first
            with journaling(trial=trace.builder, found=found) as journal:
                self._tentative = journal
                if (yield from self._python_trips(trace, frame, trips, first, FEW_TRIPS)):
                    return
                if not journal.is_final:
                    journal.undo()
            if not journal.is_final:
                self._carries, self.failure = True, Exception
                yield from self._roll(trace, frame, None, first)
                return
            first = variables(frame, (*self.names.stored, *self.names.targets))
        if self._counting.allowed and self._counting.why is not None and self._may_roll:
            self._counting.allowed = False
            yield from self._counted(trace, frame, first)
        else:
            yield from self._python_trips(trace, frame, trips, first)

    def _counted(self, trace: Trace, frame: Any, first: list[Any]) -> Iterator[Any]:
        """A ``while`` with a condition that is known when tracing, which a loop could not carry:
        its iterations are made to count them, and the loop is one over so many.

        The number holds as the conditions do, which nothing else decides: no iteration may have
        specialised on a value.
        """
        begun, found = len(trace.builder.nodes), reachable(frame, trace, first)
        with journaling(trial=trace.builder, found=found) as journal:
            self._counting.count = 0
            yield from self._python_trips(trace, frame, None, first)
            count = self._counting.taken()
            checks = any(map(has_effect, trace.builder.nodes[begun:]))
            if count is None:  # it is a loop of the graph
                return
            if journal.is_final or checks or not FEW_TRIPS < count <= MANY_TRIPS:
                return
            journal.undo()
        self._counting.trips = Trips(0, count, 1)
        yield from self._roll(trace, frame, self._counting.trips, first)

    def _python_trips(
        self,
        trace: Trace,
        frame: Any,
        trips: Trips | None,
        first: list[Any],
        most: int | None = None,
    ) -> Generator[Any, None, bool]:
        """Trips until the loop ends or becomes one of the graph: True. False where there are more
        than ``most`` that compute something.
        """
        place, begun, before = 0, len(trace.builder.nodes), first
        while trips is None or place < len(trips):
            computes = len(trace.builder.nodes) > begun
            if computes and place == most:
                return False
            if computes and self.names.endless:
                self._note_known(trace, place)
            if place > MANY_TRIPS and self._is_decided():
                raise ControlFlowError(
                    f"this loop would have to be written out, and makes more than {MANY_TRIPS} "
                    "iterations"
                )
            tentative = trace.unrolling.tentatively(None if most is None else self)
            with tentative, journaling(trial=trace.builder) as journal:
                yield None if trips is None else trips[place]
                if self._switch:
                    journal.undo()
            if self._counting.ended:
                return True
            if self._switch:
                self._counting.count = None
                rest = None if trips is None else trips.after(place)
                yield from self._roll(trace, frame, rest, before)
                return True
            place += 1
            self._counting.count = None if self._counting.count is None else place
            before = variables(frame, (*self.names.stored, *self.names.targets))
        return True

    def _note_known(self, trace: Trace, count: int) -> None:
        """A ``while`` with a condition that is known when tracing has made many iterations."""
        error = self._counting.why if isinstance(self._counting.why, GradsmithError) else None
        error = error or trace.unrolling.chosen.get(self.place)
        if error is not None:
            trace.unrolling.note_written_out(self.place, count, error)

    def _roll(
        self, trace: Trace, frame: Any, trips: Trips | None, before: list[Any] | None = None
    ) -> Iterator[Any]:
        """Run one trip as a region; again, as long as what it carries changes its type."""
        everything = (*self.names.stored, *self.names.targets)
        if before is None and self._first.state is Apart.NO:
            before = list(self._original)  # a failed attempt has left its own in the frame
        self.rolled, self._before = True, before or variables(frame, everything)
        self._original = self._original or self._before
        span = current_span()
        self._region = region = LoopRegion(
            *(trace, trips, self.names, self._before, span, self.plan.slots, self._guess),
            sites=frozenset([self.place]),
            lists=self._lists,
        )
        # what a failed attempt has left in its variables is not what this one begins with
        known = reachable(frame, trace, self._before, but=everything)
        staged = staged_frame()
        if staged is not None and staged is not frame:  # it is a builtin that makes the trips
            known |= reachable(staged, trace)
        self._sees_iterators = any(map(is_plain_iterator, known.values()))
        for container in known.values():
            flush_rows(container)
        depth = trace.unrolling.begin(self.place, known)
        try:
            for _ in range(MOST_ATTEMPTS):
                settled = yield from self._attempt(frame, region, known)
                if settled:
                    self._close(region)
                if settled is not False:
                    return
            raise ControlFlowError(
                "what this loop carries from trip to trip does not settle in type",
                current_span(),
            )
        finally:
            trace.unrolling.end(depth)

    def _attempt(
        self, frame: Any, region: LoopRegion, known: dict[int, Any]
    ) -> Generator[Any, None, bool | None]:
        """One trip as a region; whether its types have settled, None where it is in vain."""
        self._trip = Trip()
        with journaling(known) as journal, region.trace.region() as builder:
            self._journal = journal
            index = region.open(builder)
            self._values, self.resets = region.values(), True
            self._begun = builder, len(builder.nodes), journal.changes()
            yield index
            if region.is_in_vain:
                journal.undo()
                return None
            after = variables(frame, (*self.names.stored, *self.names.targets))
            return region.settle(after, journal)

    def _close(self, region: LoopRegion) -> None:
        """Make the loop, if there is anything for it to do."""
        ends = self._trip.test is not None or self._trip.leave is not None
        if self._carries and not ends:
            raise ControlFlowError("nothing that this loop carries ends it", current_span())
        decided = self._switch or self.plan.rolled or isinstance(self._trip.leave, Tracer)
        if region.trips is not None and dims.is_unbacked(region.trips.length):
            decided = True  # it cannot be written out
        if not (decided or region.carries_data()):
            raise ControlFlowError("this loop only counts", current_span())
        self._done = True
        region.trace.unrolling.long.pop(self.place, None)
        self._values, self.resets = region.close(self._trip), False


def stays_one(iterable: Any) -> bool:
    """Whether a loop over ``iterable`` is to stay a loop."""
    trace, plan = current_trace(), planned(iterable)
    trips = as_trips(plan.iterable)
    if trace is None or trips is None:
        return False
    if trace.unrolling.is_chosen(current_span() or NOWHERE) and not plan.rolled:
        return False
    return is_to_be_rolled(plan, trips)


def is_to_be_rolled(plan: Planned, trips: Trips) -> bool:
    """The same of its trips, which it has: some at least, and more than a few."""
    length = trips.length
    if plan.rolled is False:
        return False
    if isinstance(length, int):
        return length > (0 if plan.rolled else FEW_TRIPS)
    return dims.is_unbacked(length) or dims.hint(length) > 0


def has_no_trips(iterable: Any) -> bool:
    """Whether a loop over ``iterable`` ends at once, for all calls: False where the data says."""
    trips = as_trips(planned(iterable).iterable)
    if trips is None or dims.is_unbacked(trips.length):
        return False
    return not dims.decide(">", trips.length, 0)


def without_first(iterable: Any) -> tuple[Any, Any] | None:
    """The first of what a loop goes over and the others; None where there may be none."""
    plan = planned(iterable)
    trips = as_trips(plan.iterable)
    if trips is None or dims.is_unbacked(trips.length) or not dims.decide(">", trips.length, 0):
        return None
    return trips[0], replace(plan, iterable=trips.after(1))
