"""What the docstring of an emitted function says: types, sizes, and for which calls it holds."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gradsmith._version import __version__
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Guard, Size, Symbol
from gradsmith.ir.graph import Graph
from gradsmith.ir.types import ArrayType

LETTERS = "nmkpqrsuvw"
LONGEST = 90
"""Columns of a line, without its indentation."""


def notes(graph: Graph, static: Mapping[str, Any], arguments: Iterable[str]) -> tuple[str, ...]:
    """The lines below the title."""
    letters = SizeLetters(graph, arguments)
    lines = [f"{p.attrs['name']}: {letters.describe(p.array_type)}" for p in graph.params]
    lines += [f"{name} = {value!r}" for name, value in static.items() if _is_said(value)]
    conditions = [letters.condition(guard) for guard in graph.guards]
    held = [c for c in dict.fromkeys(conditions) if c]
    if held:
        text = f"Only for {', '.join(held)}."
        lines += ["", *textwrap.wrap(text, LONGEST, break_long_words=False)]
    return (*lines, "", f"Made by gradsmith {__version__}.")


MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _is_said(value: Any) -> bool:
    return isinstance(value, (str, bool, type(None)))


class SizeLetters:
    """What sizes are called: the user's names, else letters; sizes that must be equal have one.

    Parameters
    ----------
    graph : Graph
        With its guards and the user's names.
    arguments : iterable of str
        Names that are taken.
    """

    def __init__(self, graph: Graph, arguments: Iterable[str] = ()) -> None:
        self._same: dict[Symbol, Symbol] = {}
        self._numbers: dict[Symbol, int] = {}
        for guard in graph.guards:
            if guard.relation == "==":
                self._learn(guard)
        self._taken = {*arguments, *graph.size_names.values()}
        self._names = {self._one(symbol): name for symbol, name in graph.size_names.items()}
        self._free = iter(LETTERS)

    def _learn(self, guard: Guard) -> None:
        left, right = dims.as_symbol(guard.left), dims.as_symbol(guard.right)
        if left is not None and right is not None:
            self._same[self._one(right)] = self._one(left)
        elif left is not None and isinstance(guard.right, int):
            self._numbers[left] = guard.right

    def _one(self, symbol: Symbol) -> Symbol:
        while symbol in self._same and self._same[symbol] != symbol:
            symbol = self._same[symbol]
        return symbol

    def _symbol(self, symbol: Symbol) -> str:
        if symbol in self._numbers:
            return str(self._numbers[symbol])
        one = self._one(symbol)
        if "[" not in one.name and not one.unbacked:
            return one.name  # an integer argument has its own name
        if one not in self._names:
            free = (c for c in self._free if c not in self._taken)
            self._names[one] = next(free, one.name)
        return self._names[one]

    def size(self, size: Size) -> str:
        """``n`` for a symbol, ``n - 1`` for an expression."""
        if isinstance(size, Dim):
            return dims.render(size, self._symbol)
        return str(size)

    def condition(self, guard: Guard) -> str | None:
        """``n > 3``; None for what goes without saying."""
        left, right = dims.as_symbol(guard.left), dims.as_symbol(guard.right)
        if guard.relation == "==" and left is not None:
            argument = "[" not in left.name
            if right is not None or not argument:
                return None  # the types of the arguments show it
            return f"{left.name} == {self.size(guard.right)}"
        if left is not None and "[" in left.name and isinstance(guard.right, int):
            axis_is_wider = {">": 2, ">=": 3, "!=": 2}.get(guard.relation, 0)
            if guard.right < axis_is_wider:
                return None  # 0 and 1 are patterns of their own
        return self._told_apart(guard)

    def _told_apart(self, guard: Guard) -> str | None:
        """``n <= m + 2``: each term on the side where it is positive; None where both are one."""
        distance = dims.renamed(guard.left - guard.right, self._one)
        if isinstance(distance, int):
            return None
        more = dims.of_terms({m: c for m, c in distance.terms if c > 0})
        less = dims.of_terms({m: -c for m, c in distance.terms if c < 0})
        relation = guard.relation
        if isinstance(more, int) and not isinstance(less, int):
            more, less, relation = less, more, MIRRORED[relation]
        if relation == "==" and self.size(less) < self.size(more) and not isinstance(less, int):
            more, less = less, more
        return f"{self.size(more)} {relation} {self.size(less)}"

    def describe(self, type_: ArrayType) -> str:
        """``float64[n, 3]``."""
        if type_.weak:
            return type(np.zeros((), type_.dtype).item()).__name__
        sizes = ", ".join(map(self.size, type_.shape))
        return f"{type_.dtype}[{sizes}]" if type_.shape else f"{type_.dtype}"
