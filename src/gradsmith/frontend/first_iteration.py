"""First iterations of loops that are made before the loop, by themselves.

Where the first iteration gives a variable another type or structure (``best = None``), the loop
carries what the others keep. Where what a variable is after the loop depends on whether there is
an iteration, it is set once one is made.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from enum import Enum
from typing import Any

from gradsmith.errors import ControlFlowError, Span
from gradsmith.frontend.branches import fail_on
from gradsmith.frontend.journal import Journal, journaling
from gradsmith.frontend.merging import as_result
from gradsmith.frontend.path_errors import ended
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import wrap_size
from gradsmith.frontend.trips import Trips
from gradsmith.frontend.value_guards import decide
from gradsmith.ir.graph import Node
from gradsmith.ops.compare import greater


class Apart(Enum):
    """Whether the first iteration is made by itself, and how far that is."""

    NO = "like all others"
    NEXT = "it is to be made"
    NOW = "it is being made"
    DONE = "it is made"


class FirstIteration:
    """The first iteration of a loop, which present values decide if it is made by itself."""

    __slots__ = ("_journal", "state")

    def __init__(self, place: Span) -> None:
        trace = current_trace()
        apart = trace is not None and place in trace.learned.first_apart
        self.state = Apart.NEXT if apart else Apart.NO
        self._journal = Journal()

    def made(self, trace: Trace, trips: Trips | None) -> Generator[Any, None, bool]:
        """Make it, if there is one; whether there is."""
        if trips is not None and not decide(wrap_size(trips.length) > 0):
            return False
        with journaling(trial=trace.builder) as self._journal:
            self.state = Apart.NOW
            yield None if trips is None else trips[0]
        self.state = Apart.DONE
        return True

    def undo(self) -> None:
        """Undo what it has done, so that it is to be made once more."""
        self._journal.undo()
        if self.state is not Apart.NO:
            self.state = Apart.NEXT


class OnlyIteration:
    """The first iteration of a loop as the path of a branch, which always ends in an error."""

    def __init__(self, trace: Trace, known: dict[int, Any]) -> None:
        self._trace = trace
        self._known = known
        self._arm = ExitStack()
        self._condition: Node | None = None
        self._builder = trace.builder
        self._journal = Journal()

    def made(self, trips: Trips | None) -> Iterator[Any]:
        """The trip."""
        if trips is not None:
            self.begin(greater(as_result(wrap_size(trips.length)), 0))
        yield None if trips is None else trips[0]
        self._arm.close()
        self._journal.undo()
        raise ControlFlowError(
            "whether the first trip of this loop ends in an error is not known", current_span()
        )

    def begin(self, condition: Node) -> None:
        """What follows is done if the trip is made."""
        self._condition = condition
        self._builder = self._arm.enter_context(self._trace.region((condition, True)))
        self._journal = self._arm.enter_context(journaling(self._known))

    def ends(self, error: BaseException | None) -> bool:
        """Make the branch that raises its error; whether it is one."""
        found = self._condition is not None and ended(error, self._trace) is not None
        self._arm.close()
        self._journal.undo()
        if found and self._condition is not None:
            fail_on(self._trace, self._condition, self._builder, truth=True)
        return found
