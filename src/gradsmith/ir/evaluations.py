"""Values that nothing reads, but whose computation may raise an error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradsmith.ir.graph import Node, ancestors
from gradsmith.ir.intrinsics import evaluation
from gradsmith.ir.mentions import live
from gradsmith.ir.types import TupleType


def evaluation_of(value: Node, *, silent: bool) -> Node:
    """The statement that computes the value."""
    attrs = {"silent": True} if silent else {}
    return Node(evaluation, (value,), attrs, TupleType(()), value.span)


def is_pending(node: Node) -> bool:
    """Whether it computes a value if nothing else does."""
    return node.op is evaluation and "silent" in node.attrs


def evaluated(nodes: Sequence[Node], results: Iterable[Node]) -> Sequence[Node]:
    """The nodes with those evaluations whose operands the results, and effects, do not need."""
    pending = [place for place, node in enumerate(nodes) if is_pending(node)]
    if not pending:
        return nodes
    needed = ancestors([*results, *live(nodes, results)])
    made = list(nodes)
    for place in reversed(pending):
        (value,) = nodes[place].inputs
        if value not in needed:
            made[place] = evaluation_of(value, silent=False)
            needed |= ancestors([value])
    return made
