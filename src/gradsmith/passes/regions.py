"""Passes go through branches and loops: a region is a graph of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gradsmith.ir.graph import Graph, Node, Region, RegionFacts
from gradsmith.ir.intrinsics import Literal, constant, item, number, parameter

Pass = Callable[[Graph], Graph]


def everywhere(change: Pass) -> Pass:
    """The pass applied to the regions of a graph, from the inside out, and then to the graph.

    A region that it has once left as it is is not gone through again.
    """
    unchanged: RegionFacts[None] = RegionFacts()

    def apply(graph: Graph) -> Graph:
        is_region = graph.names is graph.body.names
        if is_region and graph.body in unchanged:
            return graph
        changed = change(in_regions(graph, apply))
        if is_region and changed is graph:
            unchanged[graph.body] = None
        return changed

    return apply


def in_regions(graph: Graph, change: Pass) -> Graph:
    """The graph with its regions changed, and nothing else."""
    if not any(node.regions for node in graph.nodes):
        return graph
    made: dict[Node, Node] = {param: param for param in graph.params}
    for node in graph.nodes:
        made[node] = _changed(node, made, change)
    if all(new is old for old, new in made.items()):
        return graph
    results = tuple(made[r] for r in graph.results)
    body = replace(graph.body, nodes=tuple(made[n] for n in graph.nodes), results=results)
    return replace(graph, body=body, names=renamed(graph.names, made))


def renamed(names: Mapping[Node, str], made: Mapping[Node, Node]) -> dict[Node, str]:
    """The names of what nodes have become."""
    found: dict[Node, str] = {}
    for node, name in names.items():
        if node in made:
            found.setdefault(made[node], name)
    return found


def _changed(node: Node, made: Mapping[Node, Node], change: Pass) -> Node:
    attrs = node.attrs
    if node.regions:
        attrs = {
            key: _region(value, change) if isinstance(value, Region) else value
            for key, value in attrs.items()
        }
    inputs = tuple([made[i] for i in node.inputs])
    same = inputs == node.inputs
    if same and (
        attrs is node.attrs or all(attrs[key] is value for key, value in node.attrs.items())
    ):
        return node
    return remade(node, inputs, attrs)


def remade(node: Node, inputs: tuple[Node, ...], attrs: Mapping[str, Any]) -> Node:
    """The node over other inputs, with other regions; the type of what it gives may change."""
    regional = any(isinstance(value, Region) for value in attrs.values())
    type_ = node.type
    if regional or node.op is item:
        type_ = node.op.infer(*[i.type for i in inputs], **attrs)
    return Node(node.op, inputs, dict(attrs), type_, node.span)


def stand_in(operand: Node) -> Node:
    """A parameter for what a region is given from now on."""
    attrs = {"name": "captured", "symbol": None}
    return Node(parameter, (), attrs, operand.type, operand.span)


def as_graph(region: Region) -> Graph:
    """A region by itself."""
    return Graph(region, region.names)


def _region(region: Region, change: Pass) -> Region:
    graph = as_graph(region)
    changed = change(graph)
    if changed is graph:
        return region
    return Region(changed.params, changed.nodes, changed.results, changed.names)


def in_type_of(value: Node, param: Node) -> Node | None:
    """A constant in the type of the parameter that it is given for; None where it has another.

    A Python number may stand for one of NumPy's there.
    """
    if value.array_type.dtype == param.dtype and value.array_type.weak == param.array_type.weak:
        return value
    if number(value) is None or param.array_type.weak:
        return None
    literal = Literal(param.dtype.type(number(value)))
    return Node(constant, (), {"value": literal}, param.array_type, value.span)


def replayed(region: Region, nodes: list[Node], made: dict[Node, Node]) -> Region:
    """The region with ``nodes`` in front, over what ``made`` says that its parameters are: these
    stay, unread.
    """
    for node in region.nodes:
        inputs = tuple(made[i] for i in node.inputs)
        same = all(new is old for new, old in zip(inputs, node.inputs, strict=True))
        made[node] = node if same else remade(node, inputs, node.attrs)
        nodes.append(made[node])
    results = tuple(made[r] for r in region.results)
    params = set(region.params)
    names = {n if n in params else made[n]: name for n, name in region.names.items()}
    return Region(region.params, tuple(nodes), results, names)
