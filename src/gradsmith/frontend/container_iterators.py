"""Iterating over deques, sets and dicts while branches and loops change them and undo that.

The iterator of a deque refuses to go on once anything has changed it, and undoing a change is one
(`frontend.journal`). So its elements are taken by index here, and what the user's code changes is
noted: each deque that is iterated over has a token, another one after each change, in a dict which
branches and loops undo and join like any other. Where paths leave different tokens, the branch is
decided.

A set may order its elements anew when one is added, and keeps that order when the addition is
undone. So its elements are taken at the beginning, and its size is compared as Python does.

The iterator of a dict notices a key that is deleted and put back. So the order of the keys is
compared here, in which undoing leaves them.
"""

from __future__ import annotations

import operator
from collections import OrderedDict, UserDict, deque
from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from typing import Any

from gradsmith.frontend import dict_views
from gradsmith.frontend.journal import adopt, establish, note_container
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.unsettled import Unsettled


class DequeIterator(Iterator[Any]):
    """``iter(values)`` or ``reversed(values)`` of a deque."""

    __slots__ = ("_backwards", "_begun", "_left", "_trace", "_values")

    def __init__(self, trace: Trace, values: deque[Any], *, backwards: bool = False) -> None:
        self._trace = trace
        self._values = values
        self._backwards = backwards
        self._left = len(values)
        self._begun = _token(trace, values)

    def __next__(self) -> Any:
        if self._backwards and not self._left:  # the one order in which Python asks first
            raise StopIteration
        if _token(self._trace, self._values) is not self._begun:
            raise RuntimeError("deque mutated during iteration")
        if not self._left:
            raise StopIteration
        self._left -= 1
        place = self._left if self._backwards else len(self._values) - self._left - 1
        return deque.__getitem__(self._values, place)


class SetIterator(Iterator[Any]):
    """``iter(values)`` of a set."""

    __slots__ = ("_elements", "_size", "_values")

    def __init__(self, values: set[Any]) -> None:
        self._values = values
        self._size = len(values)
        self._elements = iter(list(set.__iter__(values)))

    def __next__(self) -> Any:
        if len(self._values) != self._size:
            raise RuntimeError("Set changed size during iteration")
        return next(self._elements)


class DictIterator(Iterator[Any]):
    """``iter(values)`` of a dict, or of a view of one."""

    __slots__ = ("_behind", "_dict", "_left", "_name", "_size")

    def __init__(self, values: Any) -> None:
        self._name = dict_views.METHODS.get(type(values), "keys")
        self._dict: Any = values if isinstance(values, dict) else dict_views.mapping_of(values)
        self._size = self._left = len(self._dict)
        self._behind: list[Any] = []

    def __next__(self) -> Any:
        keys = list(dict.keys(self._dict))
        if len(keys) != self._size:
            self._size = -1  # for good
            raise RuntimeError("dictionary changed size during iteration")
        place = self._place(keys)
        if place == len(keys):
            raise StopIteration
        if not self._left:
            raise RuntimeError("dictionary keys changed during iteration")
        self._left -= 1
        self._behind = keys[: place + 1]
        return self._element(keys[place])

    def _place(self, keys: list[Any]) -> int:
        """Behind how many keys the iterator is: of those that it was behind the ones that are
        where they were.
        """
        place = 0
        for key in self._behind:
            place += place < len(keys) and keys[place] is key
        return place

    def _element(self, key: Any) -> Any:
        if self._name == "keys":
            return key
        value = dict.__getitem__(self._dict, key)
        return value if self._name == "values" else (key, value)

    def __length_hint__(self) -> int:
        return self._left if self._size == len(self._dict) else 0


class OrderedDictIterator(DictIterator):
    """The same of an `OrderedDict`, the keys of which must stay as they are."""

    __slots__ = ("_keys",)

    def __init__(self, values: Any) -> None:
        super().__init__(values)
        self._keys = list(OrderedDict.keys(self._dict))

    def __next__(self) -> Any:
        if not self._left:
            raise StopIteration
        keys = list(OrderedDict.keys(self._dict))
        if len(keys) != self._size or any(map(operator.is_not, keys, self._keys)):
            raise RuntimeError("OrderedDict mutated during iteration")
        self._left -= 1
        return self._element(keys[-1 - self._left])


def over(values: Any, *, backwards: bool = False) -> Any:
    """What Python goes through, where it is a deque, set or dict in a traced function; else
    ``values``.
    """
    trace = current_trace()
    if trace is None or not is_watched(values) or (backwards and not isinstance(values, deque)):
        return reversed(values) if backwards else values
    if isinstance(values, UserDict):
        return over(values.data)
    if type(values) in _VIEWS:
        return over(getattr(values._mapping.data, _VIEWS[type(values)])())
    if isinstance(values, set):
        return SetIterator(values)
    if not isinstance(values, deque):
        shown = values if isinstance(values, dict) else dict_views.mapping_of(values)
        ordered = isinstance(shown, OrderedDict)
        return OrderedDictIterator(values) if ordered else DictIterator(values)
    return DequeIterator(trace, values, backwards=backwards)


def is_watched(values: Any) -> bool:
    """Whether it is a deque, set or dict that is iterated over as Python's own."""
    cls: Any = type(values)
    if cls in _VIEWS:
        return isinstance(values._mapping, UserDict)
    own = any(issubclass(cls, one) and cls.__iter__ is one.__iter__ for one in _WATCHED)
    return own or cls in dict_views.METHODS


_VIEWS: dict[Any, str] = {KeysView: "keys", ValuesView: "values", ItemsView: "items"}
_WATCHED: tuple[Any, ...] = (deque, set, OrderedDict, dict, UserDict)


def _token(trace: Trace, values: deque[Any]) -> object:
    """Stands for the state of a deque since its last change."""
    if id(values) not in trace.deques:
        trace.deques[id(values)] = values
        adopt(trace.deque_states)
        establish(trace.deque_states, id(values), object())
    token = trace.deque_states[id(values)]
    if isinstance(token, Unsettled):
        token.refuse()
    return token


def is_iterated(values: Any) -> bool:
    """Whether it is a deque that the function has begun to iterate over."""
    trace = current_trace()
    return trace is not None and id(values) in trace.deques


def note_deque(values: Any, method: str) -> None:
    """A method of this name is about to change a container."""
    trace = current_trace()
    if trace is None or id(values) not in trace.deques or method in _IN_PLACE:
        return
    if len(values) < _LEAST.get(method, 0):
        return
    note_container(trace.deque_states)
    trace.deque_states[id(values)] = object()


_IN_PLACE = ("__setitem__", "reverse")
"""Methods that Python's iterators do not mind."""
_LEAST = {"clear": 1, "pop": 1, "popleft": 1, "remove": 1, "rotate": 2}
"""How many elements a deque has at least that these change."""
