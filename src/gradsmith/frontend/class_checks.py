"""``isinstance`` and ``issubclass`` where classes answer by themselves.

A metaclass of the user's may define ``__instancecheck__``, which is staged. Abstract base classes
answer by what is registered with them, protocols by the attributes that an object has: the next
call must get the same answers.
"""

from __future__ import annotations

import types
from abc import ABCMeta
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Union, get_origin

from gradsmith.frontend.calling import call
from gradsmith.frontend.choices import either, truth
from gradsmith.frontend.classes import special
from gradsmith.frontend.trace import Reliance, Trace, current_trace


def is_subclass(cls: type, classes: Any) -> bool:
    """``issubclass(cls, classes)`` by what Python knows; the next call must get that answer."""
    answer = issubclass(cls, classes)
    _rely_on_registered(cls, classes)
    return answer


def _rely_on_registered(cls: type, classes: Any) -> None:
    trace = current_trace()
    for kind in () if trace is None else _kinds(classes):
        own = special(kind, "__subclasscheck__")
        if trace is not None and own is None and isinstance(kind, ABCMeta):
            trace.lookups.note_answer(cls, kind)


def is_object_of(value: Any, classes: Any) -> bool:
    """``isinstance(value, classes)`` of a value that is not traced, likewise."""
    trace, answer = current_trace(), isinstance(value, classes)
    _rely_on_registered(type(value), classes)
    if trace is not None:
        for kind in _kinds(classes):
            if getattr(kind, "_is_protocol", False):
                _rely_on_answer(trace, value, kind)
    return answer


def _rely_on_answer(trace: Trace, value: Any, kind: Any) -> None:
    if id(value) not in trace.made:
        key = ("object of", id(value), id(kind))
        ask = partial(isinstance, value, kind)
        trace.reliances[key] = Reliance(ask, ask(), by_identity=True)


def by_metaclass(name: str, value: Any, classes: Any, plain: Callable[[Any, Any], Any]) -> Any:
    """The truth of a check where a metaclass of the user's defines the method of this ``name``;
    None where none does. ``plain`` asks another class.
    """
    kinds = list(_kinds(classes))
    if not any(special(kind, name) for kind in kinds):
        return None
    return _any(name, value, kinds, plain)


def _any(name: str, value: Any, kinds: list[Any], plain: Callable[[Any, Any], Any]) -> Any:
    """Whether one of the classes answers so: they are asked one after the other."""
    first, *rest = kinds
    mine = special(first, name)
    exact = name == "__instancecheck__" and type(value) is first  # Python does not ask then
    asked = exact or (plain(value, first) if mine is None else truth(call(mine, first, value)))
    return either("or", asked, lambda: _any(name, value, rest, plain)) if rest else asked


def _kinds(classes: Any) -> Iterator[Any]:
    """The classes in a tuple, a tuple of such, or a union."""
    if isinstance(classes, types.UnionType) or get_origin(classes) is Union:
        classes = classes.__args__
    if not isinstance(classes, tuple):
        yield classes
        return
    for part in classes:
        yield from _kinds(part)


_OF_PYTHON = {
    ABCMeta.__instancecheck__: ABCMeta.__subclasscheck__,
    ABCMeta.__subclasscheck__: ABCMeta.__subclasscheck__,
}


def meaning_of_check(function: Any) -> Callable[..., bool] | None:
    """What ``super().__instancecheck__`` and the like mean in a metaclass of the user's."""
    if isinstance(function, types.FunctionType) and function in _OF_PYTHON:
        by_object = function is ABCMeta.__instancecheck__
        return partial(_check, by_object, _OF_PYTHON[function])
    name, owner = getattr(function, "__name__", ""), getattr(function, "__self__", None)
    named = name in ("__instancecheck__", "__subclasscheck__")
    if named and isinstance(function, types.BuiltinMethodType) and isinstance(owner, type):
        by_object = name == "__instancecheck__"
        return partial(_check, by_object, type.__subclasscheck__, owner)
    return None


def _check(by_object: bool, plain: Callable[[Any, Any], bool], kind: type, value: Any) -> bool:
    cls = call(type, value) if by_object else value
    answer, trace = plain(kind, cls), current_trace()
    if trace is not None:
        key, ask = ("check", id(kind), cls), partial(plain, kind, cls)
        trace.reliances[key] = Reliance(ask, answer, by_identity=True)
    return answer
