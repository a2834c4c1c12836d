"""Making objects of the user's classes: what ``type.__call__`` does, with staged methods."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import sys
import types
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.frontend.attributes import (
    default_attribute,
    delete_attribute,
    delete_default,
    is_external,
    is_users,
    plainly_unset,
    read_attribute,
    set_attribute,
    set_default,
)
from gradsmith.frontend.calling import call
from gradsmith.frontend.choices import all_equal, choose
from gradsmith.frontend.classes import (
    MISSING,
    class_attribute,
    fields_of,
    is_instance,
    is_users_class,
    note_used,
    raw_attribute,
)
from gradsmith.frontend.dispatch import run
from gradsmith.frontend.messages import class_name
from gradsmith.frontend.presence import condition_on_the_way
from gradsmith.frontend.reflection import vars_of
from gradsmith.frontend.spans import in_users_name
from gradsmith.frontend.trace import Reliance, Trace, current_trace, handling
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.identity import has_dict
from gradsmith.ops.scalars import python_bool

_HOLDING = (dict, list, tuple, set, frozenset, deque, str, int, float, complex, BaseException)


def note_made(trace: Trace | None, value: Any) -> Any:
    """An object that the function itself has made is none from outside."""
    if trace is None or isinstance(value, (Tracer, np.ndarray, np.generic, enum.Enum)):
        return value
    if has_dict(value) or tree.slots_of(type(value)):
        trace.made[id(value)] = value
        if is_instance(value) and not isinstance(value, _HOLDING):
            trace.opened[id(value)] = value
    return value


def is_made_here(cls: Any) -> bool:
    """Whether calling ``cls`` is to be done step by step: it is a class of the user's."""
    if not (isinstance(cls, type) and is_users_class(cls)):
        return False
    return type(type(cls).__call__) is type(type.__call__) or _meta_call(cls) is not None


def _meta_call(cls: type) -> types.FunctionType | None:
    """The ``__call__`` that a metaclass of the user's defines."""
    found = class_attribute(type(cls), "__call__")
    users = isinstance(found, types.FunctionType) and is_users_class(type(cls))
    return found if users else None


def construct(cls: type, args: Any, kwargs: Any) -> Any:
    """``cls(*args, **kwargs)``."""
    meta = _meta_call(cls)
    return call(meta, cls, *args, **kwargs) if meta else make(cls, args, kwargs)


def make(cls: type, args: Any, kwargs: Any) -> Any:
    """``type.__call__(cls, *args, **kwargs)``."""
    note_used(cls)
    new, init = class_attribute(cls, "__new__"), class_attribute(cls, "__init__")
    maker = new.__func__ if isinstance(new, staticmethod) else new
    if isinstance(maker, types.FunctionType):
        made = call(maker, cls, *args, **kwargs)  # it may give an object that was there before
    elif maker is object.__new__ and isinstance(init, types.FunctionType):
        made = note_made(current_trace(), object.__new__(cls))  # the arguments are for `__init__`
    else:
        made = note_made(current_trace(), _done_by_python(cls.__new__, cls, *args, **kwargs))
    if not isinstance(made, cls):
        return made
    init = class_attribute(type(made), "__init__")
    if isinstance(init, types.FunctionType):
        _check_nothing(call(init, made, *args, **kwargs))
    else:
        _done_by_python(type(made).__init__, made, *args, **kwargs)
    return made


@in_users_name
def _check_nothing(given: Any) -> None:
    if given is not None:
        kind = (
            class_name(given) if isinstance(given, (Tracer, TracedInt)) else type(given).__name__
        )
        raise TypeError(f"__init__() should return None, not {kind!r}")


@in_users_name
def _done_by_python(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


# -- what dataclasses write ----------------------------------------------------------------------


def written_by_dataclass(function: types.FunctionType, args: Any) -> Callable[..., Any] | None:
    """What a method means that ``dataclasses`` has written, of which there is no source."""
    code = function.__code__
    if code.co_filename != "<string>" or not args or not is_instance(args[0]):
        return None
    meaning = _WRITTEN.get(code.co_name)
    if meaning is None:
        return None
    for base in type(args[0]).__mro__:
        if vars(base).get(code.co_name) is function and dataclasses.is_dataclass(base):
            return lambda *a, **k: meaning(base, function, a, k)
    return None


def _init(cls: type, function: types.FunctionType, args: Any, kwargs: Any) -> None:
    owner, trace = args[0], current_trace()
    try:
        bound = inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError:
        _done_by_python(function, *args, **kwargs)  # which raises its error before anything else
        raise
    frozen = cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
    write = set_default if frozen else set_attribute
    only_for_init = []
    for name, field in fields_of(cls).items():
        kind = field._field_type.name  # type: ignore[attr-defined]
        if kind == "_FIELD_CLASSVAR":
            continue
        value = _field_value(cls, field, bound)
        if kind == "_FIELD_INITVAR":
            only_for_init.append(value)
        elif value is not MISSING and trace is not None:
            write(trace, owner, name, value)
    after = class_attribute(type(owner), "__post_init__")
    if isinstance(after, types.FunctionType):
        call(after, owner, *only_for_init)


def _field_value(cls: type, field: dataclasses.Field[Any], bound: dict[str, Any]) -> Any:
    if field.init and field.name in bound:
        return bound[field.name]
    if field.default_factory is not dataclasses.MISSING:
        return call(field.default_factory)
    if field.default is dataclasses.MISSING:
        return MISSING
    in_slot = isinstance(class_attribute(cls, field.name), types.MemberDescriptorType)
    return field.default if field.init or in_slot else MISSING  # the class holds it for all


def _fields_compared(owner: Any) -> tuple[Any, ...]:
    trace = current_trace()
    names = [f.name for f in dataclasses.fields(owner) if f.compare]
    return tuple(_owner_value(trace, owner, name) for name in names)


def _owner_value(trace: Trace | None, owner: Any, name: str) -> Any:
    """``owner.name``."""
    return getattr(owner, name) if trace is None else read_attribute(trace, owner, name)


def _equal(cls: type, function: types.FunctionType, args: Any, kwargs: Any) -> Any:
    owner, other = args
    if type(owner) is not type(other):
        return NotImplemented
    if owner is other and not _AS_TUPLES:
        return True
    fields = _fields_compared(owner), _fields_compared(other)
    return all_equal(*fields, as_tuples=_AS_TUPLES)


_AS_TUPLES = sys.version_info < (3, 13)
"""Whether ``__eq__`` of a dataclass compares tuples of the fields; else it compares these one by
one, unless the objects are one.
"""


_WRITTEN: dict[str, Callable[..., Any]] = {"__init__": _init, "__eq__": _equal}


# -- functions of Python's that look at attributes ----------------------------------------------


def _getattr(owner: Any, name: str, *default: Any) -> Any:
    trace = current_trace()
    if trace is None:
        return getattr(owner, name, *default)
    if not default:
        return read_attribute(trace, owner, name)
    held = plainly_unset(trace, owner, name)
    if held is not None:
        present = condition_on_the_way(held, trace)
        return choose(present, lambda: held.value, lambda: default[0])
    try:
        with handling():
            return read_attribute(trace, owner, name)
    except AttributeError:
        return default[0]


def _hasattr(owner: Any, name: str) -> Any:
    trace = current_trace()
    held = None if trace is None else plainly_unset(trace, owner, name)
    if held is not None and trace is not None:
        present = condition_on_the_way(held, trace)
        return run(python_bool, present) if isinstance(present, Tracer) else present
    try:
        with handling():
            _getattr(owner, name)
    except AttributeError:
        return False
    if trace is not None and is_external(trace, owner) and _is_there(owner, name):
        key = ("there", id(owner), name)  # what is not read is no input, and not relied on by that
        trace.reliances[key] = Reliance(partial(_is_there, owner, name), True, by_identity=True)
    return True


def _is_there(owner: Any, name: str) -> bool:
    return raw_attribute(owner, name) is not MISSING


def _setter(write: Callable[..., None], plain: Callable[..., None]) -> Callable[..., None]:
    def setter(owner: Any, *given: Any) -> None:
        trace = current_trace()
        if trace is None:
            plain(owner, *given)
        else:
            write(trace, owner, *given)

    return setter


def _get_default(owner: Any, name: str) -> Any:
    trace = current_trace()
    found = MISSING if trace is None else default_attribute(trace, owner, name)
    plain = type if isinstance(owner, type) else object
    return plain.__getattribute__(owner, name) if found is MISSING else found


def _replaced(value: Any, /, **changes: Any) -> Any:
    """``dataclasses.replace``."""
    trace = current_trace()
    for field in dataclasses.fields(value):
        if field.init and field.name not in changes:
            changes[field.name] = _owner_value(trace, value, field.name)
    return call(type(value), **changes)


MEANINGS: dict[Any, Callable[..., Any]] = {
    vars: lambda owner: vars_of(partial(_owner_value, current_trace()), owner),
    getattr: _getattr,
    hasattr: _hasattr,
    setattr: _setter(set_attribute, setattr),
    delattr: _setter(delete_attribute, delattr),
    object.__setattr__: _setter(set_default, object.__setattr__),
    object.__delattr__: _setter(delete_default, object.__delattr__),
    type.__setattr__: _setter(set_default, type.__setattr__),
    type.__delattr__: _setter(delete_default, type.__delattr__),
    object.__getattribute__: _get_default,
    type.__getattribute__: _get_default,
    dataclasses.replace: _replaced,
}
_BOUND = {
    "__setattr__": object.__setattr__,
    "__delattr__": object.__delattr__,
    "__getattribute__": object.__getattribute__,
}


def _of_property(owner: property, name: str) -> Callable[..., Any] | None:
    """What ``owner.__get__`` and the like call."""
    if name == "__get__" and owner.fget is not None:
        return lambda value, _=None: call(owner.fget, value)
    found = {"__set__": owner.fset, "__delete__": owner.fdel}.get(name)
    return None if found is None else partial(call, found)


def meaning_of_object(function: Any, args: Any) -> Callable[..., Any] | None:
    """What a function of Python's means whose first argument is an object of the user's."""
    if isinstance(function, types.MethodWrapperType):  # such as super().__setattr__
        owner, plain = function.__self__, _BOUND.get(function.__name__)
        if plain is not None and is_users(owner):
            return lambda *given: MEANINGS[plain](owner, *given)
        if isinstance(owner, property) and args and args[0] is not None:
            return _of_property(owner, function.__name__)
        if function.__name__ == "__call__" and isinstance(owner, type) and is_made_here(owner):
            return lambda *a, **k: make(owner, a, k)
        return None
    trace = current_trace()
    if trace is None or not args or not (is_users(args[0]) or id(args[0]) in trace.external):
        return None
    try:
        return MEANINGS.get(function)
    except TypeError:  # not hashable
        return None
