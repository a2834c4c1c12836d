"""`copy.copy` and `copy.deepcopy`: what these ask of an object (``__deepcopy__``, ``__reduce__``,
``__getstate__``, ...) is the user's code, and is called by the runtime.

The steps and their order are those of Python's own `copy`.
"""

from __future__ import annotations

import copy
import types
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NoReturn

from gradsmith import tree
from gradsmith.errors import UnsupportedError
from gradsmith.frontend import protocols
from gradsmith.frontend.attributes import default_attribute, is_external, outside_dict
from gradsmith.frontend.calling import call
from gradsmith.frontend.classes import (
    MISSING,
    class_attribute,
    instance_dict,
    is_instance,
    special,
)
from gradsmith.frontend.foreign import is_library
from gradsmith.frontend.grown import is_grown
from gradsmith.frontend.maybe_unset import check_all_set
from gradsmith.frontend.objects import note_made
from gradsmith.frontend.opaque import OpaqueObject
from gradsmith.frontend.spans import current_span, is_users_own
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.trips import TripIterator

PROTOCOL = 4
"""Of pickling, by which `copy` asks for the parts of an object."""


def meaning_of_copy(function: Any, args: Any) -> Callable[..., Any] | None:
    """What `copy.copy` means of an object of the user's, and `copy.deepcopy` of any."""
    if current_trace() is None or not args:
        return None
    if function is copy.copy and _is_iterator(args[0]):
        return _refused
    if function is copy.copy and is_instance(args[0]):
        return _copied
    alone = len(args) == 1 and type(args[0]) is OpaqueObject
    return _deep_copied if function is copy.deepcopy and not alone else None


def _is_iterator(value: Any) -> bool:
    """Whether it stands for an iterator over what is traced."""
    generator = isinstance(value, types.GeneratorType) and not is_users_own(value.gi_code)
    return generator or isinstance(value, TripIterator)


def _refused(value: Any) -> NoReturn:
    raise UnsupportedError(
        "an iterator is copied, which goes on in the copy where the other one is",
        current_span(),
        "make two of them, or use itertools.tee",
    )


def _copied(value: Any) -> Any:
    mine = class_attribute(type(value), "__copy__")
    return _again(value, None) if mine is MISSING else _asked(value, mine)


def _deep_copied(value: Any, memo: dict[int, Any] | None = None) -> Any:
    memo = {} if memo is None else memo
    found = memo.get(id(value), MISSING)
    if found is not MISSING:
        return found
    made = _deep(value, memo)
    if made is not value:
        memo[id(value)] = made
        memo.setdefault(id(memo), []).append(value)  # so that no other object has its identity
    return made


def _deep(value: Any, memo: dict[int, Any]) -> Any:
    exact = _EXACT.get(type(value))
    if exact is not None and not is_grown(value):
        return exact(value, memo)
    if type(value) is OpaqueObject:
        return _result_of_call(value, memo)
    root = type(value).__module__.split(".")[0]
    if type(value) in _ATOMIC or isinstance(value, type) or root == "gradsmith":
        return copy.deepcopy(value, memo)
    mine = class_attribute(type(value), "__deepcopy__")
    if mine is not MISSING:
        return _asked(value, mine, memo)
    if _finds_more(value):
        given = call(getattr, value, "__deepcopy__", None)
        if given is not None:
            return call(given, memo)
    return copy.deepcopy(value, memo) if is_grown(value) else _again(value, memo)


def _result_of_call(value: OpaqueObject, memo: dict[int, Any]) -> Any:
    """The copy of what a call without a rule has returned, by Python.

    Raises
    ------
    UnsupportedError
        It is the second one, which may hold parts of the first.
    """
    if memo.setdefault(id(OpaqueObject), value) is not value:
        raise UnsupportedError(
            "copy.deepcopy of an object that holds several results of calls that gradsmith does "
            "not trace",
            current_span(),
            "copy each of them",
        )
    return call(copy.deepcopy, value)


_ATOMIC = frozenset(
    {
        *(type(None), type(...), type(NotImplemented), int, float, bool, complex, bytes, str),
        *(range, property, types.CodeType, types.BuiltinFunctionType, types.FunctionType),
    }
)


def _list(value: list[Any], memo: dict[int, Any]) -> list[Any]:
    made: list[Any] = []
    memo[id(value)] = made
    for part in value:
        made.append(_deep_copied(part, memo))  # noqa: PERF401 - parts may hold the list
    return made


def _tuple(value: tuple[Any, ...], memo: dict[int, Any]) -> tuple[Any, ...]:
    made = tuple(_deep_copied(part, memo) for part in value)
    if id(value) in memo:  # one of the parts holds it
        found: tuple[Any, ...] = memo[id(value)]
        return found
    same = all(one is other for one, other in zip(made, value, strict=True))
    return value if same else made


def _dict(value: dict[Any, Any], memo: dict[int, Any]) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    memo[id(value)] = made
    for key, part in value.items():
        made[_deep_copied(key, memo)] = _deep_copied(part, memo)
    return made


def _method(value: types.MethodType, memo: dict[int, Any]) -> types.MethodType:
    return types.MethodType(value.__func__, _deep_copied(value.__self__, memo))


_EXACT: dict[type, Callable[..., Any]] = {
    list: _list,
    tuple: _tuple,
    dict: _dict,
    types.MethodType: _method,
}


# -- by the parts that an object gives -----------------------------------------------------------


def _finds_more(value: Any) -> bool:
    """Whether an object of the user's may have attributes besides those of its class."""
    hooks = special(value, "__getattr__") or special(value, "__getattribute__")
    return hooks is not None or (is_instance(value) and bool(instance_dict(value)))


def _asked(value: Any, method: Any, *args: Any) -> Any:
    """What this method of its class gives."""
    if isinstance(method, types.FunctionType) and not is_library(method):
        return call(method, value, *args)
    return method.__get__(value, type(value))(*args)


def _again(value: Any, memo: dict[int, Any] | None) -> Any:
    """The object made again of its parts, or of copies of these."""
    found = _reduced(value)
    return value if isinstance(found, str) else _made_of(value, memo, *found)


def _reduced(value: Any) -> Any:
    """``value.__reduce_ex__(4)``."""
    by_number = class_attribute(type(value), "__reduce_ex__")
    plain = class_attribute(type(value), "__reduce__")
    if by_number is not object.__dict__["__reduce_ex__"]:
        return _asked(value, by_number, PROTOCOL)
    if plain is not object.__dict__["__reduce__"]:
        return _asked(value, plain)
    return _parts(value) if is_instance(value) else value.__reduce_ex__(PROTOCOL)


def _parts(value: Any) -> tuple[Any, ...]:
    """What ``object.__reduce_ex__`` gives: what makes another one, its state and its items."""
    args, named = _arguments_of_new(value)
    asked = special(value, "__getstate__")
    state = _state(value) if asked is None or is_library(asked) else call(asked, value)
    elements = _iterated(value) if isinstance(value, list) else None
    items = _items(value) if isinstance(value, dict) else None
    return lambda *given: _new(type(value), given, named), args, state, elements, items


def _arguments_of_new(value: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    method = class_attribute(type(value), "__getnewargs_ex__")
    if method is not MISSING:
        args, named = _asked(value, method)
        return args, named
    method = class_attribute(type(value), "__getnewargs__")
    return (() if method is MISSING else _asked(value, method)), {}


def _new(cls: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    found = class_attribute(cls, "__new__")
    maker = found.__func__ if isinstance(found, staticmethod) else found
    if isinstance(maker, types.FunctionType):
        return call(maker, cls, *args, **named)
    return cls.__new__(cls, *args, **named)


def _state(value: Any) -> Any:
    """What ``object.__getstate__`` gives: the attributes, and those in slots."""
    trace = current_trace()
    if trace is None:
        return object.__getstate__(value) if hasattr(object, "__getstate__") else vars(value)
    held: dict[str, Any] | None = None
    if instance_dict(value) is not None:
        external = is_external(trace, value)
        held = dict(outside_dict(trace, value) if external else instance_dict(value) or {})
        check_all_set(held)
    slots = {name: default_attribute(trace, value, name) for name in tree.slots_of(type(value))}
    slots = {name: held for name, held in slots.items() if held is not MISSING}
    return (held, slots) if slots else held


def _iterated(value: Any) -> Iterator[Any]:
    return protocols.iterator(value) if special(value, "__iter__") else iter(value)


def _items(value: Any) -> Iterable[tuple[Any, Any]]:
    mine = special(value, "items")
    found: Iterable[tuple[Any, Any]] = dict.items(value) if mine is None else call(mine, value)
    return found


def _made_of(
    value: Any,
    memo: dict[int, Any] | None,
    make: Callable[..., Any],
    args: tuple[Any, ...],
    state: Any = None,
    elements: Iterable[Any] | None = None,
    items: Iterable[tuple[Any, Any]] | None = None,
) -> Any:
    part = partial(_part, memo=memo)
    given = [part(argument) for argument in args]
    made = call(make, *given) if _is_users(make) else make(*given)
    note_made(current_trace(), made)
    if memo is not None:
        memo[id(value)] = made
    if state is not None:
        _set_state(made, part(state))
    for element in elements or ():
        call(made.append, part(element))
    for key, held in items or ():
        protocols.Items(made)[part(key)] = part(held)
    return made


def _part(held: Any, memo: dict[int, Any] | None) -> Any:
    return held if memo is None else _deep_copied(held, memo)


def _is_users(make: Any) -> bool:
    own = make.__module__ == __name__
    return isinstance(make, type) or (
        isinstance(make, types.FunctionType) and not (own or is_library(make))
    )


def _set_state(made: Any, state: Any) -> None:
    method = class_attribute(type(made), "__setstate__")
    if method is not MISSING and not _is_of_dataclass(method):
        _asked(made, method, state)
        return
    if method is MISSING and _finds_more(made) and call(hasattr, made, "__setstate__"):
        call(call(getattr, made, "__setstate__"), state)
        return
    held, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if held is not None:
        vars(made).update(held)
    for name, value in (slots or {}).items():
        if method is MISSING:
            call(setattr, made, name, value)
        else:
            object.__setattr__(made, name, value)


def _is_of_dataclass(method: Any) -> bool:
    """Whether ``dataclass(slots=True, frozen=True)`` has written it."""
    return getattr(method, "__module__", None) == "dataclasses"
