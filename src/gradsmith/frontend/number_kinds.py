"""What Python calls the numbers that a stacked list holds, and how an array can hold them.

An array of floats has no place for the class of each number: `Mixed` says which are possible.
Where the class is observed, the function is traced once more, and the list holds `Boxed` numbers:
the array is one of objects then, which are those that Python has in its list.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any, NoReturn

import numpy as np

from gradsmith.frontend.dispatch import run, traced
from gradsmith.frontend.frozen import Sites, separate
from gradsmith.frontend.merging import as_result, is_whole, joint_type
from gradsmith.frontend.number_class import (
    Classes,
    lists_of,
    note,
    note_chosen,
    possible_types,
)
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import Need, StackedListError
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType, DType, python_number, result_dtype, scalar
from gradsmith.ops.boxes import OBJECT, boxed, boxed_rows, has_dtype
from gradsmith.ops.regions import as_whole
from gradsmith.ops.scalars import as_python, python_float, widened
from gradsmith.ops.shape import astype

PYTHONS: dict[DType, str] = {np.dtype(cls): cls.__name__ for cls in (float, complex, bool)}
"""The kinds of Python's numbers by dtype. Integers may be sizes, and are a kind of their own."""

_TYPES_OF_KINDS = {cls.__name__: python_number(cls) for cls in (float, int, complex, bool)}

CLASS_OF_ELEMENT = "the class of a number is asked for that is an element of a stacked list"


@dataclass(frozen=True, slots=True)
class Mixed:
    """The kind of numbers that are of different classes in a list of Python's."""

    types: tuple[ArrayType, ...]


@dataclass(frozen=True, slots=True)
class Boxed:
    """The kind of numbers that an array of objects holds, each in its own class, one of these."""

    types: tuple[ArrayType, ...]


def types_of_kind(kind: Any) -> tuple[ArrayType, ...]:
    """The types that a number of this kind may have; not of "array", which says no dtype."""
    return kind.types if isinstance(kind, (Mixed, Boxed)) else (_TYPES_OF_KINDS[kind],)


def types_in_array(kind: Any, dtype: DType) -> tuple[ArrayType, ...]:
    """Those of a number of this kind in an array of this dtype."""
    return (scalar(dtype),) if kind == "array" else types_of_kind(kind)


def number_kind(kind: Any, whole: Tracer) -> Any:
    """The kind of numbers in a list by what is stored in it, too."""
    stored = whole.view.storage.types
    if not stored:
        return kind
    own = types_in_array(kind, whole.dtype)
    types = tuple(dict.fromkeys((*own, *stored)))
    if types == own:
        return kind
    return Boxed(types) if whole.dtype == OBJECT else Mixed(types)


def kind_of_leaf(leaf: Any) -> Any:
    """What Python calls a number or array."""
    if is_whole(leaf):
        return "int"
    types = possible_types(leaf.node) if isinstance(leaf, Tracer) else ()
    if len(types) > 1:
        return Mixed(types)
    type_ = leaf.type if isinstance(leaf, Tracer) else traced(leaf).type
    return PYTHONS.get(type_.dtype, "array") if type_.weak else "array"


def joint_kind(left: Any, right: Any) -> Any:
    """The kind of numbers that are of either."""
    if left == right:
        return left
    known = [t for kind in (left, right) if kind != "array" for t in types_of_kind(kind)]
    dtype = known[0].dtype if known[0].dtype in PYTHONS else np.dtype(float)
    numpys = [scalar(dtype)] if "array" in (left, right) else []
    types = tuple(dict.fromkeys((*known, *numpys)))
    return Boxed(types) if Boxed in (type(left), type(right)) else Mixed(types)


def is_one_precision(types: Iterable[ArrayType]) -> bool:
    """Whether an array of the numbers holds each of them as it is: beside Python's integers NumPy
    makes double precision of single, and integers of 64 bits of narrower ones.
    """
    found = list(types)
    if len({type_.dtype for type_ in found if type_.inexact}) > 1:
        return False
    return result_dtype(*found) == np.result_type(*(type_.dtype for type_ in found))


# -- which lists hold boxed numbers --------------------------------------------------------------


def is_needed(need: Need, sites: Sites) -> bool:
    """Whether lists that are made at ``sites``, or in a loop at work, have to allow for this."""
    trace = current_trace()
    if trace is None:
        return False
    known = trace.needs.get(need, frozenset())
    return not known.isdisjoint(sites) or not known.isdisjoint(trace.unrolling.active)


def types_stored(sites: Sites) -> tuple[ArrayType, ...]:
    """Of which types numbers are that are stored in lists made at ``sites``."""
    trace = current_trace()
    if trace is None or not trace.stored:
        return ()
    return tuple(dict.fromkeys(t for site in sites for t in trace.stored.get(site, ())))


def keep_classes(sites: Sites) -> NoReturn:
    """The class is observed of a number that is an element of a list made at ``sites``.

    Raises
    ------
    ControlFlowError
        It asks for another trace, in which these lists hold boxed numbers; where they cannot, for
        one in which they hold separate objects.
    """
    trace = current_trace()
    if trace is not None and not sites <= trace.needs.get(Need.BOXED, frozenset()):
        raise StackedListError(Need.BOXED, sites, current_span())
    separate(sites, CLASS_OF_ELEMENT)


def is_boxable(leaf: Any, kind: Any) -> bool:
    """Whether it is a real number, of which a box can be made."""
    if isinstance(kind, Boxed):
        return False
    if kind == "int":
        return True
    type_ = traced(leaf).type
    return type_.form != "array" and all(t.dtype.kind in "biuf" for t in _types_of(leaf, kind))


def boxed_kind(leaf: Any, kind: Any) -> Boxed:
    """The kind of such a number in a box."""
    return Boxed(_types_of(leaf, kind))


def _types_of(leaf: Any, kind: Any) -> tuple[ArrayType, ...]:
    return (traced(leaf).type,) if kind == "array" else types_of_kind(kind)


# -- boxes ---------------------------------------------------------------------------------------


def as_boxed(value: Any) -> Tracer:
    """A number as the element of an array of objects. Where it comes from a list that does not
    keep its class, that list has to.
    """
    trace = current_trace()
    lists = lists_of(value.node, trace) if trace is not None and isinstance(value, Tracer) else ()
    if lists:
        keep_classes(lists)
    return Tracer(View(Storage(boxed(as_result(value)))))


def as_boxed_part(value: Any) -> Tracer:
    """The same, where it may be in a box already."""
    return value if isinstance(value, Tracer) and value.dtype == OBJECT else as_boxed(value)


def as_boxed_rows(whole: Tracer, kind: Any) -> Tracer | None:
    """Numbers of one kind as the elements of an array of objects; None where their classes are not
    known any more.
    """
    if whole.dtype == OBJECT:
        return whole
    if isinstance(kind, Mixed) or whole.ndim != 1 or whole.dtype.kind not in "biuf":
        return None
    return Tracer(View(Storage(boxed_rows(whole.node, pythons=kind != "array"))))


def as_integer(value: Any) -> Any:
    """An integer of Python's that an operation gives which sizes do not have (``2**i``) as one of
    any size; anything else as it is.
    """
    if not isinstance(value, Tracer) or not value.type.weak or value.dtype.kind != "i":
        return value
    single = len(possible_types(value.node)) == 1
    return wrap_size(as_whole(value.node)) if single else value


def as_unboxed(value: Any) -> Any:
    """An integer of Python's that was an element of such an array."""
    return wrap_size(as_whole(value.node)) if isinstance(value, Tracer) else value


def element_of_kind(row: Tracer, kind: Any, sites: Sites) -> Any:
    """The number of this kind that is an element of a list made at ``sites``: ``row`` is what the
    array has there.
    """
    if kind == "int" or (isinstance(kind, Boxed) and kind.types == types_of_kind("int")):
        return wrap_size(as_whole(row.node))
    if isinstance(kind, Boxed):
        made = _taken_out(row.node, kind)
    elif isinstance(kind, Mixed):
        # no scalar of NumPy's where none is among them, which raises no errors
        made = run(python_float, row) if all(t.weak for t in kind.types) else row
        note(made.node, Classes(kind.types, lists=sites))
    else:
        made = row if kind == "array" else run(as_python, row)
    note_chosen(made.node, sites)
    return made


def _taken_out(box: Node, kind: Boxed) -> Tracer:
    type_ = reduce(joint_type, kind.types)
    node = widened(box, dtype=type_.dtype, scalar=not type_.weak)
    trace = current_trace()
    if trace is not None:
        trace.possible[node] = kind.types
    note(node, Classes(kind.types))
    return Tracer(View(Storage(node)))


def as_numbers(whole: Tracer, kind: Any) -> Tracer:
    """The array that NumPy makes of the elements of a list: its dtype is decided for the present
    call where it depends on which numbers there are.
    """
    if kind == "int":
        return Tracer(View(Storage(astype(whole.node, dtype=np.dtype(np.int64)))))
    if not isinstance(kind, Boxed):
        return whole
    *others, dtype = dtypes_of_arrays(kind.types)
    for other in others:
        if Tracer.decide(run(has_dtype, whole, dtype=other)):
            dtype = other
            break
    return Tracer(View(Storage(astype(whole.node, dtype=dtype))))


def dtypes_of_arrays(types: Iterable[ArrayType]) -> list[DType]:
    """Those that an array of numbers of some of these types may have."""
    found: dict[DType, None] = {}
    for type_ in types:
        joint = [np.result_type(type_.dtype, other) for other in (type_.dtype, *found)]
        found.update(dict.fromkeys(joint))
    return list(found)
