"""Chains of branches, as of ``elif`` and of early exits: run in one loop of staged code.

Python takes 20 blocks in each other at most, and each ``if`` on its own would be one or two.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from typing import Any

from gradsmith.errors import ControlFlowError, InternalError
from gradsmith.frontend.branches import fail_on, joined, needs_rows, variables
from gradsmith.frontend.joint import arm_of, as_condition, condition_of
from gradsmith.frontend.journal import Internal, journaling, reachable
from gradsmith.frontend.path_errors import ended
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import AbandonedError
from gradsmith.frontend.value_guards import decide

Steps = Generator[int, None, "list[Any] | None"]
"""Which steps to take; it returns the variables after them, None where the frame has these."""


class BranchChain(Internal):
    """``if`` with ``elif``: staged code takes the steps that it finds here.

    Step ``2 * k`` is the body of the k-th ``if``; step ``2 * k + 1`` is what stands before the
    condition of the next and calls `ask` with it, or at last what ``else`` says.
    """

    failure: type[BaseException] = Exception

    def __init__(self, condition: Any, names: tuple[str, ...], count: int) -> None:
        self.names = names
        self.count = count
        self.resets = False
        self.traced = False
        self._asked, self._site = condition, current_span()
        self._values: list[Any] = []
        self._depth = 0
        self._abandoned: AbandonedError | None = None

    def ask(self, condition: Any) -> None:
        """The condition of the next ``if``."""
        self._asked, self._site = condition, current_span()

    def abandoned(self) -> None:
        """The step has ended in an error, which is raised again where no branch is around it."""
        trace = current_trace()
        found = ended(sys.exc_info()[1], trace) if self._depth and trace is not None else None
        if found is None:
            raise  # noqa: PLE0704  within the except block of staged code
        self._abandoned = found

    def state(self) -> list[Any]:
        """What the variables are to be now, once."""
        values, self._values = self._values, []
        return values

    def __iter__(self) -> Iterator[int]:
        values = yield from self._from(sys._getframe(1), 0)
        if values is not None:
            self.traced, self._values = True, values

    def _from(self, frame: Any, place: int) -> Steps:
        """The branch at this place in the chain, whose condition has been asked."""
        condition = as_condition(self._asked)
        start = variables(frame, self.names)
        if isinstance(condition, Tracer):
            return (yield from self._both(frame, place, condition, start))
        return (yield from self._arm(frame, place, start, truth=bool(condition)))

    def _arm(self, frame: Any, place: int, start: list[Any], *, truth: bool) -> Steps:
        """One arm of it."""
        self._values = start
        yield 2 * place + (not truth)
        if truth or self._is_dead() or place + 1 == self.count:
            return None
        return (yield from self._from(frame, place + 1))

    def _both(self, frame: Any, place: int, condition: Tracer, start: list[Any]) -> Steps:
        """Both arms, each as a region."""
        trace, node = current_trace(), condition_of(condition)
        if trace is None:
            raise InternalError("a traced condition outside a trace")
        site = self._site
        if site in trace.decided:
            return (yield from self._arm(frame, place, start, truth=decide(condition)))
        known = reachable(frame, trace)
        arms = []
        for truth in (True, False):
            with trace.region((node, truth), site), journaling(known) as journal:
                self._begin()
                held = yield from self._arm(frame, place, start, truth=truth)
                values = variables(frame, self.names) if held is None else held
                arms.append(arm_of(trace, values, journal, self.names, start))
            self._depth -= 1
            if self._is_dead():
                fail_on(trace, node, arms[-1].builder, truth=truth)
                self._abandoned = None
                return (yield from self._arm(frame, place, start, truth=not truth))
        try:
            return joined(trace, node, self.names, arms)
        except ControlFlowError as error:
            if needs_rows(trace, error):
                raise
        return (yield from self._arm(frame, place, start, truth=decide(condition)))

    def _begin(self) -> None:
        self._depth += 1
        self.resets = True

    def _is_dead(self) -> bool:
        """Whether the arm that was run always ends in an error."""
        return self._abandoned is not None
