"""Writes to items of containers where branches or loops have chosen among several, and of deques
that are being iterated over.
"""

from __future__ import annotations

from typing import Any

from gradsmith.frontend.container_iterators import note_deque
from gradsmith.frontend.doubts import note_item, note_reshaped
from gradsmith.frontend.object_identity import check_keys
from gradsmith.frontend.stand_ins import stands_for


@stands_for("container")
class WatchedItems:
    """What is written to where the user writes ``container[key] = value``, where it may depend on
    the path taken which container that is, or which key: a new key is one of that container alone.

    ``items`` is the container, or what stands for its items.
    """

    __slots__ = ("container", "items")

    def __init__(self, container: Any, items: Any) -> None:
        self.container = container
        self.items = items

    def __getitem__(self, key: Any) -> Any:
        return self.items[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check(key)
        note_item(self.container, key)
        self.items[key] = value

    def __delitem__(self, key: Any) -> None:
        self._check(key)
        note_deque(self.container, "__delitem__")
        note_reshaped(self.container)
        del self.items[key]

    def _check(self, key: Any) -> None:
        if isinstance(self.container, dict):
            check_keys([key])
