"""Writing symbolic sizes: ``n``, ``x.shape[0]``, ``2 * n - 1``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from gradsmith.errors import InternalError
from gradsmith.ir import dims
from gradsmith.ir.dims import Atom, Compound, Dim, Guard, Monomial, Shape, Size, Symbol
from gradsmith.ir.graph import Node
from gradsmith.ir.mentions import sizes_found
from gradsmith.ir.types import ArrayType
from gradsmith.ops import syntax


class Sizes:
    """Where sizes can be read: from variables in scope that show them; ``count`` gives the
    expression of any other. Sizes that the guards say are equal are one.
    """

    def __init__(self, count: Callable[[Symbol], ast.expr], guards: Iterable[Guard] = ()) -> None:
        self._count = count
        self._same = dims.same_symbols(guards)
        self._symbols: dict[Symbol, ast.expr] = {}
        self._compounds: dict[Size, ast.expr] = {}
        self._shapes: dict[Shape, ast.expr] = {}
        self._around: set[Symbol] = set()

    def one(self, symbol: Symbol) -> Symbol:
        """The symbol that stands for all that are equal to this one."""
        return self._same.get(symbol, symbol)

    def _ones(self, shape: Shape) -> Shape:
        return tuple(dims.renamed(s, self.one) for s in shape) if self._same else shape

    def same(self, shape: Shape, other: Shape) -> bool:
        """Whether the shapes are known to be equal."""
        return shape == other or self._ones(shape) == self._ones(other)

    def name(self, symbol: Symbol, variable: str) -> None:
        """``variable`` holds this size."""
        self._symbols[self.one(symbol)] = syntax.name(variable)

    def name_compound(self, atom: Compound, variable: str) -> None:
        """``variable`` holds the size that an operation on sizes gives."""
        self._compounds[self._ones((dims.of_atom(atom),))[0]] = syntax.name(variable)

    def bind(self, symbol: Symbol, variable: ast.expr) -> None:
        """From now on a variable of a region is this size."""
        self._symbols[self.one(symbol)] = variable

    def integer(self, symbol: Symbol, variable: ast.expr) -> None:
        """A Python integer argument is this size."""
        self._symbols.setdefault(self.one(symbol), variable)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """What is shown inside is shown by variables of a loop or an arm, and nowhere else."""
        outer = dict(self._symbols), dict(self._shapes), self._around
        self._around = set(self._symbols)
        try:
            yield
        finally:
            self._symbols, self._shapes, self._around = outer

    def held_by(self, variable: str) -> list[Symbol]:
        """The sizes that this variable is."""
        return [
            symbol
            for symbol, reading in self._symbols.items()
            if isinstance(reading, ast.Name) and reading.id == variable
        ]

    def knows(self, symbol: Symbol) -> bool:
        """Whether a variable shows it."""
        return self.one(symbol) in self._symbols

    def show(self, node: Node, variable: ast.expr) -> None:
        """The variable shows the sizes of its axes."""
        shape = self._ones(node.type.shape) if isinstance(node.type, ArrayType) else ()
        if not shape:
            return
        for found in sizes_found(node):
            self._find_anew(self.one(found))
        whole = syntax.attribute(variable, "shape")
        if any(isinstance(s, Dim) for s in shape) and not any(map(dims.total_of, shape)):
            self._shapes.setdefault(shape, whole)
        for axis, size in enumerate(shape):
            symbol = dims.as_symbol(size)
            if symbol is not None and symbol.total is None and symbol not in self._symbols:
                reading = _axis(whole, axis) if axis else syntax.call("len", variable)
                self._symbols[symbol] = reading

    def _find_anew(self, symbol: Symbol) -> None:
        """A trip within a trip of the same loop, as checkpoints make them, finds its own."""
        if symbol in self._around:
            self._around.discard(symbol)
            self._symbols.pop(symbol, None)
            kept = {s: v for s, v in self._shapes.items() if symbol not in symbols_of(s)}
            self._shapes = kept

    def size(self, size: Size) -> ast.expr:
        """The expression of a size."""
        (size,) = self._ones((size,))
        if isinstance(size, int):
            return syntax.expression(size)
        whole = self._whole(size)
        if whole is not None:
            return whole
        total: ast.expr | None = None
        for monomial, coefficient in sorted(size.terms, key=lambda term: term[1] < 0):
            total = self._add(total, monomial, coefficient)
        if total is None:
            raise InternalError("a symbolic size without terms")
        return total

    def _whole(self, size: Dim) -> ast.expr | None:
        """``x.size`` where the product of all axes of a variable is meant."""
        for shape, reading in self._shapes.items():
            if (
                sum(isinstance(s, Dim) for s in shape) > 1
                and dims.product(shape) == size
                and isinstance(reading, ast.Attribute)
            ):
                return syntax.attribute(reading.value, "size")
        return None

    def _add(self, total: ast.expr | None, monomial: Monomial, coefficient: int) -> ast.expr:
        term = self._term(monomial, abs(coefficient) if total is not None else coefficient)
        if total is None:
            return term
        return syntax.binary("+" if coefficient > 0 else "-", total, term)

    def _term(self, monomial: Monomial, coefficient: int) -> ast.expr:
        if not monomial:
            return syntax.expression(coefficient)
        product = self._atom(monomial[0])
        for atom in monomial[1:]:
            product = syntax.binary("*", product, self._atom(atom))
        if coefficient == -1:
            return syntax.unary("-", product)
        if coefficient == 1:
            return product
        return syntax.binary("*", syntax.expression(coefficient), product)

    def _atom(self, atom: Atom) -> ast.expr:
        if isinstance(atom, Compound):
            named = self._compounds.get(dims.of_atom(atom))
            if named is not None:
                return named
            left, right = self.size(atom.left), self.size(atom.right)
            if atom.name in ("max", "min"):
                return syntax.call(atom.name, left, right)
            if atom.name == "broadcast":
                return ast.IfExp(syntax.compare("==", right, syntax.expression(1)), left, right)
            return syntax.binary(atom.name, left, right)
        return self.symbol(atom)

    def shown_by(self, size: Size) -> ast.expr | None:
        """What shows the size, where it is one unknown size that something here shows."""
        symbol = dims.as_symbol(size)
        return None if symbol is None else self._symbols.get(self.one(symbol))

    def symbol(self, symbol: Symbol) -> ast.expr:
        """The expression of one unknown size."""
        if symbol.total is not None:
            return self.size(symbol.total)
        found = self._symbols.get(self.one(symbol))
        return self._count(symbol) if found is None else found

    def shape(self, shape: Shape) -> ast.expr:
        """The expression of a whole shape, as an argument of ``np.zeros`` and the like."""
        shape = self._ones(shape)
        if shape in self._shapes:
            return self._shapes[shape]
        if len(shape) == 1:
            return self.size(shape[0])
        return syntax.tuple_([self.size(s) for s in shape])


def _axis(whole: ast.expr, axis: int) -> ast.expr:
    return syntax.subscript(whole, syntax.expression(axis))


def symbols_of(value: object) -> list[Symbol]:
    """The symbols that an attribute mentions."""
    if type(value) is int:  # most sizes, and this is asked of every node
        return []
    if isinstance(value, Dim):
        return [found for symbol in dims.symbols(value) for found in _written_for(symbol)]
    if isinstance(value, tuple):
        return [s for v in value for s in symbols_of(v)]
    if hasattr(value, "map_sizes"):
        found: list[Symbol] = []

        def collect(size: Size) -> Size:
            found.extend(symbols_of(size))
            return size

        value.map_sizes(collect)
        return found
    return []


def _written_for(symbol: Symbol) -> list[Symbol]:
    """The symbols that are written where ``symbol`` is meant."""
    return [symbol] if symbol.total is None else symbols_of(symbol.total)
