"""Builtins whose argument is a comprehension: what they do with its elements, one by one."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any

from gradsmith.frontend import summing
from gradsmith.frontend.builtins_table import BUILTINS
from gradsmith.frontend.choices import choose, either, negate
from gradsmith.frontend.elements import Elements, listed
from gradsmith.frontend.failing import raising
from gradsmith.frontend.folds import Fold, Later, State
from gradsmith.frontend.grown import is_grown, sum_of_rows
from gradsmith.frontend.joint import as_condition
from gradsmith.frontend.loops import stays_one, without_first
from gradsmith.frontend.merging import is_whole

CONSUMERS: dict[Any, Callable[..., Any]] = {}


def consumer(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare what a builtin does with a comprehension."""

    def declare(meaning: Callable[..., Any]) -> Callable[..., Any]:
        CONSUMERS[function] = meaning
        return meaning

    return declare


def consumer_of(
    function: Any, args: tuple[Any, ...]
) -> tuple[Callable[..., Any] | None, tuple[Any, ...]]:
    """What ``function`` does with a comprehension, or with a list that a loop has appended to;
    None where it does that by itself. The arguments are for what is to be called.
    """
    if not any(type(argument) is Elements or is_grown(argument) for argument in args):
        return None, args
    first, *others = args
    builtin = isinstance(function, (type, BuiltinFunctionType))
    meaning = CONSUMERS.get(function) if builtin else None
    if function is sum and not others and is_grown(first):
        total = sum_of_rows(first)
        if total is not None:
            return lambda _: total, args
    if meaning is not None and is_grown(first) and function not in (len, list, tuple):
        first = Elements(_itself, [(first, "element", ())])
    if meaning is not None and type(first) is Elements and len(others) <= (function is sum):
        return meaning, (first, *others)
    return None, tuple(a.as_python() if type(a) is Elements else a for a in args)


def _itself(element: Any) -> Any:
    return element


def _goes_by_itself(elements: Elements) -> bool:
    """Whether Python may make the trips: they are written out, and all of them have elements."""
    return not (elements.conditional or stays_one(elements.items(0, {})))


CONSUMERS[list] = listed
CONSUMERS[tuple] = lambda elements: tuple(listed(elements))


@consumer(sum)
def _sum(elements: Elements, /, start: Any = 0) -> Any:
    begun = is_whole(start) and not (type(start) is int and start == 0)
    if (begun and summing.COMPENSATED) or _goes_by_itself(elements):
        return BUILTINS[sum](elements.as_python(), start)
    if not summing.COMPENSATED:
        return Fold(elements, _added).run({"total": start})["total"]
    state = Fold(elements, _added_exactly).run({"total": start, "lost": 0.0})
    return summing.complete(state["total"], state["lost"])


def _added(state: State, element: Later) -> State:
    return {"total": state["total"] + element()}


def _added_exactly(state: State, element: Later) -> State:
    total, lost = summing.added(state["total"], state["lost"], element())
    return {"total": total, "lost": lost}


@consumer(math.prod)
def _prod(elements: Elements, /, *, start: Any = 1) -> Any:
    if _goes_by_itself(elements):
        return BUILTINS[math.prod](elements.as_python(), start=start)
    return Fold(elements, _multiplied).run({"product": start})["product"]


def _multiplied(state: State, element: Later) -> State:
    return {"product": state["product"] * element()}


@consumer(len)
def _len(elements: Elements, /) -> Any:
    if elements.lazy or not elements.conditional:
        return BUILTINS[len](elements.as_python())
    return Fold(elements, _counted).run({"count": 0})["count"]


def _counted(state: State, element: Later) -> State:
    element()
    return {"count": state["count"] + 1}


_NO_DEFAULT = object()


def _extreme(plain: Any, is_better: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """``max`` and ``min``: the first that no other is better than, as Python compares."""

    def improved(state: State, element: Later) -> State:
        value = element()
        better = is_better(value, state["best"])
        chosen: State = choose(better, lambda: {"best": value}, lambda: state)
        return chosen

    def found(state: State, element: Later) -> State:
        value = element()
        better = either("or", negate(state["found"]), lambda: is_better(value, state["best"]))
        chosen: State = choose(better, lambda: {"found": True, "best": value}, lambda: state)
        return chosen

    def none() -> Any:
        def make() -> ValueError:
            try:
                plain(())
            except ValueError as error:
                return error
            raise AssertionError

        if raising(make):
            raise make()
        return False

    def extreme(elements: Elements, /, *, default: Any = _NO_DEFAULT, **named: Any) -> Any:
        listed_first = not elements.lazy and default is _NO_DEFAULT and _goes_by_itself(elements)
        if named or listed_first:
            return BUILTINS[plain](elements.as_python(), **named)
        split = without_first(elements.items(0, {})) if _is_single(elements) else None
        if split is not None:
            first, others = split
            variables = elements.bound(0, {}, first)
            clause = (others, elements.clauses[0][1], ())
            rest = Elements(elements.element, [clause])
            return Fold(rest, improved).run({"best": elements.element(*variables.values())})[
                "best"
            ]
        state = Fold(elements, found).run({"found": False, "best": False})
        if default is not _NO_DEFAULT:
            return choose(state["found"], lambda: state["best"], lambda: default)
        choose(state["found"], lambda: True, none)
        return state["best"]

    return extreme


def _is_single(elements: Elements) -> bool:
    return len(elements.clauses) == 1 and not elements.conditional


CONSUMERS[max] = _extreme(max, operator.gt)
CONSUMERS[min] = _extreme(min, operator.lt)


def _truth(value: Any) -> Any:
    return choose(as_condition(value), lambda: True, lambda: False)


@consumer(any)
def _any(elements: Elements, /) -> Any:
    def asked(state: State, element: Later) -> State:
        if elements.lazy:
            return {"found": either("or", state["found"], lambda: _truth(element()))}
        value = _truth(element())
        return {"found": either("or", state["found"], lambda: value)}

    if _goes_by_itself(elements):
        return BUILTINS[any](elements.as_python())
    ends = operator.itemgetter("found") if elements.lazy else None
    return Fold(elements, asked, ends).run({"found": False})["found"]


@consumer(all)
def _all(elements: Elements, /) -> Any:
    def asked(state: State, element: Later) -> State:
        if elements.lazy:
            return {"holds": either("and", state["holds"], lambda: _truth(element()))}
        value = _truth(element())
        return {"holds": either("and", state["holds"], lambda: value)}

    def fails(state: State) -> Any:
        return negate(state["holds"])

    if _goes_by_itself(elements):
        return BUILTINS[all](elements.as_python())
    ends = fails if elements.lazy else None
    return Fold(elements, asked, ends).run({"holds": True})["holds"]
