"""Parts of arrays that loops touch once: set instead of added to, and not cleared for nobody.

The adjoint of ``x[i] = ...`` reads the adjoint of ``x[i]`` and clears it; that of reading ``b[i]``
adds to the adjoint of ``b``. Where no other trip comes to that part, neither is needed::

    g_t = g_x[i] / L[i, i]        g_t = g_x[i] / L[i, i]
    g_x[i] = 0
    g_b[i] += g_t                 g_b[i] = g_t

Which parts that are follows from the indices and the bounds of the loops' indices. A value that is
written to again and again is a chain of versions; through a loop it goes on in the body.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace

from gradsmith.ir.graph import Graph, Node, Region, users
from gradsmith.ir.intrinsics import is_number, item
from gradsmith.ir.mentions import live
from gradsmith.ir.parts import LoopView
from gradsmith.ops.arithmetic import multiply, negative
from gradsmith.ops.create import zeros
from gradsmith.ops.index import getitem, index_add, index_set
from gradsmith.ops.regions import REGIONAL, loop
from gradsmith.passes.extents import WHOLE, Part, disjoint, in_other_trips, part_of
from gradsmith.passes.regions import remade, renamed


def touched_once(graph: Graph) -> Graph:
    """The graph with ``x[i] = v`` for ``x[i] += v`` in fresh zeros, and without ``x[i] = 0`` where
    nothing reads that part again.
    """
    if not any(node.op is loop for node in graph.nodes):
        return graph
    regions = list(_regions(graph.body))
    if len(set(regions)) < len(regions):
        return graph  # what holds where a region is run first may not where it is run again
    found = _Found()
    for region in regions:
        readers = users(region.nodes)
        for head in _heads(region, readers):
            found.look_at(_Chain(region, readers, head))
    if not (found.first or found.idle):
        return graph
    body, made = found.applied(graph.body)
    return replace(graph, body=body, names=renamed(graph.names, made))


def _regions(region: Region) -> Iterator[Region]:
    """A region and those in it."""
    yield region
    for node in region.nodes:
        for inner in node.regions:
            yield from _regions(inner)


def _heads(region: Region, readers: dict[Node, list[Node]]) -> list[Node]:
    """The values that are written to first: no later versions."""
    heads = [x for x in (*region.params, *region.nodes) if not _is_later_version(x)]
    return [x for x in heads if any(_successor(r, x) for r in readers.get(x, ()))]


def _is_later_version(node: Node) -> bool:
    return node.op.update is not None or (node.op is item and node.inputs[0].op in REGIONAL)


def _successor(reader: Node, value: Node) -> bool:
    """Whether ``reader`` makes the next version of ``value``."""
    if reader.op in (index_add, index_set):
        return reader.inputs[0] is value and reader.inputs.count(value) == 1
    carried = reader.inputs[: LoopView(reader).count] if reader.op is loop else ()
    return value in carried and reader.inputs.count(value) == 1


def is_adjoint(node: Node) -> bool:
    """Whether it is a step of a derivative, whose zeros may change their signs."""
    return node.span is not None and node.span.adjoint


class _Touch:
    """One read or write of a part; ``inside`` are the loops around it, the outermost first."""

    def __init__(self, node: Node | None, part: Part, inside: tuple[Node, ...]) -> None:
        self.node, self.part, self.inside = node, part, inside

    @property
    def writes(self) -> bool:
        """Whether the part changes."""
        return self.node is not None and self.node.op.update is not None

    @property
    def reads(self) -> bool:
        """Whether what was there before matters."""
        return self.node is None or self.node.op is not index_set


class _Chain:
    """The versions of one value: what is done to it, in order."""

    def __init__(self, region: Region, readers: dict[Node, list[Node]], head: Node) -> None:
        self.head = head
        self.touches: list[_Touch] = []
        self.known = True
        """Whether every write is among the touches."""
        last = self._follow(region, readers, head, ())
        if last in region.results or last in region.params:
            self._read_all(())

    def _read_all(self, inside: tuple[Node, ...]) -> None:
        self.touches.append(_Touch(None, WHOLE, inside))

    def _follow(
        self,
        region: Region,
        readers: dict[Node, list[Node]],
        value: Node,
        inside: tuple[Node, ...],
    ) -> Node:
        """Go on from one version to the next within a region; the last one."""
        while True:
            later = [r for r in readers.get(value, ()) if _successor(r, value)]
            self._read(value, [r for r in readers.get(value, ()) if r not in later], inside)
            if len(later) != 1:
                self.known = self.known and not later
                return value
            if region.results.count(value):
                self._read_all(inside)
            (writer,) = later
            if writer.op is loop:
                after = self._through(writer, value, readers, inside)
                if after is None:
                    return writer
                value = after
            else:
                self.touches.append(_Touch(writer, part_of(writer), inside))
                value = writer

    def _read(self, value: Node, others: Iterable[Node], inside: tuple[Node, ...]) -> None:
        for reader in others:
            alone = reader.op is getitem and reader.inputs.count(value) == 1
            self.touches.append(_Touch(reader, part_of(reader) if alone else WHOLE, inside))

    def _through(
        self,
        node: Node,
        value: Node,
        readers: dict[Node, list[Node]],
        inside: tuple[Node, ...],
    ) -> Node | None:
        """Go on in the body of a loop; the version behind the loop."""
        view = LoopView(node)
        place = node.inputs.index(value)
        inner = users(view.body.nodes)
        within = (*inside, node)
        last = self._follow(view.body, inner, view.carried[place], within)
        if view.test is not None and any(
            view.test.params[1 + place] in n.inputs for n in view.test.nodes
        ):
            self._read_all(within)
        if view.body.results[place] is not last or view.body.results.count(last) > 1:
            self.known = False
            self._read_all(within)
        items = [r for r in readers.get(node, ()) if r.attrs.get("index") == place]
        return items[0] if items else None


class _Found:
    """The writes that are the first to a part of zeros, and those that nothing reads."""

    def __init__(self) -> None:
        self.first: set[Node] = set()
        self.idle: set[Node] = set()

    def look_at(self, chain: _Chain) -> None:
        """Take in what one chain tells."""
        if not chain.known:
            return
        for touch in chain.touches:
            node = touch.node
            if node is None or not touch.inside or not is_adjoint(node):
                continue
            if node.op is index_add and chain.head.op is zeros and not node.attrs["index"].arrays:
                writes = [t for t in chain.touches if t.writes]
                if _is_alone(touch, writes, later=False):
                    self.first.add(node)
            elif node.op is index_set and is_number(node.inputs[1], 0):
                reads = [t for t in chain.touches if t.reads or t is touch]
                if _is_alone(touch, reads, later=True):
                    self.idle.add(node)

    def applied(self, region: Region) -> tuple[Region, dict[Node, Node]]:
        """The region with them changed, and what its values have become."""
        made: dict[Node, Node] = {param: param for param in region.params}
        nodes = []
        for node in region.nodes:
            if node in self.idle:
                made[node] = made[node.inputs[0]]
                continue
            inputs = tuple(made[i] for i in node.inputs)
            if node in self.first:
                nodes += (value := _signed(inputs[1]))
                stored = value[-1] if value else inputs[1]
                inputs = (inputs[0], stored, *inputs[2:])
                made[node] = Node(index_set, inputs, node.attrs, node.type, node.span)
            else:
                made[node] = self._made(node, inputs)
            nodes.append(made[node])
        results = tuple(made[r] for r in region.results)
        kept = live(nodes, results)
        known = {*kept, *region.params}
        names = {n: name for n, name in renamed(region.names, made).items() if n in known}
        return Region(region.params, kept, results, names), made

    def _made(self, node: Node, inputs: tuple[Node, ...]) -> Node:
        if node in self.first:
            return Node(index_set, inputs, node.attrs, node.type, node.span)
        attrs = {
            key: self.applied(value)[0] if isinstance(value, Region) else value
            for key, value in node.attrs.items()
        }
        same = all(new is old for new, old in zip(inputs, node.inputs, strict=True))
        if same and not node.regions:
            return node
        return remade(node, inputs, attrs)


def _signed(value: Node) -> list[Node]:
    """What makes ``x * -k`` of ``-x * k``: what is added may have its sign in front."""
    if value.op is not multiply or value.inputs[0].op is not negative:
        return []
    (array,), scale = value.inputs[0].inputs, value.inputs[1]
    if scale.ndim or not array.ndim or not scale.array_type.inexact:
        return []
    opposite = Node(negative, (scale,), {}, scale.type, value.span)
    return [opposite, Node(multiply, (opposite, array), {}, value.type, value.span)]


def _is_alone(touch: _Touch, others: Iterable[_Touch], *, later: bool) -> bool:
    """Whether none of the others comes to the part before, or with ``later`` afterwards.

    They are in the order of one trip.
    """
    behind = False
    for other in others:
        if other is touch:
            behind = True
        elif behind == later and not disjoint(touch.part, _in_same_trip(touch, other)):
            return False
        if not all(disjoint(touch.part, p) for p in _in_other_trips(touch, other, later=later)):
            return False
    return True


def _common(one: _Touch, other: _Touch) -> int:
    """How many loops are around both."""
    pairs = zip(one.inside, other.inside, strict=False)
    return len(list(itertools.takewhile(lambda pair: pair[0] is pair[1], pairs)))


def _in_same_trip(touch: _Touch, other: _Touch) -> Part:
    """What the other touches in the same trip of every loop around both."""
    further = other.inside[_common(touch, other) :]
    return in_other_trips(other.part, further[0], "any") if further else other.part


def _in_other_trips(touch: _Touch, other: _Touch, *, later: bool) -> Iterator[Part]:
    """What the other touches in other trips: of the innermost loop around both, and of each
    around that.
    """
    for around in touch.inside[: _common(touch, other)]:
        yield in_other_trips(other.part, around, "later" if later else "earlier")
