"""Which values are equal: a number for each value, the same for values computed alike.

The results of loops and branches have numbers, too, whatever else these compute: a carried value
that of its own recurrence, a recorded one that of its expression in a trip.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import item
from gradsmith.ir.parts import LoopView
from gradsmith.ir.reads import NONE, Reads, Sources

Table = dict[object, int]


def is_regional(node: Node) -> bool:
    """Whether it is a loop or a branch (what is run again is to stay by itself)."""
    return "body" in node.attrs or "then" in node.attrs


@dataclass
class Numbers:
    """Of the values of one region.

    ``parts`` are the numbers of the results of its loops and branches, ``inside`` the values of
    their regions by attribute, which are numbered as if they stood here.
    """

    table: Table
    of: dict[Node, int] = field(default_factory=dict)
    parts: dict[Node, tuple[int, ...]] = field(default_factory=dict)
    inside: dict[Node, dict[str, Numbers]] = field(default_factory=dict)

    def intern(self, *key: object) -> int:
        """The number of what is computed so."""
        return self.table.setdefault(key, len(self.table))

    def add(self, nodes: Iterable[Node]) -> Numbers:
        """Itself, with these nodes, which are in order."""
        for node in nodes:
            if node.op is item and node.inputs[0] in self.parts:
                self.of[node] = self.parts[node.inputs[0]][node.attrs["index"]]
            elif is_regional(node):
                self.inside[node] = {}
                loop = "body" in node.attrs
                self.parts[node] = self._loop(node) if loop else self._branch(node)
                self.of[node] = self.intern("whole", self.parts[node])
            else:
                operands = tuple(self._of(i) for i in node.inputs)
                attrs = tuple(pair for pair in node.attrs.items() if pair[0] != "silent")
                self.of[node] = self.intern(node.op, operands, attrs)
        return self

    def _of(self, node: Node) -> int:
        """The number of a parameter is its own."""
        if node not in self.of:
            self.of[node] = self.intern("given", node)
        return self.of[node]

    def _scan(self, node: Node, name: str, params: Mapping[Node, int]) -> tuple[int, ...]:
        region: Region = node.attrs[name]
        numbers = Numbers(self.table, dict(params)).add(region.nodes)
        self.inside[node][name] = numbers
        return tuple(numbers._of(result) for result in region.results)

    def _branch(self, node: Node) -> tuple[int, ...]:
        outer = [self._of(i) for i in node.inputs]
        arms = [
            self._scan(node, name, dict(zip(node.attrs[name].params, outer[1:], strict=True)))
            for name in ("then", "orelse")
        ]
        # An integer that sizes may mention by its symbol is none that has another symbol.
        results = zip(*arms, node.attrs["symbols"], strict=True)
        return tuple(self.intern("branch", outer[0], *result) for result in results)

    def _loop(self, node: Node) -> tuple[int, ...]:
        view = LoopView(node)
        outer = [self._of(i) for i in node.inputs]
        known = self._params(view, view.body, outer)
        ends = self._scan(node, "body", known)
        asked: tuple[int, ...] = ()
        if view.test is not None:
            asked = self._scan(node, "test", self._params(view, view.test, outer))
        carried = _Carried(view)
        plan = tuple(node.attrs[key] for key in ("start", "stop", "step", "reverse", "leaves"))
        stay = (view.index.attrs["symbol"], plan, asked, ends[view.count :][: view.leaves])

        def core(read: Sources) -> int:
            closed = carried.closed(read)
            return self.intern("loop", stay, tuple((k, outer[k], ends[k]) for k in closed))

        results = [self.intern("carried", core(frozenset({k})), k) for k in range(view.count)]
        results.append(self.intern("trips", core(NONE)))
        for result, number in zip(view.recorded, ends[view.count + view.leaves :], strict=True):
            results.append(self.intern("tape", core(carried.read(result)), number))
        return tuple(results)

    def _params(self, view: LoopView, region: Region, outer: Sequence[int]) -> dict[Node, int]:
        symbol = view.index.attrs["symbol"]
        params = iter(region.params)
        known = {next(params): self.intern("index", symbol)}
        for k, param in zip(range(view.count), params, strict=False):
            known[param] = self.intern("in trip", symbol, k, param.attrs["symbol"])
        if region is view.body:
            for p, param in zip(view.tapes, params, strict=False):
                known[param] = self.intern("read", symbol, outer[p], param.attrs["symbol"])
        return known | {param: outer[p] for p, param in zip(view.captured, params, strict=True)}


class _Carried:
    """Which carried values a value of a loop's body is computed from, in the same trip."""

    def __init__(self, view: LoopView) -> None:
        self._view = view
        one = [frozenset({k}) for k in range(view.count)]
        self._body = Reads(dict(zip(view.carried, one, strict=True))).add(view.body.nodes)
        self._always = NONE.union(*map(self.read, view.body.results[view.count :][: view.leaves]))
        if view.test is not None:
            test = Reads(dict(zip(view.test.params[1:], one, strict=False)))
            results = map(test.add(view.test.nodes).of, view.test.results)
            self._always = self._always.union(*results)

    def read(self, node: Node) -> Sources:
        """The positions of those that ``node`` reads."""
        return self._body.of(node)

    def closed(self, carried: Sources) -> list[int]:
        """With all that these, and the number of trips, depend on."""
        found = carried | self._always
        while True:
            more = found.union(*(self.read(self._view.results[k]) for k in found))
            if more == found:
                return sorted(found)
            found = more


def numbered(nodes: Iterable[Node]) -> Numbers:
    """The numbers of the values of a graph."""
    return Numbers({}).add(nodes)
