"""The order of evaluation around writes: what reads an array's old contents comes before.

A write in place needs its buffer's old value dead. A part of it that is still read afterwards is
read first, and kept as a copy of that part: a slice is copied, not the array. What was computed
from it before the write is a statement of its own, and no part of an expression behind the write.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from gradsmith.codegen.forms import form_of, known_by
from gradsmith.ir.alias import owns_buffer, shares_operand
from gradsmith.ir.graph import Graph, Node, Region, users
from gradsmith.ir.intrinsics import constant, size
from gradsmith.ir.mentions import mentioned
from gradsmith.ops.index import gather, getitem

LEAVES = (constant, size)


@dataclass(slots=True)
class Schedule:
    """The nodes in the order of evaluation.

    Parameters
    ----------
    graph : Graph
        In that order.
    snapshots : set of Node
        Views that must be copies.
    pinned : set of Node
        Values that must be computed where they stand.
    """

    graph: Graph
    snapshots: set[Node] = field(default_factory=set)
    pinned: set[Node] = field(default_factory=set)


def schedule(graph: Graph) -> Schedule:
    """The order of evaluation of ``graph``, and what must be kept from before its writes."""
    result = Schedule(graph)
    writes = [(node, target) for node in graph.nodes for target in _targets(node)]
    if not writes:
        return result
    ordering = _Ordering(graph, result)
    for write, target in writes:
        if owns_buffer(target) and target not in graph.results:
            ordering.read_first(write, target)
    body = Region(graph.params, tuple(ordering.order), graph.results)
    result.graph = replace(graph, body=body)
    return result


def _targets(node: Node) -> list[Node]:
    """What ``node`` writes to in place."""
    if node.op.update is not None:
        return [node.inputs[0]]
    form = form_of(node)
    return [] if form is None else [node.inputs[place] for place in sorted(form.owned)]


class _Ordering:
    """An order of nodes, changed for one write after the other."""

    def __init__(self, graph: Graph, result: Schedule) -> None:
        self.order = list(graph.nodes)
        self.readers = users(self.order)
        self.said = {s: node for node in self.order for s in known_by(node)}
        self.result = result
        self._count()

    def _count(self) -> None:
        self.place = {node: i for i, node in enumerate(self.order)}

    def read_first(self, write: Node, target: Node) -> None:
        """Put what reads the old contents before ``write``, where parts are all that is read."""
        at = self.place[write]
        others = [r for r in dict.fromkeys(self.readers[target]) if r is not write]
        late = [r for r in others if self.place[r] > at]
        if not all(_is_part(r) and self._can_be_read(r, at) for r in late):
            return  # the whole old value is needed: the write gets a copy of it
        if late:
            self._move(late, write)
            at = self.place[write]
        for reader in others:
            if shares_operand(reader):
                if self._is_read_from(reader, at, write):
                    self.result.snapshots.add(reader)
            else:
                self._pin(reader, at)

    def _can_be_read(self, part: Node, at: int) -> bool:
        """Whether all that the part is read with is there by then."""
        said = [self.said[s] for s in mentioned([part]) if s in self.said]
        needed = [*said, *(i for i in part.inputs if i.op not in LEAVES)]
        return all(self.place.get(i, -1) < at for i in needed)

    def _move(self, late: list[Node], write: Node) -> None:
        """Put these, and the constants that they read, before ``write``."""
        at = self.place[write]
        needed = {i for reader in late for i in reader.inputs if self.place.get(i, -1) > at}
        moved = needed.union(late)
        before = self.order[:at]
        after = [node for node in self.order[at:] if node not in moved]
        self.order = [*before, *(n for n in self.order[at:] if n in moved), *after]
        self._count()

    def _is_read_from(self, view: Node, at: int, write: Node) -> bool:
        """Whether the view, or a view of it, is read from position ``at`` on, but by the write."""
        for reader in self.readers.get(view, ()):
            if shares_operand(reader):
                if self._is_read_from(reader, at, write):
                    return True
            elif self.place[reader] > at and reader is not write:
                return True
        return False

    def _pin(self, node: Node, at: int) -> None:
        """Keep what comes of ``node`` from being computed behind position ``at``."""
        while True:
            readers = self.readers.get(node, ())
            if self.place[node] > at or any(self.place[r] > at for r in readers):
                self.result.pinned.add(node)
            if len(readers) != 1 or self.place[readers[0]] > at:
                return
            node = readers[0]


def _is_part(node: Node) -> bool:
    return node.op in (getitem, gather)
