"""What the docstring of an emitted function says: types, sizes, and for which calls it holds."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gradsmith._version import __version__
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Guard, Size, Symbol
from gradsmith.ir.graph import Graph
from gradsmith.ir.types import ArrayType, ObjectType, Type

LETTERS = "nmkpqrsuvw"
LONGEST = 90
"""Columns of a line, without its indentation."""


def notes(graph: Graph, static: Mapping[str, Any], arguments: Iterable[str]) -> tuple[str, ...]:
    """The lines below the title."""
    letters = SizeLetters(graph, arguments)
    lines = [f"{p.attrs['name']}: {letters.describe(p.type)}" for p in graph.params]
    lines += [f"{name} = {value!r}" for name, value in static.items() if _is_said(value)]
    conditions = [letters.condition(guard) for guard in letters.strongest(graph.guards)]
    held = [c for c in dict.fromkeys(conditions) if c]
    if held:
        text = f"Only for {', '.join(held)}."
        lines += ["", *textwrap.wrap(text, LONGEST, break_long_words=False)]
    return (*lines, "", f"Made by gradsmith {__version__}.")


MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _is_said(value: Any) -> bool:
    return isinstance(value, (str, bool, type(None)))


def _settles(guard: Guard) -> tuple[Symbol, int] | None:
    """The symbol that an equality says to be a number, and that number."""
    distance = guard.left - guard.right
    if isinstance(distance, int):
        return None
    rest = distance.constant
    for sign in (1, -1):
        symbol = dims.as_symbol(sign * (distance - rest))
        if symbol is not None:
            return symbol, -sign * rest
    return None


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
        self._taken = set(arguments)
        self._names: dict[Symbol, str] = {}
        for atom, name in graph.size_names.items():
            if isinstance(atom, Symbol):
                self._name(self._one(atom), name)
            else:
                self._taken.add(name)  # a variable of the code, which is no size of an argument
        self._free = iter(LETTERS)

    def _name(self, symbol: Symbol, wanted: str) -> None:
        """Call a size so, or ``K_2`` where another size is ``K``: a helper that is called twice
        has two, and may call one size in two ways, of which the first counts.
        """
        if symbol in self._names or symbol in self._numbers:
            return
        numbered = (f"{wanted}_{k}" for k in itertools.count(2))
        name = next(n for n in itertools.chain([wanted], numbered) if n not in self._taken)
        self._taken.add(name)
        self._names[symbol] = name

    def _learn(self, guard: Guard) -> None:
        left, right = dims.as_symbol(guard.left), dims.as_symbol(guard.right)
        if left is not None and right is not None:
            self._same[self._one(right)] = self._one(left)
        elif (known := _settles(guard)) is not None:
            self._numbers[known[0]] = known[1]

    def _one(self, symbol: Symbol) -> Symbol:
        while symbol in self._same and self._same[symbol] != symbol:
            symbol = self._same[symbol]
        return symbol

    def _symbol(self, symbol: Symbol) -> str:
        if symbol in self._numbers:
            return str(self._numbers[symbol])
        one = self._one(symbol)
        if not one.axis and not one.unbacked:
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

    def strongest(self, guards: Iterable[Guard]) -> list[Guard]:
        """The guards without those that follow from another one: ``n >= 3`` from ``n >= 4``."""
        kept: dict[object, tuple[int, Guard]] = {}
        for guard in guards:
            form, slack = self._inequality(guard)
            if form is not None and (form not in kept or slack < kept[form][0]):
                kept[form] = slack, guard
        chosen = {guard for _, guard in kept.values()}
        return [g for g in guards if g in chosen or self._inequality(g)[0] is None]

    def _inequality(self, guard: Guard) -> tuple[object, int]:
        """A sum that is at least minus the number; None where it is no inequality of sizes."""
        if guard.relation in ("==", "!="):
            return None, 0
        distance = self._known(guard.left - guard.right)
        if guard.relation in ("<", "<="):
            distance = -distance
        slack = -1 if guard.relation in ("<", ">") else 0
        if isinstance(distance, int):
            return None, 0
        return distance - distance.constant, distance.constant + slack

    def _known(self, size: Size) -> Size:
        """The size with one symbol for equal ones, and numbers for those that are known."""
        numbers = {self._one(symbol): n for symbol, n in self._numbers.items()}
        return dims.renamed(size, lambda s: numbers.get(self._one(s), self._one(s)))

    def condition(self, guard: Guard) -> str | None:
        """``n > 3``; None for what goes without saying."""
        left, right = dims.as_symbol(guard.left), dims.as_symbol(guard.right)
        if guard.relation == "==":
            if left is not None and right is not None:
                return None  # the types of the arguments show it
            known = _settles(guard)
            if known is not None:
                symbol, number = known
                return None if symbol.axis else f"{symbol.name} == {number}"
        if left is not None and left.axis and isinstance(guard.right, int):
            axis_is_wider = {">": 2, ">=": 3, "!=": 2}.get(guard.relation, 0)
            if guard.right < axis_is_wider:
                return None  # 0 and 1 are patterns of their own
        return self._told_apart(guard)

    def _told_apart(self, guard: Guard) -> str | None:
        """``n <= m + 2``: each term on the side where it is positive; None where both are one."""
        distance = self._known(guard.left - guard.right)
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

    def describe(self, type_: Type) -> str:
        """``float64[n, 3]``."""
        if isinstance(type_, ObjectType) and type_.cls is not None:
            return type_.cls.__name__
        if not isinstance(type_, ArrayType):
            return "an object"
        if type_.weak:
            return type(np.zeros((), type_.dtype).item()).__name__
        sizes = ", ".join(map(self.size, type_.shape))
        return f"{type_.dtype}[{sizes}]" if type_.shape else f"{type_.dtype}"
