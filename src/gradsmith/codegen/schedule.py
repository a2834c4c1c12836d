"""The order of evaluation around writes: what reads an array's old contents comes before.

A write in place needs its buffer's old value dead. What is computed from a part of it afterwards
is computed first, where that takes no more memory; else the part is kept as a copy: a slice is
copied, not the array. What was computed from it before the write is a statement of its own, and no
part of an expression behind the write.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from gradsmith.codegen.forms import form_of, known_by
from gradsmith.ir.alias import owns_buffer, shares_operand
from gradsmith.ir.graph import Graph, Node, Region, users
from gradsmith.ir.intrinsics import constant, size
from gradsmith.ir.mentions import has_effect, mentioned
from gradsmith.ir.types import ArrayType
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
        self.graph = graph
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
        if not all(self._shows_parts(r) and self._can_be_read(r, at) for r in late):
            return  # the whole old value is needed: the write gets a copy of it
        if late:
            self._move(self._needed_for(late, at).union(late), at)
            at = self.place[write]
        for reader in others:
            alone = reader.op is getitem and len(self.readers.get(reader, ())) == 1
            if not (shares_operand(reader) or alone):
                self._pin(reader, at)
            elif self._is_read_in_time(reader, write):
                at = self.place[write]
                for computed in self._computed_from(reader):
                    self._pin(computed, at)
            elif shares_operand(reader):
                self._keep(reader, at)
                at = self.place[write]
            else:
                self._pin(reader, at)

    def _shows_parts(self, reader: Node) -> bool:
        """Whether it reads a part of an array, or is a view of which only parts are read."""
        if _is_part(reader):
            return True
        readers = self.readers.get(reader, ())
        seen = shares_operand(reader) and reader not in self.graph.results
        return seen and all(map(self._shows_parts, readers))

    def _keep(self, view: Node, at: int) -> None:
        """Copy what is read of a view behind position ``at``: parts of it, where that is all."""
        parts = [r for r in self.readers.get(view, ()) if shares_operand(r)]
        late = [r for r in self.readers.get(view, ()) if r not in parts and self.place[r] > at]
        needed = [part for part in parts if self._is_needed(part, at)]
        behind = [part for part in needed if self.place[part] > at]
        if late or view in self.graph.results or not all(self._can_be_read(p, at) for p in behind):
            self.result.snapshots.add(view)
            return
        if behind:
            self._move(set(behind), at)
            at += len(behind)
        for part in needed:
            self._keep(part, at)
        for computed in self._computed_from(view):
            if self.place[computed] < at:
                self._pin(computed, at)

    def _is_needed(self, view: Node, at: int) -> bool:
        """Whether anything behind position ``at`` reads the view."""
        return self._is_given(view) or any(self.place[r] > at for r in self._computed_from(view))

    def _is_given(self, view: Node) -> bool:
        """Whether the view is a result, or one of it is."""
        views = (r for r in self.readers.get(view, ()) if shares_operand(r))
        return view in self.graph.results or any(map(self._is_given, views))

    def _can_be_read(self, part: Node, at: int) -> bool:
        """Whether all that the part is read with is there by then."""
        needed = [i for i in part.inputs if i.op not in LEAVES]
        return all(self.place.get(i, -1) < at for i in needed) and self._is_known(part, at)

    def _is_known(self, node: Node, at: int) -> bool:
        """Whether the sizes that the node mentions are known by then."""
        said = [self.said[s] for s in mentioned([node]) if s in self.said]
        return all(self.place.get(i, -1) < at for i in said)

    def _needed_for(self, nodes: Iterable[Node], at: int) -> set[Node]:
        """What these are computed from that does not come before position ``at``."""
        found: set[Node] = set()
        stack = list(nodes)
        while stack:
            for operand in stack.pop().inputs:
                if operand not in found and self.place.get(operand, -1) >= at:
                    found.add(operand)
                    stack.append(operand)
        return found

    def _move(self, moved: set[Node], at: int) -> None:
        """Put these before what stands at position ``at``."""
        ahead = [node for node in self.order[at:] if node in moved]
        after = [node for node in self.order[at:] if node not in moved]
        self.order = [*self.order[:at], *ahead, *after]
        self._count()

    def _computed_from(self, view: Node) -> Iterator[Node]:
        """What reads a view, itself or through views of it."""
        for reader in self.readers.get(view, ()):
            if shares_operand(reader):
                yield from self._computed_from(reader)
            else:
                yield reader

    def _is_read_in_time(self, view: Node, write: Node) -> bool:
        """Whether nothing behind the write reads the view, now that what can be is moved."""
        at = self.place[write]
        if self._is_given(view):
            return False
        late = {r for r in self._computed_from(view) if self.place[r] > at}
        if not late:
            return True
        moved = self._needed_for(late, at) | late
        if not all(_is_pure(n) and self._is_known(n, at) for n in moved):
            return False
        if sum(len(self.readers.get(r, ())) == 1 for r in late) > 1:
            return False  # a copy of the part is less than variables for all that is made of it
        self._move(moved, at)
        return True

    def _pin(self, node: Node, at: int) -> None:
        """Keep what comes of ``node`` from being computed behind position ``at``."""
        while True:
            readers = self.readers.get(node, ())
            if self.place[node] > at or any(self.place[r] > at for r in readers):
                self.result.pinned.add(node)
            if len(readers) != 1 or self.place[readers[0]] > at:
                return
            node = readers[0]


def _is_pure(node: Node) -> bool:
    """Whether it may be computed earlier: a value, and no write."""
    value = isinstance(node.type, ArrayType) and form_of(node) is None
    return value and node.op.update is None and not has_effect(node)


def _is_part(node: Node) -> bool:
    return node.op in (getitem, gather)
