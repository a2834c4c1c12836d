"""Classes that the traced function defines."""

from __future__ import annotations

import enum
import types
from collections.abc import Iterator, Mapping
from typing import Any

from gradsmith.frontend.classes import own_method
from gradsmith.frontend.spans import is_made_code
from gradsmith.frontend.trace import Trace, current_trace


def note_class(cls: Any) -> None:
    """The function has made the class."""
    trace = current_trace()
    if trace is None or not isinstance(cls, type):
        return
    trace.made[id(cls)] = cls
    for function in functions_of(cls):
        trace.made[id(function)] = function
    members: Mapping[str, Any] = cls.__members__ if isinstance(cls, enum.EnumMeta) else {}
    trace.made.update((id(member), member) for member in members.values())
    for value in vars(cls).values():
        if (
            isinstance(value, type)
            and value.__qualname__ == f"{cls.__qualname__}.{value.__name__}"
        ):
            note_class(value)


def is_made_function(trace: Trace, function: types.FunctionType) -> bool:
    """Whether the traced function has made the function, not the user outside."""
    return is_made_code(function.__code__) or id(function) in trace.made


def functions_of(cls: type) -> Iterator[types.FunctionType]:
    """The functions that a class holds, also those of its properties and class methods."""
    for value in vars(cls).values():
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__  # noqa: PLW2901
        parts = (value.fget, value.fset, value.fdel) if isinstance(value, property) else (value,)
        parts = (*parts, getattr(value, "func", None))
        yield from (own_method(part) for part in parts if isinstance(part, types.FunctionType))
