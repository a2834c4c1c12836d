"""The attributes of an object that the iterations of a loop change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gradsmith import tree
from gradsmith.frontend.containers import changed_elements
from gradsmith.frontend.groups import Group, present_slot, rebound_group
from gradsmith.frontend.journal import contents_of, note_container, refill
from gradsmith.frontend.maybe_unset import attribute, held_value, refilled
from gradsmith.frontend.merging import is_data
from gradsmith.frontend.presence import found_at_end, found_before
from gradsmith.frontend.slots import Slot
from gradsmith.frontend.structures import BY_VALUE
from gradsmith.frontend.trace import AttributeDict, Trace
from gradsmith.frontend.unsettled import Cause, Perhaps, Unsettled, is_undefined
from gradsmith.ir.builder import Builder


@dataclass(slots=True)
class LoopAttributes:
    """The attributes of an object: data that iterations replace is carried, all else stays what it
    is. An attribute that is not set in each of them is carried with a flag.
    """

    kept: AttributeDict
    parts: dict[str, Any]
    """A group for each that is carried, else the object itself."""
    cause: Cause

    @property
    def groups(self) -> list[Group]:
        """The carried attributes."""
        return [part for part in self.parts.values() if isinstance(part, Group)]

    @property
    def slots(self) -> list[Slot]:
        """The carried values."""
        return [slot for group in self.groups for slot in group.carried()]

    @property
    def values(self) -> list[Slot]:
        """Those that are not flags."""
        return [slot for group in self.groups for slot in group.slots]

    def open(self, trace: Trace, builder: Builder, later: Any) -> None:
        """Begin an iteration; ``later`` tells whether it is not the first."""
        self._refill(group.open(trace, builder, later) for group in self.groups)

    def close(self, values: Sequence[Any], any_trip: Any) -> None:
        """After the loop the object holds the final ``values``, in the order of `slots`."""
        given = iter(values)
        ends = [[next(given) for _ in group.carried()] for group in self.groups]
        pairs = zip(self.groups, ends, strict=True)
        self._refill(group.final(end, any_trip) for group, end in pairs)

    def _refill(self, carried: Iterator[Any]) -> None:
        held = {
            name: self._held(name, next(carried)) if isinstance(part, Group) else part
            for name, part in self.parts.items()
        }
        note_container(self.kept.part)
        refill(self.kept.part, refilled(held, self.kept))

    def _held(self, name: str, value: Any) -> Any:
        if isinstance(value, Perhaps):
            return attribute(name, value.value, value.present, self.cause)
        return attribute(name, value, True, self.cause)

    def take(self, trace: Trace) -> bool:
        """End an iteration; whether types are what they were."""
        now = contents_of(self.kept.part)
        settled = True
        for name in dict.fromkeys([*self.parts, *now]):
            part, value = self.parts.get(name, self.kept.absent), held_value(now, name)
            if part is now.get(name, self.kept.absent):
                continue
            _check_settled(now.get(name))
            if isinstance(part, Group):
                settled = part.take(value, trace) and settled
            else:
                self.parts[name] = _carried(name, {name: part}, value, trace)
                settled = False
        return settled


def loop_attributes(
    kept: AttributeDict, before: Any, cause: Cause, trace: Trace
) -> LoopAttributes:
    """How the attributes of an object are carried that an iteration sets or deletes."""
    now = contents_of(kept.part)
    parts = {}
    for name in dict.fromkeys([*before, *now]):
        old, new = (held.get(name, kept.absent) for held in (before, now))
        parts[name] = old if old is new else _carried(name, before, held_value(now, name), trace)
    return LoopAttributes(kept, parts, cause)


def _check_settled(value: Any) -> None:
    """Refuse what has no value that an iteration could end with."""
    held = value.value if isinstance(value, Perhaps) else value
    if isinstance(held, Unsettled):
        held.refuse()


def _carried(name: str, before: Any, after: Any, trace: Trace) -> Group:
    old = held_value(before, name)
    group = rebound_group(name, old, after, trace) or _begun(name, old, after, trace)
    if group is None or group.shape.children:
        raise changed_elements()
    return group


def _begun(name: str, before: Any, after: Any, trace: Trace) -> Group | None:
    """An attribute that some iterations set to what all calls know, such as a text: whether it is
    set is carried alone.
    """
    old, had = found_before(name, before, trace)
    new, _ = found_at_end(name, after, trace)
    shape = tree.flatten(new, is_data)[1]
    same = is_undefined(old) or tree.flatten(old, is_data)[1] == shape
    if not (same and isinstance(new, BY_VALUE)):
        return None
    return Group(name, shape, [], present=present_slot(name, had))
