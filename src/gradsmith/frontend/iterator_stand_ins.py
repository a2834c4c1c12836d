"""Iterators from outside the function that can be copied: what stands for them while tracing.

Elements are read from a copy of the iterator, each of them anew at each call, as other values from
outside are. After each call of the compiled function as many are taken from the iterator itself;
a derivative takes none.
"""

from __future__ import annotations

import itertools
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.classes import is_instance
from gradsmith.frontend.dispatch import check_at_root
from gradsmith.frontend.journal import adopt, note_container
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Reader, Reliance, Trace
from gradsmith.frontend.warned import warn_left

_SIMPLE: tuple[type, ...] = (
    *map(type, (iter([]), iter(()), iter(""), iter(b""), iter(range(0)), iter(range(1 << 70)))),
    *map(type, (reversed([]), iter({}), iter({}.values()), iter({}.items()), itertools.count())),
    type(iter(np.empty(0))),
)
_COMPOSED = (enumerate, zip, itertools.cycle, itertools.islice)
"""Those that take elements of others, which are copied with them."""


def can_be_copied(value: Any) -> bool:
    """Whether it is an iterator of which the elements can be read without taking them."""
    if type(value) not in (*_SIMPLE, *_COMPOSED):
        return False
    try:
        copied(value)
    except (TypeError, AttributeError):  # of itertools, from Python 3.14 on
        return False
    return True


def copied(iterator: Iterator[Any]) -> Iterator[Any]:
    """An iterator over the same elements, which takes none of this one.

    Raises
    ------
    TypeError
        It takes elements of one that cannot be copied.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        made: Iterator[Any] = _copied(iterator)
        return made


def _copied(part: Any) -> Any:
    """The same of a part of the state of an iterator."""
    if isinstance(part, tuple):
        return tuple(map(_copied, part))
    if type(part) is list:  # what a cycle has gone through
        return part.copy()
    if type(part) not in (*_SIMPLE, *_COMPOSED):
        if isinstance(part, Iterator):
            raise TypeError(f"a {type(part).__name__} cannot be copied")
        return part
    make, arguments, *state = part.__reduce__()
    if any(map(is_instance, arguments)):
        raise TypeError("the elements are what a method of the user's returns")
    composed = type(part) in _COMPOSED
    made = make(*map(_copied, arguments)) if composed else make(*arguments)
    if state and state[0] is not None:
        made.__setstate__(_copied(state[0]) if composed else state[0])
    return made


def _inner(part: Any) -> Iterator[int]:
    """The identities of the iterators within one, and its own."""
    if isinstance(part, tuple):
        for inner in part:
            yield from _inner(inner)
    elif type(part) in (*_SIMPLE, *_COMPOSED):
        yield id(part)
        if type(part) in _COMPOSED:
            yield from _inner(part.__reduce__()[1:])


def stand_in(trace: Trace, value: Iterator[Any], read: Reader, capture: Callable[..., Any]) -> Any:
    """What stands for an iterator that ``read`` finds."""
    found = set(_inner(value))
    if any(found & set(_inner(other.real)) for other in trace.iterators):
        raise UnsupportedError(
            "this takes elements of two iterators from outside the function, of which one takes "
            "those of the other",
            current_span(),
            "pass lists or arrays",
        )
    made = OutsideIterator(trace, value, read, capture)
    trace.iterators.append(made)
    return made


class OutsideIterator:
    """Gives the elements that an iterator from outside gives next."""

    def __init__(
        self, trace: Trace, real: Iterator[Any], read: Reader, capture: Callable[..., Any]
    ) -> None:
        self.real = real
        self.read = read
        self._trace = trace
        self._capture = capture
        self._state = {"taken": 0}
        adopt(self._state)

    @property
    def taken(self) -> int:
        """How many elements the function has taken."""
        return self._state["taken"]

    def __iter__(self) -> OutsideIterator:
        return self

    def __next__(self) -> Any:
        check_at_root(
            self._trace,
            "a traced value decides how many elements are taken of an iterator from outside the "
            "function",
            "pass a list or an array and take its elements by an index",
        )
        place = self.taken
        key = ("element", id(self.real), place)
        find = partial(_element, self.read, place)
        try:
            value = find()
        except LookupError:
            reliance = Reliance(partial(_is_there, find), value=False, by_identity=True)
            self._trace.reliances[key] = reliance
            raise StopIteration from None
        warn_left("taking an element of an iterator from outside the function")
        note_container(self._state)
        self._state["taken"] += 1
        return self._capture(self._trace, key, f"element_{place}", value, find)

    def __copy__(self) -> Iterator[Any]:
        raise UnsupportedError(
            "an iterator from outside the function is copied",
            current_span(),
            "pass a list or an array",
        )

    __deepcopy__ = __copy__


def _element(read: Reader, place: int) -> Any:
    """The element of an iterator that is that many places ahead."""
    ahead = itertools.islice(copied(read()), place, None)
    for value in ahead:
        return value
    raise LookupError("the iterator has no more elements")


def _is_there(find: Reader) -> bool:
    try:
        find()
    except LookupError:
        return False
    return True


def take(iterator: Iterator[Any], count: int) -> None:
    """Take so many elements of an iterator."""
    deque(itertools.islice(iterator, count), maxlen=0)
