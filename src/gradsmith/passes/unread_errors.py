"""Errors of what branches and loops compute for results that nothing reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gradsmith.ir.evaluations import divisions_computed, evaluation_of, is_computed
from gradsmith.ir.graph import Graph, Node, Region, is_users
from gradsmith.ir.intrinsics import evaluation, item, size
from gradsmith.ir.mentions import live
from gradsmith.ops.index_key import Index
from gradsmith.ops.raising import may_raise_unread
from gradsmith.ops.regions import branch
from gradsmith.passes.prune import prune
from gradsmith.passes.regions import everywhere, in_regions


def keep_errors(graph: Graph) -> Graph:
    """The graph with evaluations of what pruning would leave out.

    A derivative reads again what its function has read: an error is left to a node of an adjoint
    that has the same index, or stands for the same expression of the user's.
    """
    noted = {node.inputs[0] for node in _all(graph.body) if node.op is evaluation}
    whole = _without_evaluations(in_regions(graph, everywhere(_without_regional)))
    raising = {
        n for n in _all(whole.body) if may_raise_unread(n) or (n in noted and not n.regions)
    }
    if not raising:
        return whole
    pruned = prune(_tidied(whole))
    left, outer = [*_all(pruned.body)], {*whole.nodes}
    always, sometimes = _repeated(pruned.nodes), _repeated(left)
    raising = {
        node
        for node in raising.difference(left)
        if (always if node in outer else sometimes).isdisjoint(_facts(node))
    }
    return _tidied(_with_evaluations(whole, raising))


def _all(region: Region) -> Iterator[Node]:
    for node in region.nodes:
        yield node
        for inner in node.regions:
            yield from _all(inner)


def _repeated(nodes: Iterable[Node]) -> set[object]:
    """What adjoints repeat; a sum with the result of a branch may be moved into it."""
    kept = [node for node in nodes if not is_users(node) and not any(map(_of_branch, node.inputs))]
    return {fact for node in kept for fact in _facts(node)}


def _of_branch(node: Node) -> bool:
    return node.op is item and node.inputs[0].op is branch


def _facts(node: Node) -> list[object]:
    """What nodes that raise the same error may have in common: expression, or index and shape."""
    span, index = node.span, node.attrs.get("index")
    found: list[object] = []
    if span is not None:
        found.append((span.file, span.line, span.column, span.end_line, span.end_column))
    if isinstance(index, Index):
        arrays = node.inputs[len(node.inputs) - len(index.arrays) :]
        found.append((index, arrays, node.inputs[0].shape))
    return found


def _without_evaluations(graph: Graph) -> Graph:
    return _of_nodes(graph, [node for node in graph.nodes if node.op is not evaluation])


def _without_regional(graph: Graph) -> Graph:
    """The graph without evaluations of branches and loops, of which only parts may raise."""
    return _of_nodes(graph, [node for node in graph.nodes if not _is_regional(node)])


def _is_regional(node: Node) -> bool:
    return node.op is evaluation and bool(node.inputs[0].regions)


def _tidied(graph: Graph) -> Graph:
    return _of_nodes(graph, live(graph.nodes, graph.results))


def _of_nodes(graph: Graph, nodes: Sequence[Node]) -> Graph:
    if len(nodes) == len(graph.nodes):
        return graph
    return replace(graph, body=replace(graph.body, nodes=tuple(nodes)))


def _with_evaluations(graph: Graph, raising: set[Node]) -> Graph:
    nodes: list[Node] = []
    for node in graph.nodes:
        nodes.append(node)
        if node in raising:
            nodes.append(evaluation_of(node, silent=False))
    return in_regions(_of_nodes(graph, nodes), lambda part: _with_evaluations(part, raising))


def without_idle(graph: Graph) -> Graph:
    """The graph without evaluations of what something else reads."""
    if not any(node.op is evaluation for node in graph.nodes):
        return graph
    others = [node for node in graph.nodes if node.op is not evaluation]
    read = {*graph.results, *(i for node in others for i in node.inputs)}
    divided = divisions_computed(n for n in others if n.op is not size or n in read)

    def is_idle(value: Node) -> bool:
        return value in read or is_computed(value, divided)

    nodes = [n for n in graph.nodes if n.op is not evaluation or not is_idle(n.inputs[0])]
    return _of_nodes(graph, nodes)
