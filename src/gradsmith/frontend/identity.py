"""Objects as keys and in comparisons by what they are, whatever their class says of ``==``."""

from __future__ import annotations

from typing import Any


class Identity:
    """An object that equals itself alone; keeps it alive, so that no other has its ``id``."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)
