"""Builtins that call a function for each element: ``map``, ``filter``, ``reduce``, ``sorted``,
and ``max`` and ``min`` with ``key=``.

Where the elements are those of arrays and ranges, they are loops in the emitted code.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError
from gradsmith.frontend import protocols
from gradsmith.frontend.calling import call, later
from gradsmith.frontend.choices import choose, compared, negate, truth
from gradsmith.frontend.classes import has_methods, special
from gradsmith.frontend.dispatch import any_traced, apply, run
from gradsmith.frontend.elements import Elements, ElementsIterator, listed
from gradsmith.frontend.exact_type import check_classes, exact_type
from gradsmith.frontend.folds import Fold, Later, State
from gradsmith.frontend.grown import is_grown, whole_of
from gradsmith.frontend.journal import note_container
from gradsmith.frontend.loops import without_first
from gradsmith.frontend.messages import shown
from gradsmith.frontend.names import ends_iterations
from gradsmith.frontend.number_class import note_chosen, possible_types
from gradsmith.frontend.planned import planned
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import count_handlers, current_trace
from gradsmith.frontend.traced_int import wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trips import (
    TripIterator,
    Trips,
    as_trips,
    each,
    each_list,
    is_decided,
    iterator_of,
    taken,
    zipped,
)
from gradsmith.frontend.unsettled import Cause
from gradsmith.frontend.value_guards import decide
from gradsmith.ir import dims
from gradsmith.ir.types import class_of_values
from gradsmith.ops.raising import error_of
from gradsmith.ops.regions import as_whole
from gradsmith.ops.scalars import as_float
from gradsmith.ops.sorting import pythons_order

FUNCTIONS_OF_ITERATORS: dict[Any, Callable[..., Any]] = {}


def meaning(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare what a function of Python's does, traced values or not."""

    def declare(implementation: Callable[..., Any]) -> Callable[..., Any]:
        FUNCTIONS_OF_ITERATORS[function] = implementation
        return implementation

    return declare


def _itself(element: Any) -> Any:
    return element


def over(items: Any, element: Callable[..., Any] = _itself) -> Elements:
    """``(element(item) for item in items)``."""
    return Elements(element, [(items, "element", ())], lazy=True)


def _ending(function: Any) -> Callable[..., Any]:
    """What calls a function whose `StopIteration` is the end: Python has to see its errors, as in
    a ``try``.
    """
    return functools.partial(_called_in_try, function)


def _called_in_try(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    count_handlers(1, ())
    try:
        return call(function, *args, **kwargs)
    finally:
        count_handlers(-1, ())


@meaning(map)
def _map(function: Any, /, *iterables: Any, **options: Any) -> Any:
    if ends_iterations(function):
        return map(_ending(function), *each_list(iterables), **options)
    if not iterables or options or any(as_trips(planned(v).iterable) is None for v in iterables):
        return map(later(function), *each_list(iterables), **options)
    zipped_trips = zipped(*iterables)
    if not isinstance(zipped_trips, TripIterator):
        return map(later(function), *each_list(iterables))
    return iterator_of(map, zipped_trips.peek(), lambda items: later(function)(*items), function)


@meaning(itertools.starmap)
def _starmap(function: Any, iterable: Any, /) -> Any:
    if ends_iterations(function):
        return itertools.starmap(_ending(function), *each_list([iterable]))
    trips = taken(iterable)
    if trips is None:
        return itertools.starmap(later(function), *each_list([iterable]))
    return iterator_of(map, trips, lambda items: later(function)(*items), function)


if hasattr(itertools, "pairwise"):

    @meaning(itertools.pairwise)
    def _pairwise(iterable: Any, /) -> Any:
        trips = taken(iterable)
        pairwise = getattr(itertools, "pairwise")  # noqa: B009  of Python 3.10
        return pairwise(iterable) if trips is None else zipped(trips, trips.after(1))


@meaning(filter)
def _filter(function: Any, iterable: Any, /) -> Any:
    if ends_iterations(function):
        asked = _ending(function)
        return filter(lambda element: decide(truth(asked(element))), *each_list([iterable]))
    test = _itself if function is None else later(function)
    clause = (iterable, "element", (lambda ask, element: ask(test(element)),))
    return ElementsIterator(Elements(_itself, [clause], lazy=True))


@meaning(itertools.chain.from_iterable)
def _chained(iterable: Any, /) -> Any:
    return itertools.chain.from_iterable(map(protocols.stepwise, iterable))


@meaning(operator.not_)
def _not(value: Any, /) -> Any:
    return negate(value)


@meaning(operator.truth)
def _truth(value: Any, /) -> Any:
    return negate(negate(value))


_NONE = object()


def _split(items: Any) -> tuple[Any, Any] | None:
    """The first element and the others; None where there are none."""
    trips = as_trips(planned(items).iterable)
    if trips is not None and not dims.is_unbacked(trips.length):
        return without_first(items)
    left = each(items)
    first = next(left, _NONE)
    return None if first is _NONE else (first, left)


@meaning(functools.reduce)
def _reduce(function: Any, iterable: Any, initial: Any = _NONE, /) -> Any:
    if initial is _NONE:
        split = _split(iterable)
        if split is None:
            return functools.reduce(function, iterable)
        initial, iterable = split

    def step(state: State, element: Later) -> State:
        return {"total": later(function)(state["total"], element())}

    return Fold(over(iterable), step).run({"total": initial})["total"]


# -- the best by a key


class Comparison:
    """``functools.cmp_to_key(function)``."""

    __gradsmith__ = True

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function = function
        self._plain = functools.cmp_to_key(functools.partial(call, function))

    def __call__(self, value: Any) -> Any:
        """The key of a value."""
        return self._plain(value)

    def compared(self, compare: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        """How two values compare."""
        return compare(call(self.function, left, right), 0)


@meaning(functools.cmp_to_key)
def _as_key(mycmp: Any) -> Comparison:
    return Comparison(mycmp)


def is_better(compare: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """``left > right`` (or ``<``); of tuples and lists where they differ first."""
    if not (type(left) is type(right) and isinstance(left, (tuple, list))):
        asks = compare in _WORDS and (has_methods(left) or has_methods(right))
        return truth(compared(left, _WORDS[compare], right)) if asks else compare(left, right)
    pairs = list(zip(left, right, strict=False))
    result: Any = compare(len(left), len(right))
    for one, other in reversed(pairs):
        rest = functools.partial(_itself, result)
        result = choose(one == other, rest, functools.partial(is_better, compare, one, other))
    return result


_WORDS = {operator.gt: "Gt", operator.lt: "Lt"}


def best(plain: Any, elements: Elements, key: Any, default: Any = _NONE) -> Any:
    """``max(elements, key=key, default=default)``, or ``min``: the first of the best."""
    compare: Callable[[Any, Any], Any] = operator.gt if plain is max else operator.lt
    if isinstance(key, Comparison):
        compare, key = functools.partial(key.compared, compare), None
    measure = _itself if key is None else later(key)
    items = elements.items(0, {})
    alone = len(elements.clauses) == 1 and not elements.conditional
    split = _split(items) if alone else _split(elements.as_python())
    if split is None:
        return plain(()) if default is _NONE else default
    first, others = split

    def step(state: State, later_element: Later) -> State:
        value = later_element()
        size = measure(value)
        better = is_better(compare, size, state["key"])
        chosen: State = choose(better, lambda: {"best": value, "key": size}, lambda: state)
        return chosen

    element = functools.partial(_element_at, elements) if alone else _itself
    first = element(first)
    rest = over(others, element)
    return Fold(rest, step).run({"best": first, "key": measure(first)})["best"]


def _element_at(elements: Elements, item: Any) -> Any:
    """The element for an item of the one ``for``, whose target may take that apart."""
    return elements.element(*elements.bound(0, {}, item).values())


def _extreme(plain: Any, *args: Any, key: Any = None, default: Any = _NONE) -> Any:
    if not args or (len(args) > 1 and default is not _NONE):
        return plain(*args, default=None)  # raises what Python raises
    return best(plain, over(args[0] if len(args) == 1 else list(args)), key, default)


EXTREMES = {plain: functools.partial(_extreme, plain) for plain in (max, min)}
"""``max`` and ``min`` with options, and of tuples."""


# -- sorting


@meaning(sorted)
def _sorted(iterable: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    trips, downwards = taken(iterable), _is_reversed(reverse)
    items = list(iterable) if trips is None else trips
    measure = _itself if key is None else later(key)
    sizes = listed(over(items, measure)) if trips is not None else [measure(v) for v in items]
    sizes_in_array = _as_row(sizes)
    if sizes_in_array is None:
        values = list(items)
        check_classes(values)
        known = list(each(sizes)) if is_grown(sizes) else sizes
        order = _ordered(known, downwards=downwards)
        return [values[i] for i in order]
    places = _order(sizes_in_array, downwards=downwards)
    if trips is not None:
        counted = trips.from_zero()
        return listed(over(places, lambda place: counted.item(_whole(place, counted))))
    check_classes(items)
    site, trace = current_span(), current_trace()
    decided = trace is not None and site in trace.decided
    row = _as_row(items) if _are_of_one_class(items) and not decided else None
    if row is None:
        order = _ordered(sizes, downwards=downwards)
        return [items[i] for i in order]
    whole = row[places]
    found = [whole[i] for i in range(len(items))]
    found = [run(as_float, v) for v in found] if items[0].type.weak else found
    for value in found:
        note_chosen(value.node, Cause(site))
    return found


class _Asked:
    """A key that is an object of the user's: sorting asks its staged ``__lt__``."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: _Asked) -> bool:
        return bool(decide(truth(compared(self.value, "Lt", other.value))))


def _is_asked(key: Any) -> bool:
    if type(key) in (list, tuple):
        return any(map(_is_asked, key))
    return any(special(key, name) for name in ("__lt__", "__gt__"))


def _ordered(keys: Any, *, downwards: bool) -> list[int]:
    """The places of the keys in their order."""
    asks = any(map(_is_asked, keys))
    known = [_Asked(key) for key in keys] if asks else keys
    return sorted(range(len(known)), key=known.__getitem__, reverse=downwards)


def _are_of_one_class(values: Any) -> bool:
    """Whether the numbers are all Python's, or all NumPy's of one dtype."""
    traced = [value for value in values if isinstance(value, Tracer)]
    types = [value.type for value in traced]
    known = all(possible_types(value.node) == (value.type,) for value in traced)
    return known and all((t.weak, t.dtype) == (types[0].weak, types[0].dtype) for t in types)


def _whole(place: Tracer, trips: Trips) -> Any:
    """A place as an integer of Python's where it may be part of the elements."""
    return place if trips.reads else wrap_size(as_whole(place.node))


def _is_reversed(reverse: Any) -> bool:
    """The truth of the option, of a class that Python takes for it: not all versions take all."""
    if isinstance(reverse, Tracer):
        error = ArgumentTypeError(
            f"sorting in an order that {shown(reverse)} decides", current_span(), "use bool(...)"
        )
        own = error_of(lambda: sorted((), reverse=class_of_values(exact_type(reverse))()))
        if own is not None:
            error.own = own
            raise error
    return bool(reverse)


def _as_row(values: Any) -> Tracer | None:
    """Numbers as one array; None where none is traced, or where they are something else."""
    if is_grown(values):
        whole = whole_of(values)
        return whole if whole.ndim == 1 else None
    if not any_traced(values) or not all(map(_is_float, values)):
        return None
    row: Tracer = apply(np.stack, list(values))
    return row


def _is_float(value: Any) -> bool:
    return isinstance(value, Tracer) and not value.ndim and value.dtype.kind == "f"


def _order(sizes: Tracer, *, downwards: bool) -> Any:
    """The places in order: equal ones stay in theirs, also from the greatest down."""
    if not downwards:
        return _upwards(sizes)
    return (sizes.shape[0] - 1 - _upwards(sizes[::-1]))[::-1]


def _upwards(sizes: Tracer) -> Any:
    if sizes.dtype.kind == "f":
        return run(pythons_order, sizes)
    return apply(np.argsort, sizes, kind="stable")


def sort_in_place(values: list[Any], /, *args: Any, key: Any = None, reverse: Any = False) -> None:
    """``values.sort(key=key, reverse=reverse)``."""
    if args:
        raise TypeError(_SORTED_BY_POSITION)
    if key is None or is_grown(values):
        made = _sorted(values, key=key, reverse=reverse)
        note_container(values)
    else:
        note_container(values)
        with _empty_meanwhile(values) as items:
            made = _sorted(items, key=key, reverse=reverse)
    values[:] = made


@contextmanager
def _empty_meanwhile(values: list[Any]) -> Iterator[list[Any]]:
    """The elements of a list that is empty for the functions that are called inside, as it is for
    the key while Python sorts it.
    """
    items = list(values)
    values.clear()
    try:
        yield items
    finally:
        is_changed = bool(values)
        values[:] = items
    if is_changed:
        raise ValueError(_CHANGED)


def _changing() -> None:
    values = [1]
    values.sort(key=values.append)  # type: ignore[arg-type]


_CHANGED = str(error_of(_changing))
_SORTED_BY_POSITION = str(error_of(lambda: [].sort(None)))  # type: ignore[call-overload]


def method_meaning(function: Any) -> Callable[..., Any] | None:
    """What ``values.sort`` means, of a list."""
    owner = getattr(function, "__self__", None)
    if type(owner) is list and getattr(function, "__name__", "") == "sort":
        return functools.partial(sort_in_place, owner)
    return None


def elements_of(iterator: Any, function: Any) -> Elements | None:
    """What is left of an iterator of ours for ``function``, if that goes through all of it, or
    if nothing else does.
    """
    if not isinstance(iterator, (TripIterator, ElementsIterator)):
        return None
    whole = any(function is known for known in _TAKE_ALL)
    if isinstance(iterator, ElementsIterator):
        return iterator.take() if whole else None
    if whole or ((function is any or function is all) and not is_decided()):
        return over(iterator.take(whole=whole))
    return None


_TAKE_ALL = (sum, max, min, list, tuple, math.prod)
"""What goes through all of an iterator."""
