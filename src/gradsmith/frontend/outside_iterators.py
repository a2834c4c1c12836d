"""Iterators from outside the function that cannot be copied: taking elements is refused.

The compiled function would have to take the next elements at each call, and a derivative none at
all. Of others `gradsmith.frontend.iterator_stand_ins` reads the elements from copies.
"""

from __future__ import annotations

import io
import types
from collections.abc import Iterable, Iterator
from typing import Any

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.classes import is_instance
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import current_trace

_LOOKING = (isinstance, issubclass, type, id, iter, callable, hasattr, getattr, repr, str, print)
"""Functions that take no elements."""
TAKING = ("__next__", "send", "throw", "close")
"""Methods of iterators that do."""


def check_outside_iterators(values: Iterable[Any]) -> None:
    """Refuse to take elements of iterators that are there before the function is called.

    Raises
    ------
    UnsupportedError
        One of the values is such an iterator.
    """
    trace = current_trace()
    for value in values if trace is not None else ():
        if isinstance(value, Iterator) and _is_outside(value):
            raise UnsupportedError(
                f"this takes elements of an iterator from outside the function (a "
                f"{type(value).__name__}): what it gives is different at each call",
                current_span(),
                "pass a list or an array and take its elements by an index, or take the element "
                "where the function is called and pass it as an argument",
            )


def _is_outside(value: Iterator[Any]) -> bool:
    """Whether it is from outside; those of the user's own classes are objects like any other."""
    trace = current_trace()
    known = trace is not None and id(value) in trace.external
    return known and not (is_instance(value) or isinstance(value, io.IOBase))


def checked_iterable(value: Any) -> Any:
    """What a loop goes over."""
    check_outside_iterators([value])
    return value


def check_call(function: Any, args: Iterable[Any]) -> None:
    """The same of the arguments of a call, unless that only passes them on or looks at them."""
    passes_on = isinstance(function, (types.FunctionType, types.MethodType))
    if not passes_on and not any(function is known for known in _LOOKING):
        check_outside_iterators(args)


def check_method(owner: Any, name: str) -> None:
    """The same of a method of an iterator."""
    if name in TAKING:
        check_outside_iterators([owner])
