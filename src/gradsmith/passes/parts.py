"""Of the functions that find several things in one go: only what is read is asked for."""

from __future__ import annotations

from dataclasses import replace

from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.intrinsics import item
from gradsmith.ops.sets import unique
from gradsmith.passes.regions import remade, renamed


def read_parts(graph: Graph) -> Graph:
    """The graph with ``np.unique`` for those of its results alone that are read."""
    read: dict[Node, set[int]] = {}
    for node in graph.nodes:
        if node.op is item and node.inputs[0].op is unique:
            read.setdefault(node.inputs[0], set()).add(node.attrs["index"])
    kept = {node: _kept(places) for node, places in read.items()}
    if all(len(kept[node]) == len(node.attrs["parts"]) for node in kept):
        return graph
    made: dict[Node, Node] = {param: param for param in graph.params}
    for node in graph.nodes:
        inputs, attrs = tuple(made[i] for i in node.inputs), dict(node.attrs)
        if node in kept:
            attrs["parts"] = tuple(attrs["parts"][place] for place in kept[node])
            type_ = node.op.infer(*[i.type for i in inputs], **attrs)
            made[node] = Node(node.op, inputs, attrs, type_, node.span)
            continue
        if node.op is item and node.inputs[0] in kept:
            attrs["index"] = kept[node.inputs[0]].index(attrs["index"])
        same = inputs == node.inputs and attrs == node.attrs
        made[node] = node if same else remade(node, inputs, attrs)
    results = tuple(made[r] for r in graph.results)
    body = replace(graph.body, nodes=tuple(made[n] for n in graph.nodes), results=results)
    return replace(graph, body=body, names=renamed(graph.names, made))


def _kept(read: set[int]) -> list[int]:
    """NumPy gives the values whatever else it gives; one thing alone is taken out of that."""
    return sorted(read if len(read) == 1 else read | {0})
