"""One carried value of a loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradsmith.errors import ControlFlowError, InternalError, Span
from gradsmith.frontend.merging import (
    PLAIN,
    as_shown,
    as_value,
    cause_if_stale,
    is_whole,
    joint_type,
    placeholder,
)
from gradsmith.frontend.number_class import (
    Classes,
    is_number,
    lists_of,
    note,
    note_chosen,
    possible_types,
)
from gradsmith.frontend.presence import as_truth
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.stored_rows import element_sites, lock_as, storage_of
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import UNKNOWN, Cause
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.dims import Size, Symbol
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType, describe
from gradsmith.ops.create import empty
from gradsmith.ops.forms import in_type
from gradsmith.ops.index import without_rows
from gradsmith.ops.regions import UNBOUNDED

VARIES = "its type or shape differs from trip to trip of a loop"
NO_DATA = "a loop changes it, and before the loop it is no number or array"


def fresh_name(trace: Trace, label: str | None) -> str:
    """A name for a size that no other size of the trace has."""
    name = f"{label or 'k'}.{trace.root.token()}"
    trace.unrolling.note_size(name)
    return name


def shown_name(name: str) -> str:
    """What a variable that staging added, or an attribute, is called in the emitted code."""
    name = name.removeprefix(".")
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
    bounds: tuple[Size | None, Size | None] = (None, None)
    """Between which numbers it stays, where it is an integer."""
    stale: Cause | None = None
    """Why what is carried may or may not have been written to, if so: it cannot be used."""
    refused: bool = False
    """Whether a trip gave it a type that no value carried can have."""
    ends: tuple[ArrayType, ...] = ()
    """The types that it may have at the end of a trip, as far as trips have shown."""
    lists: frozenset[Span] = frozenset()
    """The loops that made the stacked lists which these are elements of."""
    unbounded: bool = False
    """Whether it is an integer that iterations multiply, or add another one to."""
    final: Symbol | None = None
    """By which sizes know it after the loop, where some do before."""

    def open(self, trace: Trace, builder: Builder) -> Any:
        """What the trip starts with."""
        size = None
        if self.whole:
            label = f"{UNBOUNDED}{self.label}" if self.unbounded else self.label
            size = dims.changing(fresh_name(trace, label), self._hint(), *self.bounds)
        self.symbol = None if size is None else dims.as_symbol(size)
        self.param = builder.parameter(self.label, self.type, self.symbol)
        note(self.param, Classes((*self._before(), *self.ends), lists=self.lists))
        note_chosen(self.param, UNKNOWN)
        if self.initial is not None:
            started = as_truth(self.initial)
            plain = isinstance(started, (Node, TracedInt, *PLAIN))
            trace.initial[self.param] = started if plain else as_shown(started)
        self.seen = self.handed_on(as_value(self.param, size, self.label))
        return self.seen

    def _before(self) -> tuple[ArrayType, ...]:
        """The types that it may have before the loop, where it has a value there."""
        if self.initial is None or self.empty:
            return ()
        initial = as_truth(self.initial)
        node, trace = initial if isinstance(initial, Node) else as_shown(initial), current_trace()
        self.lists |= frozenset() if trace is None else lists_of(node, trace)
        return possible_types(node)

    def given(self, node: Node, trips: Size | None) -> None:
        """``node`` is the result of the loop: where it makes no trip, what was before it."""
        before = self._before()
        note_chosen(node, UNKNOWN)
        types = self.ends or before or (node.array_type,)
        note(node, Classes(types, before, trips, self.lists))

    def handed_on(self, value: Any) -> Any:
        """The value of a trip, or of the loop."""
        if self.stale and isinstance(value, Tracer):
            value.view.storage.outdate(self.stale)
        lock_as(storage_of(value), storage_of(self.initial), storage_of(self.after))
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
        known = self.take_types(self.node)
        stale, self.stale = self.stale, self.stale or cause_if_stale(value)
        if self.whole and not is_whole(value):
            self.whole = False
        found = self.node.array_type
        try:
            joint = joint_type(self.type, found)
        except ControlFlowError:
            self.refused = True
            before, after = describe(self.type), describe(found)
            differ = f"is {before} before a trip of this loop and {after} after it"
            if before == after:  # but for a length that only running tells
                differ = "may have another length after each trip of this loop"
            raise ControlFlowError(
                f"{self.label!r} {differ}",
                current_span(),
                "keep one shape, or loop over a range that is known when tracing",
            ) from None
        settled = joint == self.type and (self.whole or self.symbol is None)
        settled = settled and known and stale == self.stale and self._is_locked_as(value)
        if not self.unbounded and self._is_multiplied_or_added_to():
            self.unbounded = True
            settled = settled and not self._overflow_is_handled()
        self.type = joint
        return settled

    def _is_locked_as(self, value: Any) -> bool:
        """Whether iterations know that they start with what must not be written to."""
        seen = storage_of(self.seen)
        known = seen.sites if seen is not None and seen.element else frozenset()
        return element_sites(storage_of(value)) <= known

    def take_types(self, node: Node) -> bool:
        """Note the types that a number may have at the end; whether there is no new one."""
        if not is_number(node):
            return True
        started = {self.type, *self._before(), *self.ends}
        self.ends = tuple(dict.fromkeys((*self.ends, *possible_types(node))))
        trace = current_trace()
        self.lists |= frozenset() if trace is None else lists_of(node, trace)
        return started.issuperset(self.ends)

    def start_late(self, old: Any) -> bool:
        """Whether it may be ``old``, where no trip is made."""
        try:
            self.type = joint_type(as_shown(old).array_type, self.type)
        except ControlFlowError:
            return False
        self.initial, self.whole = old, self.whole and is_whole(old)
        self.stale = self.stale or cause_if_stale(old)
        return True

    def is_replaced(self) -> bool:
        """Whether every trip surely gives another array than it starts with."""
        if not isinstance(self.after, Tracer):
            return True
        before = [x.view.storage for x in (self.seen, self.initial) if isinstance(x, Tracer)]
        return not any(map(self.after.view.storage.may_be, before))

    def _overflow_is_handled(self) -> bool:
        trace = current_trace()
        return trace is not None and trace.handled["OverflowError"] > 0

    def _is_multiplied_or_added_to(self) -> bool:
        """Whether the iteration multiplies it, or adds another one to it."""
        if not isinstance(self.after, TracedInt) or self.symbol is None:
            return False
        step = self.after.dim - dims.of_atom(self.symbol)
        return any(s.bounds == (None, None) for s in dims.symbols(step))

    def always(self, first: bool, after: bool) -> bool:
        """Whether it has one truth in the first trip, and the other in all trips after it."""
        return self.initial is first and self.after is after

    def result(self, builder: Builder) -> Node:
        """What the trip gives to the next."""
        with building(builder):
            if self.node is None:
                raise InternalError(f"a loop does not say what {self.label!r} becomes")
            return in_type(builder.inner(self.node), self.type)

    def start(self) -> Node:
        """What the first trip gets; made in the builder around the loop."""
        if self.empty and self.type.ndim and dims.total_of(self.type.shape[0]) is not None:
            length, *row = self.type.shape
            return without_rows(ArrayType(self.type.dtype, tuple(row)), length)
        if self.empty:
            return empty(shape=self.type.shape, dtype=self.type.dtype)
        if self.initial is None:
            return placeholder(self.type)
        initial = as_truth(self.initial)
        node = initial if isinstance(initial, Node) else as_shown(initial)
        return in_type(node, self.type)


def param_of(slot: Slot) -> Node:
    """The parameter that a trip has for it."""
    assert slot.param is not None
    return slot.param
