"""What the lists and dicts hold that a loop changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradsmith.errors import ControlFlowError
from gradsmith.frontend.grown import Grown
from gradsmith.frontend.journal import note_container, refill
from gradsmith.frontend.merging import (
    as_result,
    is_data,
    is_whole,
)
from gradsmith.frontend.slots import Slot, param_of
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.unsettled import Unsettled
from gradsmith.ir.builder import Builder
from gradsmith.ir.dims import Size
from gradsmith.ir.types import ArrayType
from gradsmith.ops.index import index_set
from gradsmith.ops.index_key import Index


@dataclass(slots=True)
class Growth:
    """A list that every trip appends one element to: they become rows of a carried array."""

    container: list[Any]
    before: list[Any]
    slot: Slot
    last: Slot

    def open(self, trace: Trace, builder: Builder) -> None:
        """Begin a trip: of what was appended before, the last element is to be had."""
        self.slot.open(trace, builder)
        note_container(self.container)
        refill(self.container, [Grown(), self.last.open(trace, builder)])

    def take(self, contents: list[Any], place: Size) -> None:
        """The trip ends: the new element is the row at ``place``."""
        if len(contents) != 3 or not is_data(contents[-1]):
            raise changed_elements()
        if type(contents[0]) is not Grown or contents[1] is not self.last.seen:
            raise changed_elements()
        row = as_result(contents[-1])
        self.last.node = row
        if row.shape != self.slot.type.shape[1:] or row.dtype != self.slot.type.dtype:
            raise changed_elements()
        self.slot.node = index_set(param_of(self.slot), row, index=Index((place,)))

    def close(self, whole: Any) -> None:
        """After the loop the rows are the elements."""
        note_container(self.container)
        refill(self.container, [*self.before, Grown(whole)])


def growth_of(before: Any, after: Any, length: Size | None) -> Growth | None:
    """How a list grows by one element in a trip; None where it does not, or for how long is not
    known.
    """
    if length is None or type(before) is not list or len(after) != len(before) + 1:
        return None
    if any(old is not new for old, new in zip(before, after, strict=False)):
        return None
    if not is_data(after[-1]) or is_whole(after[-1]):
        return None
    type_ = as_result(after[-1]).array_type
    rows = ArrayType(type_.dtype, (length, *type_.shape), "array")
    first = before[-1] if before and is_data(before[-1]) else None
    if first is not None and as_result(first).shape != type_.shape:
        return None
    strong = type_.strong()
    whole = Slot("rows", None, rows, whole=False, empty=True)
    return Growth(after, list(before), whole, Slot("last", first, strong, whole=False))


def changed_elements() -> ControlFlowError:
    """The error that a loop adds or removes elements."""
    return ControlFlowError(
        "this loop changes which elements a list, dict or set has",
        current_span(),
        "write to an array made before the loop",
    )


@dataclass(slots=True)
class Contents:
    """What a list or dict holds: data is carried, all else stays what it is."""

    container: Any
    keys: list[Any]
    parts: list[Any]
    """A slot for each that holds data, else the object itself."""

    @property
    def slots(self) -> list[Slot]:
        """The carried values."""
        return [part for part in self.parts if isinstance(part, Slot)]

    def refill(self, values: Sequence[Any]) -> None:
        """Let the container hold these for the carried ones."""
        given = iter(values)
        held = [next(given) if isinstance(part, Slot) else part for part in self.parts]
        note_container(self.container)
        is_dict = isinstance(self.container, dict)
        refill(self.container, dict(zip(self.keys, held, strict=True)) if is_dict else held)

    def open(self, trace: Trace, builder: Builder) -> None:
        """Begin a trip."""
        self.refill([slot.open(trace, builder) for slot in self.slots])

    def take(self) -> bool:
        """End a trip; whether types are what they were."""
        keys, held = _entries(self.container)
        if keys != self.keys:
            raise changed_elements()
        settled = True
        for part, value in zip(self.parts, held, strict=True):
            if isinstance(part, Slot) and is_data(value):
                as_result(value)  # what can be used
                settled = part.take(value) and settled
            elif part is not value:
                if isinstance(value, Unsettled):
                    value.refuse()
                raise changed_elements()
        return settled


def _entries(container: Any) -> tuple[list[Any], list[Any]]:
    if isinstance(container, dict):
        return list(container), list(container.values())
    return list(range(len(container))), list(container)


def contents_of(container: Any, before: Any) -> Contents:
    """How the elements of a list or dict are carried that a trip replaces."""
    if not isinstance(container, (list, dict)):
        raise changed_elements()
    keys, held = _entries(before)
    label = "element"
    parts = []
    for key, value in zip(keys, held, strict=True):
        name = key if isinstance(key, str) and key.isidentifier() else label
        data = is_data(value)
        parts.append(
            Slot(name, value, as_result(value).array_type, is_whole(value)) if data else value
        )
    return Contents(container, keys, parts)
