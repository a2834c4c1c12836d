"""What a loop carries from trip to trip: variables, buffers, and what lists and dicts hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gradsmith import tree
from gradsmith.errors import ControlFlowError
from gradsmith.frontend.classes import DELETED
from gradsmith.frontend.containers import (
    Contents,
    Growth,
    carried_contents,
    growth_of,
)
from gradsmith.frontend.doubts import is_outdated, outdate
from gradsmith.frontend.frozen import (
    NONE,
    WRITTEN,
    Sites,
    containers_in,
    first_of,
    freeze,
    frozen_sites,
    note_remade,
    separate,
)
from gradsmith.frontend.groups import Group, share_flags
from gradsmith.frontend.journal import Journal, contents_of, written_part
from gradsmith.frontend.loop_attributes import LoopAttributes, loop_attributes
from gradsmith.frontend.merging import (
    is_data,
)
from gradsmith.frontend.row_buffers import (
    Appended,
    RowBuffer,
    appended_to,
    buffer_of,
    open_rows_of,
)
from gradsmith.frontend.slots import Slot, param_of
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.stand_ins import ObjectStandIn
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.text import Text
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.unsettled import UNKNOWN, Cause, Perhaps, Unsettled
from gradsmith.ir.builder import Builder
from gradsmith.ir.dims import Size


@dataclass(slots=True)
class State:
    """All that a loop carries. ``sites`` is the loop itself."""

    sites: Sites = NONE
    begun: bool = False
    """Whether a trip sets a number or an array in the place of something else in an object."""
    variables: dict[str, Group] = field(default_factory=dict)
    storages: dict[Storage, Slot] = field(default_factory=dict)
    containers: dict[int, Contents | LoopAttributes] = field(default_factory=dict)
    growing: dict[int, Growth] = field(default_factory=dict)
    buffers: dict[int, RowBuffer] = field(default_factory=dict)
    reads: bool = False
    """Whether trips read of lists that they append to more than the last element."""
    uncarried: dict[str, Unsettled] = field(default_factory=dict)
    """Variables that trips change and that cannot be carried: none may ask for them."""
    outdated: dict[int, Any] = field(default_factory=dict)
    """Containers of which nothing can be told after a trip."""
    _appended: dict[int, Sites] = field(default_factory=dict)
    """What the trip has appended to stacked lists, by identity of what can be written to."""

    def slots(self) -> list[Slot]:
        """Every carried value in order."""
        found = [slot for group in self.variables.values() for slot in group.carried()]
        found += self.storages.values()
        found += [slot for contents in self.containers.values() for slot in contents.slots]
        found += [slot for buffer in self.buffers.values() for slot in buffer.slots]
        return found + [slot for growth in self.growing.values() for slot in growth.slots]

    def replaced(self) -> list[Slot]:
        """Of the values that trips replace those that can be arrays of others, too."""
        found = [slot for group in self.variables.values() for slot in group.slots]
        return found + [slot for contents in self.containers.values() for slot in contents.values]

    def groups(self) -> list[Group]:
        """The variables and attributes."""
        objects = [c for c in self.containers.values() if isinstance(c, LoopAttributes)]
        return [*self.variables.values(), *(group for held in objects for group in held.groups)]

    @property
    def refused(self) -> bool:
        """Whether a trip changed the type or structure of something."""
        if self.uncarried:
            return True
        groups = any(group.refused for group in self.groups()) or self.begun
        return groups or any(slot.refused for slot in self.slots())

    @property
    def cause(self) -> Cause:
        """Why it may be unknown which of several objects a value is: which trips there are."""
        loop = first_of(self.sites)
        return UNKNOWN if loop is None else Cause(loop, loop)

    def open(self, trace: Trace, builder: Builder, later: Any, place: Size) -> dict[str, Any]:
        """Begin the trip at ``place``: buffers and containers hold parameters; so will the
        variables.

        ``later`` tells whether it is not the first.
        """
        share_flags(list(self.variables.values()))
        values = {
            name: note_remade(trace, group.open(trace, builder, later), self.cause)
            for name, group in self.variables.items()
        }
        for storage, slot in self.storages.items():
            slot.open(trace, builder)
            storage.replace(param_of(slot))
        for contents in self.containers.values():
            contents.open(trace, builder, later)
        for buffer in self.buffers.values():
            buffer.open(trace, builder, place)
        for growth in self.growing.values():
            growth.open(trace, builder)
        self.outdate()
        return values

    def outdate(self) -> None:
        """What such containers hold is not known in later trips either, nor after the loop."""
        for container in self.outdated.values():
            outdate(container, self.cause)

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

    def take_containers(
        self,
        trace: Trace,
        journal: Journal,
        length: Size | None,
        place: Size,
        most: Size | None,
    ) -> bool:
        """What lists and dicts hold at the end of a trip, of ``length``, or of ``most`` at most;
        whether none is new.
        """
        settled = True
        for key, (container, before) in journal.containers.items():
            if key in self.outdated:
                continue
            if key in self.growing:
                settled = self.growing[key].take(container, place, self.storages) and settled
            elif key in self.buffers:
                settled = self.buffers[key].take(place, self.storages) and settled
            elif key in self.containers:
                settled = self.containers[key].take(trace) and settled
            elif _is_changed(before, container) and is_outdated(container):
                _check_length(before, container)
                self.outdated[key], settled = container, False
            elif _is_changed(before, container) and key in trace.attribute_dicts:
                self.begun = self.begun or _sets_for_the_first_time(before, contents_of(container))
                kept = trace.attribute_dicts[key]
                self.containers[key] = loop_attributes(kept, before, self.cause, trace)
                settled = False
            elif _is_changed(before, container):
                self.begun = self.begun or _is_begun(before, container)
                self._note_changed(key, journal, length, most)
                settled = False
        return settled

    def _note_changed(
        self, key: int, journal: Journal, length: Size | None, most: Size | None
    ) -> None:
        """A trip has changed what the container with the identity ``key`` holds."""
        container, before = journal.containers[key]
        reads = self.reads or open_rows_of(before) is not None
        grows = length, self.sites, journal
        bounded = most is not None
        growth = None if reads else growth_of(before, container, *grows, bounded=bounded)
        if growth is not None:
            self.growing[id(container)] = growth
            return
        appended = appended_to(container, before) if type(container) is list else None
        buffer = None
        if appended is not None:
            known = appended if length is not None else replace(appended, count=None)
            buffer = buffer_of(container, before, known, (length, most), self.sites)
        if buffer is not None:
            self.buffers[id(container)] = buffer
        else:
            self.containers[id(container)] = carried_contents(container, before)

    def note_branches(
        self, lists: Iterable[tuple[list[Any], Appended]], most: Size | None
    ) -> None:
        """Before the first trip: the lists that branches in it append to."""
        for container, appended in lists:
            extent = None, most
            buffer = buffer_of(container, list(container), appended, extent, self.sites)
            if buffer is not None:
                self.buffers[id(container)] = buffer

    def note_elements(
        self, begin: Mapping[str, Any], end: Mapping[str, Any], known: Mapping[int, Any]
    ) -> bool:
        """Freeze what the trip has appended to stacked lists and is not of its own making; find
        the variables that hold such elements at its beginning or end. Whether there are no new
        ones.
        """
        appended: dict[int, Sites] = {}
        self._appended = appended
        lists: list[Growth | RowBuffer] = [*self.growing.values(), *self.buffers.values()]
        for growth in lists:
            for container in containers_in(growth.element):
                part = written_part(container)
                if id(part) in {
                    *self.containers,
                    *self.growing,
                    *self.buffers,
                    *self.outdated,
                }:
                    separate(growth.sites, WRITTEN)
                if id(container) in known:
                    freeze(container, growth.sites)
                appended[id(part)] = appended.get(id(part), NONE) | growth.sites
        settled = True
        for name, group in self.variables.items():
            sites = self.lists_with(begin.get(name)) | self.lists_with(end[name])
            settled = settled and sites <= group.sites
            group.sites |= sites
        return settled

    def lists_with(self, value: Any) -> Sites:
        """The stacked lists that what ``value`` holds may be an element of."""
        parts = [id(written_part(c)) for c in containers_in(value)]
        return frozen_sites(value).union(*[self._appended.get(part, NONE) for part in parts])


def differs(before: Any, after: Any) -> bool:
    """Whether a value that holds no data, but can be used, has become another one."""
    if isinstance(before, Unsettled) or isinstance(after, Unsettled):
        return not isinstance(before, Unsettled)
    left, right = (tree.flatten(value, _is_of_emitted_code) for value in (before, after))
    return bool(right[0]) or left[1] != right[1]


def _is_of_emitted_code(value: Any) -> bool:
    """Whether the emitted code alone knows what it is equal to."""
    return is_data(value) or isinstance(value, (Text, ObjectStandIn))


def _is_begun(before: Any, after: Any) -> bool:
    """Whether a trip has set an attribute or item to a number or an array that was neither."""
    now = contents_of(after)
    if not (isinstance(before, dict) and isinstance(now, dict) and list(before) == list(now)):
        return False
    return _sets_for_the_first_time(before, now)


def _sets_for_the_first_time(before: Mapping[Any, Any], now: Mapping[Any, Any]) -> bool:
    """Whether it holds a number or an array under a key under which it has held neither."""
    return any(
        is_data(now[key]) and not (is_data(held) or held is DELETED or isinstance(held, Perhaps))
        for key, held in before.items()
        if key in now
    )


def _check_length(before: Any, container: Any) -> None:
    """Refuse a container of which not even the length is known after an iteration: there is
    nothing that could stand for its elements.

    Raises
    ------
    ControlFlowError
        An iteration has added or taken some.
    """
    if len(before) != len(contents_of(container)):
        raise ControlFlowError(
            f"a loop adds elements of several kinds to a {type(container).__name__}",
            current_span(),
            "keep to one kind of elements, or loop over a range that is known when tracing",
        )


def _is_changed(before: Any, after: Any) -> bool:
    after = contents_of(after)
    left, right = list(before), list(after)
    if isinstance(before, dict):
        left, right = [*left, *before.values()], [*right, *after.values()]
    return len(left) != len(right) or any(a is not b for a, b in zip(left, right, strict=True))
