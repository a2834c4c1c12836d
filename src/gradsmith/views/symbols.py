"""The atoms of formulas: SymPy symbols for parameters and sizes, SymPy numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np

from gradsmith.ir.dims import Atom, Size, Symbol
from gradsmith.ir.graph import Graph, Node
from gradsmith.views.graph import param_name

SEED_SYMBOL = "g"

MOST_EXACT = 10**15
LARGEST_DENOMINATOR = 64
"""Floats up to here become exact numbers: 0.5 is ½, while 0.1, which is no tenth, stays 0.1."""


def number(sympy: ModuleType, value: Any) -> Any:
    """A constant as a SymPy number, exact where that is what a person would write."""
    plain = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    if isinstance(plain, bool):
        return sympy.true if plain else sympy.false
    if isinstance(plain, int):
        return sympy.Integer(plain)
    if isinstance(plain, complex):
        return _real(sympy, plain.real) + _real(sympy, plain.imag) * sympy.I
    return _real(sympy, float(plain))


def _real(sympy: ModuleType, value: float) -> Any:
    if math.isnan(value):
        return sympy.nan
    if math.isinf(value):
        return sympy.oo if value > 0 else -sympy.oo
    exact = Fraction(value)
    if exact.denominator <= LARGEST_DENOMINATOR and abs(value) <= MOST_EXACT:
        return sympy.Rational(exact.numerator, exact.denominator)
    return sympy.Float(value)


class Symbols:
    """Every parameter and every size has a symbol, no two the same.

    Parameters
    ----------
    graph : Graph
        Whose parameters these are.
    seed : str
        What the parameters are called that hold seeds; empty where there are none.
    """

    def __init__(self, sympy: ModuleType, graph: Graph, seed: str) -> None:
        self._sympy = sympy
        self._taken: set[str] = set()
        self._sizes: dict[Symbol, Any] = {}
        self._size_names = graph.size_names
        self.parameters: dict[Node, Any] = {}
        # The user's own parameters choose first, then leaves of trees, seeds last.
        for param in sorted(graph.params, key=lambda p: _rank(p, seed)):
            names = _spellings(param, graph.names, seed)
            symbol = self.fresh(names, **_assumptions(param))
            self.parameters[param] = symbol
            if param.attrs["symbol"] is not None:
                self._sizes[param.attrs["symbol"]] = symbol

    def fresh(self, names: Iterable[str], **assumptions: bool) -> Any:
        """A symbol called the first of ``names`` that is free."""
        spellings = list(names)
        numbered = (f"{spellings[-1]}_{i}" for i in itertools.count(2))
        name = next(s for s in itertools.chain(spellings, numbered) if s not in self._taken)
        self._taken.add(name)
        return self._sympy.Symbol(name, **assumptions)

    def size(self, size: Size) -> Any:
        """A (symbolic) size as an expression."""
        if isinstance(size, int):
            return self._sympy.Integer(size)
        terms = [c * math.prod(map(self._atom, atoms)) for atoms, c in size.terms]
        return self._sympy.Add(*terms)

    def _atom(self, atom: Atom) -> Any:
        if isinstance(atom, Symbol):
            return self._symbol(atom)
        sp, left, right = self._sympy, self.size(atom.left), self.size(atom.right)
        if atom.name == "//":
            return sp.floor(left / right)
        if atom.name == "broadcast":
            return sp.Piecewise((left, sp.Eq(right, 1)), (right, True))
        return {"%": sp.Mod, "max": sp.Max, "min": sp.Min}[atom.name](left, right)

    def _symbol(self, symbol: Symbol) -> Any:
        if symbol not in self._sizes:
            names = [self._size_names.get(symbol, symbol.name), symbol.name]
            self._sizes[symbol] = self.fresh(names, integer=True, nonnegative=True)
        return self._sizes[symbol]


def _rank(param: Node, seed: str) -> int:
    if _is_seed(param, seed):
        return 2
    return 0 if param.attrs["name"].isidentifier() else 1


def _is_seed(param: Node, seed: str) -> bool:
    name = param.attrs["name"]
    return bool(seed) and (name == seed or name.startswith((f"{seed}[", f"{seed}.")))


def _spellings(param: Node, names: Mapping[Node, str], seed: str) -> list[str]:
    """What the symbol may be called, best first: ``w`` before ``params['w']``."""
    whole = param.attrs["name"]
    if _is_seed(param, seed):
        return [SEED_SYMBOL + whole[len(seed) :], whole]
    return [param_name(param, names), whole]


def _assumptions(param: Node) -> dict[str, bool]:
    return {"real": True} if param.dtype.kind in "iuf" else {}
