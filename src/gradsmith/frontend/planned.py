"""What the user says of a loop: written out, kept as one, how its adjoint keeps states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gradsmith.errors import ArgumentValueError
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trips import Trips, as_trips

NO_END = (
    "binomial checkpointing must know the number of trips beforehand: this loop may end early",
    None,
    "run over a fixed range and keep values by np.where, or leave out checkpoint=",
)
"""Why a loop with ``break`` is refused: the message, no span of its own, the hint."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What a loop goes over. ``rolled`` is None where the compiler is to decide; ``slots`` is how
    many states binomial checkpointing may keep, None without it.
    """

    iterable: Any
    rolled: bool | None = None
    slots: int | None = None

    def __iter__(self) -> Iterator[Any]:
        """Whatever is no ``for`` statement goes over the elements as they are."""
        if self.rolled:
            raise ArgumentValueError(
                "loop() is for what a `for` statement goes over: here something else does",
                current_span(),
                "put it into the `for`, also in enumerate, zip or reversed, and not into a `try`",
            )
        return iter(self.iterable)

    def __len__(self) -> int:
        return len(self.iterable)


def planned(iterable: Any) -> Planned:
    """``iterable`` with what is said of it: nothing, in general."""
    return iterable if isinstance(iterable, Planned) else Planned(iterable)


def written_out(iterable: Any) -> Planned:
    """``unroll(iterable)`` while tracing."""
    return Planned(planned(iterable).iterable, rolled=False)


def kept_rolled(iterable: Any, slots: int | None) -> Planned:
    """``loop(iterable, ...)`` while tracing.

    Raises
    ------
    ArgumentValueError
        It goes over what a loop in the emitted code cannot go over.
    """
    inner = planned(iterable).iterable
    trips = as_trips(inner)
    if trips is None:
        raise ArgumentValueError(
            f"loop() got {type(inner).__name__}: only loops over ranges and arrays can stay loops",
            current_span(),
            "give it range(n), an array, or enumerate, zip or reversed of these",
        )
    return Planned(trips if isinstance(inner, Trips) else inner, rolled=True, slots=slots)


def with_plan(combine: Callable[..., Any]) -> Callable[..., Any]:
    """``enumerate``, ``zip`` and ``reversed`` keep what is said of the loop in them."""

    def combined(*values: Any, **options: Any) -> Any:
        plans = [value for value in values if isinstance(value, Planned)]
        given = [planned(v).iterable if isinstance(v, Planned) else v for v in values]
        made = combine(*given, **options)
        if not plans:
            return made
        plan = plans[0]
        if any((p.rolled, p.slots) != (plan.rolled, plan.slots) for p in plans):
            raise ArgumentValueError(
                "the parts of this loop are to be run in different ways",
                current_span(),
                "say it of the whole: gs.loop(zip(x, y))",
            )
        return kept_rolled(made, plan.slots) if plan.rolled else written_out(made)

    return combined
