"""Symbolic sizes: integer polynomials over input sizes, each with a concrete hint, and guards.

A size is an ``int`` where it is known for good and a `Dim` where it is not. Arithmetic on a `Dim`
stays symbolic and canonical, so equal sizes compare equal. Where a decision needs a number, the
hint decides and a `Guard` is recorded; a call that breaks a guard compiles anew.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Symbol:
    """An unknown integer, such as ``x.shape[0]``; ``hint`` is its value in the traced call.

    An *unbacked* symbol (how many elements of a mask are true) is known only while running. That
    of an *axis* is 2 at least: axes of 0 and 1 have no symbol but are patterns of their own.
    """

    name: str
    hint: int = field(compare=False)
    unbacked: bool = False
    axis: bool = field(default=False, compare=False)

    def value(self, bindings: Mapping[Symbol, int]) -> int:
        """Its number under ``bindings``."""
        return bindings[self]

    def symbols(self) -> Iterator[Symbol]:
        """Itself."""
        yield self


@dataclass(frozen=True, slots=True)
class Compound:
    """An operation on sizes that is no polynomial: ``a // b``, ``a % b``, ``max``, ``min``."""

    name: str
    left: Size
    right: Size

    @property
    def hint(self) -> int:
        """Its value in the traced call."""
        return COMPOUND[self.name](hint(self.left), hint(self.right))

    def value(self, bindings: Mapping[Symbol, int]) -> int:
        """Its number under ``bindings``."""
        return COMPOUND[self.name](evaluate(self.left, bindings), evaluate(self.right, bindings))

    def symbols(self) -> Iterator[Symbol]:
        """The symbols of both operands."""
        yield from symbols(self.left)
        yield from symbols(self.right)


COMPOUND: dict[str, Callable[[int, int], int]] = {
    "//": operator.floordiv,
    "%": operator.mod,
    "max": max,
    "min": min,
}

Atom: TypeAlias = Symbol | Compound
Monomial: TypeAlias = tuple[Atom, ...]


def _order(monomial: Monomial) -> tuple[int, str]:
    return (-len(monomial), repr(monomial))


@dataclass(frozen=True, slots=True, eq=False)
class Dim:
    """A polynomial in sizes in canonical form: (monomial, coefficient) pairs in a fixed order."""

    terms: tuple[tuple[Monomial, int], ...]
    hint: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.terms)

    def __add__(self, other: Size) -> Size:
        if not is_size(other):
            return NotImplemented
        total = dict(self.terms)
        for monomial, coefficient in _terms(other):
            total[monomial] = total.get(monomial, 0) + coefficient
        return _polynomial(total)

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
        product: dict[Monomial, int] = {}
        for left, a in self.terms:
            for right, b in _terms(other):
                monomial = tuple(sorted(left + right, key=repr))
                product[monomial] = product.get(monomial, 0) + a * b
        return _polynomial(product)

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


def compound(name: str, left: Size, right: Size) -> Size:
    """``left // right`` and the like, folded where both are numbers."""
    if isinstance(left, int) and isinstance(right, int):
        return COMPOUND[name](left, right)
    if left == right and name in ("max", "min"):
        return left
    atom = Compound(name, left, right)
    return Dim((((atom,), 1),), atom.hint)


def _terms(size: Size) -> tuple[tuple[Monomial, int], ...]:
    return size.terms if isinstance(size, Dim) else (((), size),)


def _polynomial(terms: dict[Monomial, int]) -> Size:
    kept = sorted(((m, c) for m, c in terms.items() if c), key=lambda term: _order(term[0]))
    value = sum(c * math.prod(atom.hint for atom in m) for m, c in kept)
    if all(not monomial for monomial, _ in kept):
        return value
    return Dim(tuple(kept), value)


def _exact_quotient(size: Dim, divisor: Size) -> Size | None:
    """``size / divisor`` where every term divides (``n*m // m`` is ``n``), else None."""
    divisor_terms = _terms(divisor)
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
    return _polynomial(quotient)


def hint(size: Size) -> int:
    """The number that ``size`` has in the traced call."""
    return size.hint if isinstance(size, Dim) else size


def evaluate(size: Size, bindings: Mapping[Symbol, int]) -> int:
    """The number that ``size`` has when its symbols have these values."""
    if isinstance(size, int):
        return size
    return sum(c * math.prod(a.value(bindings) for a in m) for m, c in size.terms)


def symbols(size: Size) -> Iterator[Symbol]:
    """Every symbol of ``size``, with repetition."""
    for monomial, _ in _terms(size):
        for atom in monomial:
            yield from atom.symbols()


def as_symbol(size: Size) -> Symbol | None:
    """The symbol that ``size`` is, where it is nothing but one."""
    if isinstance(size, Dim) and len(size.terms) == 1:
        monomial, coefficient = size.terms[0]
        if coefficient == 1 and len(monomial) == 1 and isinstance(monomial[0], Symbol):
            return monomial[0]
    return None


def is_unbacked(size: Size) -> bool:
    """Whether ``size`` depends on data, so that nothing can be decided by its hint."""
    return any(s.unbacked for s in symbols(size))


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
    pieces = []
    for monomial, coefficient in size.terms:
        factors = [_render_atom(atom, name) for atom in monomial]
        if coefficient != 1 or not factors:
            factors.insert(0, str(coefficient))
        pieces.append("*".join(factors))
    return " + ".join(pieces).replace("+ -", "- ")


def _render_atom(atom: Atom, name: Callable[[Symbol], str]) -> str:
    if isinstance(atom, Symbol):
        return name(atom)
    left, right = render(atom.left, name), render(atom.right, name)
    if atom.name in ("max", "min"):
        return f"{atom.name}({left}, {right})"
    return f"({left} {atom.name} {right})"


# -- guards ------------------------------------------------------------------------------------

RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Guard:
    """A relation between sizes that held when tracing and must hold for the code to be used."""

    relation: str
    left: Size
    right: Size

    def holds(self, bindings: Mapping[Symbol, int]) -> bool:
        """Whether it holds for these sizes."""
        return RELATIONS[self.relation](
            evaluate(self.left, bindings), evaluate(self.right, bindings)
        )

    def __repr__(self) -> str:
        return f"{render(self.left)} {self.relation} {render(self.right)}"


_recorder: ContextVar[dict[Guard, None] | None] = ContextVar("guards", default=None)


@contextmanager
def recording_guards() -> Iterator[dict[Guard, None]]:
    """Collect the guards of every decision taken inside (an ordered set)."""
    guards: dict[Guard, None] = {}
    token = _recorder.set(guards)
    try:
        yield guards
    finally:
        _recorder.reset(token)


def decide(relation: str, left: Size, right: Size) -> bool:
    """``left <relation> right`` by the hints, recorded as a guard if it could be otherwise."""
    outcome = RELATIONS[relation](hint(left), hint(right))
    if isinstance(left, int) and isinstance(right, int):
        return outcome
    if (relation in ("==", "!=") and left == right) or _goes_without_saying(relation, left, right):
        return outcome
    recorder = _recorder.get()
    if recorder is not None and not (is_unbacked(left) or is_unbacked(right)):
        held = relation if outcome else _OPPOSITE[relation]
        recorder[Guard(held, left, right)] = None
    return outcome


def _goes_without_saying(relation: str, left: Size, right: Size) -> bool:
    """Whether the relation has the same outcome for all axes of two elements or more."""
    if not isinstance(left, Dim) or not isinstance(right, int) or relation not in _BELOW:
        return False
    least = 0
    for monomial, coefficient in left.terms:
        if monomial and (
            coefficient < 0 or not all(isinstance(a, Symbol) and a.axis for a in monomial)
        ):
            return False
        least += coefficient * 2 ** len(monomial)
    return least + _BELOW[relation] > right


_BELOW = {">": 0, ">=": 1, "==": 0, "!=": 0, "<": 1, "<=": 0}
"""What the least value of the left side must exceed the right side by, less one."""


_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def same_symbols(guards: Iterable[Guard]) -> dict[Symbol, Symbol]:
    """For every symbol that guards say equals another, the one that stands for them all."""
    same: dict[Symbol, Symbol] = {}

    def one(symbol: Symbol) -> Symbol:
        while symbol in same:
            symbol = same[symbol]
        return symbol

    for guard in guards:
        left, right = as_symbol(guard.left), as_symbol(guard.right)
        if guard.relation == "==" and left is not None and right is not None:
            first, second = one(left), one(right)
            if first != second:
                same[second] = first
    return {symbol: one(symbol) for symbol in same}


def renamed(size: Size, one: Callable[[Symbol], Symbol]) -> Size:
    """``size`` with ``one(symbol)`` for each of its symbols."""
    if isinstance(size, int):
        return size
    total: Size = 0
    for monomial, coefficient in size.terms:
        term: Size = coefficient
        for atom in monomial:
            term = term * _of(_renamed_atom(atom, one))
        total = total + term
    return total


def _of(atom: Atom) -> Dim:
    return Dim((((atom,), 1),), atom.hint)


def _renamed_atom(atom: Atom, one: Callable[[Symbol], Symbol]) -> Atom:
    if isinstance(atom, Symbol):
        return one(atom)
    return Compound(atom.name, renamed(atom.left, one), renamed(atom.right, one))


def known_equal(left: Size, right: Size) -> bool:
    """Whether two sizes are equal for all calls that use this code: by form, or by a guard."""
    if left == right:
        return True
    recorder = _recorder.get()
    if recorder is None:
        return False
    return Guard("==", left, right) in recorder or Guard("==", right, left) in recorder


def concrete(size: Size) -> int:
    """The number itself, for good: records that the size must be just that."""
    decide("==", size, hint(size))
    return hint(size)


def same(left: Size, right: Size) -> bool:
    """Whether two sizes are equal; sizes that depend on data are taken to be what they must be."""
    if left == right:
        return True
    if is_unbacked(left) or is_unbacked(right):
        return True
    return decide("==", left, right)


def is_one(size: Size) -> bool:
    """Whether an axis of this size is one that broadcasts."""
    if is_unbacked(size):
        return False
    if as_symbol(size) is not None and hint(size) != 1:
        return False  # the specialisation key already tells sizes of 1 apart
    return decide("==", size, 1)
