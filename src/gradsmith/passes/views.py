"""Writes through views: into the array itself, and not into a copy of what the view shows.

``y = x.T; y[i] = a`` makes of ``x`` the value ``transpose(index_set(transpose(x), a, i))``, a
*view* that is written to and *put back*. Where nothing but writes stands between the two, the
versions of the view are views of versions of ``x``, and each write goes through.

A branch is given the view and the array as two values. It takes the view itself, so that it may
write to the array.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gradsmith.ir.alias import shares_operand
from gradsmith.ir.graph import Graph, Node, Region
from gradsmith.ops.complex import imag, real, with_imag, with_real
from gradsmith.ops.index import getitem, index_add, index_set
from gradsmith.ops.regions import REGIONAL, branch
from gradsmith.ops.shape import expand_dims, flip, squeeze, transpose
from gradsmith.ops.through import through, write_through
from gradsmith.passes.regions import in_regions, remade, renamed, replayed, stand_in
from gradsmith.passes.replay import Replay

STORES = {index_set: getitem, with_real: real, with_imag: imag}
"""What puts back a part, given as the second operand; the part."""

WRITES = frozenset({index_add, through, *STORES})

BACK = {
    transpose: transpose,
    flip: flip,
    squeeze: expand_dims,
    expand_dims: squeeze,
    getitem: getitem,
}
"""What puts back another view."""

TAKEN = frozenset({*STORES.values(), *BACK})


def views_inside(graph: Graph) -> Graph:
    """The graph whose branches take the views that they may write to by themselves."""
    made: dict[Node, Node] = {param: param for param in graph.params}
    for node in graph.nodes:
        inputs, attrs = tuple(made[i] for i in node.inputs), node.attrs
        if node.op is branch:
            names = {made[i]: graph.names[i] for i in node.inputs if i in graph.names}
            inputs, attrs = _Taking(inputs, names).done(node)
        same = inputs == node.inputs and attrs is node.attrs
        made[node] = node if same else remade(node, inputs, attrs)
    if any(new is not old for old, new in made.items()):
        results = tuple(made[r] for r in graph.results)
        body = replace(graph.body, nodes=tuple(made[n] for n in graph.nodes), results=results)
        graph = replace(graph, body=body, names=renamed(graph.names, made))
    return in_regions(graph, views_inside)


class _Taking:
    """A branch that takes views of what it is given, rather than being given them."""

    def __init__(self, inputs: Sequence[Node], names: Mapping[Node, str]) -> None:
        self.inputs = list(inputs)
        self.count = len(inputs)
        self.names = names

    def done(self, node: Node) -> tuple[tuple[Node, ...], Mapping[str, Any]]:
        """Its operands and its attributes."""
        arms = node.attrs["then"], node.attrs["orelse"]
        written = {p for arm in arms for p, x in enumerate(arm.params) if _may_write(arm, x)}
        views = [p for p, x in enumerate(self.inputs[1:]) if _is_view(x)]
        views = [p for p in views if p in written or self._place_of_base(p) in written]
        if not views:
            return tuple(self.inputs), node.attrs
        for place in views:
            self._give(self.inputs[1 + place])
        then, orelse = (self._arm(arm, views) for arm in arms)
        return tuple(self.inputs), {**node.attrs, "then": then, "orelse": orelse}

    def _place_of_base(self, place: int) -> int:
        base = self.inputs[1 + place]
        while _is_view(base):
            base = base.inputs[0]
        return self.inputs.index(base, 1) - 1 if base in self.inputs[1:] else -1

    def _give(self, value: Node) -> None:
        """Make what a view is taken of an operand, too."""
        for operand in value.inputs:
            if _is_view(operand):
                self._give(operand)
            elif operand not in self.inputs[1:]:
                self.inputs.append(operand)

    def _arm(self, arm: Region, views: Sequence[int]) -> Region:
        more = tuple(stand_in(operand) for operand in self.inputs[self.count :])
        arm = replace(arm, params=arm.params + more)
        known = dict(zip(reversed(self.inputs[1:]), reversed(arm.params), strict=True))
        taken: dict[Node, Node] = {}
        made: dict[Node, Node] = {param: param for param in arm.params}
        for place in views:
            made[arm.params[place]] = self._taken(self.inputs[1 + place], known, taken)
        found = {made[arm.params[place]]: self.inputs[1 + place] for place in views}
        names = {new: self.names[old] for new, old in found.items() if old in self.names}
        arm = replayed(arm, list(taken.values()), made)
        return replace(arm, names={**names, **arm.names})

    def _taken(self, value: Node, known: dict[Node, Node], taken: dict[Node, Node]) -> Node:
        """The view, taken in the arm, among those ``taken``."""
        if not _is_view(value):
            return known[value]
        if value not in taken:
            inputs = tuple(self._taken(x, known, taken) for x in value.inputs)
            taken[value] = Node(value.op, inputs, value.attrs, value.type, value.span)
        return taken[value]


def _is_view(value: Node) -> bool:
    """Whether it is a view that may be taken again."""
    opaque = value.op is getitem and bool(value.attrs["index"].counts)
    return value.op in TAKEN and shares_operand(value) and not opaque


def _may_write(arm: Region, value: Node) -> bool:
    """Whether an arm may write to a value, itself or through views."""
    for node in arm.nodes:
        if value in node.inputs:
            writes = node.op in REGIONAL or (
                node.op.update is not None and node.inputs[0] is value
            )
            if writes or (_is_view(node) and _may_write(arm, node)):
                return True
    return False


def through_views(graph: Graph) -> Graph:
    """The graph with each write through a view done to what it is a view of."""
    views = _Views(graph)
    return views.run() if views.view else graph


class _Views(Replay):
    ops = frozenset({*WRITES, *BACK})

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.view: dict[Node, Node] = {}
        """For what puts something back: the view."""
        self.put: dict[Node, Node] = {}
        """For a version of a view: what puts it back, itself or a later one."""
        self.version: dict[Node, Node] = {}
        """For a version of a view: what it is a view of, by then."""
        for node in graph.nodes:
            if node.op in self.ops:
                self._find(node)

    # -- which writes these are

    def _find(self, node: Node) -> None:
        """See whether ``node`` puts back a view that was written to."""
        chain = []
        value = self._put_back_by(node)
        while value in self.view or value.op in WRITES:
            chain.append(value)
            value = self._before(value)
        known = all(version not in self.put for version in chain)
        if chain and known and puts_back(node, value):
            self.view[node] = value
            self.put.update(dict.fromkeys(chain, node))

    def _before(self, version: Node) -> Node:
        """What ``version`` was before it was written to."""
        return self.view[version].inputs[0] if version in self.view else version.inputs[0]

    # -- what becomes of them

    def better(self, node: Node) -> Node | None:
        """A view of what was written to instead, or this itself."""
        if node not in self.put and node not in self.view:
            return None
        views = list(self._views(node))
        if node in self.view:
            made = self.version[self._put_back_by(node)]
        else:
            operands = [self.made[x] for view in views for x in view.inputs[1:]]
            operands += [self.made[x] for x in node.inputs[1:]]
            made = write_through(self._base(node), views, node, operands)
        self.version[node] = made
        for view in views:
            made = view.op(made, *(self.made[x] for x in view.inputs[1:]), **view.attrs)
        return made

    def _views(self, version: Node) -> Iterator[Node]:
        """The views from the array to what ``version`` is one of, each of the one before."""
        put = self.put.get(version)
        if put is not None:
            yield from self._views(put)
            yield self.view[put]

    def _put_back_by(self, node: Node) -> Node:
        """The last version of the view that ``node`` puts back."""
        return node.inputs[node.op in STORES]

    def _base(self, write: Node) -> Node:
        """The array that the write goes into, as it is by then."""
        before = self._before(write)
        put: Node | None = self.put[write]
        while put is not None and before is self.view[put]:
            before, put = before.inputs[0], self.put.get(put)
        return self.made[before] if put is None else self.version[before]


def puts_back(node: Node, view: Node) -> bool:
    """Whether ``node`` is what ``view`` is a view of, but for what the view shows.

    An array without axes is no place to write to: where the code runs, it may be a scalar.
    """
    if not node.ndim:
        return False
    if node.op in STORES:
        whole = node.inputs[0], *node.inputs[2:]
        same = view.inputs == whole and view.attrs == node.attrs
        return view.op is STORES[node.op] and same and _is_view(view)
    if BACK.get(view.op) is not node.op:
        return False
    if node.op is transpose:
        axes = node.attrs["axes"]
        return tuple(view.attrs["axes"][a] for a in axes) == tuple(range(len(axes)))
    same = bool(node.attrs == view.attrs) and not view.inputs[1:]
    return same and (node.op is not getitem or view.attrs["index"].whole)
