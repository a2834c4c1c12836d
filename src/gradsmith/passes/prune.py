"""What branches and loops compute and nothing reads is left out; known conditions are decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradsmith.ir.dims import Symbol
from gradsmith.ir.graph import Graph, Node, Region, RegionFacts, ancestors
from gradsmith.ir.intrinsics import constant, item, number
from gradsmith.ir.mentions import live, mentioned, said_by, shown
from gradsmith.ir.types import ArrayType, TupleType
from gradsmith.ops.compare import NEGATIONS
from gradsmith.ops.effects import fail
from gradsmith.ops.regions import REGIONAL, branch, rerun
from gradsmith.passes.demand import needed_carried
from gradsmith.passes.regions import in_regions, in_type_of, renamed

MOST_ROUNDS = 8
"""What is left out of one loop may have been all that another was for."""


# Regions do not change: each round over a nest would otherwise go through all that is in it.
_pruned: RegionFacts[None] = RegionFacts()
_whole: RegionFacts[None] = RegionFacts()
_known_reads: RegionFacts[dict[tuple[int, ...], frozenset[int]]] = RegionFacts()


def prune(graph: Graph) -> Graph:
    """The graph without what its branches and loops do for nothing."""
    if graph.body in _pruned or not any(node.op in REGIONAL for node in graph.nodes):
        return graph
    for _ in range(MOST_ROUNDS):
        better = in_regions(_Pruning(graph).run(), prune)
        if better is graph:
            _pruned[graph.body] = None
            break
        graph = better
    return graph


class _Pruning:
    """One round over the branches and loops of a graph; not those within them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.kept = live(graph.nodes, graph.results, sparing=True)
        self.sizes = set(mentioned(self.kept))
        self.read: dict[Node, set[int]] = {}
        for node in self.kept:
            if node.op is item and node.inputs[0].op in REGIONAL:
                self.read.setdefault(node.inputs[0], set()).add(node.attrs["index"])
        self.made: dict[Node, Node] = {param: param for param in graph.params}
        self.nodes: list[Node] = []
        self.places: dict[Node, dict[int, int | Node]] = {}
        self.known: dict[Node, bool] = {}
        """Conditions of which an error would have been raised otherwise."""

    def run(self) -> Graph:
        """The new graph; the graph itself where there is nothing to leave out."""
        graph = self.graph
        for node in self.kept:
            self.made[node] = self._made(node)
            if node.op is branch:
                self.known.update(_survived(node))
        same = len(self.nodes) == len(graph.nodes)
        if same and all(new is old for old, new in self.made.items()):
            return graph
        results = tuple(self.made[r] for r in graph.results)
        body = replace(graph.body, nodes=live(self.nodes, results, sparing=True), results=results)
        kept = {*body.nodes, *body.params}
        names = {n: name for n, name in renamed(graph.names, self.made).items() if n in kept}
        return replace(graph, body=replace(body, names=names), names=names)

    def _add(self, node: Node) -> Node:
        self.nodes.append(node)
        return node

    def _made(self, node: Node) -> Node:
        if node.op is item and node.inputs[0] in self.places:
            place = self.places[node.inputs[0]][node.attrs["index"]]
            if isinstance(place, Node):
                return place
            whole = self.made[node.inputs[0]]
            if whole is node.inputs[0]:
                return self._add(node)
            assert isinstance(whole.type, TupleType)
            type_ = whole.type.items[place]
            return self._add(Node(item, (whole,), {"index": place}, type_, node.span))
        if node.op is rerun:
            return self._rerun(node)
        if node.op in REGIONAL:
            return self._branch(node) if node.op is branch else self._loop(node)
        return self._add(self._over(node))

    def _over(self, node: Node) -> Node:
        """The node over what its operands have become."""
        inputs = tuple(self.made[i] for i in node.inputs)
        if all(new is old for new, old in zip(inputs, node.inputs, strict=True)):
            return node
        return Node(node.op, inputs, node.attrs, node.type, node.span)

    def _needed(self, node: Node, symbols: Iterable[Symbol | None]) -> set[int]:
        """The results that are read, themselves or in sizes."""
        sizes = {k for k, s in enumerate(symbols) if s is not None and s in self.sizes}
        return self.read.get(node, set()) | sizes

    # -- branches

    def _branch(self, node: Node) -> Node:
        symbols, arms = node.attrs["symbols"], (node.attrs["then"], node.attrs["orelse"])
        used = self._needed(node, symbols)
        condition = number(self.made[node.inputs[0]])
        if condition is None:
            condition = self.known.get(node.inputs[0])
        if condition is not None and all(symbols[k] is None for k in used):
            return self._decided(node, arms[0] if condition else arms[1])
        given = {
            k: self._given(self.made[node.inputs[1 + p]], arms[0].params[p])
            for k, p in _unchanged(arms).items()
        }
        given.update((k, self._add(value)) for k, value in _same_constants(arms).items())
        told = _told(node.inputs[0], arms)
        if used <= {*given, *told}:  # otherwise the arms may break off right there
            given = {**dict.fromkeys(told, self.made[node.inputs[0]]), **given}
        used = {k for k in used if k not in given or symbols[k] is not None}
        order = sorted(used)
        self.places[node] = {**given, **{k: i for i, k in enumerate(order)}}
        keep = sorted(_read(arms, order))
        attrs = {
            "then": _cut(arms[0], keep, order),
            "orelse": _cut(arms[1], keep, order),
            "symbols": tuple(symbols[k] for k in order),
        }
        inputs = [node.inputs[0], *(node.inputs[1 + p] for p in keep)]
        return self._regional(node, inputs, attrs)

    def _decided(self, node: Node, arm: Region) -> Node:
        """The arm that is always taken, in the place of the branch."""
        given = zip(arm.params, node.inputs[1:], strict=True)
        made = {param: self._given(self.made[x], param) for param, x in given}
        for inner in arm.nodes:
            inputs = tuple(made[i] for i in inner.inputs)
            made[inner] = self._add(Node(inner.op, inputs, inner.attrs, inner.type, inner.span))
        self.places[node] = {k: made[r] for k, r in enumerate(arm.results)}
        return self.made[node.inputs[0]]

    def _given(self, value: Node, param: Node) -> Node:
        """What a parameter stands for, in its type: a loop may carry it."""
        plain = isinstance(value.type, ArrayType) and isinstance(param.type, ArrayType)
        typed = in_type_of(value, param) if plain else None
        return value if typed is None or typed is value else self._add(typed)

    def _regional(self, node: Node, inputs: Sequence[Node], attrs: Mapping[str, Any]) -> Node:
        """The branch or loop over these inputs; itself where it is that already."""
        operands = tuple(self.made[i] for i in inputs)
        if operands == node.inputs and all(
            attrs[key] is node.attrs[key] for key in _regions(node)
        ):
            return self._add(node)
        types = [operand.type for operand in operands]
        made = Node(node.op, operands, dict(attrs), node.op.infer(*types, **attrs), node.span)
        return self._add(made)

    def _rerun(self, node: Node) -> Node:
        block, symbols = node.attrs["block"], node.attrs["symbols"]
        order = sorted(self._needed(node, symbols))
        keep = sorted(_read((block,), order))
        self.places[node] = {k: i for i, k in enumerate(order)}
        attrs = {
            "block": _cut(block, keep, order),
            "symbols": tuple(symbols[k] for k in order),
        }
        return self._regional(node, [node.inputs[p] for p in keep], attrs)

    # -- loops

    def _loop(self, node: Node) -> Node:
        attrs = node.attrs
        need = _Need(node, self._needed(node, attrs["symbols"]))
        fixed = [k for k in sorted(need.carried) if need.is_fixed(k)]
        moving = [k for k in sorted(need.carried) if k not in fixed]
        first = attrs["carried"] + attrs["tapes"]
        tapes = [p for p in range(attrs["carried"], first) if p in need.inputs]
        others = [p for p in range(first, len(node.inputs)) if p in need.inputs]
        taken = [*moving, *tapes, *fixed, *others]
        known = [*moving, *fixed, *others]
        count = attrs["carried"] + attrs["leaves"]
        recorded = sorted(need.recorded)
        results = [*moving, *range(attrs["carried"], count), *(count + m for m in recorded)]
        read = [1 + attrs["carried"] + m for m in recorded]
        self.places[node] = {
            **{k: self._given(self.made[node.inputs[k]], need.param(k)) for k in fixed},
            **{k: i for i, k in enumerate(moving)},
            attrs["carried"]: len(moving),
            **{k: 1 + len(moving) + i for i, k in enumerate(read)},
        }
        changed = {
            "body": _cut(attrs["body"], [0, *(1 + p for p in taken)], results),
            "test": attrs["test"] and self._test(node, known),
            "carried": len(moving),
            "tapes": len(tapes),
            "symbols": _symbols(attrs["symbols"], [*moving, attrs["carried"], *read]),
        }
        return self._regional(node, [node.inputs[p] for p in taken], {**attrs, **changed})

    def _test(self, node: Node, known: Sequence[int]) -> Region:
        """The test, whose parameters are the index and these inputs."""
        carried, tapes = node.attrs["carried"], node.attrs["tapes"]
        places = [1 + (p if p < carried else p - tapes) for p in known]
        return _cut(node.attrs["test"], [0, *places], [0])


class _Need:
    """What a loop has to carry, read and record for those of its results that are read."""

    def __init__(self, node: Node, read: set[int]) -> None:
        self.node, self.attrs = node, node.attrs
        carried = self.attrs["carried"]
        self.carried = {k for k in read if k < carried}
        self.recorded = {k - carried - 1 for k in read if k > carried}
        self.inputs: set[int] = set()
        while True:
            self.inputs = self._inputs()
            more = {p for p in self.inputs if p < carried} - self.carried
            if not more:
                break
            self.carried |= more
        self.idle = self.carried - needed_carried(node, read)

    def _inputs(self) -> set[int]:
        body, test = self.attrs["body"], self.attrs["test"]
        carried, tapes = self.attrs["carried"], self.attrs["tapes"]
        count = carried + self.attrs["leaves"]
        results = [*sorted(self.carried), *range(carried, count)]
        results += [count + m for m in self.recorded]
        found = {p - 1 for p in _read((body,), results)} - {-1}
        found |= _defining_tapes(self.node, found, [body.results[k] for k in results])
        if test is not None:
            asked = {p - 1 for p in _read((test,), [0])} - {-1}
            found |= {p if p < carried else p + tapes for p in asked}
        return found

    def param(self, place: int) -> Node:
        """The parameter of the body for what is carried there."""
        param: Node = self.attrs["body"].params[1 + place]
        return param

    def is_fixed(self, place: int) -> bool:
        """Whether no trip changes what is carried there, or nothing depends on it."""
        body = self.attrs["body"]
        same = body.results[place] is body.params[1 + place]
        plain = self.attrs["symbols"][place] is None and _is_plain(body, place)
        return place in self.idle or (same and plain)


def _survived(node: Node) -> dict[Node, bool]:
    """The truth of conditions after a branch of which one arm raises an error."""
    raises = [any(n.op is fail for n in node.attrs[arm].nodes) for arm in ("then", "orelse")]
    if raises[0] == raises[1]:
        return {}
    condition, truth = node.inputs[0], raises[1]
    found = {condition: truth}
    while condition.op in NEGATIONS:
        condition, truth = condition.inputs[0], not truth
        found[condition] = truth
    return found


def _is_plain(body: Region, place: int) -> bool:
    return body.params[1 + place].attrs["symbol"] is None


def _regions(node: Node) -> list[str]:
    return [key for key, value in node.attrs.items() if isinstance(value, Region)]


def _unchanged(arms: tuple[Region, Region]) -> dict[int, int]:
    """For results that are the same captured value whichever arm is taken: which it is."""
    found = {}
    for place, results in enumerate(zip(*(arm.results for arm in arms), strict=True)):
        sources = [
            a.params.index(r) if r in a.params else -1 for a, r in zip(arms, results, strict=True)
        ]
        if sources[0] == sources[1] >= 0:
            found[place] = sources[0]
    return found


def _same_constants(arms: tuple[Region, Region]) -> dict[int, Node]:
    """The results that are one and the same number whichever branch is taken."""
    found = {}
    for place, (left, right) in enumerate(zip(*(arm.results for arm in arms), strict=True)):
        if left.op is right.op is constant and (left.type, left.attrs) == (
            right.type,
            right.attrs,
        ):
            found[place] = left
    return found


def _symbols(symbols: Sequence[Symbol | None], places: Sequence[int]) -> tuple[Any, ...]:
    """Those of these results; tapes need not have any."""
    return tuple(symbols[k] if k < len(symbols) else None for k in places)


def _told(condition: Node, arms: tuple[Region, Region]) -> list[int]:
    """The results that are True and False as the condition is."""
    found = []
    for place, (left, right) in enumerate(zip(*(arm.results for arm in arms), strict=True)):
        truths = [number(r) if isinstance(r.type, ArrayType) else None for r in (left, right)]
        known = all(isinstance(truth, (bool, np.bool_)) for truth in truths)
        if known and truths[0] and not truths[1] and left.type == condition.type:
            found.append(place)
    return found


def _read(regions: Iterable[Region], results: Sequence[int]) -> set[int]:
    """The parameters that these results are computed from, in values or in sizes."""
    return set().union(*[_read_in(region, tuple(results)) for region in regions])


def _read_in(region: Region, results: tuple[int, ...]) -> frozenset[int]:
    known = _known_reads.setdefault(region, {})
    if results not in known:
        wanted = [region.results[k] for k in results]
        nodes = live(region.nodes, wanted)
        seen, sizes = ancestors(wanted) | set(nodes), mentioned(nodes)
        seen.update([i for node in nodes for i in node.inputs])
        params = enumerate(region.params)
        known[results] = frozenset(
            [k for k, param in params if param in seen or param.attrs["symbol"] in sizes]
        )
    return known[results]


def _defining_tapes(loop: Node, read: set[int], results: Iterable[Node]) -> set[int]:
    """The tapes that nothing reads but whose items define a size of what is computed: one that
    is found anew in each iteration.
    """
    body, first = loop.attrs["body"], loop.attrs["carried"]
    tapes = range(first, first + loop.attrs["tapes"])
    if not any(any(s.unbacked for s in shown([body.params[1 + p]])) for p in tapes):
        return set()
    nodes = live(body.nodes, results)
    defined = {*said_by(nodes), *shown(body.params[1 + p] for p in read)}
    defined |= shown(loop.inputs[p] for p in range(len(loop.inputs)) if p not in tapes)
    missing = {s for s in mentioned(nodes) if s.unbacked and s not in defined}
    found = set()
    for p in tapes:
        if not missing.isdisjoint(shown([body.params[1 + p]])):
            found.add(p)
            missing -= shown([body.params[1 + p]])
    return found - read


def _cut(region: Region, params: Sequence[int], results: Sequence[int]) -> Region:
    """The region with these of its parameters and results; itself where these are all."""
    wanted = tuple([region.results[k] for k in results])
    given = tuple([region.params[p] for p in params])
    same = given == region.params and wanted == region.results
    if same and region in _whole:
        return region
    nodes = live(region.nodes, wanted, sparing=True)
    if same and len(nodes) == len(region.nodes):
        _whole[region] = None
        return region
    kept = {*nodes, *given}
    names = {node: name for node, name in region.names.items() if node in kept}
    return Region(given, nodes, wanted, names)
