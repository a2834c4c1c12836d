"""Calls that write to containers without a statement that does: methods, ``setattr``, `operator`.

What a branch or a loop changes is undone and becomes a result, so every write is announced before
it happens (`frontend.journal`).
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from gradsmith.frontend.calling import call
from gradsmith.frontend.container_iterators import note_deque
from gradsmith.frontend.doubts import note_reshaped
from gradsmith.frontend.effects import MUTATORS
from gradsmith.frontend.grown import is_grown, refuse
from gradsmith.frontend.journal import CONTAINERS, note_container
from gradsmith.frontend.shared_memory import note_container_write
from gradsmith.frontend.trace import current_trace

Target: TypeAlias = Callable[[Any, "str | None"], Any]
"""What the user's code writes to, instead of an object."""

BOUND = (types.BuiltinMethodType, types.MethodWrapperType)
UNBOUND = (types.MethodDescriptorType, types.WrapperDescriptorType)
APPENDING = ("append", "extend", "clear")
"""Methods that a list has whose elements are rows of arrays."""
IN_PLACE = (operator.iadd, operator.iconcat, operator.imul, operator.ior)


def _setattr(target: Target, owner: Any, name: str, value: Any) -> None:
    setattr(target(owner, name), name, value)


def _delattr(target: Target, owner: Any, name: str) -> None:
    delattr(target(owner, name), name)


def _setitem(target: Target, owner: Any, key: Any, value: Any) -> None:
    target(owner, None)[key] = value


def _delitem(target: Target, owner: Any, key: Any) -> None:
    del target(owner, None)[key]


STATEMENTS: dict[Any, Callable[..., None]] = {
    setattr: _setattr,
    delattr: _delattr,
    object.__setattr__: _setattr,
    object.__delattr__: _delattr,
    type.__setattr__: _setattr,
    type.__delattr__: _delattr,
    operator.setitem: _setitem,
    operator.delitem: _delitem,
}
"""Functions that do what a statement does."""


_READING = frozenset(
    {
        *("__getitem__", "__contains__", "__len__", "__iter__", "__reversed__"),
        *("get", "keys", "values", "items", "index", "count", "copy"),
    }
)
"""Methods that read lists, tuples and dicts: unbound ones (``dict.get(d, key)``) are called
as those of the container are, past what its class defines itself.
"""


def _is_writer(function: Any) -> bool:
    """Whether it is a method of a list, dict, set or deque that changes it."""
    held = isinstance(function, BOUND) and isinstance(function.__self__, CONTAINERS)
    return held and function.__name__ in MUTATORS


def statement_of(function: Any, args: Sequence[Any], target: Target) -> Callable[..., Any] | None:
    """What a call does that writes as a statement does, or as the method of a container; None of
    other calls. What these may change is announced.
    """
    if isinstance(function, UNBOUND) and args and isinstance(args[0], (*CONTAINERS, tuple)):
        if isinstance(args[0], function.__objclass__) and function.__name__ in MUTATORS:
            return lambda owner, *rest, **named: _method(function, owner)(*rest, **named)
        if isinstance(args[0], function.__objclass__) and function.__name__ in _READING:
            return lambda owner, *rest: call(function.__get__(owner), *rest)
    if isinstance(function, (*UNBOUND, types.BuiltinFunctionType)):
        found = next((made for known, made in STATEMENTS.items() if known is function), None)
        if found is not None:
            return partial(found, target)
    for writer in (function, *args):  # one that is passed on is called where nobody sees it
        if _is_writer(writer):
            announce(writer.__self__, writer.__name__)
    if any(function is known for known in IN_PLACE) and args and isinstance(args[0], CONTAINERS):
        announce(args[0], "__iadd__")
    return None


def _method(function: Any, owner: Any) -> Any:
    announce(owner, function.__name__)
    return function.__get__(owner)


def announce(container: Any, method: str) -> None:
    """A method of this name is about to change the container."""
    trace = current_trace()
    if trace is None:
        return
    if is_grown(container) and method not in APPENDING:
        refuse(container)
    note_container_write(trace, container)
    note_deque(container, method)
    note_reshaped(container)


def note_extended(value: Any) -> None:
    """``value += ...`` is next: a list, dict, set or deque is changed in place."""
    if isinstance(value, CONTAINERS):
        note_deque(value, "__iadd__")
        note_reshaped(value)


def note_passed_on(args: Sequence[Any]) -> None:
    """A function that is run as it is may change containers that it is given."""
    for argument in args:
        if isinstance(argument, CONTAINERS):
            note_container(argument)


def note_library_object(owner: Any) -> None:
    """A method of a class that a library has written in Python (`collections.UserList`) may change
    what its object holds.
    """
    cls = type(owner)
    if not cls.__dictoffset__ or isinstance(owner, _NO_HOLDERS):
        return
    held = [vars(owner), *vars(owner).values()]
    inner = [part for value in held if type(value) in (list, tuple) for part in value]
    note_passed_on([*held, *inner])


_NO_HOLDERS = (type, types.ModuleType, types.FunctionType)
