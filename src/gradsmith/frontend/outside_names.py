"""What ``globals()`` gives: an answer that the function gets holds for the next call as well."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from functools import partial
from typing import Any

from gradsmith.frontend.captures import capture
from gradsmith.frontend.classes import DELETED, MISSING
from gradsmith.frontend.effects import changed, delete_outside, set_global
from gradsmith.frontend.trace import Reliance, Trace


class OutsideNames(MutableMapping[str, Any]):
    """The names of a module, and their values, as a traced function sees and writes them."""

    def __init__(self, trace: Trace, held: dict[str, Any]) -> None:
        self._trace = trace
        self._held = held

    def __contains__(self, name: object) -> bool:
        written = changed(self._trace, self._held, name) if isinstance(name, str) else MISSING
        return self._is_held(name) if written is MISSING else written is not DELETED

    def _is_held(self, name: object) -> bool:
        """Whether it is there before the call, and in calls that use the code."""
        found = name in self._held
        reliance = Reliance(partial(self._held.__contains__, name), found, by_identity=True)
        self._trace.reliances["name", id(self._held), name] = reliance
        return found

    def __getitem__(self, name: str) -> Any:
        if name not in self:
            raise KeyError(name)
        written = changed(self._trace, self._held, name)
        return self._captured(name) if written is MISSING else written

    def _captured(self, name: str) -> Any:
        key = ("global", id(self._held), name)
        return capture(
            self._trace, key, name, self._held[name], partial(self._held.__getitem__, name)
        )

    def __iter__(self) -> Iterator[str]:
        names = tuple(self._held)
        reliance = Reliance(lambda: tuple(self._held), names, by_identity=False)
        self._trace.reliances["names", id(self._held)] = reliance
        overlay = self._trace.overlays.get(id(self._held))
        written = () if overlay is None else tuple(overlay[1])
        return (name for name in dict.fromkeys((*names, *written)) if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __setitem__(self, name: str, value: Any) -> None:
        set_global(self._trace, self._held, name, value, self._before(name))

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        delete_outside(self._trace, self._held, name, self._before(name))

    def _before(self, name: str) -> Any:
        return self._captured(name) if self._is_held(name) else MISSING
