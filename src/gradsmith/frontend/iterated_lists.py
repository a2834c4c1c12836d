"""Stacked lists that a loop goes over: their length is that at the beginning of the loop.

Python's iterators ask for the length before each element, so that a body which appends to the list
makes the loop longer. No loop of the graph does that: the loops that made the list are written out
then, and Python goes over separate elements. So are loops that append to a list which Python is
going over, as that would find one stand-in for all that they append.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gradsmith.frontend.frozen import separate
from gradsmith.frontend.grown import Grown, length_of, sites_of
from gradsmith.ir.dims import Size

CHANGED = "this loop changes the length of the list that it goes over"
HINT = "go over a copy: list(values)"


@dataclass(frozen=True, slots=True)
class IteratedList:
    """A stacked list that is being iterated over, and what it held when that began."""

    values: list[Any]
    held: tuple[Any, ...]
    length: Size

    @classmethod
    def of(cls, values: Any) -> tuple[IteratedList, ...]:
        """That of a list; none of a tuple."""
        return (cls(values, tuple(values), length_of(values)),) if type(values) is list else ()

    def check(self) -> None:
        """Ask for separate elements where elements have been added or removed since."""
        if not (self._is_the_same() or self._is_flushed()):
            separate(sites_of(self.held), CHANGED, HINT)

    def _is_the_same(self) -> bool:
        same = (one is other for one, other in zip(self.values, self.held, strict=False))
        return len(self.values) == len(self.held) and all(same)

    def _is_flushed(self) -> bool:
        """Whether what an enclosing loop has appended has only become rows (`flush_rows`)."""
        first = (values[0] if values else None for values in (self.values, self.held))
        opened = all(type(item) is Grown and item.open_rows is not None for item in first)
        return opened and length_of(self.values) == self.length


def lists_under(iterable: Any) -> list[list[Any]]:
    """The lists that Python goes over with ``iterable``: itself, or those of an iterator."""
    found: list[list[Any]] = []
    stack = [iterable]
    while stack:
        value = stack.pop()
        if type(value) is list:
            found.append(value)
        elif isinstance(value, Iterator) and type(value).__module__ in _PYTHONS:
            inner = gc.get_referents(value)
            stack += [v for v in inner if isinstance(v, (list, Iterator))]
            # a tuple of `zip_longest` has holes, which only the collector passes over
            tuples = [held for held in inner if type(held) is tuple]
            stack += gc.get_referents(*tuples)
    return found


_PYTHONS = ("builtins", "itertools")
"""Modules whose iterators hold what they go over, and nothing that goes over it later."""


def check_not_stacked(lists: Sequence[list[Any]]) -> None:
    """Ask for separate elements where a loop has appended to one of these."""
    for values in lists:
        if Grown in map(type, values):
            separate(sites_of(values), CHANGED, HINT)


def check_lists_under(values: Iterable[Any]) -> None:
    """The same of iterators that a call may take elements of."""
    for value in values:
        if isinstance(value, Iterator):
            check_not_stacked(lists_under(value))
