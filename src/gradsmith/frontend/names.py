"""What the source of a loop says of its variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


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
    asked: frozenset[str] = frozenset()
    """Those that ``:=`` sets in the condition of a ``while``."""
    index: str | None = None
    """The one variable that the ``for`` sets, if it is one."""
    steps: Mapping[str, int] = field(default_factory=dict)
    """By how much each trip of a ``while`` changes those that it changes just once."""
    broken: str | None = None
    """The one by which a ``while`` tells that ``break`` ended it, if no ``return`` may."""

    def ahead(self) -> LoopNames:
        """The same where the condition is asked at the end of a trip, for the next."""
        kept = None if self.kept is None else self.kept | self.asked
        return replace(self, kept=kept, read=self.read | self.asked)
