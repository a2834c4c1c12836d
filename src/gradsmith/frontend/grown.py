"""Lists that a loop in the graph has appended to: their elements are the rows of an array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from gradsmith.errors import ControlFlowError
from gradsmith.frontend.dispatch import apply
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import Refusing
from gradsmith.ir import dims


class Grown(Refusing):
    """Stands in a list for as many elements as a loop has trips: the rows of ``whole``.

    Within the loop there is no ``whole`` yet, and nothing may be asked.
    """

    __slots__ = ("whole",)

    def __init__(self, whole: Tracer | None = None) -> None:
        self.whole = whole

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Raise the error."""
        raise ControlFlowError(
            "this use of a list that a loop appends to needs its elements one by one",
            current_span(),
            "stack it with np.stack or np.array, or write into an array made before the loop",
        )


def is_grown(value: Any) -> bool:
    """Whether it is a list that a loop has appended to."""
    return type(value) is list and any(type(item) is Grown for item in value)


def whole_of(value: Sequence[Any]) -> Tracer:
    """All elements as the rows of one array."""
    pieces = []
    single: list[Any] = []
    for item in value:
        if type(item) is not Grown:
            single.append(item)
            continue
        if item.whole is None:
            item.refuse()
        if single:
            pieces.append(apply(np.stack, single))
        single = []
        pieces.append(item.whole)
    if single:
        pieces.append(apply(np.stack, single))
    whole: Tracer = pieces[0] if len(pieces) == 1 else apply(np.concatenate, pieces)
    return whole


def element_of(value: list[Any], key: Any) -> Any:
    """``value[key]``."""
    if isinstance(key, int) and -len(value) <= key < 0 and type(value[key]) is not Grown:
        behind = value[key:]
        if not any(type(item) is Grown for item in behind):
            return value[key]
    if isinstance(key, (int, TracedInt)):
        return whole_of(value)[key]
    return Grown().refuse()


def is_changing_index(owner: Any, key: TracedInt) -> bool:
    """Whether a list of arrays is asked for an element whose place a loop changes."""
    listed = type(owner) in (list, tuple) and all(isinstance(item, Tracer) for item in owner)
    return listed and bool(owner) and dims.is_unbacked(key.dim)


def _stack(values: Any, axis: int = 0) -> Any:
    whole = whole_of(values)
    return whole.copy() if axis == 0 else apply(np.moveaxis, whole, 0, axis)


def _array(values: Any, dtype: Any = None) -> Any:
    return apply(np.array, whole_of(values), dtype=dtype)


def _concatenate(values: Any, axis: int = 0) -> Any:
    whole = whole_of(values)
    if axis != 0 or whole.ndim < 2:
        Grown().refuse()
    return whole.reshape(-1, *whole.shape[2:]).copy()


def _vstack(values: Any) -> Any:
    whole = whole_of(values)
    if whole.ndim == 2:
        return whole.copy()
    return _concatenate(values) if whole.ndim > 2 else whole.reshape(-1, 1).copy()


def _sum(values: Any, start: Any = 0) -> Any:
    """One after the other, as Python adds: so does NumPy along the first of several axes."""
    whole = whole_of(values)
    total = apply(np.sum, whole, axis=0) if whole.ndim > 1 else apply(np.cumsum, whole)[-1]
    return total if type(start) is int and start == 0 else Grown().refuse()


MEANINGS: dict[Any, Callable[..., Any]] = {
    np.stack: _stack,
    np.array: _array,
    np.asarray: _array,
    np.concatenate: _concatenate,
    np.vstack: _vstack,
    sum: _sum,
    len: lambda values: whole_of(values).shape[0],
}


def meaning_of(function: Any, args: Sequence[Any]) -> Callable[..., Any] | None:
    """What a function does with such a list; None where there is none among its arguments."""
    if not args or not any(map(is_grown, args)):
        return None
    found = MEANINGS.get(function) if is_grown(args[0]) else None
    return found or Grown().refuse
