"""The runtime's `call`, for modules below it that call methods of the user's."""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import partial
from typing import Any

_implementation: list[Callable[..., Any]] = []


def provide(call: Callable[..., Any]) -> Callable[..., Any]:
    """Declare the function that stages and calls the user's functions."""
    _implementation.append(call)
    return call


def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)`` as the traced function means it."""
    if not _implementation:  # staged code without the runtime: Python's own calls
        return function(*args, **kwargs)
    return _implementation[0](function, *args, **kwargs)


def calling(call: Callable[..., Any], function: Any, /) -> Callable[..., Any]:
    """``call`` of the function, by whose name Python's errors about ``*a`` and ``**k`` go."""
    made = partial(call, function)
    if isinstance(function, _NAMED) or type(function).__module__ == "numpy":
        for name in ("__qualname__", "__module__"):
            setattr(made, name, getattr(function, name, None))
    return made


_NAMED = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)


def later(function: Any) -> Callable[..., Any]:
    """A function that calls ``function``."""
    return partial(call, function)
