"""The attributes of an object that the iterations of a loop change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradsmith import tree
from gradsmith.frontend.classes import DELETED
from gradsmith.frontend.containers import changed_elements
from gradsmith.frontend.frozen import note_remade
from gradsmith.frontend.groups import Group, present_slot, rebound_group, share_flags
from gradsmith.frontend.journal import contents_of, note_container, refill
from gradsmith.frontend.maybe_unset import (
    attribute,
    held_value,
    is_not_set,
    optional_name,
    refilled,
)
from gradsmith.frontend.merging import is_data
from gradsmith.frontend.presence import check_optional, found_at_end, found_before, whole
from gradsmith.frontend.slots import NO_DATA, Slot
from gradsmith.frontend.structures import BY_VALUE
from gradsmith.frontend.trace import AttributeDict, Trace
from gradsmith.frontend.unsettled import Cause, Perhaps, Unsettled, is_undefined
from gradsmith.ir.builder import Builder

_ANY = object()
"""Stands for an object of which only the flag is carried."""


@dataclass(slots=True)
class LoopAttributes:
    """The attributes of an object: data that iterations replace is carried, all else stays what it
    is. An attribute that is not set in each of them is carried with a flag.

    Of other objects that iterations set anew only the flag is carried: none may ask for them in
    another iteration, or after the loop.
    """

    kept: AttributeDict
    parts: dict[str, Any]
    """A group for each that is carried, else the object itself."""
    cause: Cause
    trace: Trace
    uncarried: dict[str, Unsettled] = field(default_factory=dict)
    """What stands for such objects."""

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
        share_flags(self.groups)
        self._refill(group.open(trace, builder, later) for group in self.groups)

    def close(self, values: Sequence[Any], any_trip: Any) -> None:
        """After the loop the object holds the final ``values``, in the order of `slots`."""
        given = iter(values)
        ends = [[next(given) for _ in group.carried()] for group in self.groups]
        pairs = zip(self.groups, ends, strict=True)
        self._refill(group.final(end, any_trip, self.trace) for group, end in pairs)

    def _refill(self, carried: Iterator[Any]) -> None:
        held = {
            name: self._held(name, next(carried)) if isinstance(part, Group) else part
            for name, part in self.parts.items()
        }
        note_container(self.kept.part)
        refill(self.kept.part, refilled(held, self.kept))

    def _held(self, name: str, value: Any) -> Any:
        present = True
        if isinstance(value, Perhaps):
            value, present = value.value, value.present
        if value is _ANY:
            value = self.uncarried[name]
        note_remade(self.trace, value, self.cause)
        return attribute(name, value, present, self.cause, self.trace)

    def take(self, trace: Trace) -> bool:
        """End an iteration; whether types are what they were."""
        now = contents_of(self.kept.part)
        settled = True
        for name in dict.fromkeys([*self.parts, *now]):
            part, value = self.parts.get(name, self.kept.absent), held_value(now, name)
            if part is now.get(name, self.kept.absent):
                continue
            self._check_settled(name, now.get(name))
            known = optional_name(name)
            if name in self.uncarried:
                _, present = found_at_end(known, value, trace)
                value = whole(known, _ANY, present, trace)
            if known in trace.learned.optional and is_not_set(now.get(name, DELETED)):
                raise changed_elements()
            if isinstance(part, Group):
                settled = part.take(value, trace) and settled
            else:
                self.parts[name] = self._carried(name, part, value, trace)
                settled = False
        return settled

    def _check_settled(self, name: str, value: Any) -> None:
        """Refuse what has no value that an iteration could end with."""
        held, known = (
            value.value if isinstance(value, Perhaps) else value,
            self.uncarried.get(name),
        )
        if isinstance(held, Unsettled) and (known is None or not _is_same(held, known)):
            check_optional(optional_name(name), held, self.trace)
            held.refuse()

    def _carried(self, name: str, part: Any, after: Any, trace: Trace) -> Any:
        """What stands in ``parts`` for an attribute that an iteration has set or deleted."""
        before, known = held_value({name: part}, name), optional_name(name)
        if known in trace.learned.optional and (part is self.kept.absent or is_not_set(part)):
            raise changed_elements()
        group = rebound_group(known, before, after, trace) or _begun(known, before, after, trace)
        if group is not None and _is_of_data(group.shape):
            return group
        return self._only_flag(name, before, after, trace)

    def _only_flag(self, name: str, before: Any, after: Any, trace: Trace) -> Group:
        known = optional_name(name)
        new, has = found_at_end(known, after, trace)
        if is_data(new):
            error = changed_elements()
            error.optional = known if before is None else None
            raise error
        _, had = found_before(known, before, trace)
        self.uncarried[name] = Unsettled(name, NO_DATA, self.cause.loop)
        flag = None if had is True and has is True else present_slot(known, had)
        return Group(known, tree.Tree("static", value=_ANY), [], present=flag)


def loop_attributes(
    kept: AttributeDict, before: Any, cause: Cause, trace: Trace
) -> LoopAttributes:
    """How the attributes of an object are carried that an iteration sets or deletes."""
    made = LoopAttributes(kept, dict(before), cause, trace)
    made.take(trace)
    return made


def _is_same(held: Unsettled, known: Unsettled) -> bool:
    """Whether it has no value for the same reason: a branch has joined it with another value."""
    return (held.why, held.loop) == (known.why, known.loop)


def _is_of_data(shape: tree.Tree) -> bool:
    """Whether it is a number, an array or a text, or a tuple of these, which has no identity."""
    if shape.kind in ("tuple", "namedtuple"):
        return all(map(_is_of_data, shape.children))
    return not shape.children and shape.kind not in ("list", "dict", "object", "dataclass")


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
