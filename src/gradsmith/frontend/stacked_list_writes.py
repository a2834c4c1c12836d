"""Stores into stacked lists: ``t[i] = v``, also in the rows of a table.

A number has no identity. So a store into the array is what a store into the list is, for all who
hold the list, as long as no other list is the same array (`Grown.owner`) and the kind of number
stays what the array can say. Arrays, and tuples of arrays and numbers, can be stored where
`frontend.stored_rows` keeps account of who else has them. Anything else asks for a list with
separate elements.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradsmith.errors import ControlFlowError
from gradsmith.frontend.classes import is_own_number
from gradsmith.frontend.dispatch import apply, traced
from gradsmith.frontend.frozen import NONE, Sites, lock
from gradsmith.frontend.grown import (
    Form,
    Grown,
    as_position,
    as_rows,
    element_of,
    is_replaceable,
    owned,
    pythons_words,
    refuse,
    taken_apart,
)
from gradsmith.frontend.merging import as_result, is_whole, joint_type
from gradsmith.frontend.number_kinds import (
    as_boxed,
    as_integer,
    boxed_kind,
    is_needed,
    is_one_precision,
    keep_classes,
    kind_of_leaf,
    number_kind,
    types_in_array,
    types_stored,
)
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.stand_ins import stands_for
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.stored_rows import storage_of
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt, as_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unrolling import NOWHERE
from gradsmith.frontend.unsettled import Need, StackedListError
from gradsmith.ir import dims
from gradsmith.ir.types import ArrayType
from gradsmith.ops.boxes import OBJECT
from gradsmith.ops.create import full
from gradsmith.tree import LEAF

"""Types of arrays that a scalar of NumPy's widens and a float of Python's does not."""


@stands_for("list")
class Stores:
    """What the user's code stores in, instead of the list."""

    __slots__ = ("values",)

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __getitem__(self, key: Any) -> Any:
        return element_of(self.values, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        trace, key = current_trace(), as_position(key)
        if trace is None or not _is_stored_by_its_owner(trace, self.values, key):
            refuse(self.values)
        (made,) = self.values
        with pythons_words("list assignment index out of range"):
            self._store_at(trace, made, key, value)

    def _store_at(self, trace: Trace, made: Grown, key: Any, value: Any) -> None:
        form, value = made.form_for(self.values), as_integer(value)
        if _is_number_for(form, made.wholes, value):
            _store_number(made, form, key, value)
        elif form.shape != LEAF or not _is_element_at(made.wholes[0], key, value):
            parts = _fitting_parts(form, made.wholes, value)
            if parts is None:
                refuse(self.values)
            _store(trace, made, key, parts)

    def __delitem__(self, key: Any) -> None:
        refuse(self.values)


def _is_stored_by_its_owner(trace: Trace, values: list[Any], key: Any) -> bool:
    """Whether it is the one list that has the array, and an index says which element."""
    made = values[0]
    if len(values) != 1 or made.form is None or made.owner is not values:
        return False
    return id(values) not in trace.doubts and isinstance(key, (int, TracedInt))


# -- numbers


def _store_number(made: Grown, form: Form, key: Any, value: Any) -> None:
    (whole,), (kind,) = made.wholes, form.kinds
    kind = number_kind(kind, whole)
    types = types_in_array(kind_of_leaf(value), traced(value).dtype)
    known = types_in_array(kind, whole.dtype)
    if not set(types) <= set(known):
        if not set(types) <= set(types_stored(made.sites)):
            raise StackedListError(Need.MIXED, made.sites, current_span(), types)
        whole.view.storage.types = tuple(dict.fromkeys((*whole.view.storage.types, *types)))
    if whole.dtype == OBJECT:
        whole[key] = as_boxed(value)
    elif is_one_precision((*known, *types)) and not _is_widened(types, whole.dtype):
        whole[key] = value
    else:
        keep_classes(made.sites)


def _is_widened(types: Sequence[ArrayType], dtype: Any) -> bool:
    """Whether an array of this dtype would have to be one of another for such numbers."""
    return any(np.result_type(type_.dtype, dtype) != dtype for type_ in types)


def _is_number_for(form: Form, wholes: Sequence[Tracer], value: Any) -> bool:
    """Whether a number is stored in a list of numbers."""
    if form.shape != LEAF or isinstance(form.kinds[0], Form) or wholes[0].ndim != 1:
        return False
    return is_whole(value) or _kind_of(value) is not None


def _kind_of(value: Any) -> Any:
    """Whether a number is Python's or NumPy's; None of anything else."""
    if not isinstance(value, (Tracer, bool, float, complex, np.generic)):
        return None
    return None if traced(value).type.form == "array" else kind_of_leaf(value)


# -- arrays, and tuples


def _store(trace: Trace, made: Grown, key: Any, parts: list[Any]) -> None:
    """Let the rows at ``key`` be these parts of an element."""
    if not all(whole.view.storage.replaced for whole in made.wholes):
        if made.sites <= trace.learned.needs.get(Need.REPLACED, NONE):
            refuse([made])
        raise StackedListError(Need.REPLACED, made.sites, current_span())
    for whole, part in zip(made.wholes, parts, strict=True):
        whole[key] = part
    for whole, storage in zip(made.wholes, map(storage_of, parts), strict=True):
        if storage is not None:
            whole.view.storage.doubt(storage)


def _fitting_parts(form: Form, wholes: Sequence[Tracer], value: Any) -> list[Any] | None:
    """What the element is made of, where it is made as those of the list are; else None."""
    if not is_replaceable(form, wholes):
        return None
    apart = taken_apart(value)
    if apart is None or apart[1] != form:
        return None
    fits = all(map(_is_row_of, apart[0], wholes))
    return apart[0] if fits else None


def _is_row_of(part: Any, whole: Tracer) -> bool:
    """Whether a part of an element is of the type that the rows have."""
    given, rows = as_result(part).array_type, whole.type
    if given.dtype != rows.dtype or given.ndim != rows.ndim - 1:
        return False
    if given.ndim == 0:
        return given.form != "array"
    try:
        joint_type(given, ArrayType(rows.dtype, rows.shape[1:], "array"))
    except ControlFlowError:
        return False
    return True


def _is_element_at(whole: Tracer, key: Any, value: Any) -> bool:
    """Whether the list has this very array there: ``hs[i] += x`` stores what it has read."""
    if not isinstance(value, Tracer) or value.type.form != "array":
        return False
    if whole.view.storage is not value.view.storage:
        return False
    return _is_same_view(value.view, whole[key].view)


def _is_same_view(left: View, right: View) -> bool:
    pairs = zip(left.path, right.path, strict=False)
    return len(left.path) == len(right.path) and all(
        one.op is other.op
        and one.attrs == other.attrs
        and len(one.inputs) == len(other.inputs)
        and all(map(operator.is_, one.inputs[1:], other.inputs[1:]))
        for one, other in pairs
    )


# -- ``[value] * count``


def repeated(values: Any, count: TracedInt) -> Any:
    """``[value] * count``: an array, if the length may be another one in the next call.

    ``NotImplemented`` where Python is to do it.
    """
    trace, site = current_trace(), current_span() or NOWHERE
    if type(values) is not list or len(values) != 1 or not _is_one_value(values[0]):
        return NotImplemented
    if trace is None or trace.unrolling.is_chosen(site) or not _is_long(count):
        return NotImplemented
    sites = NONE if site is NOWHERE else frozenset([site])
    return owned([_rows_of(values[0], count, sites)])


def _rows_of(value: Any, count: TracedInt, sites: Sites) -> Grown:
    """Stands for so many elements that are one and the same."""
    buffer = storage_of(value)
    if buffer is None and (is_whole(value) or is_needed(Need.BOXED, sites)):
        kind = kind_of_leaf(value)
        form = Form(LEAF, ("int" if kind == "int" else boxed_kind(value, kind),))
        made = full(as_boxed(value).node, shape=(as_size(count),), dtype=OBJECT)
        return Grown(form, as_rows(form, [Tracer(View(Storage(made)))], sites), sites)
    if buffer is None:
        form, shape = Form(LEAF, (_kind_of(value),)), (count,)
    else:
        form, shape = Form(LEAF, ("array",)), (count, *value.shape)
    (whole,) = as_rows(form, [apply(np.full, shape, value)], sites)
    if buffer is not None:
        whole.view.storage.doubt(buffer)
        if not whole.view.storage.replaced:
            lock(whole.view.storage, sites)
    return Grown(form, [whole], sites)


def _is_one_value(value: Any) -> bool:
    """Whether it is a number or an array of which a stacked list can be made."""
    if is_own_number(value):
        return False
    found = storage_of(value) is not None or is_whole(value)
    return found or _kind_of(value) is not None


def _is_long(count: TracedInt) -> bool:
    size = as_size(count)
    if size is None or dims.is_unbacked(size):
        return size is not None and dims.settled(">=", size, 0) is True
    return dims.hint(size) > 0 and dims.decide(">", size, 0)


TracedInt.repeat = staticmethod(repeated)
