"""Lists that a loop appends to and reads, or appends to in some iterations only.

While the loop runs, the elements are the first rows of carried arrays, which have room for all that
may be appended. How many there are is known by the index where every iteration appends the same
number of elements; else a counter is carried. A branch that appends writes the rows in its own
region, so that the code is what one would write by hand: ``rows[count] = x; count += 1``.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradsmith.errors import ControlFlowError
from gradsmith.frontend.dispatch import apply, traced
from gradsmith.frontend.frozen import Sites, freeze, lock
from gradsmith.frontend.grown import Form, Grown, taken_apart
from gradsmith.frontend.journal import note_container, refill
from gradsmith.frontend.merging import as_result
from gradsmith.frontend.slots import Slot, param_of
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.traced_int import as_size, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType, python_number
from gradsmith.ops.create import empty
from gradsmith.ops.index import index_set
from gradsmith.ops.index_key import Index


class AppendedInBranchError(ControlFlowError):
    """One branch on a traced value appends ``element`` to a list, the other does not."""

    container: Any = None
    element: Any = None


@dataclass(frozen=True, slots=True)
class OpenRows:
    """The elements of a list while a loop runs: the first ``count`` rows of ``rows``."""

    rows: tuple[Node, ...]
    count: Size
    form: Form
    most: Size
    """How many elements the iteration at work has appended at most."""
    lowest: Size
    """How many elements there are at least."""
    capacity: Size

    def appended(self, elements: Sequence[Any], node_of: Any) -> OpenRows | None:
        """With these elements, too; None where they are of another kind.

        ``node_of`` gives the node of a value in the builder at work.
        """
        rows, count = list(self.rows), self.count
        for element in elements:
            apart = taken_apart(element)
            if apart is None or apart[1] != self.form:
                return None
            for place, part in enumerate(apart[0]):
                row = node_of(part)
                whole = rows[place].array_type
                if row.shape != whole.shape[1:] or row.dtype != whole.dtype:
                    return None
                rows[place] = index_set(rows[place], row, index=Index((count,)))
            count = count + 1
        return OpenRows(
            tuple(rows), count, self.form, self.most + len(elements), self.lowest, self.capacity
        )


def opened(open_rows: OpenRows, sites: Sites) -> Grown:
    """What stands in the list for the elements. They may be read where they are numbers."""
    if not _are_numbers(open_rows):
        return Grown(sites=sites, open_rows=open_rows)
    wholes = [traced_rows(row)[: wrap_size(open_rows.count)] for row in open_rows.rows]
    for whole in wholes:
        lock(whole.view.storage, sites)
    return Grown(open_rows.form, wholes, sites, open_rows)


def traced_rows(node: Node) -> Tracer:
    """Rows as an array of their own."""
    return traced(node)


def _are_numbers(open_rows: OpenRows) -> bool:
    nested = any(isinstance(kind, Form) for kind in open_rows.form.kinds)
    return not nested and all(row.ndim == 1 for row in open_rows.rows)


def open_rows_of(contents: Any) -> OpenRows | None:
    """Those of a list, if it is one of an enclosing loop that has rows."""
    if type(contents) is not list or not contents or type(contents[0]) is not Grown:
        return None
    found: OpenRows | None = contents[0].open_rows
    return found


@dataclass(slots=True)
class RowBuffer:
    """A list of which a loop carries the rows."""

    sites: Sites
    container: list[Any]
    form: Form
    starts: list[Any]
    """For each row what the first elements are; None where there are none."""
    types: list[ArrayType]
    first: Size
    """How many elements there are before the loop."""
    length: Size
    """How many iterations there are at most."""
    step: Size | None
    """How many elements each iteration appends; None where that is no one number."""
    most: Size = 1
    outer: OpenRows | None = None
    """The rows of the enclosing loop, where it has them."""
    element: Any = None
    rows: list[Slot] | None = None
    count: Slot | None = None

    def __post_init__(self) -> None:
        self._make_slots()

    def _make_slots(self) -> None:
        shapes = [(self.capacity, *type_.shape) for type_ in self.types]
        types = [
            ArrayType(type_.dtype, shape, "array")
            for type_, shape in zip(self.types, shapes, strict=True)
        ]
        starts = [self._start(*pair) for pair in zip(types, self.starts, strict=True)]
        self.rows = [
            Slot("rows", start, type_, whole=False, empty=start is None)
            for type_, start in zip(types, starts, strict=True)
        ]
        if self.step is None:
            bounds = (self.lowest, self.capacity)
            count = Slot("count", wrap_size(self.first), python_number(int), whole=True)
            count.bounds = bounds
            self.count = count

    def _start(self, type_: ArrayType, first: Any) -> Any:
        if self.outer is not None or first is None:
            return first
        whole: Tracer = traced(empty(shape=type_.shape, dtype=type_.dtype))
        whole[: wrap_size(self.first)] = first
        return whole

    @property
    def capacity(self) -> Size:
        """For how many elements there is room."""
        if self.outer is not None:
            return self.outer.capacity
        return self.first + self.length * (self.most if self.step is None else self.step)

    @property
    def lowest(self) -> Size:
        """How many elements there are at least."""
        return self.first if self.outer is None else self.outer.lowest

    @property
    def slots(self) -> list[Slot]:
        """The carried values."""
        return [*(self.rows or ()), *([] if self.count is None else [self.count])]

    def open(self, trace: Trace, builder: Builder, place: Size) -> None:
        """Begin an iteration, the one at ``place``."""
        for slot in self.slots:
            slot.open(trace, builder)
        rows = tuple(param_of(slot) for slot in self.rows or ())
        note_container(self.container)
        found = OpenRows(rows, self._count_at(place), self.form, 0, self.lowest, self.capacity)
        refill(self.container, [opened(found, self.sites)])

    def _count_at(self, place: Size) -> Size:
        if self.count is None or self.step is not None:
            return self.first + place * (self.step or 0)
        count = as_size(self.count.seen)
        assert count is not None
        return count

    def take(self, place: Size, carried: Container[Storage]) -> bool:
        """The iteration ends; whether it appends as many elements as was thought."""
        begun = open_rows_of(self.container)
        tail = self.container[1:]
        if begun is None:
            raise changed_rows()
        _check_not_carried(tail, carried)
        ended = begun.appended(tail, as_result)
        if ended is None:
            raise changed_rows()
        self.element = tail[-1] if tail else self.element
        for slot, row in zip(self.rows or (), ended.rows, strict=True):
            slot.node = row
        settled = self._is_counted(ended, place)
        if self.count is not None:
            settled = self.count.take(wrap_size(ended.count)) and settled
        return settled

    def _is_counted(self, ended: OpenRows, place: Size) -> bool:
        appended = ended.count - self._count_at(place)
        if self.step is not None and appended == self.step:
            return True
        settled = self.step is None and ended.most == self.most
        if dims.changes(ended.most):
            raise changed_rows()
        if not settled:
            known = isinstance(appended, int) or not dims.is_unbacked(appended)
            self.step = appended if known and self.step is not None else None
            self.most = ended.most
            self._make_slots()
        return settled

    def close(self, wholes: Sequence[Any], count: Any) -> None:
        """After the loop the list has the first rows; those of an enclosing loop stay open."""
        note_container(self.container)
        total = self.first + self.length * self.step if self.step is not None else as_size(count)
        assert total is not None
        if self.outer is not None:
            most = self.outer.most + self.length * (self.step or self.most)
            rows = tuple(as_result(whole) for whole in wholes)
            found = OpenRows(rows, total, self.form, most, self.lowest, self.capacity)
            refill(self.container, [opened(found, self.sites)])
            return
        if self.step is None:
            wholes = [whole[: wrap_size(total)] for whole in wholes]
        for whole in wholes:
            whole.view.storage.sites = self.sites
        freeze(self.element, self.sites)
        refill(self.container, [Grown(self.form, wholes, self.sites)])


def _check_not_carried(elements: Sequence[Any], carried: Container[Storage]) -> None:
    """What is appended must not be a view of a buffer that other iterations write to."""
    for element in elements:
        parts = (taken_apart(element) or ([], None))[0]
        for part in parts:
            if isinstance(part, Tracer) and part.ndim and part.view.storage in carried:
                raise changed_rows()


def changed_rows() -> ControlFlowError:
    """The error that a list is used in a way that rows do not allow."""
    return ControlFlowError(
        "this loop changes which elements a list, dict or set has",
        current_span(),
        "write to an array made before the loop",
    )


def buffer_of(
    container: list[Any], before: list[Any], tail: Sequence[Any], length: Size, sites: Sites
) -> RowBuffer | None:
    """How the rows of a list are carried to which an iteration has appended ``tail``."""
    apart = taken_apart(tail[0]) if tail else None
    outer = open_rows_of(before)
    if outer is not None and len(before) == 1:
        types = [ArrayType(r.array_type.dtype, r.shape[1:], "array") for r in outer.rows]
        starts = [traced(row) for row in outer.rows]
        first, form, step = outer.count, outer.form, len(tail)
        return RowBuffer(
            sites, container, form, starts, types, first, length, step, step, outer
        )
    if apart is None or type(tail[0]) is Grown or any(type(e) is Grown for e in before):
        return None
    parts, form = apart
    types = [as_result(part).array_type for part in parts]
    starts: list[Any] = [None] * len(parts)
    if before:
        found = _stacked_before(before, form, types)
        if found is None:
            return None
        starts = found
    step = len(tail)
    return RowBuffer(sites, container, form, starts, types, len(before), length, step, step)


def _stacked_before(before: list[Any], form: Form, types: list[ArrayType]) -> list[Any] | None:
    """The elements before the loop as rows of arrays; None where they are of another kind."""
    columns: list[list[Any]] = [[] for _ in types]
    for element in before:
        apart = taken_apart(element)
        if apart is None or apart[1] != form:
            return None
        for column, part, type_ in zip(columns, apart[0], types, strict=True):
            node = as_result(part)
            if node.shape != type_.shape or node.dtype != type_.dtype:
                return None
            column.append(part)
    return [apply(np.stack, column) for column in columns]
