"""Constants go into the branches and loops that read them, where rules can make use of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradsmith.ir.graph import Graph, Node, Region
from gradsmith.ir.intrinsics import Literal, constant, is_number, number, size
from gradsmith.ir.op import Op
from gradsmith.ir.types import ArrayType
from gradsmith.ops.create import full, ones, zeros
from gradsmith.ops.regions import REGIONAL, branch, loop, rerun
from gradsmith.ops.shape import astype, broadcast_to
from gradsmith.passes.regions import in_regions, in_type_of, remade, renamed, replayed

FREE = frozenset({constant, size, astype, broadcast_to})
"""What costs nothing to make again in every trip, of numbers."""

NEW = FREE | {zeros, ones, full}
"""What may as well be made in the arm that reads it."""


def sink(graph: Graph) -> Graph:
    """The graph with constants moved into its branches and loops."""
    return in_regions(_sunk(graph), sink)


def _sunk(graph: Graph) -> Graph:
    if not any(node.op in REGIONAL for node in graph.nodes):
        return graph
    made: dict[Node, Node] = {param: param for param in graph.params}
    nodes: list[Node] = []
    for node in graph.nodes:
        inputs = tuple(made[i] for i in node.inputs)
        if node.op is loop:
            inputs = tuple(
                _new_array(x, nodes) if p < node.attrs["carried"] else x
                for p, x in enumerate(inputs)
            )
        attrs = _attrs(node, inputs) if node.op in REGIONAL else node.attrs
        same = all(new is old for new, old in zip(inputs, node.inputs, strict=True))
        made[node] = node if same and attrs is node.attrs else remade(node, inputs, attrs)
        nodes.append(made[node])
    if all(new is old for old, new in made.items()):
        return graph
    results = tuple(made[r] for r in graph.results)
    body = replace(graph.body, nodes=tuple(nodes), results=results)
    return replace(graph, body=body, names=renamed(graph.names, made))


def _new_array(start: Node, nodes: list[Node]) -> Node:
    """An array for a number repeated, which a loop may write to."""
    if start.op is not broadcast_to or start.inputs[0].ndim:
        return start
    value, attrs = start.inputs[0], {"shape": start.shape, "dtype": start.dtype}
    for known, op in ((1, ones), (0, zeros)):
        if is_number(value, known) or is_number(_folded(value), known):
            return _made(op, (), attrs, start, nodes)
    return _made(full, (value,), attrs, start, nodes)


def _made(
    op: Op, inputs: tuple[Node, ...], attrs: Mapping[str, Any], model: Node, nodes: list[Node]
) -> Node:
    type_ = op.infer(*[i.type for i in inputs], **attrs)
    nodes.append(Node(op, inputs, dict(attrs), type_, model.span))
    return nodes[-1]


def _folded(node: Node) -> Node:
    """A number converted as the number that it is then."""
    if node.op is not astype or number(node.inputs[0]) is None:
        return node
    with np.errstate(all="ignore"):
        value = node.dtype.type(number(node.inputs[0]))
    return Node(constant, (), {"value": Literal(value)}, node.array_type.strong(), node.span)


def _attrs(node: Node, inputs: Sequence[Node]) -> Mapping[str, Any]:
    """The attributes of a branch or a loop, its regions with constants for parameters."""
    if node.op is branch:
        found = {p - 1: x for p, x in enumerate(inputs) if p and _is_constant(x, NEW)}
        places = {"then": found, "orelse": found}
    elif node.op is rerun:
        places = {"block": {p: x for p, x in enumerate(inputs) if _is_constant(x, NEW)}}
    else:
        carried, tapes = node.attrs["carried"], node.attrs["tapes"]
        first = carried + tapes
        found = {p: x for p, x in enumerate(inputs) if p >= first and _is_constant(x, FREE)}
        test = {1 + p - tapes: x for p, x in found.items()}
        places = {"body": {1 + p: x for p, x in found.items()}, "test": test}
    regions = {
        key: _with_constants(node.attrs[key], given)
        for key, given in places.items()
        if node.attrs[key] is not None
    }
    changed = any(node.attrs[key] is not region for key, region in regions.items())
    return {**node.attrs, **regions} if changed else node.attrs


def _is_constant(node: Node, ops: frozenset[Op], depth: int = 3) -> bool:
    if node.op is constant:
        return not node.ndim
    if node.op not in ops or depth <= 0:
        return False
    return all(_is_constant(i, ops, depth - 1) for i in node.inputs)


def _with_constants(region: Region, given: Mapping[int, Node]) -> Region:
    """The region with these values for its parameters, which stay, unread."""
    read = {i for node in region.nodes for i in node.inputs} | set(region.results)
    typed = {
        p: in_type_of(x, region.params[p]) for p, x in given.items() if region.params[p] in read
    }
    given = {p: x for p, x in typed.items() if x is not None}
    if not given:
        return region
    nodes: list[Node] = []
    made: dict[Node, Node] = {p: p for p in region.params}
    for place, value in given.items():
        param = region.params[place]
        made[param] = _of_type(_again(value, nodes), param.array_type, nodes)
    return replayed(region, nodes, made)


def _of_type(node: Node, type_: ArrayType, nodes: list[Node]) -> Node:
    """A Python number as NumPy's, where the parameter is one: rules may have weakened it since."""
    value = number(node)
    if value is None or type_.weak or not node.array_type.weak:
        return node
    strong = Literal(type_.dtype.type(value))
    nodes.append(Node(constant, (), {"value": strong}, type_, node.span))
    return nodes[-1]


def _again(node: Node, nodes: list[Node]) -> Node:
    """A constant made anew, in other nodes."""
    inputs = tuple(_again(i, nodes) for i in node.inputs)
    folded = _folded(Node(node.op, inputs, node.attrs, node.type, node.span))
    nodes.append(folded)
    return folded
