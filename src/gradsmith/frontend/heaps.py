"""``heapq`` and ``bisect`` on lists: the code is specialised on how elements compare."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from gradsmith.frontend import protocols
from gradsmith.frontend.calling import call
from gradsmith.frontend.classes import has_methods
from gradsmith.frontend.container_calls import announce
from gradsmith.frontend.grown import element_of, is_grown
from gradsmith.frontend.spans import in_users_name
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.tracer import Tracer

_MEANINGS: dict[Any, Callable[..., Any]] = {}


def meaning_of_heap(
    function: Any, args: Any, kwargs: Mapping[str, Any]
) -> Callable[..., Any] | None:
    """What a function of ``heapq`` or ``bisect`` means that changes or orders a list."""
    if current_trace() is None or not hasattr(function, "__module__"):
        return None
    if function.__module__ not in ("_heapq", "heapq", "_bisect"):
        return None
    on_list = bool(args) and (type(args[0]) is list or function in _SORTING)
    if not on_list or (function in _SEARCHING and not _asks_user(*args, **kwargs)):
        return None  # of numbers: the emitted code calls it
    return _MEANINGS.get(function)


def _asks_user(values: Any, *rest: Any, key: Any = None, **_: Any) -> bool:
    """Whether a function or methods of the user's are called for elements."""
    return key is not None or any(map(has_methods, (*values, *rest)))


def _meaning(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def declare(made: Callable[..., Any]) -> Callable[..., Any]:
        _MEANINGS[function] = in_users_name(made)
        return made

    return declare


def _is_less(left: Any, right: Any) -> bool:
    found = protocols.compare("Lt", left, right)
    return Tracer.decide(found) if isinstance(found, Tracer) else bool(found)


def _move_up(heap: list[Any], first: int, place: int) -> None:
    """Let the element at ``place`` rise until its parent is not greater."""
    item = heap[place]
    while place > first:
        parent = (place - 1) >> 1
        if not _is_less(item, heap[parent]):
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


def _move_down(heap: list[Any], place: int) -> None:
    """Let the element at ``place`` sink: first to a leaf, as Python's heaps do, then up again."""
    first, item = place, heap[place]
    while (child := 2 * place + 1) < len(heap):
        right = child + 1
        if right < len(heap) and not _is_less(heap[child], heap[right]):
            child = right
        heap[place] = heap[child]
        place = child
    heap[place] = item
    _move_up(heap, first, place)


@_meaning(heapq.heappush)
def _push(heap: list[Any], item: Any, /) -> None:
    announce(heap, "insert")
    heap.append(item)
    _move_up(heap, 0, len(heap) - 1)


@_meaning(heapq.heappop)
def _pop(heap: list[Any], /) -> Any:
    announce(heap, "pop")
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    return _replace(heap, last) if heap else last


@_meaning(heapq.heapreplace)
def _replace(heap: list[Any], item: Any, /) -> Any:
    announce(heap, "pop")
    if not heap:
        raise IndexError("index out of range")
    least, heap[0] = heap[0], item
    _move_down(heap, 0)
    return least


@_meaning(heapq.heappushpop)
def _push_pop(heap: list[Any], item: Any, /) -> Any:
    if heap and _is_less(heap[0], item):
        return _replace(heap, item)
    return item


@_meaning(heapq.heapify)
def _heapify(heap: list[Any], /) -> None:
    announce(heap, "sort")
    for place in reversed(range(len(heap) // 2)):
        _move_down(heap, place)


@_meaning(heapq.nsmallest)
def _least(n: Any, iterable: Any, key: Any = None) -> Any:
    return _first(heapq.nsmallest, n, iterable, key, reverse=False)


@_meaning(heapq.nlargest)
def _greatest(n: Any, iterable: Any, key: Any = None) -> Any:
    return _first(heapq.nlargest, n, iterable, key, reverse=True)


def _first(plain: Callable[..., Any], n: Any, iterable: Any, key: Any, *, reverse: bool) -> Any:
    """The first so many in their order; objects are compared as often as Python compares them."""
    if type(iterable) in (list, tuple) and not is_grown(iterable):
        if key is not None and iterable and n <= 0:
            return []  # Python asks for no key
        keys = iterable if key is None else [call(key, value) for value in iterable]
        if any(map(has_methods, keys)):
            places = plain(n, range(len(keys)), key=keys.__getitem__)
            return [iterable[place] for place in places]
        key = None if key is None else partial(_next_of, iter(keys))
    values = call(sorted, iterable, key=key, reverse=reverse)
    part = slice(0, max(n, 0))
    return element_of(values, part) if is_grown(values) else values[part]


def _next_of(keys: Iterator[Any], _: Any) -> Any:
    return next(keys)


_SORTING = (heapq.nsmallest, heapq.nlargest)
_SEARCHING = (bisect.bisect_left, bisect.bisect_right)


def _place(a: list[Any], x: Any, lo: int, hi: int | None, key: Any, *, right: bool) -> int:
    """Where ``x`` belongs in a sorted list, of which the elements have these keys."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        found = a[middle] if key is None else call(key, a[middle])
        before = not _is_less(x, found) if right else _is_less(found, x)
        lo, end = (middle + 1, end) if before else (lo, middle)
    return lo


def _insertion(*, right: bool) -> Callable[..., None]:
    def insert(
        a: list[Any], x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None
    ) -> None:
        wanted = x if key is None else call(key, x)
        place = _place(a, wanted, lo, hi, key, right=right)
        announce(a, "insert")
        a.insert(place, x)

    return insert


def _search(*, right: bool) -> Callable[..., int]:
    def search(
        a: list[Any], x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None
    ) -> int:
        return _place(a, x, lo, hi, key, right=right)

    return search


_meaning(bisect.insort_left)(_insertion(right=False))
_meaning(bisect.insort_right)(_insertion(right=True))
_meaning(bisect.bisect_left)(_search(right=False))
_meaning(bisect.bisect_right)(_search(right=True))
