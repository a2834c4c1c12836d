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

from gradsmith.ir.alias import shares_operand
from gradsmith.ir.graph import Graph, Node, Region
from gradsmith.ops.complex import imag, real, with_imag, with_real
from gradsmith.ops.index import getitem, index_add, index_set
from gradsmith.ops.regions import REGIONAL, branch
from gradsmith.ops.shape import expand_dims, flip, squeeze, transpose
from gradsmith.ops.through import write_through
from gradsmith.passes.regions import in_regions, remade, renamed, replayed
from gradsmith.passes.replay import Replay

STORES = {index_set: getitem, with_real: real, with_imag: imag}
"""What puts back a part, given as the second operand; the part."""

WRITES = frozenset({index_add, *STORES})

BACK = {transpose: transpose, flip: flip, squeeze: expand_dims, expand_dims: squeeze}
"""What puts back another view."""

TAKEN = frozenset({*STORES.values(), *BACK})


def views_inside(graph: Graph) -> Graph:
    """The graph whose branches take views of arrays that they are given by themselves."""
    if not any(node.op is branch for node in graph.nodes):
        return in_regions(graph, views_inside)
    made: dict[Node, Node] = {param: param for param in graph.params}
    for node in graph.nodes:
        inputs = tuple(made[i] for i in node.inputs)
        attrs = _with_views(node, inputs, graph.names) if node.op is branch else node.attrs
        same = inputs == node.inputs and attrs is node.attrs
        made[node] = node if same else remade(node, inputs, attrs)
    results = tuple(made[r] for r in graph.results)
    body = replace(graph.body, nodes=tuple(made[n] for n in graph.nodes), results=results)
    return in_regions(replace(graph, body=body, names=renamed(graph.names, made)), views_inside)


def _with_views(
    node: Node, inputs: Sequence[Node], names: Mapping[Node, str]
) -> Mapping[str, object]:
    """The attributes of a branch whose arms make the views that they are given."""
    arms = [node.attrs["then"], node.attrs["orelse"]]
    if not any(n.op.update is not None or n.op in REGIONAL for arm in arms for n in arm.nodes):
        return node.attrs
    given = list(inputs[1:])
    found = {p: steps for p, x in enumerate(given) if (steps := _steps(x, given))}
    if not found:
        return node.attrs
    called = {p: names[node.inputs[1 + p]] for p in found if node.inputs[1 + p] in names}
    then, orelse = (_arm_with_views(arm, given, found, called) for arm in arms)
    return {**node.attrs, "then": then, "orelse": orelse}


def _steps(view: Node, given: Sequence[Node]) -> list[Node]:
    """The views, one of the other, that make ``view`` of what is given, too; or none."""
    steps: list[Node] = []
    while view.op in TAKEN and shares_operand(view) and len(view.inputs) == 1:
        if _is_opaque(view):
            break
        steps.append(view)
        view = view.inputs[0]
        if view in given:
            return steps[::-1]
    return []


def _is_opaque(view: Node) -> bool:
    """Whether only taking it tells its length."""
    return view.op is getitem and bool(view.attrs["index"].counts)


def _arm_with_views(
    arm: Region,
    given: list[Node],
    found: Mapping[int, list[Node]],
    called: Mapping[int, str],
) -> Region:
    nodes: list[Node] = []
    made: dict[Node, Node] = {param: param for param in arm.params}
    for place, steps in sorted(found.items()):
        value = arm.params[given.index(steps[0].inputs[0])]
        for step in steps:
            value = Node(step.op, (made[value],), step.attrs, step.type, step.span)
            made[value] = value
            nodes.append(value)
        made[arm.params[place]] = value
    names = {made[arm.params[place]]: name for place, name in called.items()}
    arm = replayed(arm, nodes, made)
    return replace(arm, names={**names, **arm.names})


def through_views(graph: Graph) -> Graph:
    """The graph with each write through a view done to what it is a view of."""
    return _Views(graph).run()


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
        if chain and known and _is_put_back(node, value):
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


def _is_put_back(node: Node, view: Node) -> bool:
    """Whether ``node`` is what ``view`` is a view of, but for what the view shows."""
    if node.op in STORES:
        whole = node.inputs[0], *node.inputs[2:]
        same = view.inputs == whole and view.attrs == node.attrs
        return view.op is STORES[node.op] and same and not _is_opaque(view)
    if BACK.get(view.op) is not node.op:
        return False
    if node.op is transpose:
        axes = node.attrs["axes"]
        return tuple(view.attrs["axes"][a] for a in axes) == tuple(range(len(axes)))
    return bool(node.attrs == view.attrs)
