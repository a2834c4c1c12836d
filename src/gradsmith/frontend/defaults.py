"""Default values of parameters of the user's functions: they come from outside."""

from __future__ import annotations

import types
from collections.abc import Iterator
from functools import partial
from typing import Any

from gradsmith.frontend.captures import capture, rely
from gradsmith.frontend.defined import is_made_function
from gradsmith.frontend.trace import current_trace

FIXED = (str, bytes, bool, int, float, complex, type(None), type, types.FunctionType, type(...))
"""Values that cannot change: it is enough that the function still has the same defaults."""


def with_defaults(
    function: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The keyword arguments of a call, with those defaults that the user may change."""
    trace = current_trace()
    given = function.__defaults__, function.__kwdefaults__
    if trace is None or given == (None, None) or is_made_function(trace, function):
        return kwargs
    missing = dict(_missing(function, len(args), kwargs))
    if not missing:
        return kwargs
    for kind, held in zip(("__defaults__", "__kwdefaults__"), given, strict=True):
        rely(trace, (kind, id(function)), partial(getattr, function, kind), held)
    found = dict(kwargs)
    for name, (where, key) in missing.items():
        value = getattr(function, where)[key]
        if not isinstance(value, FIXED):
            read = partial(_default, function, where, key)
            found[name] = capture(trace, (where, id(function), key), name, value, read)
    return found


def _default(function: types.FunctionType, where: str, key: Any) -> Any:
    return getattr(function, where)[key]


def _missing(
    function: types.FunctionType, count: int, kwargs: dict[str, Any]
) -> Iterator[tuple[str, tuple[str, Any]]]:
    """The parameters that a call leaves out: each with where its default is."""
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    for place, name in enumerate(names[len(names) - len(defaults) :]):
        position = len(names) - len(defaults) + place
        if position >= max(count, code.co_posonlyargcount) and name not in kwargs:
            yield name, ("__defaults__", place)
    for name in function.__kwdefaults__ or ():
        if name not in kwargs:
            yield name, ("__kwdefaults__", name)
