"""What one trip of a loop says while it is run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node


@dataclass(slots=True)
class Trip:
    """One trip while it is run: what it says about going on."""

    leave: Any = None
    test: Node | None = None
    asked: int = 0
    """How many nodes there were when the test was known: those that it needs."""

    def ask(self, test: Node) -> None:
        """The trip is made if this holds."""
        self.test, self.asked = test, len(current_builder().nodes)
