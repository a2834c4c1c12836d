"""Arrays that are rows of a stacked list and something else as well: carried, or from outside."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from gradsmith.errors import ControlFlowError, Span
from gradsmith.frontend.carried import State
from gradsmith.frontend.containers import Growth
from gradsmith.frontend.frozen import lock
from gradsmith.frontend.row_buffers import RowBuffer
from gradsmith.frontend.slots import Slot
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.stored_rows import lock_as, storage_of
from gradsmith.frontend.unsettled import Cause
from gradsmith.ir.builder import Builder
from gradsmith.ir.graph import Node


class RowAliases:
    """The buffers that a trip appends to lists, and those that they may be in other trips.

    What a carried value is at the end of a trip it is at the beginning of the next one.
    """

    def __init__(self, state: State, builder: Builder) -> None:
        self.state = state
        self.builder = builder
        self.begins: set[Storage] = set()
        """Those of what a trip starts with."""
        self.next: dict[Storage, list[Storage]] = {}
        self._families: dict[Storage, set[Storage]] = {}
        self._new: set[Storage] = set()
        for slot in [*state.replaced(), *(s for g in state.growing.values() for s in g.last)]:
            begin, end = storage_of(slot.seen), storage_of(slot.after)
            if begin is not None:
                self.begins.add(begin)
            if begin is not None and end is not None:
                self.next.setdefault(begin, []).append(end)
                self.next.setdefault(end, []).append(begin)

    def _rows(self) -> Iterator[tuple[Growth | RowBuffer, Slot, Storage]]:
        for growth in self.state.growing.values():
            for slot, storage in zip(growth.rows, growth.shared, strict=True):
                if storage is not None:
                    yield growth, slot, storage
        for buffer in self.state.buffers.values():
            for slot, storages in zip(buffer.rows, buffer.shared, strict=True):
                for storage in storages:
                    yield buffer, slot, storage

    def _family(self, row: Storage) -> set[Storage]:
        """All buffers that the row may be in some trip."""
        found, stack = {row}, [row]
        while stack:
            one = stack.pop()
            for other in (*one.may_be_directly(), *self.next.get(one, ())):
                if other not in found:
                    found.add(other)
                    stack.append(other)
        return found

    def check(self, written: Container[Storage], span: Span | None) -> None:
        """Refuse writes of a trip to what another one has appended."""
        for _, _, row in self._rows():
            self._families[row] = self._family(row)
            if self._is_new(row):
                self._new.add(row)
            for one in self._families[row]:
                if one.replaced:
                    continue  # a write to it changes no array
                if one in self.state.storages or (one in written and self._is_older(one)):
                    raise ControlFlowError(
                        "this loop appends an array to a list and writes to that array in other "
                        "trips",
                        span,
                        "append a copy of it: x.copy()",
                    )

    def doubt(
        self, finals: Mapping[int, tuple[Node, Any]], slots: Sequence[Slot], cause: Cause
    ) -> None:
        """After the loop: which other arrays a row may be; and whether several rows may be one
        array, so that none can be written to.
        """
        appended: dict[int, set[Storage]] = {}
        for growth, slot, row in self._rows():
            whole = finals[id(slot)][1].view.storage
            family = self._families[row]
            before = appended.setdefault(id(slot), set())
            if (row not in self._new or family & before) and not whole.replaced:
                lock(whole, growth.sites)
            if not whole.replaced:
                lock_as(whole, *family)
            before |= family
            for one in family:
                whole.doubt(one, cause=cause)
            for other in slots:
                final = storage_of(finals[id(other)][1])
                if final is not None and storage_of(other.after) in family:
                    final.doubt(whole, cause=cause)
                    if isinstance(growth, RowBuffer) and growth.outer is not None:
                        lock(final, growth.sites)
                first = storage_of(other.initial)
                if first is not None and storage_of(other.seen) in family:
                    first.doubt(whole, cause=cause)

    def lock_firsts(self, slots: Sequence[Slot]) -> None:
        """The arrays that variables and elements were before the loop must not be written to where
        iterations may have made them elements of lists, in which others take their places.
        """
        for slot in slots:
            first = storage_of(slot.initial)
            if first is None:
                continue
            for later in self._later(slot, slots):
                lock_as(first, storage_of(later.seen))

    def _later(self, slot: Slot, slots: Sequence[Slot]) -> list[Slot]:
        """Those that have, in some iteration, what ``slot`` has before the loop."""
        found = [slot]
        for one in found:
            seen = storage_of(one.seen)
            if seen is not None:
                others = [other for other in slots if not any(other is old for old in found)]
                found += [other for other in others if _ends_as(other, seen)]
        return found

    def _is_new(self, row: Storage) -> bool:
        """Whether each trip makes it anew."""
        known, stack = {row}, [row]
        while stack:
            one = stack.pop()
            if self._is_older(one):
                return False
            new = [other for other in one.may_be_directly() if other not in known]
            known.update(new)
            stack += new
        return True

    def _is_older(self, one: Storage) -> bool:
        """Whether it is there when a trip begins."""
        carried = one in self.begins or one in self.state.storages
        return carried or not self.builder.owns(one.node)


def _ends_as(slot: Slot, seen: Storage) -> bool:
    """Whether an iteration may end with this array in it."""
    after = storage_of(slot.after)
    return after is not None and after.may_be(seen)
