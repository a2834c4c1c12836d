"""Callables as keys of caches: by identity."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any


class ByIdentity:
    """A callable as a key: equal objects need not hold equal arrays.

    A bound method is made anew at each access; it is its function with its instance.
    """

    __slots__ = ("_parts", "function")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._parts: tuple[object, ...] = (function,)
        if isinstance(function, MethodType):
            self._parts = (function.__self__, function.__func__)

    def __hash__(self) -> int:
        return hash(tuple(map(id, self._parts)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ByIdentity) or len(self._parts) != len(other._parts):
            return False
        return all(a is b for a, b in zip(self._parts, other._parts, strict=True))
