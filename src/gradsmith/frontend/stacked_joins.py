"""What functions of Python's and NumPy's make of a stacked list."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from gradsmith.frontend.dispatch import apply
from gradsmith.frontend.failing import raise_if
from gradsmith.frontend.foreign import is_run_as_it_is
from gradsmith.frontend.frozen import ONE_BY_ONE, separate
from gradsmith.frontend.grown import (
    Form,
    Grown,
    array_of,
    columns_of,
    copied_list,
    is_grown,
    length_of,
    owned,
    refuse,
    whole_of,
)
from gradsmith.frontend.storage import ALWAYS, Storage, View
from gradsmith.frontend.stored_rows import snapshot
from gradsmith.frontend.traced_int import wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.value_guards import decide
from gradsmith.ir import dims
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.index import is_first_rows
from gradsmith.ops.raising import error_of


def _rows(function: Callable[..., Any], values: Sequence[Any]) -> Tracer:
    """What ``function`` joins, which raises an error where there is nothing."""
    error = error_of(lambda: function([]))
    raise_if(wrap_size(length_of(values)) == 0, lambda: error or ValueError())
    return whole_of(values)


def _stack(values: Any, axis: int = 0) -> Any:
    whole = _rows(np.stack, values)
    return _copied(whole) if axis == 0 else apply(np.moveaxis, whole, 0, axis).copy()


def _copied(whole: Tracer) -> Tracer:
    """A copy of rows in C order: where a loop has made them so, they may as well be given away."""
    storage, path = whole.view.storage, whole.view.path
    if storage.sites and storage.order == ALWAYS and all(map(is_first_rows, path)):
        return Tracer(View(Storage(whole.node)))
    copied: Tracer = whole.copy()
    return copied


def _array(values: Any, dtype: Any = None) -> Any:
    if dtype is not None:
        Tracer.check_held(values, np.dtype(dtype))
    whole = array_of(values)
    return _copied(whole) if dtype is None else apply(np.array, whole, dtype=dtype)


def _concatenate(values: Any, axis: int = 0) -> Any:
    whole = _rows(np.concatenate, values)
    if axis != 0 or whole.ndim < 2:
        refuse(values)
    return whole.reshape(-1, *whole.shape[2:]).copy()


def _hstack(values: Any) -> Any:
    whole = _rows(np.hstack, values)
    if whole.ndim > 2:
        refuse(values)
    return whole.reshape(-1).copy()


def _column_stack(values: Any) -> Any:
    whole = _rows(np.column_stack, values)
    if whole.ndim != 2:
        refuse(values)
    return whole.T.copy()


def _vstack(values: Any) -> Any:
    whole = _rows(np.vstack, values)
    if whole.ndim == 2:
        return _copied(whole)
    return _concatenate(values) if whole.ndim > 2 else whole.reshape(-1, 1).copy()


def sum_of_rows(values: Any) -> Tracer | int | None:
    """``sum(values)``, which NumPy adds up in the same order if the rows have several elements;
    None where they may have one, or none. Of no rows it is 0.
    """
    if not is_grown(values) or any(type(v) is Grown and v.form is None for v in values):
        return None
    columns = columns_of(values)
    if columns.form.shape.kind != "leaf" or isinstance(columns.form.kinds[0], Form):
        return None
    (whole,) = columns.wholes
    row = dims.product(whole.type.shape[1:])
    if whole.ndim < 2 or dims.changes(row) or not dims.decide(">", row, 1):
        return None
    if decide(wrap_size(columns.length) == 0):
        return 0
    total: Tracer = apply(np.sum, whole, axis=0) + 0  # like Python, no sum is -0.0
    return total


def _as(kind: type, values: Any) -> Any:
    """A list or tuple of the same elements; a tuple of a tuple is the same one."""
    if kind is tuple and type(values) is tuple:
        return values
    made = kind(copied_list(values))
    for item in made:
        if type(item) is Grown:
            item.owner = made
    return made


def _zip(*rows: Any, strict: bool = False) -> Any:
    """``zip(*pairs)`` of a list that was appended to: the columns as tuples."""
    found = columns_of(rows)
    if decide(wrap_size(found.length) == 0):
        return iter(())
    if found.form.shape.kind not in ("list", "tuple", "namedtuple"):
        separate(found.sites, ONE_BY_ONE)
    columns, wholes = [], [snapshot(whole) for whole in found.wholes]
    for part, count in found.form.parts():
        columns.append(owned((Grown(part, wholes[:count], found.sites),)))
        wholes = wholes[count:]
    return iter(columns)


MEANINGS: dict[Any, Callable[..., Any]] = {
    copy.copy: copied_list,
    list: lambda values: _as(list, values),
    tuple: lambda values: _as(tuple, values),
    np.stack: _stack,
    np.array: _array,
    np.asarray: _array,
    np.concatenate: _concatenate,
    np.vstack: _vstack,
    np.hstack: _hstack,
    np.column_stack: _column_stack,
    len: lambda values: wrap_size(length_of(values)),
}
_AS_IT_IS = (copy.deepcopy, enumerate, id, isinstance, reversed, type, zip)
"""What goes over it by itself, or asks nothing of its elements."""
_OF_SEQUENCES = frozenset(
    {"block", "choose", "column_stack", "dstack", "hstack", "lexsort", "multi_dot", "row_stack"}
    | {"select", "concatenate", "stack", "vstack"}
)
"""What takes a list of arrays, and not one array for it."""


def meaning_of(function: Any, args: Sequence[Any]) -> Callable[..., Any] | None:
    """What a function does with such a list; None where that is what it always does."""
    if not args:
        return None
    if any(type(argument) is Grown for argument in args):  # f(*values)
        return _zip if function is zip else functools.partial(refuse, args)
    lists = [argument for argument in args if is_grown(argument)]
    if not lists or any(function is known for known in _AS_IT_IS):
        return None
    if isinstance(function, (FunctionType, MethodType)):
        sees = function if isinstance(function, FunctionType) else function.__func__
        runs_as_it_is = not isinstance(sees, FunctionType) or is_run_as_it_is(sees)
        return functools.partial(refuse, *lists) if runs_as_it_is else None
    found = MEANINGS.get(function) if is_grown(args[0]) else None
    if found is None and _takes_arrays(function):
        return functools.partial(apply, function)
    return found or functools.partial(refuse, *lists)


def _takes_arrays(function: Any) -> bool:
    named = getattr(function, "__name__", "") not in _OF_SEQUENCES
    return named and function in FUNCTIONS
