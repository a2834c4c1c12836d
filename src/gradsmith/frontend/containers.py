"""What the lists and dicts hold that a loop changes."""

from __future__ import annotations

import operator
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradsmith import tree
from gradsmith.errors import ControlFlowError
from gradsmith.frontend.frozen import Sites, containers_in, freeze, lock
from gradsmith.frontend.grown import (
    Form,
    Grown,
    as_rows,
    joint_form,
    length_of,
    taken_apart,
)
from gradsmith.frontend.journal import Journal, contents_of, note_container, refill, written_part
from gradsmith.frontend.merging import (
    as_result,
    is_data,
    is_whole,
)
from gradsmith.frontend.namings import name_of_list
from gradsmith.frontend.number_kinds import is_needed
from gradsmith.frontend.row_buffers import (
    begun_rows,
    closed_rows,
    columns_before,
    open_length,
)
from gradsmith.frontend.slots import Slot, param_of
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.stored_rows import storage_of
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.unsettled import Need, Unsettled
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.dims import Size
from gradsmith.ir.types import ArrayType
from gradsmith.ops.index import index_set
from gradsmith.ops.index_key import Index


@dataclass(slots=True)
class Growth:
    """A list that every trip appends one element to: its parts become rows of carried arrays.

    What can be written to in an element is frozen (`frontend.frozen`) once it is appended.
    """

    sites: Sites
    container: list[Any]
    before: list[Any]
    length: Size
    """How many trips there are."""
    form: Form
    hides_last: bool = False
    """Whether the last element before the loop is a row, or is changed by the loop: a read of it
    shows that the rows are to be carried (`frontend.row_buffers`)."""
    bounded: bool = True
    """Whether somebody knows how many trips there are."""
    first: Size = 0
    """How many elements before the loop are rows of the same arrays."""
    columns: list[list[Any]] = field(default_factory=list)
    """For each part the values that it has in these."""
    rows: list[Slot] = field(default_factory=list)
    last: list[Slot] = field(default_factory=list)
    seen: list[Any] = field(default_factory=list)
    """The last element, which an iteration finds in the list."""
    element: Any = None
    """The element that the trip has appended."""
    shared: list[Storage | None] = field(default_factory=list)
    """For each part of it the buffer that it may be a view of."""

    @property
    def slots(self) -> list[Slot]:
        """The carried values."""
        return [*self.rows, *self.last]

    def carry(self, parts: Sequence[Any], form: Form) -> bool:
        """Carry elements that are made of such parts; whether that is possible."""
        before = [] if self.hides_last else self.before
        firsts = _parts_before(before, parts, form)
        if firsts is None or ("int" in form.kinds and firsts != [None] * len(parts)):
            return False
        types = [as_result(part).array_type for part in parts]
        self.form, self.first, self.columns = form, 0, []
        if self.before and not any(type_.ndim for type_ in types):
            self._place_before(types)
        length = self.first + self.length
        shapes = [(length if self.bounded else open_length(length), *t.shape) for t in types]
        label = name_of_list(self.container, "rows")
        self.rows = [
            Slot(label, None, ArrayType(t.dtype, shape, "array"), False, empty=True)
            for t, shape in zip(types, shapes, strict=True)
        ]
        self.last = [_last(*given) for given in zip(parts, firsts, types, strict=True)]
        return True

    def _place_before(self, types: Sequence[ArrayType]) -> None:
        """Let the elements before the loop be the first rows, where they are made as these are and
        nothing can change them.
        """
        if any(type(e) is Grown or any(containers_in(e)) for e in self.before):
            return
        found = columns_before(self.before, self.form, types)
        if found is not None:
            self.form, self.columns = found
            self.first = length_of(self.before)

    def prepare(self) -> None:
        """The loop is about to be made: what the rows are before it, in the builder at work."""
        for slot, column in zip(self.rows, self.columns, strict=False):
            slot.initial, slot.empty = begun_rows(column, slot.type, self.first), False

    def _carries(self, parts: Sequence[Any], form: Form) -> bool:
        """Whether it is elements of such parts that are carried."""
        types = [as_result(part).array_type for part in parts]
        rows = [slot.type for slot in self.rows]
        known = joint_form(self.form, form) == self.form
        pairs = zip(types, rows, strict=True) if known else [(None, rows[0])]
        return all(
            t is not None and (t.dtype, t.shape) == (row.dtype, row.shape[1:]) for t, row in pairs
        )

    def open(self, trace: Trace, builder: Builder) -> None:
        """Begin a trip: of what was appended before, the last element is to be had."""
        for slot in self.rows:
            slot.open(trace, builder)
        parts = [slot.open(trace, builder) for slot in self.last]
        for part in filter(None, map(storage_of, parts)):
            lock(part, self.sites)
        self.seen = [] if self.hides_last else [self.form.element(parts, self.sites)]
        note_container(self.container)
        refill(self.container, [Grown(sites=self.sites), *self.seen])

    def take(self, contents: list[Any], place: Size, carried: Container[Storage]) -> bool:
        """The trip ends: the new element's parts are the rows at ``place``. Whether they are of
        the types that were assumed.

        They must not be views of buffers that are ``carried``: later trips would change them.
        """
        first, *seen = contents[:-1] or [None]
        same = len(seen) == len(self.seen) and all(map(operator.is_, seen, self.seen))
        apart = taken_apart(contents[-1]) if type(first) is Grown and same else None
        if apart is None:
            raise changed_elements()
        parts, form = apart
        self.element = contents[-1]
        if not self._carries(parts, form):
            if form.shape != self.form.shape or not self.carry(parts, form):
                raise changed_elements()
            return False
        self.shared = [storage_of(part) for part in parts]
        if any(storage in carried for storage in self.shared if storage is not None):
            raise ControlFlowError(
                "this loop appends an array to a list and writes to that array in other trips",
                current_span(),
                "append a copy of it: x.copy()",
            )
        settled = True
        for part, slot, last in zip(parts, self.rows, self.last, strict=True):
            row = as_result(part)
            settled = last.take_types(row) and settled
            last.after, last.node = part, row
            grows = dims.total_of(slot.type.shape[0]) is not None
            slot.node = index_set(param_of(slot), row, index=Index((self.first + place,), grows))
        return settled

    def close(self, wholes: Sequence[Any]) -> None:
        """After the loop the rows are the elements."""
        wholes = [closed_rows(whole) for whole in wholes]
        for whole, storage in zip(
            as_rows(self.form, wholes, self.sites), self.shared, strict=True
        ):
            if storage is not None:
                whole.view.storage.doubt(storage)
        freeze(self.element, self.sites)
        note_container(self.container)
        made = Grown(self.form, wholes, self.sites, owner=self.container)
        before = [] if self.columns else self.before
        refill(self.container, [*before, made])


def growth_of(
    before: Any,
    after: Any,
    length: Size | None,
    sites: Sites,
    journal: Journal,
    *,
    bounded: bool,
) -> Growth | None:
    """How a list grows by one element in a trip; None where it does not, or for how long is not
    known. Where the number of trips is not ``bounded``, nobody knows it before the loop ends.

    The ``journal`` has what else the trip has changed.
    """
    if length is None or type(before) is not list or len(after) != len(before) + 1:
        return None
    if is_needed(Need.BOXED, sites):  # what is read of the rows has the class that it has there
        return None
    if any(old is not new for old, new in zip(before, after, strict=False)):
        return None
    apart = taken_apart(after[-1])
    if apart is None or all(kind == "int" for kind in apart[1].kinds):
        return None
    hides = bool(before) and _is_open(before[-1], journal)
    growth = Growth(
        *(sites, after, list(before), length, apart[1], hides, bounded), element=after[-1]
    )
    return growth if growth.carry(*apart) else None


def _is_open(element: Any, journal: Journal) -> bool:
    """Whether an element from before the loop is a row, or holds what a trip changes."""
    if type(element) is Grown:
        return True
    if any(id(written_part(part)) in journal.containers for part in containers_in(element)):
        return True
    arrays = map(storage_of, tree.flatten(element, is_data)[0])
    return any(array in journal.storages for array in arrays if array is not None)


def _last(part: Any, first: Any, type_: ArrayType) -> Slot:
    """What the part is in the next trip, if that asks for the element before."""
    whole = is_whole(part) and (first is None or is_whole(first))
    alike = first is None or as_result(first).array_type == type_
    return Slot("last", first, type_ if alike else type_.strong(), whole)


def _parts_before(before: list[Any], parts: Sequence[Any], form: Form) -> list[Any] | None:
    """Those of the last element before the loop; None where it is of another form."""
    if not before:  # no iteration reads it
        return [None] * len(parts)
    apart = taken_apart(before[-1])
    if apart is None or apart[1].shape != form.shape:
        return None
    pairs = zip(apart[0], parts, strict=True)
    same = all(as_result(old).shape == as_result(new).shape for old, new in pairs)
    return _as_given(before[-1], *apart) if same else None


def _as_given(element: Any, parts: list[Any], form: Form) -> list[Any]:
    """The parts of an element, integers as Python has them."""
    if "int" not in form.kinds:
        return parts
    nested = any(isinstance(kind, Form) for kind in form.kinds)
    return parts if nested else tree.flatten(element, is_data)[0]


def changed_elements() -> ControlFlowError:
    """The error that a loop adds or removes elements."""
    return ControlFlowError(
        "this loop changes which elements a list, dict or set has",
        current_span(),
        "write to an array made before the loop",
    )


@dataclass(slots=True)
class Contents:
    """What a list or dict holds: data that trips replace is carried, all else stays what it is.

    An array that they only write to is such: whoever else has it sees what is written.
    """

    container: Any
    keys: list[Any]
    parts: list[Any]
    """A slot for each that is carried, else the object itself."""

    @property
    def slots(self) -> list[Slot]:
        """The carried values."""
        return [part for part in self.parts if isinstance(part, Slot)]

    def _refill(self, values: Sequence[Any]) -> None:
        """Let the container hold these for the carried ones."""
        given = iter(values)
        held = [next(given) if isinstance(part, Slot) else part for part in self.parts]
        note_container(self.container)
        is_list = isinstance(self.container, list)
        refill(self.container, held if is_list else dict(zip(self.keys, held, strict=True)))

    @property
    def values(self) -> list[Slot]:
        """The same."""
        return self.slots

    def open(self, trace: Trace, builder: Builder, later: Any) -> None:
        """Begin a trip; ``later`` tells whether it is not the first."""
        self._refill([slot.open(trace, builder) for slot in self.slots])

    def close(self, values: Sequence[Any], any_trip: Any) -> None:
        """After the loop the container holds the final ``values``."""
        self._refill(values)

    def take(self, trace: Trace) -> bool:
        """End a trip; whether types are what they were."""
        keys, held = _entries(contents_of(self.container))
        if keys != self.keys:
            raise changed_elements()
        settled = True
        for place, (part, value) in enumerate(zip(self.parts, held, strict=True)):
            if isinstance(part, Slot) and is_data(value):
                as_result(value)  # what can be used
                settled = part.take(value) and settled
            elif part is not value:
                if isinstance(value, Unsettled):
                    value.refuse()
                self.parts[place] = _carried(keys[place], part)
                settled = False
        return settled


def _entries(contents: Any) -> tuple[list[Any], list[Any]]:
    if isinstance(contents, dict):
        return list(contents), list(contents.values())
    return list(range(len(contents))), list(contents)


def carried_contents(container: Any, before: Any) -> Contents:
    """How the elements of a list or dict are carried that a trip replaces."""
    if not isinstance(before, (list, dict)):
        raise changed_elements()
    (keys, held), (still, after) = _entries(before), _entries(contents_of(container))
    if keys != still:
        raise changed_elements()
    replaced = zip(keys, held, after, strict=True)
    parts = [old if old is new else _carried(key, old) for key, old, new in replaced]
    return Contents(container, keys, parts)


def _carried(key: Any, value: Any) -> Slot:
    if not is_data(value):
        raise changed_elements()
    name = key if isinstance(key, str) and key.isidentifier() else "element"
    return Slot(name, value, as_result(value).array_type, is_whole(value))
