"""What the source of a loop says of its variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import FunctionType, MethodType
from typing import Any

from gradsmith.frontend.method_effects import cell_contents


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


def read_by(functions: Iterable[Any]) -> set[str]:
    """The variables of functions around that these read, or those that they call."""
    found: set[str] = set()
    stack, seen = list(functions), set[int]()
    while stack:
        function = stack.pop()
        function = _function_in(function)
        if not isinstance(function, FunctionType) or id(function) in seen:
            continue
        seen.add(id(function))
        found.update(function.__code__.co_freevars)
        stack += [cell_contents(cell) for cell in function.__closure__ or ()]
    return found


def _function_in(value: Any) -> Any:
    """The function of a method or partial; anything else as it is."""
    if isinstance(value, (MethodType, classmethod, staticmethod)):
        return value.__func__
    return value.func if isinstance(value, (partial, cached_property)) else value


def ends_iterations(function: Any) -> bool:
    """Whether the function, or one that it calls, may raise `StopIteration`."""
    stack, seen = [function], set[int]()
    while stack:
        top = stack.pop()
        top = _function_in(top)
        if not isinstance(top, FunctionType) or id(top) in seen:
            continue
        if "StopIteration" in top.__code__.co_names:
            return True
        seen.add(id(top))
        stack += [top.__globals__.get(name) for name in top.__code__.co_names]
        stack += map(cell_contents, top.__closure__ or ())
    return False
