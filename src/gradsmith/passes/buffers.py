"""Every write into a new array has an array of its own.

``np.zeros(n)`` written twice is one node once equal nodes are merged. Of values that is right; of
buffers that are written to it is a copy more, and a name that stands for two things.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.graph import Graph, Node, users
from gradsmith.ops.create import empty, full, ones, zeros
from gradsmith.ops.regions import loop

CREATIONS = (zeros, ones, full, empty)


def own_buffers(graph: Graph) -> Graph:
    """The graph with a new array made for each write into one that is read by others, too."""
    shared = _shared_writes(graph)
    if not any(shared.values()):
        return graph
    builder = Builder(intern=False)
    builder.params = list(graph.params)
    builder.size_names = dict(graph.size_names)
    made = {param: param for param in graph.params}
    with building(builder):
        for node in graph.nodes:
            with builder.at(node.span):
                made[node] = _again(builder, node, made, own=shared.get(node, ()))
    builder.names = {made[node]: name for node, name in graph.names.items()}
    return builder.graph([made[result] for result in graph.results], graph.guards)


def _shared_writes(graph: Graph) -> dict[Node, list[int]]:
    """The writes that cannot have the array that they are written into for themselves: which of
    their operands that is.
    """
    shared: dict[Node, list[int]] = {}
    for base, readers in users(graph.nodes).items():
        if base.op not in CREATIONS:
            continue
        unique = dict.fromkeys(readers)
        writes = [(r, p) for r in unique for p in _written(r) if r.inputs[p] is base]
        alone = len(writes) == len(readers) and base not in graph.results
        carried = len(writes) > 1 and any(writer.op is loop for writer, _ in writes)
        for writer, place in writes[1:] if alone and not carried else writes:
            shared.setdefault(writer, []).append(place)
    return shared


def _written(node: Node) -> range:
    """The operands that may be written to: whatever a loop carries."""
    return range(node.attrs["carried"] if node.op is loop else node.op.update is not None)


def _again(builder: Builder, node: Node, made: dict[Node, Node], *, own: Sequence[int]) -> Node:
    """The node over what its operands have become; unchanged where they are."""
    operands = [made[i] for i in node.inputs]
    for place in own:
        base = node.inputs[place]
        operands[place] = builder.apply(base.op, [made[i] for i in base.inputs], base.attrs)
    if all(new is old for new, old in zip(operands, node.inputs, strict=True)):
        builder.nodes.append(node)
        return node
    return builder.apply(node.op, operands, node.attrs)
