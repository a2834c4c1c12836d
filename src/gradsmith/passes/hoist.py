"""What is the same in every trip of a loop is computed before it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gradsmith.ir.dims import Symbol
from gradsmith.ir.graph import Graph, Node, Region, users
from gradsmith.ir.intrinsics import constant, parameter, size
from gradsmith.ir.mentions import live, mentioned, said_by, shown
from gradsmith.ir.parts import LoopView
from gradsmith.ir.types import ArrayType
from gradsmith.ops.raising import may_raise_unread
from gradsmith.ops.regions import REGIONAL, loop
from gradsmith.passes.regions import in_regions, remade, renamed

PRODUCTS = frozenset({"matmul", "dot", "einsum", "tensordot", "inner", "outer", "vdot"})
"""These are moved, like reductions and what is elementwise: none of them raises."""


def hoist(graph: Graph) -> Graph:
    """The graph with what its loops compute anew in every trip moved out of them."""
    if not any(node.op in REGIONAL for node in graph.nodes):
        return graph
    return _hoisted(in_regions(graph, hoist))


def _hoisted(graph: Graph) -> Graph:
    made: dict[Node, Node] = {param: param for param in graph.params}
    nodes: list[Node] = []
    names = dict(graph.names)
    for node in graph.nodes:
        inputs = tuple(made[i] for i in node.inputs)
        moving = _Moving(node, inputs) if node.op is loop else None
        if moving is not None and moving.exported:
            made[node] = moving.moved(nodes, names)
        else:
            same = all(new is old for new, old in zip(inputs, node.inputs, strict=True))
            made[node] = node if same else remade(node, inputs, node.attrs)
        nodes.append(made[node])
    if len(nodes) == len(graph.nodes) and all(new is old for old, new in made.items()):
        return graph
    results = tuple(made[r] for r in graph.results)
    body = replace(graph.body, nodes=tuple(nodes), results=results)
    new = {node: name for node, name in names.items() if node not in made}
    return replace(graph, body=body, names={**renamed(graph.names, made), **new})


class _Moving:
    """The values of one loop that no trip changes."""

    def __init__(self, node: Node, inputs: tuple[Node, ...]) -> None:
        self.node, self.inputs = node, inputs
        self.body: Region = node.attrs["body"]
        first = node.attrs["carried"] + node.attrs["tapes"]
        given = zip(self.body.params[1 + first :], inputs[first:], strict=True)
        self.made: dict[Node, Node] = dict(given)
        self.said = said_by(self.body.nodes)
        self.fixed = self._fixed()
        self.exported = self._exported()

    def _fixed(self) -> set[Node]:
        bound: set[Symbol | None] = {p.attrs["symbol"] for p in self.body.params}
        bound.update(self.said)
        items = [self.body.params[1 + p] for p in LoopView(self.node).tapes]
        bound.update(s for s in shown(items) if s.unbacked)  # found anew in each trip
        found = set(self.made)
        for node in self.body.nodes:
            other = [s for s in mentioned([node]) if self.said.get(s) is not node]
            free = bound.isdisjoint(other) and not node.regions
            free = free and "effect" not in node.op.traits  # a call may return something else
            free = free and not may_raise_unread(node)  # there may be no trip, or an error before
            if free and all(i in found for i in node.inputs):
                found.add(node)
                bound.difference_update(said_by([node]))
        return found

    def _exported(self) -> list[Node]:
        """The costly ones among them that are read in the trips."""
        readers, results = users(self.body.nodes), set(self.body.results)
        moved: set[Node] = set()
        found = []
        for node in reversed(self.body.nodes):
            if node not in self.fixed or node.op in (constant, size):
                continue
            inside = [r for r in readers.get(node, ()) if r not in moved]
            if is_costly(node):
                moved.add(node)
                found += [node] if inside or node in results else []
            elif not inside and node not in results:
                moved.add(node)
        return found[::-1]

    def moved(self, nodes: list[Node], names: dict[Node, str]) -> Node:
        """The loop with these values captured; ``nodes`` are those before it."""
        params: list[Node] = []
        for node in self.exported:
            outer = self._outside(node, nodes)
            described = {"name": f"fixed_{len(params)}", "symbol": None}
            params.append(Node(parameter, (), described, node.type, node.span))
            if node in self.body.names:
                names.setdefault(outer, self.body.names[node])
        inputs = (*self.inputs, *(self.made[node] for node in self.exported))
        attrs = {**self.node.attrs, "body": _reading(self.body, self.exported, params)}
        if attrs["test"] is not None:
            test: Region = attrs["test"]
            attrs["test"] = replace(test, params=(*test.params, *map(_twin, params)))
        return remade(self.node, inputs, attrs)

    def _outside(self, node: Node, nodes: list[Node]) -> Node:
        if node not in self.made:
            for symbol in mentioned([node]):
                if self.said.get(symbol, node) is not node:
                    self._outside(self.said[symbol], nodes)
            inputs = tuple(self._outside(i, nodes) for i in node.inputs)
            self.made[node] = Node(node.op, inputs, node.attrs, node.type, node.span)
            nodes.append(self.made[node])
        return self.made[node]


def _twin(param: Node) -> Node:
    return Node(parameter, (), param.attrs, param.type, param.span)


def _reading(body: Region, values: Iterable[Node], params: list[Node]) -> Region:
    """The body with parameters for these of its values."""
    made: dict[Node, Node] = {p: p for p in body.params}
    made.update(zip(values, params, strict=True))
    nodes = []
    for node in body.nodes:
        if node in made:
            continue
        inputs = tuple(made[i] for i in node.inputs)
        same = all(new is old for new, old in zip(inputs, node.inputs, strict=True))
        made[node] = node if same else remade(node, inputs, node.attrs)
        nodes.append(made[node])
    results = tuple(made[r] for r in body.results)
    kept = live(nodes, results)
    given = (*body.params, *params)
    known = {*kept, *given}
    names = {n: name for n, name in renamed(body.names, made).items() if n in known}
    return Region(given, kept, results, names)


def is_costly(node: Node) -> bool:
    """Whether it is worth a variable: what reads or makes arrays, and functions of numbers."""
    if not isinstance(node.type, ArrayType):
        return False
    if node.op.name in PRODUCTS or node.op.name.startswith("reduce_"):
        return True
    whole = node.type.ndim > 0 or "operator" not in node.op.traits
    return node.op.elementwise and whole
