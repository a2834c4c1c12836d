"""Decisions about symbolic sizes, and the guards that make them safe.

Where a decision needs a number, the hint decides and a `Guard` is recorded; a call that breaks a
guard compiles anew. What changes while the code runs has bounds, which must settle it.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeAlias

from gradsmith.errors import ControlFlowError, UndecidedSizeError
from gradsmith.ir.bounds import changes, extreme
from gradsmith.ir.sizes import (
    COMPOUND,
    Atom,
    Compound,
    Dim,
    Monomial,
    Shape,
    Size,
    Symbol,
    as_atom,
    as_symbol,
    broadcast,
    broadcast_parts,
    changing,
    compound,
    evaluate,
    hint,
    is_long,
    is_size,
    is_unbacked,
    least,
    of_atom,
    of_terms,
    open_axis,
    product,
    renamed,
    render,
    symbol,
    symbols,
    total_of,
)

__all__ = [
    "COMPOUND",
    "RELATIONS",
    "Atom",
    "Compound",
    "Dim",
    "Guard",
    "Monomial",
    "Shape",
    "Size",
    "Symbol",
    "as_atom",
    "as_symbol",
    "broadcast",
    "broadcast_parts",
    "changes",
    "changing",
    "compound",
    "concrete",
    "decide",
    "evaluate",
    "extreme",
    "hint",
    "is_below",
    "is_long",
    "is_many",
    "is_one",
    "is_settled",
    "is_size",
    "is_unbacked",
    "known_equal",
    "least",
    "may_broadcast",
    "minimum",
    "needed",
    "noting_assumptions",
    "of_atom",
    "of_terms",
    "open_axis",
    "product",
    "record",
    "recording_guards",
    "renamed",
    "render",
    "same",
    "same_symbols",
    "settled",
    "symbol",
    "symbols",
    "total_of",
]

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
        try:
            left, right = evaluate(self.left, bindings), evaluate(self.right, bindings)
        except ZeroDivisionError:  # in a size that such calls never come to
            return False
        return RELATIONS[self.relation](left, right)

    def __repr__(self) -> str:
        return f"{render(self.left)} {self.relation} {render(self.right)}"


_recorder: ContextVar[dict[Guard, None] | None] = ContextVar("guards", default=None)


class recording_guards:  # noqa: N801  used as a function; entered so often that it is no generator
    """Collect the guards of every decision taken inside (an ordered set)."""

    __slots__ = ("_token",)

    def __enter__(self) -> dict[Guard, None]:
        guards: dict[Guard, None] = {}
        self._token = _recorder.set(guards)
        return guards

    def __exit__(self, *_: object) -> None:
        _recorder.reset(self._token)


Assumed: TypeAlias = Callable[[Size, Size], None]
_assumed: ContextVar[Assumed | None] = ContextVar("assumed", default=None)


@contextmanager
def noting_assumptions(note: Assumed) -> Iterator[None]:
    """Call ``note(left, right)`` for each pair of sizes inside that `same` takes to be equal
    because only running tells.
    """
    token = _assumed.set(note)
    try:
        yield
    finally:
        _assumed.reset(token)


def record(guards: Iterable[Guard]) -> None:
    """Collect guards of decisions that were taken before."""
    recorder = _recorder.get()
    if recorder is not None:
        recorder.update(dict.fromkeys(guards))


def decide(relation: str, left: Size, right: Size) -> bool:
    """``left <relation> right`` by the hints, recorded as a guard if it could be otherwise.

    Raises
    ------
    UndecidedSizeError
        The data decide it.
    """
    outcome = RELATIONS[relation](hint(left), hint(right))
    if isinstance(left, int) and isinstance(right, int):
        return outcome
    if changes(left) or changes(right):
        return _decide_for_all_trips(relation, left, right)
    if (relation in ("==", "!=") and left == right) or _goes_without_saying(relation, left, right):
        return outcome
    if _is_provable(_excess(relation if outcome else _OPPOSITE[relation], left, right)):
        return outcome
    if is_unbacked(left) or is_unbacked(right):
        raise _undecided(left - right, f"{render(left)} {relation} {render(right)}")
    recorder = _recorder.get()
    if recorder is not None:
        held = relation if outcome else _OPPOSITE[relation]
        recorder[Guard(held, left, right)] = None
    return outcome


def _decide_for_all_trips(relation: str, left: Size, right: Size) -> bool:
    outcome = settled(relation, left, right)
    if outcome is None:
        text = f"{render(left)} {relation} {render(right)}"
        error = ControlFlowError(f"whether {text} differs from trip to trip of a loop")
        error.size = left - right
        raise error
    return outcome


def settled(relation: str, left: Size, right: Size) -> bool | None:
    """Whether the relation holds in every trip of the loops around (True), in none, or neither.

    The extremes that the bounds of the changing sizes give decide it, with a guard.
    """
    if relation in ("==", "!="):
        low, high = settled("<=", left, right), settled(">=", left, right)
        equal = None if None in (low, high) and False not in (low, high) else low and high
        return equal if equal is None or relation == "==" else not equal
    if relation in ("<", "<="):
        return settled(_MIRRORED[relation], right, left)
    distance = left - right - (1 if relation == ">" else 0)
    if not changes(distance):
        return _is_at_least_zero(distance)
    if _holds_by_cases(distance):
        return True
    least, greatest = extreme(distance, lowest=True), extreme(distance, lowest=False)
    if least is not None and hint(least) >= 0:
        return _is_at_least_zero(least)
    if greatest is not None and hint(greatest) < 0:
        return _is_at_least_zero(greatest)
    return None


def _is_at_least_zero(size: Size) -> bool | None:
    """The same for all trips, and with a guard for all calls; None where the data says it."""
    if is_unbacked(size) and not _goes_without_saying(">=", size, 0):
        return None
    return decide(">=", size, 0)


def _holds_by_cases(distance: Size) -> bool:
    """Whether ``distance >= 0``, a minimum (or maximum) in it being the one or the other."""
    found = list(_extremes(distance)) if isinstance(distance, Dim) else []
    if len(found) > _MOST_EXTREMES:  # each of them doubles the cases
        return False
    for atom, coefficient in found:
        rest = distance - of_atom(atom) * coefficient
        sides = [rest + side * coefficient for side in (atom.left, atom.right)]
        needed = all if (atom.name == "min") == (coefficient > 0) else any
        with recording_guards() as guards:
            holds = needed(settled(">=", side, 0) for side in sides)
        if holds:
            record(guards)
            return True
    return False


_MOST_EXTREMES = 3


def _extremes(size: Dim) -> Iterator[tuple[Compound, int]]:
    """The terms of a sum that are a minimum or maximum, each with its coefficient."""
    for monomial, coefficient in size.terms:
        (atom, *more) = monomial or (None,)
        if not more and isinstance(atom, Compound) and atom.name in ("min", "max"):
            yield atom, coefficient


_MIRRORED = {"<": ">", "<=": ">="}


def _goes_without_saying(relation: str, left: Size, right: Size) -> bool:
    """Whether the relation has the same outcome for all axes of two elements or more."""
    if not isinstance(left, Dim) or not isinstance(right, int) or relation not in _BELOW:
        return False
    bound = least(left)
    return bound is not None and bound + _BELOW[relation] > right


def _excess(relation: str, left: Size, right: Size) -> Size:
    """What is at least 0 where the relation holds; at least 0 never, for (in)equality."""
    if relation in ("<", "<="):
        return right - left - (relation == "<")
    return left - right - (relation == ">") if relation in (">", ">=") else -1


_MOST_PROOF_STEPS = 64
"""Sizes that a proof looks at before it gives up: in a recurrence of quotients (a number that is
halved again and again) each has several parts, and the search would be exponential.
"""


def _is_provable(size: Size) -> bool:
    """Whether ``size >= 0`` for all calls, taking a minimum (or maximum) in it by cases, and a
    quotient by its bounds. False also where the search is too long.
    """
    return _search_proof(size, itertools.count())


def _search_proof(size: Size, steps: Iterator[int]) -> bool:
    bound = least(size)
    if bound is not None and bound >= 0:
        return True
    if next(steps) >= _MOST_PROOF_STEPS:
        return False
    for monomial, coefficient in size.terms if isinstance(size, Dim) else ():
        (atom, *more) = monomial or (None,)
        if more or not isinstance(atom, Compound):
            continue
        rest = size - of_atom(atom) * coefficient
        if atom.name == "//":
            cases = _bound_of_quotient(atom, coefficient, rest)
        elif atom.name in ("min", "max", "broadcast"):
            cases = [rest + side * coefficient for side in (atom.left, atom.right)]
        else:
            continue
        either = atom.name != "broadcast" and (atom.name == "max") == (coefficient > 0)
        needed = any if either else all
        if cases and needed(_search_proof(case, steps) for case in cases):
            return True
    return False


def _bound_of_quotient(atom: Compound, coefficient: int, rest: Size) -> list[Size]:
    """A size that proves ``coefficient * (n // d) + rest >= 0`` by being at least 0, as
    ``n - d < d * (n // d) <= n``; none where the divisor is not known to be positive.
    """
    divisor = atom.right
    if not isinstance(divisor, int) or divisor <= 0:
        return []
    end = atom.left if coefficient < 0 else atom.left - divisor + 1
    return [rest * divisor + end * coefficient]


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


def needed(guards: Iterable[Guard]) -> tuple[Guard, ...]:
    """The guards without those that hold for all sizes which the others say are equal."""
    known = tuple(guards)
    same = same_symbols(known)

    def follows(guard: Guard) -> bool:
        left, right = (
            renamed(side, lambda s: same.get(s, s)) for side in (guard.left, guard.right)
        )
        return _is_provable(_excess(guard.relation, left, right))

    return tuple(guard for guard in known if not follows(guard))


def known_equal(left: Size, right: Size) -> bool:
    """Whether two sizes are equal for all calls that use this code: by form, or by a guard."""
    if left == right:
        return True
    recorder = _recorder.get()
    if recorder is None:
        return False
    return Guard("==", left, right) in recorder or Guard("==", right, left) in recorder


def concrete(size: Size) -> int:
    """The number itself, for good: records that the size must be just that.

    Raises
    ------
    UndecidedSizeError
        The data decide it.
    """
    if is_unbacked(size):
        raise _undecided(size, render(size))
    decide("==", size, hint(size))
    return hint(size)


def _undecided(size: Size, text: str) -> UndecidedSizeError:
    error = UndecidedSizeError(
        f"a number has to be known when tracing, and the data decide it: {text}"
    )
    error.size = size
    return error


def same(left: Size, right: Size) -> bool:
    """Whether two sizes are equal; sizes that depend on data are taken to be what they must be."""
    if left == right:
        return True
    known: bool | None = None
    if changes(left) or changes(right):
        known = settled("==", left, right)
    elif not (is_unbacked(left) or is_unbacked(right)):
        return decide("==", left, right)
    if known is None:
        _assume(left, right)
    return known is not False


def _assume(left: Size, right: Size) -> None:
    note = _assumed.get()
    if note is not None:
        note(left, right)


def may_broadcast(left: Size, right: Size) -> bool:
    """Whether axes of these sizes broadcast, as they are the same or one of them may be 1."""
    if same(left, right):
        return True
    if _may_be_one(left) or _may_be_one(right):
        _assume(left, right)
        return True
    return False


def _may_be_one(size: Size) -> bool:
    return changes(size) and settled("==", size, 1) is not False


def is_below(size: Size, number: int) -> bool:
    """Whether a size that may not be so small is; of one that the data decides, nobody can say."""
    return not is_unbacked(size) and decide("<", size, number)


def minimum(left: Size, right: Size) -> Size:
    """The lesser of two sizes: by a guard where they are equal now, else by their order where it
    is the same for all calls, else ``min(left, right)``.
    """
    distance = right - left
    if not is_unbacked(distance) and hint(left) == hint(right) and same(left, right):
        return left
    if changes(distance):
        ordered = settled("<=", left, right)
        return compound("min", left, right) if ordered is None else left if ordered else right
    if _is_provable(distance):
        return left
    return right if _is_provable(-distance) else compound("min", left, right)


def is_one_at_most(size: Size) -> bool:
    """Whether it is that of a slice such as ``x[:1]``: one, or none where the data decide so."""
    atom = as_atom(size)
    return isinstance(atom, Compound) and atom.name == "min" and 1 in (atom.left, atom.right)


def is_one(size: Size) -> bool:
    """Whether an axis of this size is one that broadcasts: NumPy does so where there is none, if
    the other axes have none, too, or one.
    """
    if changes(size):
        return settled("==", size, 1) is True
    if is_unbacked(size):
        return is_one_at_most(size)
    if as_symbol(size) is not None and hint(size) != 1:
        return False  # the specialisation key already tells sizes of 1 apart
    return decide("==", size, 1)


def is_settled(left: Size, right: Size) -> bool:
    """Whether it is known before running that two sizes are equal."""
    if changes(left) or changes(right):
        return settled("==", left, right) is True
    return not (is_unbacked(left) or is_unbacked(right))


def is_many(size: Size) -> bool:
    """Whether an axis of this size is known to be none that may broadcast: of two or more."""
    if changes(size):
        return settled(">=", size, 2) is True
    if is_unbacked(size):
        return (least(size) or 0) > 1
    return hint(size) > 1 and decide(">=", size, 2)
