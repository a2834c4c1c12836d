"""What a loop carries from trip to trip: variables, buffers, and what lists and dicts hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gradsmith import tree
from gradsmith.errors import ControlFlowError
from gradsmith.frontend.containers import (
    Contents,
    Growth,
    contents_of,
    growth_of,
)
from gradsmith.frontend.journal import Journal
from gradsmith.frontend.merging import (
    as_shown,
    is_data,
    is_stale,
    is_whole,
)
from gradsmith.frontend.slots import Slot, param_of, shown_name
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.unsettled import Unsettled
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.dims import Size


@dataclass(slots=True)
class Group:
    """A value that is carried: a tree of slots."""

    name: str
    shape: tree.Tree
    slots: list[Slot]
    refused: bool = False
    """Whether a trip gave it another structure."""

    def open(self, trace: Trace, builder: Builder) -> Any:
        """The value that the trip starts with."""
        return tree.unflatten(self.shape, [slot.open(trace, builder) for slot in self.slots])

    def take(self, value: Any) -> bool:
        """The value that the trip ends with; whether it is as it started."""
        leaves, shape = tree.flatten(value, is_data)
        if shape != self.shape:
            self.refused = True
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
class State:
    """All that a loop carries."""

    variables: dict[str, Group] = field(default_factory=dict)
    storages: dict[Storage, Slot] = field(default_factory=dict)
    containers: dict[int, Contents] = field(default_factory=dict)
    growing: dict[int, Growth] = field(default_factory=dict)
    uncarried: dict[str, Unsettled] = field(default_factory=dict)
    """Variables that trips change and that cannot be carried: none may ask for them."""

    def slots(self) -> list[Slot]:
        """Every carried value in order."""
        found = [slot for group in self.variables.values() for slot in group.slots]
        found += self.storages.values()
        found += [slot for contents in self.containers.values() for slot in contents.slots]
        return found + [slot for growth in self.growing.values() for slot in growth.slots]

    @property
    def refused(self) -> bool:
        """Whether a trip changed the type or structure of something."""
        if self.uncarried:
            return True
        groups = any(group.refused for group in self.variables.values())
        return groups or any(slot.refused for slot in self.slots())

    def open(self, trace: Trace, builder: Builder) -> dict[str, Any]:
        """Begin a trip: buffers and containers hold parameters; so will the variables."""
        values = {name: group.open(trace, builder) for name, group in self.variables.items()}
        for storage, slot in self.storages.items():
            slot.open(trace, builder)
            storage.replace(param_of(slot))
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
                self.growing[key].take(container, place, self.storages)
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


def differs(before: Any, after: Any) -> bool:
    """Whether a value that holds no data, but can be used, has become another one."""
    if isinstance(before, Unsettled) or isinstance(after, Unsettled):
        return not isinstance(before, Unsettled)
    left, right = (tree.flatten(value, is_data) for value in (before, after))
    return bool(right[0]) or left[1] != right[1]


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
