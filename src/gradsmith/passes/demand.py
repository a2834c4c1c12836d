"""Which parameters of a region its results depend on, one by one.

A branch or loop in the region is asked for the results that count, and not for all that it gives.
"""

from __future__ import annotations

from collections.abc import Iterable
from weakref import WeakKeyDictionary

from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import item
from gradsmith.ir.mentions import has_effect, mentioned, said_by
from gradsmith.ops.regions import REGIONAL, branch, loop

# Regions do not change, and are asked often.
_known: WeakKeyDictionary[Region, dict[frozenset[int], set[int]]] = WeakKeyDictionary()


def needed_params(region: Region, results: Iterable[int]) -> set[int]:
    """The places of the parameters that these results, and what has an effect, depend on."""
    known, key = _known.setdefault(region, {}), frozenset(results)
    if key not in known:
        demand = _Demand(region)
        demand.run([region.results[k] for k in key])
        known[key] = demand.params()
    return known[key]


def needed_inputs(node: Node, places: set[int]) -> set[int]:
    """The places of a branch's or loop's operands that these of its results depend on."""
    attrs = node.attrs
    if node.op is branch:
        arms = attrs["then"], attrs["orelse"]
        return {0, *(1 + p for arm in arms for p in needed_params(arm, places))}
    if node.op is loop:
        return _of_loop(node, places)
    return needed_params(attrs["block"], places)


def needed_carried(node: Node, places: set[int]) -> set[int]:
    """The places of a loop's carried values that these of its results depend on."""
    return {p for p in needed_inputs(node, places) if p < node.attrs["carried"]}


def _of_loop(node: Node, places: set[int]) -> set[int]:
    attrs, carried, tapes = node.attrs, node.attrs["carried"], node.attrs["tapes"]
    wanted = {k for k in places if k < carried}
    count = carried + attrs["leaves"]
    always = [*range(carried, count), *(count + k - carried - 1 for k in places if k > carried)]
    found: set[int] = set()
    if attrs["test"] is not None:
        asked = {p - 1 for p in needed_params(attrs["test"], [0])} - {-1}
        found = {p if p < carried else p + tapes for p in asked}
    while True:
        body = {p - 1 for p in needed_params(attrs["body"], [*sorted(wanted), *always])} - {-1}
        more = {p for p in body | found if p < carried} | wanted
        if more == wanted:
            return found | body | wanted
        wanted = more


class _Demand:
    """What of a region is needed, grown until nothing is added."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.said = said_by(region.nodes)
        self.seen: set[Node] = set()
        self.symbols: set[object] = set()
        self.places: dict[Node, set[int]] = {}
        self.stack: list[Node] = []

    def run(self, results: Iterable[Node]) -> None:
        """Go back from these results."""
        self.stack += [*results, *filter(has_effect, self.region.nodes)]
        while self.stack:
            node = self.stack.pop()
            if node.op is item and node.inputs[0].op in REGIONAL:
                self._ask(node.inputs[0], {node.attrs["index"]})
            if node in self.seen:
                continue
            self.seen.add(node)
            self._sizes(node)
            if node.op in REGIONAL:
                self._ask(node, set())
            elif not (node.op is item and node.inputs[0].op in REGIONAL):
                self.stack += node.inputs

    def params(self) -> set[int]:
        """The places of the parameters among it."""
        params = enumerate(self.region.params)
        return {k for k, p in params if p in self.seen or p.attrs["symbol"] in self.symbols}

    def _ask(self, node: Node, places: set[int]) -> None:
        known = self.places.get(node)
        if known is not None and places <= known:
            return
        self.places[node] = places | (known or set())
        self.seen.add(node)
        self._sizes(node)
        self.stack += [node.inputs[p] for p in needed_inputs(node, self.places[node])]

    def _sizes(self, node: Node) -> None:
        for symbol in mentioned([node]):
            if symbol in self.symbols:
                continue
            self.symbols.add(symbol)
            source = self.said.get(symbol)
            if source is not None and source.op in REGIONAL:
                self._ask(source, {source.attrs["symbols"].index(symbol)})
            elif source is not None:
                self.stack.append(source)
