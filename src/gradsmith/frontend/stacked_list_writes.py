"""Stores into lists of numbers that are arrays: ``t[i] = v``, also in the rows of a table.

A number has no identity. So a store into the array is what a store into the list is, for all who
hold the list, as long as no other list is the same array (`Grown.owner`) and the kind of number
stays what the array can say. Anything else asks for a list with separate elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradsmith.frontend.dispatch import apply
from gradsmith.frontend.frozen import NONE
from gradsmith.frontend.grown import Form, Grown, element_of, number_kind, owned, refuse
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt, as_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unrolling import NOWHERE
from gradsmith.ir import dims
from gradsmith.ir.types import ArrayType
from gradsmith.tree import LEAF

NARROW = ("e", "f", "F")
"""Types of arrays that a scalar of NumPy's widens and a float of Python's does not."""


class Stores:
    """What the user's code stores in, instead of the list."""

    __slots__ = ("values",)

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __getitem__(self, key: Any) -> Any:
        return element_of(self.values, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        trace = current_trace()
        if trace is None or not _can_be_stored(trace, self.values, key, value):
            refuse(self.values)
        (made,) = self.values
        (whole,) = made.wholes
        (kind,) = made.form.kinds
        if number_kind(kind, whole) != _kind_of(value):
            whole.view.storage.mixed = True
        whole[key] = value

    def __delitem__(self, key: Any) -> None:
        refuse(self.values)


def _can_be_stored(trace: Trace, values: list[Any], key: Any, value: Any) -> bool:
    """Whether it is a number of the right kind, for the one list that has the array."""
    made = values[0]
    if len(values) != 1 or made.form is None or made.owner is not values:
        return False
    if id(values) in trace.doubts or not isinstance(key, (int, TracedInt)):
        return False
    if made.form.shape != LEAF or isinstance(made.form.kinds[0], Form):
        return False
    (whole,), (kind,) = made.wholes, made.form.kinds
    given = _kind_of(value)
    if whole.ndim != 1 or whole.dtype != np.float64 or kind == "int" or given is None:
        return False
    return number_kind(kind, whole) == given or not _has_narrow_inputs(trace)


def _kind_of(value: Any) -> str | None:
    """Whether a number is Python's or NumPy's; None where it is another one."""
    if type(value) is float:
        return "float"
    if type(value) is np.float64:
        return "array"
    type_ = value.type if isinstance(value, Tracer) else None
    if not isinstance(type_, ArrayType) or type_.dtype != np.float64 or type_.form == "array":
        return None
    return "float" if type_.weak else "array"


def _has_narrow_inputs(trace: Trace) -> bool:
    types = [param.type for param in trace.root.params]
    return any(isinstance(t, ArrayType) and t.dtype.char in NARROW for t in types)


def repeated(values: Any, count: TracedInt) -> Any:
    """``[number] * count``: an array, if the length may be another one in the next call.

    ``NotImplemented`` where Python is to do it.
    """
    trace, site = current_trace(), current_span() or NOWHERE
    if type(values) is not list or len(values) != 1 or _kind_of(values[0]) is None:
        return NotImplemented
    if trace is None or trace.unrolling.is_chosen(site) or not _is_long(count):
        return NotImplemented
    (number,) = values
    whole = apply(np.full, count, number)
    sites = NONE if site is NOWHERE else frozenset([site])
    whole.view.storage.sites = sites
    return owned([Grown(Form(LEAF, (_kind_of(number),)), [whole], sites)])


def _is_long(count: TracedInt) -> bool:
    size = as_size(count)
    if size is None or dims.is_unbacked(size):
        return size is not None and dims.settled(">=", size, 0) is True
    return dims.hint(size) > 0 and dims.decide(">", size, 0)


TracedInt.repeat = staticmethod(repeated)
