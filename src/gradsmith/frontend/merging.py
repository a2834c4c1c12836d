"""Two values of which only running will tell which it is: brought to one type."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradsmith.errors import ControlFlowError
from gradsmith.frontend.dispatch import traced
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import Cause
from gradsmith.ir import dims
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.types import (
    ArrayType,
    Form,
    describe,
    result_dtype,
)
from gradsmith.ops.boxes import OBJECT, boxed
from gradsmith.ops.create import full
from gradsmith.ops.forms import in_type

PLAIN = (bool, int, float, complex, np.generic)


def is_data(value: Any) -> bool:
    """Whether it can be the result of a region: an array or a number, traced or not.

    Members of `enum.IntEnum` and others of classes derived from Python's numbers are objects: a
    result would be the number alone.
    """
    if isinstance(value, (Tracer, TracedInt, np.generic, np.ndarray)):
        return True
    return type(value) in (bool, int, float, complex)


def is_same_number(left: Any, right: Any) -> bool:
    """Whether both are one plain number, of one type, to the last bit."""
    if isinstance(left, TracedInt) and isinstance(right, TracedInt):
        return left.dim == right.dim
    plain = (bool, int, float, complex)
    return type(left) is type(right) and type(left) in plain and repr(left) == repr(right)


def as_result(value: Any) -> Node:
    """The node of a value, in the builder at work."""
    return traced(value).node


def is_stale(value: Any) -> bool:
    """Whether it may or may not have been written to, so that it cannot be used."""
    return isinstance(value, Tracer) and value.view.storage.stale


def cause_if_stale(value: Any) -> Cause | None:
    """Why it may or may not have been written to, if that is so."""
    return value.view.storage.cause if is_stale(value) else None


def as_shown(value: Any) -> Node:
    """The node of a value, also of one that cannot be used: that of its type."""
    return value.latest if is_stale(value) else as_result(value)


def is_whole(value: Any) -> bool:
    """Whether it is an integer of Python's, which may be a size."""
    return isinstance(value, TracedInt) or type(value) is int


def joint_type(left: ArrayType, right: ArrayType) -> ArrayType:
    """The type that holds either.

    Raises
    ------
    ControlFlowError
        There is none: the shapes differ, or may do so, or the dtypes of arrays: what is written
        to one array is cast, to another it is not.
    """
    if left == right:
        return left
    alike = left.ndim == right.ndim and all(map(_is_one_size, left.shape, right.shape))
    arrays = "array" in (left.form, right.form)
    if not alike or (arrays and (left.form, left.dtype) != (right.form, right.dtype)):
        one, other = told_apart(left, right)
        raise ControlFlowError(f"it may be a {one} or a {other}")
    if arrays:
        return left
    form: Form = "python" if left.weak and right.weak else "scalar"
    return ArrayType(result_dtype(left, right), (), form)


def joint_of_paths(left: ArrayType, right: ArrayType) -> ArrayType:
    """The type that holds either after a branch: of an array without axes beside a number it is a
    number's, as all is that they are computed with (`number_class`).

    Raises
    ------
    ControlFlowError
        There is none.
    """
    arrays = [type_ for type_ in (left, right) if type_.form == "array"]
    if len(arrays) == 1 and not (left.ndim or right.ndim):
        dtype = result_dtype(left, right)
        if arrays[0].dtype == dtype:
            return ArrayType(dtype, (), "scalar")
    return joint_type(left, right)


def told_apart(left: ArrayType, right: ArrayType) -> tuple[str, str]:
    """Two types in words, also those that differ in a length that only running tells."""
    one, other = describe(left), describe(right)
    return one, other if one != other else f"{other} whose length depends on the data"


def _is_one_size(left: Size, right: Size) -> bool:
    """Whether two sizes are the same for sure: of those that only running tells, few are."""
    if left == right:
        return True
    if dims.changes(left) or dims.changes(right):
        return dims.settled("==", left, right) is True
    known = not (dims.is_unbacked(left) or dims.is_unbacked(right))
    return known and dims.same(left, right)


def placeholder(type_: ArrayType) -> Node:
    """A value of this type that no sensible program reads: nan where there is one."""
    if type_.dtype == OBJECT:
        box = boxed(as_result(0))
        return full(box, shape=type_.shape, dtype=OBJECT) if type_.ndim else box
    value = type_.dtype.type(np.nan if type_.inexact else 0)
    if type_.weak:
        return as_result(value.item())
    whole = full(as_result(value), shape=type_.shape, dtype=type_.dtype)
    return in_type(whole, type_) if type_.form == "array" else as_result(value)


def as_value(node: Node, whole: Size | None, label: str | None) -> Any:
    """What user code sees of a region's result or parameter."""
    if whole is not None:
        return TracedInt(whole) if isinstance(whole, dims.Dim) else whole
    storage = Storage(node)
    storage.label = label
    return Tracer(View(storage))
