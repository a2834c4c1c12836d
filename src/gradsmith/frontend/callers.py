"""Calls of functions of Python's that look at the frame of their caller: the user's module."""

from __future__ import annotations

import collections
import dataclasses
import enum
import types
import typing
from collections.abc import Callable
from functools import partial
from typing import Any

from gradsmith.frontend.spans import staged_frame

_LOOKING = (
    *(collections.namedtuple, dataclasses.make_dataclass, typing.NamedTuple, typing.TypedDict),
    *(typing.NewType, typing.TypeVar, typing.ParamSpec, getattr(typing, "TypeVarTuple", None)),
    *(getattr(typing, "TypeAliasType", None),),
)
"""What takes the name of that module for the class or type that it makes."""


def makes_class(function: Any) -> bool:
    """Whether it makes a class or a type, and looks at the frame of its caller."""
    return isinstance(function, enum.EnumMeta) or any(function is f for f in _LOOKING)


def as_the_user(function: Any) -> Callable[..., Any]:
    """``function``, called by a frame of the user's module where it asks for that."""
    frame = staged_frame() if makes_class(function) else None
    if frame is None:
        return function  # type: ignore[no-any-return]
    return partial(types.FunctionType(_call.__code__, frame.f_globals), function)


def _call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)
