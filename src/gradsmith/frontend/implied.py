"""Truth values that tell, as it were on the side, that a variable has a value.

After ``for v in x: if v > 1: found = v; break`` it has one where the loop was left. Such facts are
kept with the variable, and looked up where a branch asks for the truth value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradsmith.frontend.trace import Trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import Perhaps
from gradsmith.ir.graph import Node


@dataclass(frozen=True, slots=True)
class Side:
    """One of the ways to a place: what variables hold there, and which of them have a value."""

    held: Mapping[str, Any]
    present: Mapping[str, Any]

    def follows(self, name: str, flag: str, *, truth: bool) -> bool:
        """Whether the variable has a value on this way if the flag has this truth."""
        if self.present[name] is True:
            return True
        told, holds = self.held[flag], self.held[name]
        if isinstance(told, bool):
            return told is not truth
        known = isinstance(holds, Perhaps) and _is_flag(told)
        return known and (told.view.storage.node, truth) in holds.because


def side_of(
    held: Mapping[str, Any],
    trace: Trace,
    found: Callable[[str, Any, Trace], tuple[Any, Any]],
) -> Side:
    """The beginning or the end of the region that is being run."""
    return Side(held, {name: found(name, value, trace)[1] for name, value in held.items()})


def _is_flag(value: Any) -> bool:
    """Whether it is a traced truth value."""
    scalar = isinstance(value, Tracer) and not value.ndim and not value.view.path
    return scalar and value.dtype.kind == "b"


def note_implied(
    variables: Mapping[str, Any], sides: Sequence[Side], condition: Node | None = None
) -> None:
    """Of the variables after the ways have met: which truth values say that others have one.

    The ways may be those of True and of False of a ``condition``.
    """
    flags = {name: value for name, value in variables.items() if _is_flag(value)}
    for name, value in variables.items():
        new = all(side.held[name] is not value for side in sides)
        if isinstance(value, Perhaps) and new:
            value.because += [
                (told.view.storage.node, truth)
                for flag, told in flags.items()
                for truth in (True, False)
                if all(side.follows(name, flag, truth=truth) for side in sides)
            ]
            if condition is not None:
                truths = zip((True, False), sides, strict=True)
                set_by = [truth for truth, side in truths if side.present[name] is True]
                value.because += [(condition, truth) for truth in set_by]
