"""Stacked lists as results: the emitted code makes lists of Python's of them, of any length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradsmith import tree
from gradsmith.frontend.frozen import ONE_BY_ONE, Sites, separate
from gradsmith.frontend.grown import Form, columns_of, is_grown
from gradsmith.frontend.merging import as_result
from gradsmith.frontend.number_kinds import Mixed, keep_classes
from gradsmith.frontend.opaque import OpaqueObject
from gradsmith.frontend.stored_rows import snapshot
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir.graph import Node
from gradsmith.ops.lists import Layout, listed
from gradsmith.ops.shape import copy


def with_lists(result: Any) -> Any:
    """``result`` with objects of the emitted code for stacked lists."""
    lists, shape = tree.flatten(result, is_grown)
    return tree.unflatten(shape, [as_list(values) for values in lists]) if lists else result


def as_list(values: Any) -> OpaqueObject:
    """The list or tuple itself: one that is asked for twice is one object."""
    trace = current_trace()
    assert trace is not None
    if id(values) not in trace.listed:
        trace.listed[id(values)] = values, _listed(values, len(trace.listed))
    made: OpaqueObject = trace.listed[id(values)][1]
    return made


def _listed(values: Any, place: int) -> OpaqueObject:
    columns = columns_of(values)
    wholes = [snapshot(whole) for whole in columns.wholes]
    layout = _layout(columns.form, type(values), wholes, 1, columns.sites)
    return OpaqueObject(listed(*map(_original, wholes), layout=layout, place=place))


def _original(whole: Tracer) -> Node:
    """What the rows are a copy of, or themselves: the list is a copy anyway."""
    node = as_result(whole)
    while node.op is copy:
        node = node.inputs[0]
    return node


def _layout(
    form: Form, sequence: type, wholes: Sequence[Tracer], depth: int, sites: Sites
) -> Layout:
    """How elements of this form, within so many lists, are made of ``wholes``."""
    if form.shape.kind == "leaf":
        (kind,) = form.kinds
        if isinstance(kind, Form):
            return Layout(sequence, inner=_layout(kind, kind.sequence, wholes, depth + 1, sites))
        if isinstance(kind, Mixed):
            keep_classes(sites)
        if kind == "array":
            return Layout(sequence, "scalars" if wholes[0].ndim == depth else "arrays")
        return Layout(sequence, "pythons")
    record = _RECORDS.get(form.shape.kind)
    known = form.shape.cls in (None, record) and form.shape.value is None
    if record is None or not known or not all(type(key) in (str, int) for key in form.shape.keys):
        separate(sites, ONE_BY_ONE)
    parts = []
    for part, count in form.parts():
        parts.append(_layout(part, list, wholes[:count], depth, sites))
        wholes = wholes[count:]
    return Layout(sequence, parts=tuple(parts), record=record, keys=form.shape.keys)


_RECORDS: dict[str, type] = {"tuple": tuple, "list": list, "dict": dict}
