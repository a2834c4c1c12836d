"""Which parameters of a region its results depend on, one by one.

A branch or loop in the region is asked for the results that count, and not for all that it gives.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gradsmith.ir import dims
from gradsmith.ir.dims import Symbol
from gradsmith.ir.graph import Node, Region, RegionFacts
from gradsmith.ir.intrinsics import item
from gradsmith.ir.mentions import has_effect, mentioned, said_by
from gradsmith.ops.regions import REGIONAL, branch, loop


class Needs(NamedTuple):
    """What some results of a region, or of a branch or loop, depend on."""

    places: set[int]
    """Of its parameters, or of its operands."""
    symbols: set[Symbol]
    """The sizes from around it."""


_EFFECTS = -1
"""Stands for what has an effect among the results of a region."""

# Regions do not change, and are asked often: for each result by itself, as what several results
# depend on is what each of them does.
_known: RegionFacts[dict[int, Needs]] = RegionFacts()
_known_said: RegionFacts[dict[Symbol, Node]] = RegionFacts()


def needed_carried(node: Node, places: set[int]) -> set[int]:
    """The places of a loop's carried values that these of its results depend on."""
    return {p for p in _of_node(node, places).places if p < node.attrs["carried"]}


def _of_region(region: Region, results: Iterable[int]) -> Needs:
    """What these results, and what has an effect, depend on."""
    known = _known.setdefault(region, {})
    places: set[int] = set()
    symbols: set[Symbol] = set()
    for k in (_EFFECTS, *results):
        if k not in known:
            known[k] = _Demand(region).of(k)
        places |= known[k].places
        symbols |= known[k].symbols
    return Needs(places, symbols)


def _of_node(node: Node, places: set[int]) -> Needs:
    """What these results of a branch or loop depend on."""
    attrs = node.attrs
    if node.op is branch:
        then, orelse = (_of_region(attrs[arm], places) for arm in ("then", "orelse"))
        captured = then.places | orelse.places
        return Needs({0, *(1 + p for p in captured)}, then.symbols | orelse.symbols)
    if node.op is loop:
        return _of_loop(node, places)
    return _of_region(attrs["block"], places)


def _of_loop(node: Node, places: set[int]) -> Needs:
    attrs, carried, tapes = node.attrs, node.attrs["carried"], node.attrs["tapes"]
    wanted = {k for k in places if k < carried}
    count = carried + attrs["leaves"]
    always = [*range(carried, count), *(count + k - carried - 1 for k in places if k > carried)]
    asked: set[int] = set()
    symbols = {s for key in ("start", "stop", "step") for s in dims.symbols(attrs[key] or 0)}
    if attrs["test"] is not None:
        test = _of_region(attrs["test"], [0])
        inner = {p - 1 for p in test.places} - {-1}
        asked = {p if p < carried else p + tapes for p in inner}
        symbols |= test.symbols
    while True:
        body = _of_region(attrs["body"], [*sorted(wanted), *always])
        inner = {p - 1 for p in body.places} - {-1}
        more = {p for p in inner | asked if p < carried} | wanted
        if more == wanted:
            return Needs(asked | inner | wanted, symbols | body.symbols)
        wanted = more


class _Demand:
    """What of a region is needed, grown until nothing is added."""

    def __init__(self, region: Region) -> None:
        self.region = region
        if region not in _known_said:
            _known_said[region] = said_by(region.nodes)
        self.said = _known_said[region]
        self.seen: set[Node] = set()
        self.symbols: set[Symbol] = set()
        self.places: dict[Node, set[int]] = {}
        self.stack: list[Node] = []

    def of(self, result: int) -> Needs:
        """What a result, or what has an effect, depends on."""
        if result == _EFFECTS:
            self.stack += filter(has_effect, self.region.nodes)
        else:
            self.stack.append(self.region.results[result])
        self._run()
        return self._found()

    def _run(self) -> None:
        """Go back from what is on the stack."""
        while self.stack:
            node = self.stack.pop()
            if node.op is item and node.inputs[0].op in REGIONAL:
                self._ask(node.inputs[0], {node.attrs["index"]})
            if node in self.seen:
                continue
            self.seen.add(node)
            if node.op in REGIONAL:
                self._ask(node, set())
                continue
            self._say(mentioned([node]))
            if not (node.op is item and node.inputs[0].op in REGIONAL):
                self.stack += node.inputs

    def _found(self) -> Needs:
        """The parameters and the sizes from around the region among it."""
        symbols = {k: p.attrs["symbol"] for k, p in enumerate(self.region.params)}
        params = {k for k, p in enumerate(self.region.params) if p in self.seen}
        params |= {k for k, s in symbols.items() if s in self.symbols}
        return Needs(params, self.symbols - self.said.keys() - set(symbols.values()))

    def _ask(self, node: Node, places: set[int]) -> None:
        known = self.places.get(node)
        if known is not None and places <= known:
            return
        self.places[node] = places | (known or set())
        self.seen.add(node)
        needs = _of_node(node, self.places[node])
        self._say(needs.symbols)
        self.stack += [node.inputs[p] for p in needs.places]

    def _say(self, symbols: Iterable[Symbol]) -> None:
        """These sizes are needed, and with them what says what they are."""
        for symbol in symbols:
            if symbol in self.symbols:
                continue
            self.symbols.add(symbol)
            source = self.said.get(symbol)
            if source is not None and source.op in REGIONAL:
                self._ask(source, {source.attrs["symbols"].index(symbol)})
            elif source is not None:
                self.stack.append(source)
