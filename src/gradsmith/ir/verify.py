"""The well-formedness check, run after every pass in the tests."""

from __future__ import annotations

from gradsmith.errors import InternalError
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.graph import Graph, Node, Region
from gradsmith.ir.intrinsics import parameter


def verify(graph: Graph) -> Graph:
    """``graph`` itself, if it is well formed.

    Raises
    ------
    InternalError
        A node is used before it is made, appears twice, or carries a type that its op does not
        infer.
    """
    with building(Builder()):
        known = _check_region(graph.body)
    for node in graph.names:
        if node not in known:
            raise InternalError(f"a name is kept for {node!r}, which is not part of the graph")
    return graph


def _check_region(region: Region) -> set[Node]:
    """The nodes of a well-formed region."""
    known: set[Node] = set()
    for param in region.params:
        if param.op is not parameter:
            raise InternalError(f"the parameter {param!r} is made by {param.op.name}")
        known.add(param)
    for node in region.nodes:
        _check_node(node, known)
        known.add(node)
        for inner in node.regions:
            _check_region(inner)
    for result in region.results:
        if result not in known:
            raise InternalError(f"the result {result!r} is not part of the graph")
    return known


def _check_node(node: Node, known: set[Node]) -> None:
    if node in known:
        raise InternalError(f"{node!r} stands twice in the graph")
    missing = [operand for operand in node.inputs if operand not in known]
    if missing:
        raise InternalError(f"{node!r} reads {missing[0]!r} before it is made")
    inferred = node.op.infer(*[i.type for i in node.inputs], **node.attrs)
    if inferred != node.type:
        raise InternalError(f"{node!r} has a type that its op does not infer: {inferred!r}")
