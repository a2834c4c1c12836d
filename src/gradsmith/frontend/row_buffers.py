"""Lists that a loop appends to and reads, or appends to in some iterations only.

While the loop runs, the elements are the first rows of carried arrays, which have room for all
that may be appended. How many there are is known by the index where every iteration appends the
same number of elements; else a counter is carried. A branch that appends writes the rows in its
own region, so that the code is what one would write by hand: ``rows[count] = x; count += 1``.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, TypeAlias

import numpy as np

from gradsmith import tree
from gradsmith.errors import ControlFlowError
from gradsmith.frontend.dispatch import apply, traced
from gradsmith.frontend.frozen import NONE, Sites, freeze, lock
from gradsmith.frontend.grown import (
    Form,
    Grown,
    as_rows,
    in_boxes,
    joint_form,
    length_of,
    piled,
    stack_in_boxes,
    taken_apart,
)
from gradsmith.frontend.journal import note_container, refill
from gradsmith.frontend.merging import as_result, as_value, is_data
from gradsmith.frontend.namings import name_of_list
from gradsmith.frontend.number_kinds import is_needed
from gradsmith.frontend.slots import Slot, fresh_name, param_of
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.stored_rows import storage_of
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import as_size, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import Need
from gradsmith.ir import dims
from gradsmith.ir.bounds import extreme
from gradsmith.ir.builder import Builder
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType, python_number
from gradsmith.ops.boxes import OBJECT
from gradsmith.ops.create import empty
from gradsmith.ops.index import first_rows, index_set, open_rows, without_rows
from gradsmith.ops.index_key import Index

RowKind: TypeAlias = tuple[Form, tuple[ArrayType, ...]]
"""How elements are made of rows, and the types of these."""


class AppendedInBranchError(ControlFlowError):
    """One way of a branch appends elements of a ``kind`` to a list, the other does not."""

    container: Any = None
    kind: RowKind | None = None


@dataclass(frozen=True, slots=True)
class OpenRows:
    """The elements of a list while a loop runs: the first ``count`` rows of ``rows``."""

    rows: tuple[Node, ...]
    count: Size
    form: Form
    bounds: tuple[Size, Size | None]
    """How many elements there are at least and at most."""
    most: Size | None = 0
    """How many elements the iteration at work has appended at most; None: nobody knows."""
    shared: tuple[tuple[Storage, ...], ...] = ()
    """For each of the rows the buffers that the iteration has appended."""
    elements: tuple[Any, ...] = ()
    """What the iteration has appended."""

    def appended(
        self, elements: Sequence[Any], node_of: Callable[[Any], Node] = as_result
    ) -> OpenRows | None:
        """With these elements, too; None where they are of another kind.

        ``node_of`` gives the node of a value in the builder at work.
        """
        rows, count = list(self.rows), self.count
        shared = list(self.shared or [()] * len(rows))
        for element in elements:
            apart = taken_apart(element)
            apart = None if apart is None else in_boxes(apart, self.form)
            if apart is None or joint_form(self.form, apart[1]) != self.form:
                return None
            for place, part in enumerate(apart[0]):
                row, whole = node_of(part), rows[place].array_type
                if row.shape != whole.shape[1:] or row.dtype != whole.dtype:
                    return None
                grows = dims.total_of(whole.shape[0]) is not None
                rows[place] = index_set(rows[place], row, index=Index((count,), grows))
                storage = storage_of(part)
                shared[place] += () if storage is None else (storage,)
            count = count + 1
        return replace(
            self,
            rows=tuple(rows),
            count=count,
            most=_sum(self.most, len(elements)),
            shared=tuple(shared),
            elements=(*self.elements, *elements),
        )

    @property
    def types(self) -> tuple[ArrayType, ...]:
        """Of which types the parts of an element are."""
        rows = [row.array_type for row in self.rows]
        return tuple(ArrayType(row.dtype, row.shape[1:], "array") for row in rows)

    def shared_with(self, other: OpenRows) -> tuple[tuple[Storage, ...], ...]:
        """The buffers that either has appended."""
        none: tuple[tuple[Storage, ...], ...] = ((),) * len(self.rows)
        pairs = zip(self.shared or none, other.shared or none, strict=True)
        return tuple(one + more for one, more in pairs)

    def _first(self, row: Node) -> Node:
        if dims.total_of(row.shape[0]) is not None:
            return first_rows(row, self.count)
        return as_result(as_value(row, None, None)[: wrap_size(self.count)])

    def stand_in(self, sites: Sites) -> Grown:
        """What is in the list for the elements: they may be read where they are numbers."""
        nested = any(isinstance(kind, Form) for kind in self.form.kinds)
        if nested or any(row.ndim > 1 for row in self.rows):
            return Grown(sites=sites, open_rows=self)
        wholes = [as_value(self._first(row), None, None) for row in self.rows]
        for whole in wholes:
            lock(whole.view.storage, sites)
        return Grown(self.form, wholes, sites, self)


def open_rows_of(contents: Any) -> OpenRows | None:
    """Those of a list, if it is one that a loop at work has rows for."""
    if type(contents) is not list or not contents or type(contents[0]) is not Grown:
        return None
    found: OpenRows | None = contents[0].open_rows
    return found


def of_another_kind(
    container: Any,
    begun: OpenRows,
    elements: Sequence[Any],
    node_of: Callable[[Any], Node] = as_result,
) -> ControlFlowError:
    """The error that elements are appended that are of another kind than was assumed."""
    error = AppendedInBranchError(changed_rows().message, current_span(), changed_rows().hint)
    kind: RowKind | None = (begun.form, begun.types)
    for element in elements:
        kind = _joint_row_kind(kind, kind_of(element, node_of))
    error.container, error.kind = container, kind
    return error


def flush_rows(container: Any) -> None:
    """What an iteration of an enclosing loop has appended to a list becomes rows: an inner loop is
    about to begin, which may append more.
    """
    begun = open_rows_of(container)
    if begun is None or len(container) == 1:
        return
    sites, elements = container[0].sites, container[1:]
    ended = begun.appended(elements)
    if ended is None:
        raise of_another_kind(container, begun, elements)
    close_elements(elements, sites)
    note_container(container)
    refill(container, [ended.stand_in(sites)])


def close_elements(elements: Sequence[Any], sites: Sites) -> None:
    """What has been appended has become rows: later writes would be lost."""
    for element in elements:
        freeze(element, sites)
        for part in tree.flatten(element, is_data)[0]:
            buffer = storage_of(part)
            if buffer is not None:
                lock(buffer, sites)


@dataclass(frozen=True, slots=True)
class Rows:
    """All the values that a leaf has in the elements that a `Grown` stands for, as an array."""

    whole: Tracer

    @property
    def type(self) -> ArrayType:
        """The type of one of them."""
        return ArrayType(self.whole.dtype, self.whole.type.shape[1:], "array")


@dataclass(slots=True)
class RowBuffer:
    """A list of which a loop carries the rows."""

    sites: Sites
    container: list[Any]
    form: Form
    types: list[ArrayType]
    before: list[list[Any]]
    """For each leaf of an element its values before the loop, or `Rows` of them."""
    first: Size
    """How many elements there are before the loop."""
    extent: tuple[Size | None, Size | None]
    """How many iterations there are, and how many at most, as far as that is known."""
    step: Size | None
    """How many elements each iteration appends; None where that is no one number."""
    most: Size | None
    """How many it appends at most; None where nobody knows."""
    outer: OpenRows | None = None
    """The rows of the enclosing loop, where it has them."""
    old: tuple[Any, ...] = ()
    """The elements before the loop."""
    element: Any = None
    """All that an iteration has appended, and the elements before the loop."""
    shared: tuple[tuple[Storage, ...], ...] = ()
    rows: list[Slot] = field(default_factory=list)
    count: Slot | None = None
    capacity: Size = 0
    """For how many elements there is room."""

    def __post_init__(self) -> None:
        self._make_slots()

    def _make_slots(self) -> None:
        self.count = None
        if self.step is None:
            self.count = Slot("count", wrap_size(self.first), python_number(int), whole=True)
        capacity = self.capacity = self._capacity()
        shapes = [(capacity, *type_.shape) for type_ in self.types]
        label = name_of_list(self.container, "rows")
        self.rows = [
            Slot(label, None, ArrayType(type_.dtype, shape, "array"), whole=False, empty=True)
            for type_, shape in zip(self.types, shapes, strict=True)
        ]
        if self.count is not None:
            self.count.bounds = self.bounds

    def prepare(self) -> None:
        """The loop is about to be made: what the rows are before it, in the builder at work."""
        for place, slot in enumerate(self.rows):
            if self.outer is not None:
                slot.initial, slot.empty = self.outer.rows[place], False
            elif self.before[place]:
                slot.initial, slot.empty = self._begun(place, slot.type), False

    def _begun(self, place: int, type_: ArrayType) -> Any:
        """The rows with those that are there before the loop."""
        elements = self.before[place]
        if type_.dtype == OBJECT:  # which are nodes of the region that they have been found in
            anew = columns_before(self.old, self.form, self.types)
            elements = elements if anew is None else anew[1][place]
        return begun_rows(elements, type_, self.first)

    def _capacity(self) -> Size:
        """For how many elements there is room; an open axis where nobody knows how many."""
        if self.outer is not None:
            return self.outer.rows[0].shape[0]
        most = self.most if self.step is None else self.step
        if self.extent[1] is not None and most is not None:
            return self.first + self.extent[1] * most
        if self.count is not None:
            total = _number_at_end("count", self.first)
            self.count.final = dims.as_symbol(total)
        else:
            total = self._total()
        return open_length(total)

    def _total(self) -> Size:
        """How many elements there are after the loop, where each iteration appends as many."""
        length = self.extent[0]
        assert self.step is not None
        assert length is not None
        return self.first + length * self.step

    @property
    def bounds(self) -> tuple[Size, Size | None]:
        """How many elements there are at least and at most."""
        if self.outer is not None:
            return self.outer.bounds
        is_open = dims.total_of(self.capacity) is not None
        return self.first, None if is_open else self.capacity

    @property
    def slots(self) -> list[Slot]:
        """The carried values."""
        return [*self.rows, *([] if self.count is None else [self.count])]

    def open(self, trace: Trace, builder: Builder, place: Size) -> None:
        """Begin an iteration, the one at ``place``."""
        for slot in self.slots:
            slot.open(trace, builder)
        rows = tuple(map(param_of, self.rows))
        found = OpenRows(rows, self._count_at(place), self.form, self.bounds)
        note_container(self.container)
        refill(self.container, [found.stand_in(self.sites)])

    def _count_at(self, place: Size) -> Size:
        if self.step is not None:
            return self.first + place * self.step
        assert self.count is not None
        return _size_of(self.count.seen)

    def take(self, place: Size, carried: Container[Storage]) -> bool:
        """The iteration ends; whether it appends as many elements as was assumed.

        They must not be views of buffers that are ``carried``: other iterations change them.
        """
        begun, tail = open_rows_of(self.container), self.container[1:]
        ended = None if begun is None else begun.appended(tail)
        if ended is None:
            if begun is None or not self._renewed(tail):
                raise changed_rows()
            return False
        self.element = [*self.old, *ended.elements]
        shared = ended.shared or ((),) * len(self.rows)
        self.shared = tuple(
            (*more, *filter(None, map(storage_of, old)))
            for more, old in zip(shared, map(_values, self.before), strict=True)
        )
        if any(storage in carried for storages in self.shared for storage in storages):
            raise _appended_and_written()
        for slot, row in zip(self.rows, ended.rows, strict=True):
            slot.node = row
        settled = self._is_as_assumed(ended.count - self._count_at(place), ended.most)
        if settled and self.count is not None:
            settled = self.count.take(wrap_size(ended.count))
        return settled

    def _renewed(self, elements: Sequence[Any]) -> bool:
        """Take note that elements are of another kind than was assumed; whether they may be."""
        if self.outer is not None:
            return False
        kind: RowKind | None = (self.form, tuple(self.types))
        for element in elements:
            kind = _joint_row_kind(kind, kind_of(element))
        found = None if kind is None else columns_before(self.old, *kind)
        if kind is None or found is None:
            return False
        (self.form, self.before), self.types = found, list(kind[1])
        self._make_slots()
        return True

    def _is_as_assumed(self, appended: Size, most: Size | None) -> bool:
        if self.step is not None and appended == self.step:
            return True
        if most is not None and dims.changes(most):
            most = extreme(most, lowest=False)
        if self.step is None and (self.most is None or most == self.most):
            return True
        known = self.step is not None and not dims.is_unbacked(appended)
        self.step, self.most = appended if known else None, most
        self._make_slots()
        return False

    def close(self, wholes: Sequence[Any], count: Any) -> None:
        """After the loop the list has the first rows; those of an enclosing loop stay open."""
        total = _size_of(count) if self.step is None else self._total()
        note_container(self.container)
        if self.outer is not None:
            for storage in (one for own in self.shared for one in own):
                lock(storage, self.sites)  # its row is made: what is written later would be lost
            found = replace(
                self.outer,
                rows=tuple(map(as_result, wholes)),
                count=total,
                most=self._most_in_outer(),
                shared=self._shared_with_outer(wholes),
                elements=(*self.outer.elements, *(self.element or ())),
            )
            refill(self.container, [found.stand_in(self.sites)])
            return
        is_open = dims.total_of(self.capacity) is not None
        wholes = [closed_rows(whole) for whole in wholes]
        if self.step is None and not is_open:
            wholes = [whole[: wrap_size(total)] for whole in wholes]
        as_rows(self.form, wholes, self.sites)
        freeze(self.element, self.sites)
        refill(self.container, [Grown(self.form, wholes, self.sites, owner=self.container)])

    def _most_in_outer(self) -> Size | None:
        assert self.outer is not None
        length = self.extent[1]
        if length is None or self.most is None:
            return None
        return _sum(self.outer.most, length * self.most)

    def _shared_with_outer(self, wholes: Sequence[Any]) -> tuple[tuple[Storage, ...], ...]:
        """The buffers that the iteration of the enclosing loop has appended."""
        assert self.outer is not None
        shared = self.outer.shared or ((),) * len(wholes)
        pairs = zip(shared, wholes, self.shared, strict=True)
        return tuple((*known, whole.view.storage) if own else known for known, whole, own in pairs)


def begun_rows(elements: Sequence[Any], type_: ArrayType, count: Size) -> Any:
    """An array with room for rows, of which ``count`` are there before the loop."""
    is_open = dims.total_of(type_.shape[0]) is not None
    if len(elements) <= FEW and not any(type(element) is Rows for element in elements):
        length, *row = type_.shape
        rows = (
            without_rows(ArrayType(type_.dtype, tuple(row)), length)
            if is_open
            else empty(shape=type_.shape, dtype=type_.dtype)
        )
        for place, element in enumerate(elements):
            rows = index_set(rows, as_result(element), index=Index((place,), is_open))
        return rows
    pieces = [
        [rows.whole for rows in group] if stacked else [piled(list(group))]
        for stacked, group in groupby(elements, lambda value: type(value) is Rows)
    ]
    wholes = [piece for group in pieces for piece in group]
    stacked = wholes[0] if len(wholes) == 1 else apply(np.concatenate, wholes)
    if is_open:
        return open_rows(as_result(stacked), type_.shape[0])
    whole: Tracer = traced(empty(shape=type_.shape, dtype=type_.dtype))
    whole[: wrap_size(count)] = stacked
    return whole


FEW = 4
"""So many rows are written one by one."""


def open_length(total: Size) -> Size:
    """The length of an open axis with so many rows at the end."""
    trace = current_trace()
    assert trace is not None
    return dims.open_axis(fresh_name(trace, "rows"), total)


def _number_at_end(label: str, least: Size) -> Size:
    """A number that only the end of a loop shows."""
    trace = current_trace()
    assert trace is not None
    return dims.changing(fresh_name(trace, label), 1, least, None)


def closed_rows(whole: Tracer) -> Tracer:
    """The rows of an array with an open axis when the loop has ended; any other as it is."""
    total = dims.total_of(whole.type.shape[0])
    if total is None:
        return whole
    closed: Tracer = as_value(first_rows(as_result(whole), total), None, None)
    return closed


def _sum(one: Size | None, other: Size) -> Size | None:
    return None if one is None else one + other


def _size_of(value: Any) -> Size:
    size = as_size(value)
    assert size is not None
    return size


def _appended_and_written() -> ControlFlowError:
    """The error that an appended array is one that other iterations write to."""
    return ControlFlowError(
        "this loop appends an array to a list and writes to that array in other trips",
        current_span(),
        "append a copy of it: x.copy()",
    )


def changed_rows() -> ControlFlowError:
    """The error that a list is used in a way that rows do not allow."""
    return ControlFlowError(
        "this loop changes which elements a list, dict or set has",
        current_span(),
        "write to an array made before the loop",
    )


@dataclass(frozen=True, slots=True)
class Appended:
    """What iterations append to a list: how elements are made of rows, of which types, and how
    many an iteration appends, None where that is not known.
    """

    form: Form
    types: tuple[ArrayType, ...]
    count: Size | None


def appended_to(contents: list[Any], before: list[Any]) -> Appended | None:
    """What an iteration has appended; None where it has done something else, too."""
    tail, outer = contents[len(before) :], open_rows_of(before)
    ended = open_rows_of(contents)
    if outer is not None and ended is not None:
        return Appended(outer.form, outer.types, _known(ended.count - outer.count + len(tail)))
    same = all(old is new for old, new in zip(before, contents, strict=False))
    if not (tail and same) or len(before) + len(tail) != len(contents):
        return None
    kind = kind_of(tail[0])
    if kind is None:
        return None
    count: Size = 0
    for item in tail:
        count = count + (item.wholes[0].type.shape[0] if type(item) is Grown else 1)
    return Appended(*kind, _known(count))


def _known(count: Size) -> Size | None:
    return None if dims.is_unbacked(count) else count


def kind_of(element: Any, node_of: Callable[[Any], Node] = as_result) -> RowKind | None:
    """How an element is made of rows, and their types; or all those that one stands for."""
    if type(element) is Grown:
        if element.form is None or element.open_rows is not None:
            return None
        types = [whole.type for whole in element.wholes]
        return element.form, tuple(ArrayType(t.dtype, t.shape[1:], "array") for t in types)
    apart = taken_apart(element)
    if apart is None:
        return None
    if is_needed(Need.BOXED, NONE):
        apart = in_boxes(apart)
    return apart[1], tuple(node_of(part).array_type for part in apart[0])


def _joint_row_kind(left: RowKind | None, right: RowKind | None) -> RowKind | None:
    """Of which kind elements are that were thought to be of the one, and are of the other: of its
    types; None where no rows stand for both.
    """
    if left is None or right is None:
        return None
    form = joint_form(left[0], right[0])
    return None if form is None else (form, right[1])


def buffer_of(
    container: list[Any],
    before: list[Any],
    appended: Appended,
    extent: tuple[Size | None, Size | None],
    sites: Sites,
) -> RowBuffer | None:
    """How the rows of a list are carried; None where what it holds before is not of their kind.

    ``extent`` is how many iterations there are, and how many at most.
    """
    count, outer = appended.count, open_rows_of(before)
    most = 1 if count is None else count
    kind, types = appended.form, list(appended.types)
    if outer is not None and len(before) > 1:
        return None  # `flush_rows` makes rows of what is behind
    if outer is not None:
        none: list[list[Any]] = [[] for _ in types]
        first = outer.count
        return RowBuffer(sites, container, kind, types, none, first, extent, count, most, outer)
    found = columns_before(before, kind, types)
    if found is None:
        return None
    kind, columns = found
    return RowBuffer(
        *(sites, container, kind, types, columns, length_of(before), extent, count, most),
        old=tuple(before),
    )


def columns_before(
    elements: Sequence[Any], form: Form, types: Sequence[ArrayType]
) -> tuple[Form, list[list[Any]]] | None:
    """How elements of ``form`` and these are made of rows, and for each leaf the values of these;
    None where they have other shapes or dtypes.
    """
    columns: list[list[Any]] = [[] for _ in types]
    for element in elements:
        apart = _rows_of(element, form) if type(element) is Grown else taken_apart(element)
        if apart is not None and type(element) is not Grown:
            apart = in_boxes(apart, form)
        joint = None if apart is None else joint_form(form, apart[1])
        if apart is None or joint is None:
            return None
        form = joint
        for column, part, type_ in zip(columns, apart[0], types, strict=True):
            found = part.type if type(part) is Rows else as_result(part)
            if found.shape != type_.shape or found.dtype != type_.dtype:
                return None
            column.append(part)
    return form, columns


def _rows_of(made: Grown, like: Form) -> tuple[list[Any], Form] | None:
    """The rows of what it stands for, and how its elements are made of these, in boxes if those of
    ``like`` are.
    """
    if made.form is None:
        return None
    wholes, form = stack_in_boxes((list(made.wholes), made.form), like, made.sites)
    return [Rows(whole) for whole in wholes], form


def _values(column: Sequence[Any]) -> list[Any]:
    """The arrays, or the arrays of rows, of a leaf before the loop."""
    return [value.whole if type(value) is Rows else value for value in column]
