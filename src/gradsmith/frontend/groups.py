"""Values that a loop carries, each as a tree of loop-carried slots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradsmith import tree
from gradsmith.errors import ControlFlowError
from gradsmith.frontend.frozen import NONE, Sites, freeze
from gradsmith.frontend.merging import as_shown, cause_if_stale, is_data, is_whole
from gradsmith.frontend.presence import as_truth, found_at_end, found_before, whole
from gradsmith.frontend.slots import Slot, shown_name
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import is_undefined
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.types import python_number


@dataclass(slots=True)
class Group:
    """A value that is carried: a tree of slots."""

    name: str
    shape: tree.Tree
    slots: list[Slot]
    refused: bool = False
    """Whether a trip gave it another structure."""
    present: Slot | None = None
    """What tells whether the variable has a value, where it may have none."""
    begun: bool | None = None
    """Whether it has none in the first trip only; None where that is not known yet."""
    alike: Group | None = None
    """Another one that has a value whenever this one has, as far as trips have shown."""
    apart: bool = False
    """Whether a trip has shown that there is none."""
    told: Any = True
    """What tells whether it has a value: as a trip begins, as it ends, and after the loop."""
    sites: Sites = NONE
    """The stacked lists that it may be an element of: what can be written to in it is frozen."""

    def carried(self) -> list[Slot]:
        """All its slots."""
        return [*self.slots, *([] if self.present is None else [self.present])]

    def open(self, trace: Trace, builder: Builder, later: Any) -> Any:
        """The value that the trip starts with; ``later`` tells whether it is not the first."""
        value = tree.unflatten(self.shape, [slot.open(trace, builder) for slot in self.slots])
        self.told = True if self.present is None else self.present.open(trace, builder)
        self.told = later if self.begun else self.told
        if self.alike is not None:
            self.told = self.alike.told
        return whole(self.name, freeze(value, self.sites), self.told, trace)

    def take(self, found: Any, trace: Trace) -> bool:
        """The value that the trip ends with; whether it is as it started."""
        value, present = found_at_end(self.name, found, trace)
        if is_undefined(value):
            value = tree.unflatten(self.shape, [slot.seen for slot in self.slots])
        leaves, shape = tree.flatten(value, is_data)
        if shape != self.shape:
            self.refused = True
            raise ControlFlowError(
                f"the structure of {self.name!r} changes from trip to trip of this loop",
                current_span(),
                "keep its length and keys, or loop over a range that is known when tracing",
            )
        settled = [slot.take(leaf) for slot, leaf in zip(self.slots, leaves, strict=True)]
        self.told = present
        if self.alike is not None:
            settled.append(self._is_still_alike(self.alike))
        elif self.present is not None:
            settled.append(self.present.take(as_truth(present)))
        elif present is not True:
            self.present, self.begun = present_slot(self.name, not self.begun), False
            settled.append(False)
        return all(settled)  # every slot is to take its leaf

    def share_flag(self, others: Sequence[Group]) -> None:
        """Let one of the others tell whether it has a value, which has one at first if this has:
        trips show whether that stays so.
        """
        if self.present is None or self.apart:
            return
        for other in others:
            if other.present is not None and _is_same_flag(
                other.present.initial, self.present.initial
            ):
                self.alike, self.present = other, None
                return

    def _is_still_alike(self, other: Group) -> bool:
        if _is_same_flag(self.told, other.told):
            return True
        initial = None if other.present is None else other.present.initial
        self.alike, self.apart = None, True
        self.present = present_slot(self.name, False if other.begun else initial)
        return False

    def is_begun(self) -> bool:
        """Whether it has been found out just now that only the first trip starts without it."""
        if self.begun is None and self.present is not None and self.present.always(False, True):
            self.present, self.begun = None, True
            return True
        return False

    def final(self, values: Sequence[Any], any_trip: Any, trace: Trace) -> Any:
        """The value after the loop, of those of `carried`; whether there was one tells
        ``any_trip``.
        """
        pairs = zip(self.carried(), values, strict=True)
        given = [slot.handed_on(value) for slot, value in pairs]
        self.told = True if self.present is None else given.pop()
        self.told = any_trip if self.begun else self.told
        if self.alike is not None:
            self.told = self.alike.told
        value = freeze(tree.unflatten(self.shape, given), self.sites)
        return whole(self.name, value, self.told, trace)


def share_flags(groups: Sequence[Group]) -> None:
    """Values that have one whenever others have need no flags of their own."""
    for place, group in enumerate(groups):
        group.share_flag(groups[:place])


def _is_same_flag(left: Any, right: Any) -> bool:
    """Whether two flags tell the same."""
    if isinstance(left, Tracer) and isinstance(right, Tracer):
        return not (left.view.path or right.view.path) and left.view.storage is right.view.storage
    return left is right


def present_slot(name: str, initial: Any) -> Slot:
    """What tells whether a variable has a value, carried from trip to trip."""
    return Slot(f"has_{shown_name(name)}", initial, python_number(bool), whole=False)


def group_of(name: str, value: Any) -> Group | None:
    """How a value is carried; None where it holds no data."""
    leaves, shape = tree.flatten(value, is_data)
    if not leaves:
        return None
    paths = tree.paths(shape)
    slots = []
    for leaf, path in zip(leaves, paths, strict=True):
        label, type_ = tree.leaf_name(shown_name(name), path), as_shown(leaf).array_type
        slots.append(Slot(label, leaf, type_, is_whole(leaf), stale=cause_if_stale(leaf)))
    return Group(name, shape, slots)


def rebound_group(name: str, before: Any, after: Any, trace: Trace) -> Group | None:
    """How a variable is carried that may have another value in the next trip; None where it holds
    no data, or has no value in any trip.
    """
    value, present = found_before(name, before, trace)
    if not is_undefined(value):
        group = group_of(name, value)
    else:
        group = group_of(name, found_at_end(name, after, trace)[0])
        for slot in group.slots if group else ():
            slot.initial = None
    if group is not None and present is not True:
        group.present = present_slot(name, present)
    return group


def late_group(name: str, before: Any, after: Any, trace: Trace) -> Group | None:
    """How the last value of a variable leaves the loop that sets it anew in each trip.

    None where it cannot.
    """
    old, had = found_before(name, before, trace)
    new, has = found_at_end(name, after, trace)
    group = group_of(name, new)
    if group is None or any(map(dims.changes, [s for t in group.slots for s in t.type.shape])):
        return None
    leaves, shape = tree.flatten(old, is_data)
    if leaves and shape != group.shape:
        return None
    for slot, start in zip(group.slots, leaves or group.slots, strict=True):
        slot.after, slot.node, slot.initial = slot.initial, as_shown(slot.initial), None
        slot.take_types(slot.node)
        if leaves and not slot.start_late(start):
            return None
    if had is False and has is True:
        group.begun = True
    elif not (had is True and has is True):
        group.present = present_slot(name, had)
        group.present.take(as_truth(has))
    return group
