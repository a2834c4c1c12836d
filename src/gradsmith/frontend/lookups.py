"""Indices that values of the data decide, where a ``try`` handles those that are out of range."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradsmith.frontend.dispatch import check_at_root
from gradsmith.frontend.grown import is_grown
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.value_guards import decide
from gradsmith.ir import dims
from gradsmith.ir.dims import Size


def check_lookup(array: Tracer, key: Any) -> None:
    """Specialise on whether the integers of ``key`` are in range.

    Raises
    ------
    IndexError
        One is not, in the present call.
    """
    trace = current_trace()
    if trace is None or not trace.handled["IndexError"]:
        return
    items = map(Tracer.of_exact_type, key if isinstance(key, tuple) else (key,))
    for axis, (item, size) in enumerate(zip(items, array.type.shape, strict=False)):
        if item is None or item is Ellipsis or isinstance(item, (list, np.ndarray)):
            return  # the axes that follow are others
        if _is_of_data(item, size) and not _is_in_range(item, size):
            check_at_root(trace)
            place = item if isinstance(item, int) else int(TracedInt.known(item))
            length = int(wrap_size(size))  # which data may decide
            raise IndexError(f"index {place} is out of bounds for axis {axis} with size {length}")


def check_element(values: Any, key: TracedInt) -> None:
    """The same of an element of a list or tuple.

    Raises
    ------
    IndexError
        There is none, in the present call.
    """
    trace = current_trace()
    if trace is None or not trace.handled["IndexError"] or not dims.is_unbacked(key.dim):
        return
    if not is_grown(values) and not _is_in_range(key, len(values)):
        check_at_root(trace)
        raise IndexError(f"{type(values).__name__} index out of range")


def _is_of_data(item: Any, size: Size) -> bool:
    """Whether it is an integer, and data decide it or the size of the axis."""
    if isinstance(item, Tracer):
        return item.type.ndim == 0 and item.type.dtype.kind in "iu"
    if isinstance(item, bool) or not isinstance(item, (int, TracedInt)):
        return False
    return dims.is_unbacked(size) or (isinstance(item, TracedInt) and dims.is_unbacked(item.dim))


def _is_in_range(item: Any, size: Size) -> bool:
    if isinstance(item, TracedInt) and _is_settled(item.dim, size):
        return True
    length = wrap_size(size)
    return bool(decide(item >= -length) and decide(item < length))


def _is_settled(place: Size, size: Size) -> bool:
    """Whether it is in range in every iteration of the loops around."""
    return bool(dims.settled(">=", place, -size) and dims.settled("<", place, size))
