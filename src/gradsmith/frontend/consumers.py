"""Builtins whose argument is a comprehension: what they do with its elements, one by one."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import BuiltinFunctionType
from typing import Any

from gradsmith.errors import InternalError
from gradsmith.frontend import summing
from gradsmith.frontend.builtins_table import BUILTINS
from gradsmith.frontend.choices import choose, either, negate
from gradsmith.frontend.elements import Elements, listed
from gradsmith.frontend.failing import raising
from gradsmith.frontend.folds import Fold, Later, State
from gradsmith.frontend.grown import is_grown
from gradsmith.frontend.iterator_functions import best, elements_of
from gradsmith.frontend.joint import as_condition
from gradsmith.frontend.loops import has_no_trips, stays_one, without_first
from gradsmith.frontend.merging import is_whole
from gradsmith.frontend.stacked_arrays import has_open_length, listed_rows
from gradsmith.frontend.stacked_joins import sum_of_rows
from gradsmith.frontend.trips import is_decided

CONSUMERS: dict[Any, Callable[..., Any]] = {}


def _consumer(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
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
    if len(args) == 1 and (function is list or function is tuple) and has_open_length(args[0]):
        return partial(listed_rows, function), args
    left = elements_of(args[0], function) if args else None
    if left is not None:
        args = (left, *args[1:])
    if not any(type(argument) is Elements or is_grown(argument) for argument in args):
        return None, args
    first, *others = args
    builtin = isinstance(function, (type, BuiltinFunctionType))
    meaning = CONSUMERS.get(function) if builtin else None
    if meaning is not None and is_grown(first) and function not in (len, list, tuple):
        first = Elements(_itself, [(first, "element", ())])
    if meaning is not None and type(first) is Elements and len(others) <= (function is sum):
        return meaning, (first, *others)
    return None, tuple(a.as_python() if type(a) is Elements else a for a in args)


def made_lists(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a call, with comprehensions as the lists and generators that they are, but
    for a builtin that goes through its first argument in the graph.
    """
    if not any(type(argument) is Elements for argument in args):
        return args
    if isinstance(function, (type, BuiltinFunctionType)) and function in CONSUMERS:
        return args
    if getattr(function, "__module__", None) == "statistics":  # which is called with numbers alone
        return tuple(listed(a) if type(a) is Elements else a for a in args)
    return tuple(a.as_python() if type(a) is Elements else a for a in args)


def _itself(element: Any) -> Any:
    return element


def _goes_by_itself(elements: Elements) -> bool:
    """Whether Python may make the trips: they are written out, and all of them have elements."""
    return not (elements.conditional or stays_one(elements.items(0, {})))


CONSUMERS[list] = listed
CONSUMERS[tuple] = lambda elements: tuple(listed(elements))


@_consumer(sum)
def _sum(elements: Elements, /, start: Any = 0) -> Any:
    from_zero = type(start) is int and start == 0
    if from_zero and elements.element is _itself:
        total = sum_of_rows(elements.items(0, {}))
        if total is not None:
            return total
    if from_zero and has_no_trips(elements.items(0, {})):
        return start
    begun = is_whole(start) and not from_zero
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


@_consumer(math.prod)
def _prod(elements: Elements, /, *, start: Any = 1) -> Any:
    if _goes_by_itself(elements):
        return BUILTINS[math.prod](elements.as_python(), start=start)
    return Fold(elements, _multiplied).run({"product": start})["product"]


def _multiplied(state: State, element: Later) -> State:
    return {"product": state["product"] * element()}


@_consumer(math.fsum)
def _fsum(elements: Elements, /) -> Any:
    return BUILTINS[math.fsum](listed(elements))


@_consumer(len)
def _len(elements: Elements, /) -> Any:
    if elements.lazy or not elements.conditional:
        return BUILTINS[len](elements.as_python())
    return Fold(elements, _counted).run({"count": 0})["count"]


def _counted(state: State, element: Later) -> State:
    element()
    return {"count": state["count"] + 1}


_NO_DEFAULT = object()


def _given(default: Any) -> dict[str, Any]:
    return {} if default is _NO_DEFAULT else {"default": default}


@dataclass(frozen=True, slots=True)
class Extreme:
    """``max`` and ``min``: the first that no other is better than, as Python compares."""

    plain: Any
    is_better: Callable[[Any, Any], Any]

    def __call__(self, elements: Elements, /, *, default: Any = _NO_DEFAULT, **named: Any) -> Any:
        """``max(element for ...)``."""
        there = not elements.lazy and default is _NO_DEFAULT and _goes_by_itself(elements)
        if named:
            return best(self.plain, elements, **named, **_given(default))
        if there:
            return BUILTINS[self.plain](elements.as_python())
        if len(elements.clauses) == 1 and not elements.conditional:
            split = without_first(elements.items(0, {}))
            if split is not None:
                return self._after_first(elements, *split)
        state = Fold(elements, self._found).run({"found": False, "best": False})
        if default is not _NO_DEFAULT:
            return choose(state["found"], lambda: state["best"], lambda: default)
        choose(state["found"], lambda: True, self._none)
        return state["best"]

    def _after_first(self, elements: Elements, first: Any, others: Any) -> Any:
        """Where there is a first one, it is what the others are compared with."""
        variables = elements.bound(0, {}, first)
        start = {"best": elements.element(*variables.values())}
        rest = Elements(elements.element, [(others, elements.clauses[0][1], ())])
        return Fold(rest, self._improved).run(start)["best"]

    def _improved(self, state: State, element: Later) -> State:
        value = element()
        better = self.is_better(value, state["best"])
        chosen: State = choose(better, lambda: {"best": value}, lambda: state)
        return chosen

    def _found(self, state: State, element: Later) -> State:
        value, found = element(), state["found"]
        if isinstance(value, (tuple, list)) and not isinstance(state["best"], (tuple, list)):
            better = negate(found)  # nothing is found yet: the loop's first element is apart
        else:
            better = either("or", negate(found), lambda: self.is_better(value, state["best"]))
        chosen: State = choose(better, lambda: {"found": True, "best": value}, lambda: state)
        return chosen

    def _none(self) -> bool:
        """There is none: Python's own error, now or in the emitted code."""
        if raising(self._error):
            raise self._error()
        return False

    def _error(self) -> ValueError:
        try:
            self.plain(())
        except ValueError as error:
            return error
        raise InternalError(f"{self.plain.__name__}() of nothing is something")


CONSUMERS[max] = Extreme(max, operator.gt)
CONSUMERS[min] = Extreme(min, operator.lt)


@dataclass(frozen=True, slots=True)
class Quantifier:
    """``any`` (``word`` is "or") and ``all`` ("and"): a generator is left when it is decided."""

    plain: Any
    word: str
    name: str

    def __call__(self, elements: Elements, /) -> Any:
        """``any(element for ...)``."""
        if is_decided() or _goes_by_itself(elements):
            return BUILTINS[self.plain](elements.as_python())
        asked, ends = (self._asked, self._ends) if elements.lazy else (self._asked_all, None)
        return Fold(elements, asked, ends).run({self.name: self.word == "and"})[self.name]

    def _asked(self, state: State, element: Later) -> State:
        return {self.name: either(self.word, state[self.name], lambda: _truth(element()))}

    def _asked_all(self, state: State, element: Later) -> State:
        value = _truth(element())
        return {self.name: either(self.word, state[self.name], lambda: value)}

    def _ends(self, state: State) -> Any:
        return state[self.name] if self.word == "or" else negate(state[self.name])


def _truth(value: Any) -> Any:
    return choose(as_condition(value), lambda: True, lambda: False)


CONSUMERS[any] = Quantifier(any, "or", "found")
CONSUMERS[all] = Quantifier(all, "and", "holds")
