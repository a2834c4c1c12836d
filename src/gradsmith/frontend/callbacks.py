"""Functions that C code is given, and calls later: ``itertools.accumulate(values, f)``,
``iter(f, sentinel)``.

C code calls them as they are, and nobody stages methods and functions from outside. It gets
functions that call the runtime instead.
"""

from __future__ import annotations

import builtins
import itertools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradsmith.frontend.calling import later

_CALLED: dict[Any, tuple[int, str]] = {
    itertools.accumulate: (1, "func"),
    itertools.dropwhile: (0, ""),
    itertools.filterfalse: (0, ""),
    itertools.groupby: (1, "key"),
    itertools.takewhile: (0, ""),
    getattr(operator, "call", None): (0, ""),
}
"""The parameter that takes the function: its place, and its name if it can be given by that.
(Python 3.10 has no ``operator.call``.)"""


def with_staged_callbacks(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """The arguments of a function of Python's: the runtime calls the functions among them."""
    place, name = _parameter(function, args)
    if name in kwargs:
        return args, {**kwargs, name: _staged(kwargs[name])}
    if place < len(args):
        return [*args[:place], _staged(args[place]), *args[place + 1 :]], kwargs
    return args, kwargs


_NOWHERE = (1000, "")


def _parameter(function: Any, args: Sequence[Any]) -> tuple[int, str]:
    if function is builtins.iter:
        return (0, "") if len(args) > 1 else _NOWHERE
    found = next((known for known in _CALLED if known is function), None)
    return _NOWHERE if found is None else _CALLED[found]


def _staged(function: Any) -> Any:
    known: Callable[..., Any] | None = later(function) if callable(function) else function
    return known
