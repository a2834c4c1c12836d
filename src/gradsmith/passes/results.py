"""Results get buffers of their own: never an argument's, nor one that two results share."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from gradsmith.ir.alias import may_be_held, shares_operand
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.intrinsics import constant, is_number, item, parameter
from gradsmith.ir.types import ObjectType
from gradsmith.ops.create import full, ones, zeros
from gradsmith.ops.shape import broadcast_to, copy
from gradsmith.passes.buffers import CREATIONS


def own_results(graph: Graph, labels: Sequence[str | None]) -> Graph:
    """The graph with copies where a result would share memory with anything that outlives the
    call; ``labels`` say what the results are called.
    """
    builder = Builder(intern=False)
    builder.params = list(graph.params)
    builder.nodes = list(graph.nodes)
    builder.names = dict(graph.names)
    builder.size_names = dict(graph.size_names)
    taken: set[Hashable] = set()
    results = []
    with building(builder):
        for result, label in zip(graph.results, labels, strict=True):
            owned = _owned(result, taken)
            if owned is not result and label is not None:
                builder.names[owned] = label
            taken.add(_owner(owned))
            results.append(owned)
    return builder.graph(results, graph.guards)


def _owner(node: Node) -> Hashable:
    """What has the buffer: a value, or one of several results, each of which has its own."""
    while shares_operand(node):
        if node.op is item:
            return node.inputs[0], node.attrs["index"]
        node = node.inputs[0]
    return node


def _owned(result: Node, taken: set[Hashable]) -> Node:
    if isinstance(result.type, ObjectType):  # a string
        return result
    if result.ndim == 0 and result.array_type.form != "array":
        return result
    if _is_spread(result):
        return _filled(result)
    owner = _owner(result)
    kept = isinstance(owner, Node) and (owner.op in (parameter, constant) or may_be_held(owner))
    if kept or owner in taken:
        again = result.op in CREATIONS  # new zeros, and no copy of some
        return result.op(*result.inputs, **result.attrs) if again else copy(result)
    return result


def _is_spread(result: Node) -> bool:
    """Whether some axis has no memory of its own: a broadcast view is read-only."""
    node = result
    while node.op.view is not None:
        if node.op is broadcast_to:
            return True
        node = node.inputs[0]
    return False


def _filled(result: Node) -> Node:
    value = result.inputs[0]
    if result.op is broadcast_to and value.ndim == 0:
        for number, make in ((1, ones), (0, zeros)):
            if is_number(value, number):
                return make(shape=result.shape, dtype=result.dtype)
        return full(value, shape=result.shape, dtype=result.dtype)
    return copy(result)
