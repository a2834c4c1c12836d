"""The order of evaluation around writes: what reads an array's old contents comes before.

A write in place needs its buffer's old value dead. A part of it that is still read afterwards is
read first, and kept as a copy of that part: a slice is copied, not the array.
"""

from __future__ import annotations

from dataclasses import replace

from gradsmith.ir.alias import owns_buffer, shares_operand
from gradsmith.ir.graph import Graph, Node, Region, users
from gradsmith.ops.index import gather, getitem


def schedule(graph: Graph) -> tuple[Graph, frozenset[Node]]:
    """The graph in the order of evaluation, and the views that must be copies."""
    order = list(graph.nodes)
    readers = users(order)
    snapshots: set[Node] = set()
    for write in [node for node in order if node.op.update is not None]:
        target = write.inputs[0]
        if owns_buffer(target) and target not in graph.results:
            _read_first(write, readers, order, snapshots)
    body = Region(graph.params, tuple(order), graph.results)
    return replace(graph, body=body), frozenset(snapshots)


def _read_first(
    write: Node, readers: dict[Node, list[Node]], order: list[Node], snapshots: set[Node]
) -> None:
    place = {node: i for i, node in enumerate(order)}
    target, at = write.inputs[0], place[write]
    others = [r for r in dict.fromkeys(readers[target]) if r is not write]
    late = [r for r in others if place[r] > at]
    if not all(_is_part(r) and all(place.get(i, -1) < at for i in r.inputs) for r in late):
        return  # the whole old value is needed: the write gets a copy of it
    for reader in late:
        order.remove(reader)
        order.insert(order.index(write), reader)
    for part in others:
        if shares_operand(part) and _is_read_from(part, at, place, readers, write):
            snapshots.add(part)


def _is_part(node: Node) -> bool:
    return node.op in (getitem, gather)


def _is_read_from(
    view: Node, at: int, place: dict[Node, int], readers: dict[Node, list[Node]], write: Node
) -> bool:
    """Whether the view, or a view of it, is read from position ``at`` on, but by the write."""
    for reader in readers.get(view, ()):
        if shares_operand(reader):
            if _is_read_from(reader, at, place, readers, write):
                return True
        elif place[reader] > at and reader is not write:
            return True
    return False
