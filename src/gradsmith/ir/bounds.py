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
    of_terms,
    symbols,
    terms_of,
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
    total: dict[Monomial, int] = {}
    for monomial, coefficient in size.terms:
        rest = _divided(monomial, atom)
        if rest is None:
            total[monomial] = total.get(monomial, 0) + coefficient
            continue
        bound = _bound(atom, lowest=(coefficient > 0) == lowest)
        if bound is None or not all(isinstance(a, Symbol) and a.axis for a in rest):
            return None
        for part, number in terms_of(bound * _term(rest, coefficient)):
            total[part] = total.get(part, 0) + number
    return of_terms(total)


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


def _bound(atom: Atom, *, lowest: bool) -> Size | None:
    """The least (or greatest) value of an atom. One side at a time: both would be asked for twice
    at each level of an atom in an atom.
    """
    if isinstance(atom, Symbol):
        return (atom.bounds or (None, None))[0 if lowest else 1]
    if atom.name == "%":
        return _of_remainder(atom, lowest=lowest)
    if atom.name == "//":
        if not (isinstance(atom.right, int) and atom.right > 0):
            return None
        return _quotient(extreme(atom.left, lowest=lowest), atom)
    sides = extreme(atom.left, lowest=lowest), extreme(atom.right, lowest=lowest)
    if atom.name == "broadcast":  # one of the two
        return _of_both("min" if lowest else "max", *sides)
    needs_both = (atom.name == "min") == lowest
    return _of_both(atom.name, *sides) if needs_both else _of_either(atom.name, *sides)


def _of_remainder(atom: Compound, *, lowest: bool) -> Size | None:
    known = atom.right > 0 if isinstance(atom.right, int) else _is_axis(atom.right)
    if not known:
        return None
    return 0 if lowest else atom.right - 1


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
