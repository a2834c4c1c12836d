"""What the source says of a loop, and what one of its trips says while it is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.mentions import has_effect
from gradsmith.ir.types import TupleType


@dataclass(slots=True)
class Trip:
    """One trip while it is run: what it says about going on."""

    leave: Any = None
    test: Node | None = None
    before: tuple[Node, ...] = ()
    """What is computed until the test is known."""

    def ask(self, test: Node) -> None:
        """The trip is made if this holds."""
        self.test, self.before = test, tuple(current_builder().nodes)

    def after(self, nodes: Sequence[Node]) -> list[Node]:
        """What the trip itself does: errors that the test raises are not for it to raise."""
        asked = {n for n in self.before if has_effect(n) and n.type == TupleType(())}
        return [node for node in nodes if node not in asked]


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
