"""Classes that the traced function defines."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from gradsmith.frontend.trace import current_trace


def note_class(cls: Any) -> None:
    """The function has made the class; its methods may close over the function's variables."""
    trace = current_trace()
    if trace is None or not isinstance(cls, type):
        return
    trace.made[id(cls)] = cls
    for function in functions_of(cls):
        trace.made[id(function)] = function
        for cell in function.__closure__ or ():
            trace.cells[id(cell)] = cell


def functions_of(cls: type) -> Iterator[types.FunctionType]:
    """The functions that a class holds, also those of its properties and class methods."""
    for value in vars(cls).values():
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__  # noqa: PLW2901
        parts = (value.fget, value.fset, value.fdel) if isinstance(value, property) else (value,)
        parts = (*parts, getattr(value, "func", None))
        yield from (part for part in parts if isinstance(part, types.FunctionType))
