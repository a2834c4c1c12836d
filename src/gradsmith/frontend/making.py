"""The loop of the graph, made of the region of its body once that is settled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradsmith.errors import ArgumentValueError, Span
from gradsmith.frontend.joint import condition_of
from gradsmith.frontend.merging import as_value
from gradsmith.frontend.planned import NO_END
from gradsmith.frontend.presence import any_trip
from gradsmith.frontend.slots import Slot, fresh_name
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trip import Trip
from gradsmith.frontend.trips import Trips
from gradsmith.frontend.unread import note_errors
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building, current_builder
from gradsmith.ir.dims import Size, Symbol
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import item
from gradsmith.ops.regions import UNBOUNDED, loop


@dataclass(frozen=True, slots=True)
class Made:
    """A loop; ``any_trip`` says whether there was one."""

    whole: Node
    slots: Sequence[Slot]
    symbols: tuple[Symbol | None, ...]
    any_trip: Any

    def finals(self, builder: Builder, length: Size | None) -> dict[int, tuple[Node, Any]]:
        """For each slot, by identity, its result: the node and the value."""
        found = {}
        for place, slot in enumerate(self.slots):
            node = item(self.whole, index=place)
            builder.name(node, slot.label)
            slot.given(node, length)
            symbol = self.symbols[place]
            size = None if symbol is None else dims.of_atom(symbol)
            found[id(slot)] = node, as_value(node, size, slot.label)
        return found


@dataclass(frozen=True, slots=True)
class Making:
    """What a loop is made of; ``limit`` is in how many slots its adjoint may keep states, and
    ``number`` how many iterations it makes, where sizes know that before.
    """

    trace: Trace
    builder: Builder
    trips: Trips | None
    limit: int | None
    span: Span | None
    trip: Trip
    number: Size | None = None

    def loop(self, slots: Sequence[Slot], late: Sequence[Slot]) -> Made:
        """The loop that carries ``slots``; the ``late`` ones among them are set by every trip."""
        trip, builder = self.trip, self.builder
        with building(builder):
            for slot in late:
                slot.param = builder.parameter(slot.label, slot.type, self._symbol(slot))
            flags = [] if trip.leave is None else [builder.inner(_truth(trip.leave))]
            test = [] if trip.test is None else [builder.inner(trip.test)]
        results = [*(slot.result(builder) for slot in slots), *flags]
        starts = [slot.start() for slot in slots]
        captured = builder.needed([*results, *test])
        asked = builder.region(test, captured, until=trip.asked) if test else None
        body = builder.region(results, captured, after=trip.asked if test else 0)
        attrs = self._attrs(slots, body, asked)
        with self.trace.builder.at(self.span):
            whole = self.trace.builder.apply(loop, [*starts, *captured], attrs)
            note_errors(self.trace.builder, [whole])
        return Made(whole, slots, attrs["symbols"], self._any_trip(attrs["symbols"][-1]))

    def _symbol(self, slot: Slot) -> Symbol | None:
        """By which sizes know the value, where it is an integer."""
        if not slot.whole:
            return None
        if slot.final is not None:
            return slot.final
        label = f"{UNBOUNDED}{slot.label}" if slot.unbounded else slot.label
        return dims.as_symbol(dims.changing(fresh_name(self.trace, label), 0, None, None))

    def _attrs(self, slots: Sequence[Slot], body: Region, test: Region | None) -> dict[str, Any]:
        trip, trips = self.trip, self.trips
        symbols = [self._symbol(slot) for slot in slots]
        counted = trip.leave is not None or trip.test is not None or trips is None
        if counted and self.limit is not None:
            raise ArgumentValueError(*NO_END)
        count = self._number() if counted else None
        symbols.append(None if count is None else dims.as_symbol(count))
        return {
            "body": body,
            "test": test,
            "start": 0 if trips is None else trips.start,
            "stop": None if trips is None else trips.stop,
            "step": 1 if trips is None else trips.step,
            "reverse": False,
            "carried": len(slots),
            "tapes": 0,
            "leaves": trip.leave is not None,
            "symbols": tuple(symbols),
            **({} if self.limit is None else {"slots": self.limit}),
        }

    def _number(self) -> Size:
        if self.number is not None:
            return self.number
        return dims.changing(fresh_name(self.trace, "trips"), 1, 0, None)

    def _any_trip(self, count: Symbol | None) -> Any:
        """Whether there was a trip."""
        if self.trips is not None:
            return any_trip(self.trips.start, self.trips.stop, self.trips.step)
        return self.trip.test is None or (
            count is not None and any_trip(0, dims.of_atom(count), 1)
        )


def _truth(flag: Any) -> Node:
    return condition_of(flag) if isinstance(flag, Tracer) else current_builder().lift(bool(flag))
