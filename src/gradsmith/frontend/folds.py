"""What builtins make of the elements of a comprehension as it goes: a loop that carries it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from gradsmith.frontend.choices import choose
from gradsmith.frontend.elements import Elements, Variables
from gradsmith.frontend.joint import as_condition
from gradsmith.frontend.loops import Looping
from gradsmith.frontend.names import LoopNames
from gradsmith.frontend.tracer import Tracer

State: TypeAlias = dict[str, Any]
"""What is carried, by the names that it has in the emitted code."""
Later: TypeAlias = Callable[[], Any]

_READ = frozenset({"state"})
_CARRIED = LoopNames((), ("state",), _READ, leaves=False, kept=_READ)
_LEFT = LoopNames((), ("state",), frozenset(), leaves=True, kept=_READ)


@dataclass(frozen=True)
class Fold:
    """``for ...: state = step(state, element)``, where `step` calls for the element.

    With ``ends``, ``if ends(state): break`` follows: until then the state is that at the start.
    """

    elements: Elements
    step: Callable[[State, Later], State]
    ends: Callable[[State], Any] | None = None

    def run(self, state: State) -> State:
        """The state after all."""
        return self._loop(0, {}, state)

    def _loop(self, depth: int, outer: Variables, state: State) -> State:
        """The ``for`` at this depth."""
        start = state
        conditions = self.elements.clauses[depth][2]
        names = self.elements.names(depth, _LEFT if self.ends else _CARRIED)
        looping = Looping(self.elements.items(depth, outer), names)
        for item in looping:
            try:
                if looping.resets:
                    (state,) = looping.reset()
                if looping.rolled and self.ends:
                    state = start
                variables = self.elements.bound(depth, outer, item)
                state = self._trip(depth, variables, conditions, state)
                if self._is_left(looping, state):
                    break
            except looping.failure:
                looping.failed()
        if looping.rolled:
            (state,) = looping.state()
        return state

    def _trip(
        self,
        depth: int,
        variables: Variables,
        conditions: Sequence[Callable[..., Any]],
        state: State,
    ) -> State:
        if conditions:
            first, *others = conditions
            held = first(as_condition, *variables.values())
            then = lambda: self._trip(depth, variables, others, state)  # noqa: E731
            taken: State = choose(held, then, lambda: state)
            return taken
        if not self.elements.is_last(depth):
            return self._loop(depth + 1, variables, state)
        return self.step(state, lambda: self.elements.element(*variables.values()))

    def _is_left(self, looping: Looping, state: State) -> bool:
        """Whether this trip is the last. Where trips are written out, the steps see to it."""
        if self.ends is None:
            return False
        flag = self.ends(state)
        return looping.leave(flag) if looping.rolled or not isinstance(flag, Tracer) else False
