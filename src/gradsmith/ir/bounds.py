"""The least and the greatest value of sizes that change while the code runs: loops' indices."""

from __future__ import annotations

from collections.abc import Iterator

from gradsmith.ir.sizes import (
    Atom,
    Compound,
    Dim,
    Monomial,
    Size,
    Symbol,
    compound,
    of_atom,
    symbols,
)


def changes(size: Size) -> bool:
    """Whether ``size`` may differ from trip to trip of a loop."""
    found = symbols(size)
    return bool(found) and any(s.bounds is not None for s in found)


def extreme(size: Size, *, lowest: bool) -> Size | None:
    """The least (or greatest) value of ``size`` over all trips, in sizes that do not change.

    None where the bounds do not tell.
    """
    while isinstance(size, Dim) and changes(size):
        atom = _innermost(size)
        replaced = _without(size, atom, lowest=lowest)
        if replaced is None:
            return None
        size = replaced
    return size


def _innermost(size: Dim) -> Atom:
    """A changing atom that the bounds of no other mention: these come first."""
    atoms = [a for monomial, _ in size.terms for a in monomial if _is_changing(a)]
    for atom in atoms:
        others = [s for other in atoms if other != atom for s in _mentioned(other)]
        if not any(s in others for s in atom.symbols()):
            return atom
    return atoms[0]


def _is_changing(atom: Atom) -> bool:
    return any(s.bounds is not None for s in atom.symbols())


def _mentioned(atom: Atom) -> Iterator[Symbol]:
    """The symbols in the bounds of ``atom``, and in theirs."""
    stack = list(atom.symbols())
    while stack:
        for bound in stack.pop().bounds or ():
            found = [] if bound is None else list(symbols(bound))
            yield from found
            stack += found


def _without(size: Dim, atom: Atom, *, lowest: bool) -> Size | None:
    """``size`` with the bound of ``atom`` that makes each term least (or greatest)."""
    low, high = _bounds(atom)
    total: Size = 0
    for monomial, coefficient in size.terms:
        rest = _divided(monomial, atom)
        if rest is None:
            total = total + _term(monomial, coefficient)
            continue
        bound = low if (coefficient > 0) == lowest else high
        if bound is None or not all(isinstance(a, Symbol) and a.axis for a in rest):
            return None
        total = total + bound * _term(rest, coefficient)
    return total


def _term(monomial: Monomial, coefficient: int) -> Size:
    product: Size = coefficient
    for atom in monomial:
        product = product * of_atom(atom)
    return product


def _divided(monomial: Monomial, atom: Atom) -> Monomial | None:
    """``monomial / atom``, or None where it does not contain it."""
    if atom not in monomial:
        return None
    place = monomial.index(atom)
    return (*monomial[:place], *monomial[place + 1 :])


def _bounds(atom: Atom) -> tuple[Size | None, Size | None]:
    if isinstance(atom, Symbol):
        return atom.bounds or (None, None)
    left = extreme(atom.left, lowest=True), extreme(atom.left, lowest=False)
    if atom.name == "%" and isinstance(atom.right, int) and atom.right > 0:
        return 0, atom.right - 1
    if atom.name == "%" and isinstance(atom.right, Dim) and _is_axis(atom.right):
        return 0, atom.right - 1
    if atom.name in ("//", "%"):
        positive = isinstance(atom.right, int) and atom.right > 0 and atom.name == "//"
        return (_quotient(left[0], atom), _quotient(left[1], atom)) if positive else (None, None)
    right = extreme(atom.right, lowest=True), extreme(atom.right, lowest=False)
    if atom.name == "min":
        return _of_both("min", left[0], right[0]), _of_either("min", left[1], right[1])
    return _of_either("max", left[0], right[0]), _of_both("max", left[1], right[1])


def _of_both(name: str, left: Size | None, right: Size | None) -> Size | None:
    """The lesser (or greater) of two bounds, if both are known."""
    if left is None or right is None:
        return None
    known = _of_known(name, left, right)
    return compound(name, left, right) if known is None else known


def _of_either(name: str, left: Size | None, right: Size | None) -> Size | None:
    """One of two bounds that each hold: the closer one, where that can be told."""
    if left is None or right is None:
        return right if left is None else left
    known = _of_known(name, left, right)
    return left if known is None else known


def _of_known(name: str, left: Size, right: Size) -> Size | None:
    distance = left - right
    if not isinstance(distance, int):
        return None
    return left if (distance <= 0) == (name == "min") else right


def _quotient(bound: Size | None, atom: Compound) -> Size | None:
    return None if bound is None else bound // atom.right


def _is_axis(size: Dim) -> bool:
    ((monomial, coefficient), *more) = size.terms
    axes = all(isinstance(a, Symbol) and a.axis for a in monomial)
    return not more and coefficient > 0 and bool(monomial) and axes
