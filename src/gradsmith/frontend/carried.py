"""What a loop carries from trip to trip: variables, buffers, and what lists and dicts hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gradsmith import tree
from gradsmith.errors import ControlFlowError, InternalError
from gradsmith.frontend.grown import Grown
from gradsmith.frontend.journal import Journal, note_container, refill
from gradsmith.frontend.merging import (
    as_result,
    as_shown,
    as_value,
    is_data,
    is_stale,
    is_whole,
    joint_type,
    placeholder,
)
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.dims import Size, Symbol
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType, describe
from gradsmith.ops.create import empty
from gradsmith.ops.forms import in_type
from gradsmith.ops.index import index_set
from gradsmith.ops.index_key import Index

VARIES = "its type or shape differs from trip to trip of a loop"


def fresh_name(trace: Trace, label: str | None) -> str:
    """A name for a size that no other size of the trace has."""
    return f"{label or 'k'}.{trace.root.token()}"


def shown_name(name: str) -> str:
    """What a variable that staging added is called in the emitted code."""
    if not name.startswith("__gs_"):
        return name
    word = name.removeprefix("__gs_").split("_")[0]
    return {"broken": "stop", "result": "result", "returned": "done"}.get(word, word)


@dataclass(slots=True)
class Slot:
    """One carried value: what it is at first, its type, and the parameter of the trip."""

    label: str
    initial: Any
    type: ArrayType
    whole: bool
    param: Node | None = None
    symbol: Symbol | None = None
    seen: Any = None
    after: Any = None
    node: Node | None = None
    empty: bool = False
    stale: bool = False
    """Whether what is carried may or may not have been written to: it cannot be used."""

    def open(self, trace: Trace, builder: Builder) -> Any:
        """What the trip starts with."""
        size = None
        if self.whole:
            size = dims.changing(fresh_name(trace, self.label), self._hint(), None, None)
        self.symbol = None if size is None else dims.as_symbol(size)
        self.param = builder.parameter(self.label, self.type, self.symbol)
        self.seen = self.handed_on(as_value(self.param, size, self.label))
        return self.seen

    def handed_on(self, value: Any) -> Any:
        """The value of a trip, or of the loop."""
        if self.stale and isinstance(value, Tracer):
            value.view.storage.outdate()
        return value

    def _hint(self) -> int:
        if isinstance(self.initial, TracedInt):
            return dims.hint(self.initial.dim)
        return self.initial if type(self.initial) is int else 0

    def take(self, value: Any) -> bool:
        """What the trip ends with; whether that is of the type that it started with."""
        self.after, self.node = value, as_shown(value)
        if value is self.seen:
            return True
        known, self.stale = self.stale, self.stale or is_stale(value)
        if self.whole and not is_whole(value):
            self.whole = False
        found = self.node.array_type
        try:
            joint = joint_type(self.type, found)
        except ControlFlowError:
            raise ControlFlowError(
                f"{self.label!r} is {describe(self.type)} before a trip of this loop and "
                f"{describe(found)} after it",
                current_span(),
                "keep one shape, or loop over a range that is known when tracing",
            ) from None
        settled = joint == self.type and (self.whole or self.symbol is None)
        settled = settled and known == self.stale
        self.type = joint
        return settled

    def start_late(self, old: Any) -> bool:
        """Whether it may be ``old``, where no trip is made."""
        try:
            self.type = joint_type(as_shown(old).array_type, self.type)
        except ControlFlowError:
            return False
        self.initial, self.whole = old, self.whole and is_whole(old)
        self.stale = self.stale or is_stale(old)
        return True

    def result(self, builder: Builder) -> Node:
        """What the trip gives to the next."""
        with building(builder):
            if self.node is None:
                raise InternalError(f"a loop does not say what {self.label!r} becomes")
            return in_type(builder.inner(self.node), self.type)

    def start(self) -> Node:
        """What the first trip gets; made in the builder around the loop."""
        if self.empty:
            return empty(shape=self.type.shape, dtype=self.type.dtype)
        if self.initial is None:
            return placeholder(self.type)
        node = self.initial if isinstance(self.initial, Node) else as_shown(self.initial)
        return in_type(node, self.type)


@dataclass(slots=True)
class Group:
    """A value that is carried: a tree of slots."""

    name: str
    shape: tree.Tree
    slots: list[Slot]

    def open(self, trace: Trace, builder: Builder) -> Any:
        """The value that the trip starts with."""
        return tree.unflatten(self.shape, [slot.open(trace, builder) for slot in self.slots])

    def take(self, value: Any) -> bool:
        """The value that the trip ends with; whether it is as it started."""
        leaves, shape = tree.flatten(value, is_data)
        if shape != self.shape:
            raise ControlFlowError(
                f"the structure of {self.name!r} changes from trip to trip of this loop",
                current_span(),
                "keep its length and keys, or loop over a range that is known when tracing",
            )
        settled = [slot.take(leaf) for slot, leaf in zip(self.slots, leaves, strict=True)]
        return all(settled)  # every slot is to take its leaf

    def final(self, values: Sequence[Any]) -> Any:
        """The value after the loop."""
        pairs = zip(self.slots, values, strict=True)
        return tree.unflatten(self.shape, [slot.handed_on(value) for slot, value in pairs])


def group_of(name: str, value: Any) -> Group | None:
    """How a value is carried; None where it holds no data."""
    leaves, shape = tree.flatten(value, is_data)
    if not leaves:
        return None
    paths = tree.paths(shape)
    slots = []
    for leaf, path in zip(leaves, paths, strict=True):
        label, type_ = tree.leaf_name(shown_name(name), path), as_shown(leaf).array_type
        slots.append(Slot(label, leaf, type_, is_whole(leaf), stale=is_stale(leaf)))
    return Group(name, shape, slots)


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
            raise _changed_elements()
        if type(contents[0]) is not Grown or contents[1] is not self.last.seen:
            raise _changed_elements()
        row = as_result(contents[-1])
        self.last.node = row
        if row.shape != self.slot.type.shape[1:] or row.dtype != self.slot.type.dtype:
            raise _changed_elements()
        self.slot.node = index_set(_param(self.slot), row, index=Index((place,)))

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


def _changed_elements() -> ControlFlowError:
    return ControlFlowError(
        "this loop changes which elements a list, dict or set has",
        current_span(),
        "write to an array made before the loop",
    )


@dataclass(slots=True)
class State:
    """All that a loop carries."""

    variables: dict[str, Group] = field(default_factory=dict)
    storages: dict[Storage, Slot] = field(default_factory=dict)
    containers: dict[int, Contents] = field(default_factory=dict)
    growing: dict[int, Growth] = field(default_factory=dict)

    def slots(self) -> list[Slot]:
        """Every carried value in order."""
        found = [slot for group in self.variables.values() for slot in group.slots]
        found += self.storages.values()
        found += [slot for contents in self.containers.values() for slot in contents.slots]
        return found + [s for growth in self.growing.values() for s in (growth.slot, growth.last)]

    def open(self, trace: Trace, builder: Builder) -> dict[str, Any]:
        """Begin a trip: buffers and containers hold parameters; so will the variables."""
        values = {name: group.open(trace, builder) for name, group in self.variables.items()}
        for storage, slot in self.storages.items():
            slot.open(trace, builder)
            storage.replace(_param(slot))
        for contents in self.containers.values():
            contents.open(trace, builder)
        for growth in self.growing.values():
            growth.open(trace, builder)
        return values

    def take_storages(self, journal: Journal, builder: Builder) -> bool:
        """What buffers hold at the end of a trip; whether none is new."""
        known = True
        for storage, before in journal.storages.items():
            if storage in self.storages:
                self.storages[storage].node = storage.node
            elif not builder.owns(before):
                label = storage.label or "buffer"
                self.storages[storage] = Slot(label, before, before.array_type, whole=False)
                known = False
        return known

    def take_containers(self, journal: Journal, length: Size | None, place: Size) -> bool:
        """What lists and dicts hold at the end of a trip, of ``length``; whether none is new."""
        settled = True
        for key, (container, before) in journal.containers.items():
            if key in self.growing:
                self.growing[key].take(container, place)
            elif key in self.containers:
                settled = self.containers[key].take() and settled
            elif _is_changed(before, container):
                growth = growth_of(before, container, length)
                if growth is not None:
                    self.growing[key] = growth
                else:
                    self.containers[key] = contents_of(container, before)
                settled = False
        return settled


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
            raise _changed_elements()
        settled = True
        for part, value in zip(self.parts, held, strict=True):
            if isinstance(part, Slot) and is_data(value):
                as_result(value)  # what can be used
                settled = part.take(value) and settled
            elif part is not value:
                raise _changed_elements()
        return settled


def _entries(container: Any) -> tuple[list[Any], list[Any]]:
    if isinstance(container, dict):
        return list(container), list(container.values())
    return list(range(len(container))), list(container)


def contents_of(container: Any, before: Any) -> Contents:
    """How the elements of a list or dict are carried that a trip replaces."""
    if not isinstance(container, (list, dict)):
        raise _changed_elements()
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


def _param(slot: Slot) -> Node:
    assert slot.param is not None
    return slot.param


def _is_changed(before: Any, after: Any) -> bool:
    left, right = list(before), list(after)
    if isinstance(before, dict):
        left, right = [*left, *before.values()], [*right, *after.values()]
    return len(left) != len(right) or any(a is not b for a, b in zip(left, right, strict=True))


def undefined_group(name: str, after: Any) -> Group | None:
    """How a variable is carried that had no value before the loop."""
    group = group_of(name, after)
    for slot in group.slots if group else ():
        slot.initial = None
    return group


def late_group(name: str, before: Any, after: Any) -> Group | None:
    """How the last value of a variable leaves the loop that sets it anew in each trip.

    None where it cannot.
    """
    group = group_of(name, after)
    if group is None or any(map(dims.changes, [s for t in group.slots for s in t.type.shape])):
        return None
    leaves, shape = tree.flatten(before, is_data)
    if leaves and shape != group.shape:
        return None
    for slot, old in zip(group.slots, leaves or group.slots, strict=True):
        slot.node, slot.initial = as_shown(slot.initial), None
        if leaves and not slot.start_late(old):
            return None
    return group
