"""Symbolic sizes: integer polynomials over input sizes, each with a concrete hint.

A size is an ``int`` where it is known for good and a `Dim` where it is not. Arithmetic on a `Dim`
stays symbolic and canonical, so equal sizes compare equal.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Symbol:
    """An unknown integer, such as ``x.shape[0]``; ``hint`` is its value in the traced call.

    An *unbacked* symbol (how many elements of a mask are true) is known only while running. That
    of an *axis* is 2 at least: axes of 0 and 1 have no symbol but are patterns of their own.
    One that changes while the code runs (a loop's index) has *bounds*, the least and the greatest
    value it takes, either of them None where that is not known.
    An *open* axis is that of rows which a loop appends: it is as long as they are many. Its
    *total* is the number of rows at the end, the only one that is ever written.
    """

    name: str
    hint: int = field(compare=False)
    unbacked: bool = False
    axis: bool = field(default=False, compare=False)
    bounds: tuple[Size | None, Size | None] | None = field(default=None, compare=False)
    total: Size | None = field(default=None, compare=False)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:  # what sizes are ordered by
        return f"Symbol({self.name!r}, {self.unbacked})"

    def value(self, bindings: Mapping[Symbol, int]) -> int:
        """Its number under ``bindings``."""
        return bindings[self] if self.total is None else evaluate(self.total, bindings)

    def symbols(self) -> tuple[Symbol, ...]:
        """Itself."""
        return (self,)


@dataclass(frozen=True, slots=True)
class Compound:
    """An operation on sizes that is no polynomial: ``a // b``, ``a % b``, ``max``, ``min``, and
    ``broadcast``, of two sizes that are equal if neither is 1.
    """

    name: str
    left: Size
    right: Size

    @property
    def hint(self) -> int:
        """Its value in the traced call.

        Integers that only the emitted code knows have hints that say nothing, 0 among them.
        """
        right = hint(self.right)
        if right == 0 and self.name in ("//", "%"):
            return 0
        return COMPOUND[self.name](hint(self.left), right)

    def value(self, bindings: Mapping[Symbol, int]) -> int:
        """Its number under ``bindings``."""
        return COMPOUND[self.name](evaluate(self.left, bindings), evaluate(self.right, bindings))

    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols of both operands."""
        return symbols(self.left) + symbols(self.right)


COMPOUND: dict[str, Callable[[int, int], int]] = {
    "broadcast": lambda left, right: left if right == 1 else right,
    "//": operator.floordiv,
    "%": operator.mod,
    "max": max,
    "min": min,
}

Atom: TypeAlias = Symbol | Compound
Monomial: TypeAlias = tuple[Atom, ...]


@functools.lru_cache(maxsize=4096)  # writing a monomial costs more than adding to it
def _order(monomial: Monomial) -> tuple[int, str]:
    return (-len(monomial), repr(monomial))


@dataclass(frozen=True, slots=True, eq=False)
class Dim:
    """A polynomial in sizes in canonical form: (monomial, coefficient) pairs in a fixed order."""

    terms: tuple[tuple[Monomial, int], ...]
    hint: int
    symbols: tuple[Symbol, ...] | None = field(default=None, init=False, repr=False)
    """What the function `symbols` has found: it is asked again and again."""

    @property
    def constant(self) -> int:
        """The number in the sum."""
        return sum(coefficient for monomial, coefficient in self.terms if not monomial)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.terms)

    def __add__(self, other: Size) -> Size:
        if not is_size(other):
            return NotImplemented
        if other == 0:
            return self
        total = dict(self.terms)
        for monomial, coefficient in terms_of(other):
            total[monomial] = total.get(monomial, 0) + coefficient
        return of_terms(total)

    __radd__ = __add__

    def __neg__(self) -> Size:
        return self * -1

    def __sub__(self, other: Size) -> Size:
        return self + other * -1

    def __rsub__(self, other: Size) -> Size:
        return self * -1 + other

    def __mul__(self, other: Size) -> Size:
        if not is_size(other):
            return NotImplemented
        if isinstance(other, int):
            return _scaled(self, other)
        product: dict[Monomial, int] = {}
        for left, a in self.terms:
            for right, b in terms_of(other):
                monomial = (
                    tuple(sorted(left + right, key=repr)) if left and right else left + right
                )
                product[monomial] = product.get(monomial, 0) + a * b
        return of_terms(product)

    __rmul__ = __mul__

    def __floordiv__(self, other: Size) -> Size:
        return _exact_quotient(self, other) or compound("//", self, other)

    def __rfloordiv__(self, other: Size) -> Size:
        return compound("//", other, self)

    def __mod__(self, other: Size) -> Size:
        return compound("%", self, other)

    def __rmod__(self, other: Size) -> Size:
        return compound("%", other, self)

    def __repr__(self) -> str:
        return render(self)


Size: TypeAlias = int | Dim
Shape: TypeAlias = tuple[Size, ...]


def is_size(value: object) -> bool:
    """Whether ``value`` is an integer or a symbolic size."""
    return isinstance(value, (int, Dim))


def symbol(name: str, value: int, *, unbacked: bool = False, axis: bool = False) -> Dim:
    """A fresh size called ``name`` that is ``value`` in the traced call."""
    return Dim((((Symbol(name, value, unbacked, axis),), 1),), value)


def changing(name: str, value: int, low: Size | None, high: Size | None) -> Dim:
    """A size that a loop changes, from ``low`` to ``high`` (None: not known)."""
    return of_atom(Symbol(name, value, unbacked=True, bounds=(low, high)))


def open_axis(name: str, total: Size) -> Dim:
    """The length of an axis that grows while a loop runs, to ``total`` at its end."""
    return of_atom(Symbol(name, 1, unbacked=True, bounds=(0, None), total=total))


def total_of(size: Size) -> Size | None:
    """The number of rows at the end, where ``size`` is that of an open axis."""
    symbol = as_symbol(size)
    return None if symbol is None else symbol.total


def of_atom(atom: Atom) -> Dim:
    """The size that ``atom`` is."""
    return Dim((((atom,), 1),), atom.hint)


def compound(name: str, left: Size, right: Size) -> Size:
    """``left // right`` and the like, folded where both are numbers."""
    if isinstance(left, int) and isinstance(right, int):
        return COMPOUND[name](left, right)
    if left == right and name in ("max", "min"):
        return left
    atom = Compound(name, left, right)
    return Dim((((atom,), 1),), atom.hint)


def broadcast(left: Size, right: Size) -> Size:
    """The size of an axis that two sizes broadcast to: ``left`` if ``right`` is 1."""
    parts = sorted({*broadcast_parts(left), *broadcast_parts(right)}, key=render)
    return functools.reduce(functools.partial(compound, "broadcast"), parts)


def broadcast_parts(size: Size) -> tuple[Size, ...]:
    """The sizes that broadcast to ``size``: itself where none are known."""
    atom = as_atom(size)
    if not isinstance(atom, Compound) or atom.name != "broadcast":
        return (size,)
    return (*broadcast_parts(atom.left), *broadcast_parts(atom.right))


def terms_of(size: Size) -> tuple[tuple[Monomial, int], ...]:
    """The monomials in a size and their coefficients."""
    return size.terms if isinstance(size, Dim) else (((), size),)


def _scaled(size: Dim, factor: int) -> Size:
    """``size * factor``: the same monomials in the same order."""
    if factor in (0, 1):
        return size if factor else 0
    return Dim(tuple([(m, c * factor) for m, c in size.terms]), size.hint * factor)


def of_terms(terms: dict[Monomial, int]) -> Size:
    """The sum of these monomials with these coefficients."""
    kept = [(m, c) for m, c in terms.items() if c]
    if len(kept) > 1:  # the order of one is known, and printing it costs more than the sum
        kept.sort(key=lambda term: _order(term[0]))
    value = sum([c * math.prod([atom.hint for atom in m]) for m, c in kept])
    if not any(m for m, _ in kept):
        return value
    return Dim(tuple(kept), value)


def _exact_quotient(size: Dim, divisor: Size) -> Size | None:
    """``size / divisor`` where every term divides (``n*m // m`` is ``n``), else None."""
    divisor_terms = terms_of(divisor)
    if len(divisor_terms) != 1:
        return 1 if size == divisor else None
    ((monomial, coefficient),) = divisor_terms
    quotient: dict[Monomial, int] = {}
    for atoms, c in size.terms:
        rest = list(atoms)
        for atom in monomial:
            if atom not in rest:
                return None
            rest.remove(atom)
        if not coefficient or c % coefficient:
            return None
        quotient[tuple(rest)] = c // coefficient
    return of_terms(quotient)


def hint(size: Size) -> int:
    """The number that ``size`` has in the traced call."""
    return size.hint if isinstance(size, Dim) else size


def evaluate(size: Size, bindings: Mapping[Symbol, int]) -> int:
    """The number that ``size`` has when its symbols have these values."""
    if isinstance(size, int):
        return size
    return sum(c * math.prod(a.value(bindings) for a in m) for m, c in size.terms)


def symbols(size: Size) -> tuple[Symbol, ...]:
    """Every symbol of ``size``, with repetition."""
    if not isinstance(size, Dim):
        return ()
    found = size.symbols
    if found is None:
        found = tuple(
            [s for monomial, _ in size.terms for atom in monomial for s in atom.symbols()]
        )
        object.__setattr__(size, "symbols", found)
    return found


def as_symbol(size: Size) -> Symbol | None:
    """The symbol that ``size`` is, where it is nothing but one."""
    atom = as_atom(size)
    return atom if isinstance(atom, Symbol) else None


def as_atom(size: Size) -> Atom | None:
    """The symbol, or the operation that is no polynomial, that ``size`` is."""
    if isinstance(size, Dim) and len(size.terms) == 1:
        monomial, coefficient = size.terms[0]
        if coefficient == 1 and len(monomial) == 1:
            return monomial[0]
    return None


def is_unbacked(size: Size) -> bool:
    """Whether ``size`` depends on data, so that nothing can be decided by its hint."""
    found = symbols(size)
    return bool(found) and any(s.unbacked for s in found)


def is_long(size: Size, most: int) -> bool:
    """Whether a size is written with more than so many atoms."""
    return _atoms(size, most) > most


def _atoms(size: Size, most: int) -> int:
    """How many atoms a size is written with; more than ``most`` are not counted on."""
    count = 0
    for monomial, _ in terms_of(size):
        for atom in monomial:
            count += 1
            if isinstance(atom, Compound):
                count += _atoms(atom.left, most) + _atoms(atom.right, most)
            if count > most:
                return count
    return count


def product(sizes: Shape) -> Size:
    """The number of elements of an array of this shape."""
    total: Size = 1
    for size in sizes:
        total = total * size
    return total


def render(size: Size, name: Callable[[Symbol], str] = lambda symbol: symbol.name) -> str:
    """A stable printed form, symbols called by ``name``."""
    if isinstance(size, int):
        return str(size)
    terms = sorted(size.terms, key=lambda term: (not term[0], term[1] < 0))  # the number last
    text = " + ".join(_render_term(monomial, c, name) for monomial, c in terms)
    return text.replace("+ -", "- ")


def _render_term(monomial: Monomial, coefficient: int, name: Callable[[Symbol], str]) -> str:
    factors = [_render_atom(atom, name) for atom in monomial]
    if not factors:
        return str(coefficient)
    sign = "-" if coefficient < 0 else ""
    number = [] if abs(coefficient) == 1 else [str(abs(coefficient))]
    return sign + "*".join([*number, *factors])


def _render_atom(atom: Atom, name: Callable[[Symbol], str]) -> str:
    if isinstance(atom, Symbol):
        return name(atom)
    if atom.name in ("broadcast", "max", "min"):
        return f"{atom.name}({render(atom.left, name)}, {render(atom.right, name)})"
    left, right = (_render_operand(side, name) for side in (atom.left, atom.right))
    return f"({left} {atom.name} {right})"


def _render_operand(size: Size, name: Callable[[Symbol], str]) -> str:
    text = render(size, name)
    alone = isinstance(size, int) or (len(size.terms) == 1 and "*" not in text)
    return text if alone else f"({text})"


def least(size: Size) -> int | None:
    """The least value for any axes, which are of two elements or more; None: none is known."""
    if isinstance(size, int):
        return size
    total = 0
    for monomial, coefficient in size.terms:
        term = coefficient
        for atom in monomial:
            bound = _least_atom(atom)
            if bound is None or bound < 0 or coefficient < 0:
                return None
            term *= bound
        total += term
    return total


def _least_atom(atom: Atom) -> int | None:
    if isinstance(atom, Symbol):
        counted = atom.unbacked and atom.bounds is None
        return 2 if atom.axis else 0 if counted else None
    left, right = least(atom.left), least(atom.right)
    if atom.name in ("//", "%"):
        divisor = atom.right if isinstance(atom.right, int) and atom.right > 0 else None
        if atom.name == "%":
            return None if divisor is None else 0
        return None if left is None or divisor is None else left // divisor
    known = [bound for bound in (left, right) if bound is not None]
    if atom.name == "max":
        return max(known, default=None)
    return min(known) if len(known) == 2 else None


def renamed(size: Size, one: Callable[[Symbol], Symbol | int]) -> Size:
    """``size`` with ``one(symbol)``, another symbol or a number, for each of its symbols."""
    if isinstance(size, int):
        return size
    total: Size = 0
    for monomial, coefficient in size.terms:
        term: Size = coefficient
        for atom in monomial:
            term = term * _renamed_atom(atom, one)
        total = total + term
    return total


def _renamed_atom(atom: Atom, one: Callable[[Symbol], Symbol | int]) -> Size:
    if isinstance(atom, Symbol):
        found = one(atom)
        if isinstance(found, Symbol) and found.total is not None:
            found = replace(found, total=renamed(found.total, one))
        return found if isinstance(found, int) else of_atom(found)
    return compound(atom.name, renamed(atom.left, one), renamed(atom.right, one))
