"""Loops that count: how often a ``while`` goes, by the condition that ends it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gradsmith.frontend.merging import is_whole
from gradsmith.frontend.names import LoopNames
from gradsmith.frontend.traced_int import as_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trips import Trips
from gradsmith.ir import dims, intrinsics
from gradsmith.ir.builder import Builder
from gradsmith.ir.dims import Size, Symbol
from gradsmith.ir.graph import Node
from gradsmith.ir.mentions import mentioned
from gradsmith.ops import compare
from gradsmith.ops.regions import branch

_RELATIONS = {
    compare.less: "<",
    compare.less_equal: "<=",
    compare.greater: ">",
    compare.greater_equal: ">=",
    compare.not_equal: "!=",
    compare.equal: "==",
}
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", ">=": "<=", ">": "<", "<=": ">="}


@dataclass(slots=True)
class Guess:
    """A ``while`` that is run with other numbers for its integers, to see what ends it.

    ``trips`` says what it has turned out to be: one over a range, of which ``counter`` is the
    index. It is ``off`` where its condition is known without a loop.
    """

    names: LoopNames
    before: Mapping[str, Any]
    counter: str | None = None
    trips: Trips | None = None
    exits: bool = False
    """Whether what ends it is a ``break`` at the end of its trips, which is made before."""
    off: bool = False
    symbols: dict[str, Symbol] = field(default_factory=dict)

    @property
    def wholes(self) -> list[str]:
        """The integers that its trips change."""
        return [name for name in sorted(self.names.read) if is_whole(self.before[name])]

    @property
    def decided(self) -> bool:
        """Whether the trip at work is in vain."""
        return self.off or self.trips is not None

    def bounds(self, name: str) -> tuple[Size | None, Size | None]:
        """Between which numbers the integer stays, as far as that is known."""
        step, start = self.names.steps.get(name, 0), as_size(self.before[name])
        return (start if step > 0 else None), (start if step < 0 else None)

    def test(self, value: Any, builder: Builder) -> bool | None:
        """What `Looping.test` says while this is found out."""
        if not isinstance(value, Tracer):
            self.off = not (value and self.names.leaves)
            return None if self.off else True
        self._settle(value.node, builder, negated=False)
        return None if self.decided else True

    def leave(self, flag: Any, builder: Builder) -> None:
        """The same for the end of the trip."""
        if isinstance(flag, Tracer) and self.names.broken is not None:
            self._settle(flag.node, builder, negated=True)
            self.exits = self.trips is not None
        elif not isinstance(flag, Tracer):
            self.off = True

    def _settle(self, node: Node, builder: Builder, *, negated: bool) -> None:
        relation, distance = _comparison(node, negated=negated)
        for name, symbol in self.symbols.items():
            if distance is not None and name in self.names.steps:
                stop = self._stop(symbol, self.names.steps[name], relation, distance)
                if stop is not None:
                    self.counter, self.trips = name, self._trips(name, stop, exits=negated)
                    return
        self.off = self._is_static(node, builder)

    def _stop(self, symbol: Symbol, step: int, relation: str, distance: Size) -> Size | None:
        """The end of the range that the symbol goes through while ``distance <relation> 0``."""
        rest = distance - dims.of_atom(symbol)
        if symbol in dims.symbols(rest):
            rest, relation = -(distance + dims.of_atom(symbol)), _MIRRORED[relation]
        if set(dims.symbols(rest)) & set(self.symbols.values()):
            return None
        if relation == "!=" and abs(step) == 1:
            known = dims.decide(">=", (-rest - self._start(symbol)) * step, 0)
            return -rest if known else None
        if relation in (("<", "<=") if step > 0 else (">", ">=")):
            return -rest + ((relation == "<=") - (relation == ">="))
        return None

    def _start(self, symbol: Symbol) -> Size:
        (name,) = (name for name, known in self.symbols.items() if known == symbol)
        start = as_size(self.before[name])
        assert start is not None
        return start

    def _trips(self, name: str, stop: Size, *, exits: bool) -> Trips | None:
        start, step = self._start(self.symbols[name]), self.names.steps[name]
        if not exits:
            return Trips(start, stop, step)
        sign = 1 if step > 0 else -1
        if not dims.decide(">=", (stop - start) * sign, 0):
            self.off = True
            return None
        return Trips(start, stop + step, step)

    def _is_static(self, node: Node, builder: Builder) -> bool:
        """Whether nothing but numbers that are known for good decides it."""
        if builder.needed([node]):
            return False
        numbers = {s for n, s in self.symbols.items() if type(self.before[n]) is int}
        return set(mentioned(builder.nodes)) <= numbers


def _comparison(node: Node, *, negated: bool) -> tuple[str, Size | None]:
    """The condition as ``distance <relation> 0``; no distance where it compares no sizes."""
    while node.op not in _RELATIONS:
        if node.op in compare.NEGATIONS:
            (node,), negated = node.inputs, not negated
            continue
        flags = _flags(node)
        if flags not in ((True, False), (False, True)):
            return "", None
        node, negated = node.inputs[0].inputs[0], negated != flags[1]
    left, right = map(_size_of, node.inputs)
    relation = _RELATIONS[node.op]
    distance = None if left is None or right is None else left - right
    return _OPPOSITE[relation] if negated else relation, distance


def _flags(node: Node) -> tuple[Any, Any]:
    """What a result of a branch is on its two ways, where these are numbers."""
    if node.op is not intrinsics.item or node.inputs[0].op is not branch:
        return None, None
    attrs = node.inputs[0].attrs
    arms = [attrs[way].results[node.attrs["index"]] for way in ("then", "orelse")]
    then, orelse = (intrinsics.number(arm) for arm in arms)
    return then, orelse


def _size_of(node: Node) -> Size | None:
    """The size that a node is."""
    if node.op is intrinsics.size:
        found: Size = node.attrs["value"]
        return found
    value = intrinsics.number(node)
    return value if type(value) is int else None
