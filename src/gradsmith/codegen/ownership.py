"""Whose buffers are whose around branches and loops: what each may write to in place.

A loop *owns* a carried array where its body writes to it: the buffer that goes in is then private
(moved in, or a copy), and each trip gives back a private one. A branch owns an array in the same
way where one of its arms writes to it. Whatever else goes in is only read. What a region gives
back is *taken* where nothing else can see its buffer; anything else may share memory with the
inputs, which therefore outlive it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from gradsmith.codegen.forms import (
    BlockForm,
    BranchForm,
    Form,
    LoopForm,
    TapeKind,
    arms_of,
    is_buffer,
    kept_alive,
    owned,
    record,
    taken,
)
from gradsmith.codegen.wants import read_items, tape_kinds, to_be_private, wants
from gradsmith.ir.alias import owns_buffer, root
from gradsmith.ir.graph import Graph, Node, Region, users
from gradsmith.ir.intrinsics import constant, item, parameter, size
from gradsmith.ir.mentions import live
from gradsmith.ir.types import ArrayType, TapeType, TupleType, Type
from gradsmith.ops.create import full
from gradsmith.ops.regions import REGIONAL, branch, loop, rerun
from gradsmith.ops.shape import broadcast_to, copy

COPIED = ("start", "stop", "step", "reverse", "leaves", "carried", "tapes", "symbols")
"""What a loop and its form have in common."""

UNNAMED = frozenset({parameter, constant, size, owned})
"""These have a name of their own, or none."""


def prepared(graph: Graph) -> Graph:
    """The graph with the forms of its branches and loops; its results can be given away."""
    if not any(node.op in REGIONAL for node in graph.nodes):
        return graph
    block = _Block(graph.body, graph.names, owns=(), forced=range(len(graph.results)))
    made = block.graph(block.results)
    return replace(made, guards=graph.guards, size_names=graph.size_names)


class _Block:
    """The nodes of one region made anew: ``made`` is what they have become.

    ``owns`` are the parameters whose buffers it may write to, ``forced`` the results that must
    have buffers of their own.
    """

    def __init__(
        self,
        region: Region,
        names: Mapping[Node, str],
        *,
        owns: Collection[int],
        forced: Iterable[int],
    ) -> None:
        self.region = region
        self.readers = users(region.nodes)
        self.nodes: list[Node] = []
        self.params = [_param(p, own=i in owns) for i, p in enumerate(region.params)]
        self.made: dict[Node, Node] = dict(zip(region.params, self.params, strict=True))
        self.names = {self.made[p]: names[p] for p in region.params if p in names}
        self._read = read_items(region)
        self._private = to_be_private(region, forced)
        self._items: dict[tuple[Node, int], Node] = {}
        for node in region.nodes:
            self._add(node)
            if node in names:
                self.names.setdefault(self.made[node], names[node])
        self.results = [self.made[result] for result in region.results]

    def graph(self, results: Sequence[Node]) -> Graph:
        """The block as a graph with these results."""
        kept = {*self.nodes, *self.params}
        names = {node: name for node, name in self.names.items() if node in kept}
        return Graph(Region(tuple(self.params), tuple(self.nodes), tuple(results)), names)

    def _add(self, node: Node) -> None:
        if node.op in REGIONAL:
            self.made[node] = self._regional(node)
        elif node.op is item and node.inputs[0].op in REGIONAL:
            self.made[node] = self._items[node.inputs[0], node.attrs["index"]]
        else:
            inputs = tuple(self.made[i] for i in node.inputs)
            same = all(new is old for new, old in zip(inputs, node.inputs, strict=True))
            made = node if same else Node(node.op, inputs, node.attrs, node.type, node.span)
            self.nodes.append(made)
            self.made[node] = made

    def _regional(self, node: Node) -> Node:
        inputs = tuple(self.made[i] for i in node.inputs)
        make = {loop: self._loop, branch: self._branch, rerun: self._rerun}[node.op]
        form, private = make(node, inputs)
        made = Node(node.op, inputs, {"form": form}, node.type, node.span)
        self.nodes.append(made)
        for index in form.used:
            result = _item(made, index, own=index in private)
            self._items[node, index] = result
            self.nodes.append(result)
            name = _called(form, index)
            if name is not None and _is_named_by_region(node, index):
                self.names.setdefault(result, name)
        return made

    # -- what a region gives back

    def own_results(self, forced: Collection[int]) -> list[Node]:
        """The results; those that are ``forced`` share a buffer with no other, if need be by a
        copy.
        """
        results = list(self.results)
        taken_roots: set[Node] = set()
        for place in sorted(forced):
            if not owns_buffer(results[place]) or results[place] in taken_roots:
                results[place] = self._copied(results[place])
            taken_roots.add(results[place])
        for place, result in enumerate(results):
            shared = is_buffer(result.type) and not _shown_by(result).isdisjoint(taken_roots)
            if place not in forced and shared:
                results[place] = self._copied(result)
        return results

    def _copied(self, node: Node) -> Node:
        if node.op is broadcast_to and not node.inputs[0].ndim:
            attrs = {"shape": node.shape, "dtype": node.dtype}
            made = Node(full, node.inputs, attrs, node.type, node.span)
            alone = not any(node in other.inputs for other in self.nodes)
            self.nodes = [n for n in self.nodes if n is not node or not alone]
        else:
            made = Node(copy, (node,), {"order": "K"}, copy.infer(node.type), node.span)
        self.nodes.append(made)
        if node in self.names:
            self.names[made] = self.names[node]
        return made

    def record(self, kinds: Sequence[TapeKind], values: Sequence[Node], kept: set[Node]) -> None:
        """Put values on tapes as soon as they are known: on a list as they are where their
        buffers are not among those ``kept`` for the next trip.
        """
        after: dict[Node | None, list[Node]] = {}
        known = set(self.nodes)
        for place, (kind, value) in enumerate(zip(kinds, values, strict=True)):
            if kind == "unused":
                continue
            copied = kind != "array" and is_buffer(value.type) and not _is_new(value, kept)
            attrs = {"tape": place, "copied": copied, "by_reference": kind != "array"}
            span = value.span if value in known else None
            node = Node(record, (value,), attrs, TupleType(()), span)
            after.setdefault(value if value in known else None, []).append(node)
        ordered = list(after.get(None, ()))
        for node in self.nodes:
            ordered += [node, *after.get(node, ())]
        self.nodes = ordered

    # -- loops and branches

    def _loop(self, node: Node, inputs: tuple[Node, ...]) -> tuple[Form, frozenset[int]]:
        attrs, body, carried = node.attrs, node.attrs["body"], node.attrs["carried"]
        private = self._private.get(node, frozenset()) | wants(node)
        own = frozenset(
            k
            for k in range(carried)
            if is_buffer(inputs[k].type) and (k in private or self._is_born_for(node, k))
        )
        block = _Block(body, body.names, owns={1 + k for k in own}, forced=own)
        count = carried + attrs["leaves"]
        recorded = block.results[count:]
        block.results = block.results[:count]
        results = block.own_results(own)
        used = tuple(self._read.get(node, ()))
        kinds = tape_kinds(node, used)
        block.record(kinds, recorded, {results[k] for k in own})
        self._name_carried(node, inputs, block)
        shared = [k for k in used if k < carried and k not in own and is_buffer(_type(node, k))]
        form = LoopForm(
            body=block.graph(results),
            test=None if attrs["test"] is None else _test(attrs["test"]),
            recorded=kinds,
            values=tuple(recorded),
            used=used,
            owned=own,
            leaks=_leaks(inputs, own, shared),
            **{key: attrs[key] for key in COPIED},
        )
        return form, own

    def _is_born_for(self, node: Node, place: int) -> bool:
        """Whether a carried value starts as an array made for it, and each trip makes a new one:
        then it is private at no cost.
        """
        start, results = node.inputs[place], node.attrs["body"].results
        alone = len(self.readers[start]) == 1 and start not in self.region.results
        new = results[place].op is not item and owns_buffer(results[place])
        return (
            alone and new and results.count(results[place]) == 1 and owns_buffer(self.made[start])
        )

    def _name_carried(self, node: Node, inputs: tuple[Node, ...], block: _Block) -> None:
        """What a loop carries is called alike before it, in it and after a trip."""
        for place in range(node.attrs["carried"]):
            name = block.names.get(block.params[1 + place])
            start, result = inputs[place], block.results[place]
            if name is None:
                continue
            if start.op not in UNNAMED and len(self.readers[node.inputs[place]]) == 1:
                self.names.setdefault(start, name)
            if result.op not in UNNAMED:
                block.names.setdefault(result, name)

    def _branch(self, node: Node, inputs: tuple[Node, ...]) -> tuple[Form, frozenset[int]]:
        used = tuple(self._read.get(node, ()))
        own = wants(node) | self._handed_on(node)
        forced = {used.index(k) for k in self._private.get(node, ()) if k in used}
        arms, new = [], []
        for key in ("then", "orelse"):
            arm = _narrowed(node.attrs[key], used)
            block = _Block(arm, arm.names, owns={j - 1 for j in own}, forced=forced)
            results = block.own_results([k for k in forced if is_buffer(block.results[k].type)])
            arms.append(block.graph(results))
            new.append({k for k, r in enumerate(results) if _is_alone(r, results)})
        private = frozenset(used[k] for k in new[0] & new[1])
        shared = [k for k in used if k not in private and is_buffer(_type(node, k))]
        symbols = node.attrs["symbols"]
        leaks = _leaks(inputs, own | {0}, shared)
        return BranchForm(arms[0], arms[1], symbols, used, own, leaks), private

    def _rerun(self, node: Node, inputs: tuple[Node, ...]) -> tuple[Form, frozenset[int]]:
        used = tuple(self._read.get(node, ()))
        region = _narrowed(node.attrs["block"], used)
        own = wants(node)
        asked = {used.index(k) for k in self._private.get(node, ()) if k in used}
        block = _Block(region, region.names, owns=own, forced=())
        parts = {k for k, r in enumerate(block.results) if _is_part_of_more(r)}
        wanted = [k for k in asked | parts if is_buffer(block.results[k].type)]
        results = block.own_results(wanted)
        private = frozenset(used[k] for k, r in enumerate(results) if _is_alone(r, results))
        shared = [k for k in used if k not in private and is_buffer(_type(node, k))]
        leaks = _leaks(inputs, own, shared)
        return BlockForm(block.graph(results), node.attrs["symbols"], used, own, leaks), private

    def _handed_on(self, node: Node) -> frozenset[int]:
        """The private arrays that an arm gives back as they are, and nothing reads again."""
        places = set()
        for index in self._private.get(node, ()):
            for key in ("then", "orelse"):
                arm = node.attrs[key]
                if arm.results[index] in arm.params:
                    places.add(1 + arm.params.index(arm.results[index]))
        return frozenset(p for p in places if self._is_last(node.inputs[p], node))

    def _is_last(self, operand: Node, reader: Node) -> bool:
        own = is_buffer(operand.type) and owns_buffer(self.made[operand])
        return own and self.readers[operand][-1] is reader and operand not in self.region.results


def _param(param: Node, *, own: bool) -> Node:
    return Node(owned, (), param.attrs, param.type, param.span) if own else param


def _item(whole: Node, index: int, *, own: bool) -> Node:
    return Node(
        taken if own else item, (whole,), {"index": index}, _type(whole, index), whole.span
    )


def _type(node: Node, index: int) -> Type:
    assert isinstance(node.type, TupleType)
    return node.type.items[index]


def _called(form: Form, index: int) -> str | None:
    """What a region calls a result of its own."""
    if isinstance(form, LoopForm):
        return form.body.names.get(form.body.params[1 + index]) if index < form.carried else None
    place = form.used.index(index)
    names = [arm.names.get(arm.results[place]) for arm in arms_of(form)]
    return next((name for name in names if name is not None), None)


def _is_named_by_region(node: Node, index: int) -> bool:
    return not isinstance(_type(node, index), TapeType)


def _is_part_of_more(result: Node) -> bool:
    """Whether it shows a part of an array, all of which it would keep."""
    base = root(result)
    known = isinstance(base.type, ArrayType) and base.op not in (parameter, constant, owned)
    return known and base is not result and base.array_type.size != result.array_type.size


def _is_alone(result: Node, results: Sequence[Node]) -> bool:
    """Whether a result has a buffer that no other result shows."""
    if not owns_buffer(result):
        return False
    return sum(is_buffer(r.type) and result in _shown_by(r) for r in results) == 1


def _shown_by(value: Node) -> set[Node]:
    """The buffers that a value may show, also by way of branches and loops."""
    found: set[Node] = set()
    stack = [root(value)]
    while stack:
        base = stack.pop()
        if base not in found:
            found.add(base)
            stack.extend(root(kept) for kept in kept_alive(base))
    return found


def _is_new(value: Node, kept: set[Node]) -> bool:
    """Whether it has a buffer that is made in this trip, and not handed on."""
    base = root(value)
    if base.op is owned or isinstance(base.type, TupleType):
        return False
    return owns_buffer(base) and base not in kept


def _leaks(
    inputs: Sequence[Node], own: Collection[int], shared: Collection[int]
) -> frozenset[int]:
    """The inputs that results without buffers of their own may show."""
    if not shared:
        return frozenset()
    return frozenset(p for p, x in enumerate(inputs) if p not in own and is_buffer(x.type))


def _narrowed(arm: Region, used: Sequence[int]) -> Region:
    """The arm with those of its results alone that are read."""
    results = tuple(arm.results[k] for k in used)
    return replace(arm, nodes=live(arm.nodes, results), results=results)


def _test(region: Region) -> Graph:
    block = _Block(region, region.names, owns=(), forced=())
    return block.graph(block.results)
