"""Random draws of elements: ``random.shuffle``, ``choice`` and the like, of lists and arrays.

Places are drawn instead, as many and from the same numbers, and the elements are read there: they
keep their derivatives, and lists are changed in place.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradsmith.frontend.calling import call
from gradsmith.frontend.container_calls import announce
from gradsmith.frontend.dispatch import any_traced, apply
from gradsmith.frontend.elements import listed
from gradsmith.frontend.grown import element_at, element_of, is_grown
from gradsmith.frontend.iterator_functions import over
from gradsmith.frontend.opaque import OpaqueMethod
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir import dims
from gradsmith.ops.regions import as_whole


def meaning_of_draw(function: Any, args: Any) -> Callable[..., Any] | None:
    """What a method of a generator of random numbers means for a list, or for an array of numbers
    that have derivatives.
    """
    if not args or current_trace() is None:
        return None
    owner, name = _owner(function)
    if isinstance(owner, random.Random):
        kind = type(args[0])
        known = kind in (list, tuple) and (name == "shuffle" or any_traced(args[0]))
        return _of_python(function, name) if known else None
    if not isinstance(owner, (np.random.Generator, np.random.RandomState)):
        return None
    array = isinstance(args[0], Tracer) and args[0].ndim and args[0].dtype.kind in "fc"
    draws = array and (name == "choice" or (name == "permutation" and args[0].ndim == 1))
    return partial(_of_array, function) if draws else None


def _owner(function: Any) -> tuple[Any, str]:
    """The generator of random numbers, and the name of its method."""
    if type(function) is OpaqueMethod:
        return function.present_owner()
    return getattr(function, "__self__", None), getattr(function, "__name__", "")


def _of_python(function: Any, name: str) -> Callable[..., Any] | None:
    meanings = {"shuffle": _shuffled, "choice": _chosen, "sample": _sampled, "choices": _sampled}
    return partial(meanings[name], function) if name in meanings else None


def _shuffled(function: Any, values: list[Any]) -> None:
    announce(values, "sort")
    order = apply(np.arange, call(len, values))
    call(function, order)
    values[:] = _at(values, order)


def _chosen(function: Any, values: Any) -> Any:
    return _element(values, call(function, call(range, call(len, values))))


def _sampled(function: Any, values: Any, *args: Any, **kwargs: Any) -> Any:
    places = call(function, call(range, call(len, values)), *args, **kwargs)
    return [_element(values, place) for place in places]


def _of_array(function: Any, values: Tracer, *args: Any, **kwargs: Any) -> Any:
    axis = kwargs.get("axis", 0)
    count = values.shape[axis]
    return apply(np.take, values, call(function, count, *args, **kwargs), axis=axis)


def _at(values: list[Any], order: Tracer) -> list[Any]:
    """The elements in this order."""
    if is_grown(values):
        made: list[Any] = listed(over(order, lambda place: element_of(values, _whole(place))))
        return made
    return [_element(values, _whole(order[place])) for place in range(len(values))]


def _whole(place: Tracer) -> Any:
    """A place as an integer of Python's."""
    size = as_whole(place.node)
    return wrap_size(size) if isinstance(size, dims.Dim) else size


def _element(values: Any, place: Any) -> Any:
    trace = current_trace()
    if is_grown(values):
        return element_of(values, place)
    if isinstance(place, TracedInt) and trace is not None:
        found = element_at(values, place, trace)
        if found is not None:
            return found[0]
    return values[place]
