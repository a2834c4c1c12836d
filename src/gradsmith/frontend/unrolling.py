"""Which loops of a run stay loops, which are written out, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from gradsmith.errors import GradsmithError, Span
from gradsmith.ir import dims
from gradsmith.ir.dims import Size

LONG = 50
"""Loops of more iterations than this are not written out without a warning."""
Plan: TypeAlias = Mapping[Span, GradsmithError]
"""Loops that are to be written out, each with the error of an earlier run in which it was not."""
NOWHERE = Span("", 0)
"""Stands for a loop whose place in the source is not known."""


class Tentative(Protocol):
    """A loop whose first iterations are run as Python runs them."""

    @property
    def is_tentative(self) -> bool:
        """Whether what its iterations have done can be undone."""


@dataclass(frozen=True, slots=True)
class WrittenOut:
    """A loop that was written out: how many iterations it has, and why it is none in the code."""

    count: int
    why: str
    hint: str | None

    def message(self, loop: Span) -> str:
        """The warning about it."""
        text = f"the loop in line {loop.line} is written out, {self.count} iterations: {self.why}"
        return text if self.hint is None else f"{text}. To keep it a loop: {self.hint}"


@dataclass(slots=True)
class Unrolling:
    """The decisions of one run. A loop is known by its place in the user's source."""

    everything: bool = False
    """Whether every loop is to be written out."""
    chosen: Plan = field(default_factory=dict)
    rolled: dict[Span, None] = field(default_factory=dict)
    """The loops that became loops of the graph, in order."""
    active: list[Span] = field(default_factory=list)
    """The loops whose bodies are being run as regions, from the outermost."""
    known: list[Mapping[int, Any]] = field(default_factory=list)
    """For each of them the containers that were there before it."""
    origins: dict[str, Span] = field(default_factory=dict)
    """By the names of sizes that are known at run time only: the loops that make them."""
    carried: dict[frozenset[Span], tuple[str, ...]] = field(default_factory=dict)
    """For loops that were run as regions the variables that they carry: a loop within a loop is
    run again each time that the outer one is.
    """
    long: dict[Span, WrittenOut] = field(default_factory=dict)
    """Loops with many iterations that were written out."""
    tentative: list[Tentative] = field(default_factory=list)
    """The loops whose first iterations are being run as Python runs them, from the outermost: no
    value may be specialised on there before it is known that they cannot stay loops.
    """

    @contextmanager
    def tentatively(self, looping: Tentative | None) -> Iterator[None]:
        """An iteration of ``looping`` is run as Python does; of None one that stays so."""
        if looping is None:
            yield
            return
        self.tentative.append(looping)
        try:
            yield
        finally:
            self.tentative.remove(looping)

    def is_chosen(self, loop: Span) -> bool:
        """Whether the loop is to be written out."""
        return self.everything or loop in self.chosen

    def is_asked_for(self, loop: Span) -> bool:
        """Whether the loop is to be written out because of an error that names it: so is one that
        traced values end.
        """
        error = self.chosen.get(loop)
        return error is not None and error.loop == loop

    def begin(self, loop: Span, known: Mapping[int, Any]) -> int:
        """The body of the loop is run as a region from now on; how many loops are around it.

        ``known`` are the containers that were there before, by identity.
        """
        self.rolled[loop] = None
        self.active.append(loop)
        self.known.append(known)
        return len(self.active) - 1

    def end(self, depth: int) -> None:
        """The region within so many loops is left, and those inside that an error has ended."""
        del self.active[depth:], self.known[depth:]

    def is_from_outside(self, container: Any) -> bool:
        """Whether a loop whose body is being run may change the container for later iterations."""
        return any(id(container) in known for known in self.known)

    def note_size(self, name: str) -> None:
        """The innermost of the loops at work makes a size of this name."""
        if self.active:
            self.origins[name] = self.active[-1]

    def note_written_out(self, loop: Span, count: int, error: GradsmithError) -> None:
        """The loop is written out because of ``error``."""
        if count > LONG:
            self.long[loop] = WrittenOut(count, error.message, error.hint)

    def loops_of(self, size: Size) -> list[Span]:
        """The loops that make what a size depends on."""
        names = [symbol.name for symbol in dims.symbols(size)]
        return [self.origins[name] for name in names if name in self.origins]

    def culprit(self, error: BaseException | None) -> Span | None:
        """The loop that has to be written out so that ``error`` does not come up, if known."""
        if not isinstance(error, GradsmithError):
            return None
        if error.loop is not None:
            return error.loop
        loops = [] if error.size is None else self.loops_of(error.size)
        ended = [loop for loop in loops if loop not in self.active]
        inwards = sorted((loop for loop in loops if loop in self.active), key=self.active.index)
        return next(iter([*ended, *reversed(inwards)]), None)

    def plans(self, error: GradsmithError) -> list[Plan]:
        """What to write out in another run, as ``error`` has ended this one: the loop that it is
        about; where that is not known, one of the latest, and at last all.
        """
        loop = self.culprit(error)
        if loop is not None:
            return [] if loop in self.chosen else [{**self.chosen, loop: error}]
        others = [loop for loop in reversed(self.rolled) if loop not in self.chosen]
        alone = others[:2] if len(others) > 1 else []
        chosen = [[other] for other in alone] + ([others] if others else [])
        return [{**self.chosen, **dict.fromkeys(loops, error)} for loops in chosen]
