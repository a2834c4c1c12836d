"""The allocator of variable names: deterministic, clear of keywords, builtins and modules."""

from __future__ import annotations

import builtins
import itertools
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

_TAKEN = frozenset(dir(builtins)) | frozenset(keyword.kwlist) | {"np", "sys", "warnings"}


def means_something(name: str) -> bool:
    """Whether the name is a keyword, or what emitted code calls one of Python's functions."""
    return name in _TAKEN


def parameter_names(wanted: Sequence[str]) -> list[str]:
    """Names for parameters that are wanted so: with underscores behind those that mean something
    or that another parameter has.
    """
    given: list[str] = []
    for name in wanted:
        new = name
        while new in given or means_something(new) or (new != name and new in wanted):
            new += "_"
        given.append(new)
    return given


class Names:
    """Hands out each name once within one function.

    ``module`` are names that the module needs for itself.
    """

    def __init__(self, module: Iterable[str] = ()) -> None:
        self._module = frozenset(module)
        self._used: set[str] = set()
        self._everywhere: set[str] = set()
        self._counters: dict[str, Iterator[int]] = {}
        self.spared: list[str] = []
        """Of variables that are left out where nothing reads them: sizes, what counts trips."""

    def reserve(self, name: str, *, everywhere: bool = False) -> str:
        """Take exactly this name (a parameter's)."""
        self._used.add(name)
        if everywhere:
            self._everywhere.add(name)
        return name

    def is_taken(self, name: str) -> bool:
        """Whether a variable has this name."""
        return name in self._used

    def fresh(self, wanted: str, *, everywhere: bool = False) -> str:
        """``wanted``, or the first of ``wanted_2``, ``wanted_3``, … that is free.

        One that is taken ``everywhere`` is not given again outside of the loop at hand.
        """
        base = re.sub(r"\W", "_", wanted) or "t"
        base = f"_{base}" if base[0].isdigit() else base
        name = base if base not in _TAKEN else f"{base}_"
        numbers = self._counters.setdefault(base, itertools.count(2))
        while name in self._used or (everywhere and name in self._module):
            name = f"{base.rstrip('_')}_{next(numbers)}"
        if everywhere:
            self._everywhere.add(name)
        return self.reserve(name)

    def spare(self, wanted: str) -> str:
        """A fresh one for a variable that is left out where nothing reads it."""
        self.spared.append(self.fresh(wanted))
        return self.spared[-1]

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Names taken inside belong to a loop or an arm: they are free again behind it."""
        outer = set(self._used)
        try:
            yield
        finally:
            self._used = outer | self._everywhere
            self._counters = {}
