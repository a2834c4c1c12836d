"""The rewrite driver: a table of (pattern, function), applied to each node as it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from gradsmith.ir.builder import Builder, Rewrite
from gradsmith.ir.context import building, current_builder
from gradsmith.ir.graph import Graph, Node, Region
from gradsmith.ir.intrinsics import constant
from gradsmith.ir.mentions import silent_attrs
from gradsmith.ir.op import Op
from gradsmith.ir.types import ArrayType, Type, known_same_shape
from gradsmith.ops.index import getitem
from gradsmith.ops.index_key import Index
from gradsmith.ops.regions import loop
from gradsmith.ops.shape import reshape
from gradsmith.passes.pattern import Apply, Bindings, Matcher, matcher

Action: TypeAlias = "Callable[..., Node | None]"


@dataclass(frozen=True, slots=True)
class Rule:
    """Where ``pattern`` matches, ``action(**bindings)`` is a better node, or None: no change."""

    pattern: Apply
    action: Action


class Table:
    """Rules by the op at their root; the first that changes something wins.

    A result of another type is no rewrite but a broadcast or a cast gone: it is not taken. With
    ``keep_names`` no rule looks into a value that has a name: it is to appear as it is.
    """

    def __init__(
        self,
        *groups: Iterable[Rule],
        generic: Iterable[Rewrite] = (),
        keep_names: bool = False,
    ) -> None:
        self._by_op: dict[Op, list[_Entry]] = {}
        self._candidates: dict[tuple[Op, ...], list[tuple[Matcher, Action]]] = {}
        self._generic = tuple(generic)
        self._keep_names = keep_names
        for group in groups:
            for rule in group:
                self._by_op.setdefault(rule.pattern.op, []).append(_entry(rule))

    def __call__(self, node: Node) -> Node | None:
        opaque = current_builder().names if self._keep_names else ()
        for matches, action in self._worth_a_try(node):
            bindings: Bindings = {}
            if not matches(node, bindings, opaque):
                continue
            better = action(**bindings)
            if better is not None and better is not node and same_type(better.type, node.type):
                return better
        for rule_for_all in self._generic:
            better = rule_for_all(node)
            if better is not None and same_type(better.type, node.type):
                return better
        return None

    def _worth_a_try(self, node: Node) -> list[tuple[Matcher, Action]]:
        """The rules for its op and those of its operands: most fall by these alone."""
        ops = (node.op, *(operand.op for operand in node.inputs))
        found = self._candidates.get(ops)
        if found is None:
            below = set(ops[1:])
            rules = self._by_op.get(node.op, ())
            found = [(e.matches, e.action) for e in rules if e.inner <= below]
            self._candidates[ops] = found
        return found


@dataclass(frozen=True, slots=True)
class _Entry:
    """A rule of a table, ready for use; ``inner`` are the ops that operands must have."""

    inner: frozenset[Op]
    matches: Matcher
    action: Action


def _entry(rule: Rule) -> _Entry:
    inner = {p.op for p in rule.pattern.operands if isinstance(p, Apply)}
    if any(isinstance(p, (int, float)) for p in rule.pattern.operands):
        inner.add(constant)
    return _Entry(frozenset(inner), matcher(rule.pattern), rule.action)


def same_type(left: Type, right: Type) -> bool:
    """Whether one may stand for the other, for all calls that use this code."""
    if isinstance(left, ArrayType) and isinstance(right, ArrayType):
        weak_alike = left.weak == right.weak
        return (
            weak_alike and left.dtype == right.dtype and known_same_shape(left.shape, right.shape)
        )
    return left == right


def rebuild(graph: Graph, rewrite: Rewrite | None, *, keep: bool = False) -> Graph:
    """The graph made anew, node by node, through ``rewrite``: folded, interned, without waste.

    All its nodes are new: a region may be that of several nodes, and each is to have its own. With
    ``keep``, what does not change stays: of it more is known.
    """
    builder = Builder()
    builder.params = list(graph.params)
    replaced: dict[Node, Node] = {param: param for param in graph.params}
    with building(builder), builder.phase(rewrite):
        _replay(builder, graph.nodes, replaced, graph.names, keep=keep)
    builder.names = {p: graph.names[p] for p in graph.params if p in graph.names} | builder.names
    builder.size_names = dict(graph.size_names)
    with building(builder):
        results = [in_form(replaced[r], r) for r in graph.results]
    made = builder.graph(results, graph.guards)
    same = keep and made.nodes == graph.nodes and made.results == graph.results
    return graph if same and list(made.names.items()) == list(graph.names.items()) else made


_TELLING = {"effect", "forms"}
"""Ops that tell the forms of a number apart: texts do, and what has operands of one type."""


def in_form(made: Node, model: Node) -> Node:
    """A result as the NumPy scalar, or the array without axes, that it was before ``x * 1`` or
    ``broadcast_to(x, ())`` became ``x``; within the graph the two are as good as each other.
    """
    if not isinstance(model.type, ArrayType):
        return made
    found, wanted = made.array_type.form, model.type.form
    if found == wanted:
        return made
    return getitem(made, index=Index(())) if wanted == "scalar" else reshape(made, shape=())


def _models(node: Node) -> Sequence[Node]:
    """Nodes of the forms that the operands are to have: what a loop carries has the forms of the
    parameters of its body.
    """
    if node.op is not loop:
        return node.inputs
    count = node.attrs["carried"]
    return (*node.attrs["body"].params[1 : 1 + count], *node.inputs[count:])


def _attrs_in_form(node: Node) -> Mapping[str, Any]:
    """The attributes of ``node``: the next values that a loop carries have the forms of the
    parameters of its body, too.
    """
    if node.op is not loop:
        return node.attrs
    body: Region = node.attrs["body"]
    builder = Builder(intern=False)
    builder.params, builder.nodes = list(body.params), list(body.nodes)
    with building(builder):
        carried = body.params[1 : 1 + node.attrs["carried"]]
        ended = tuple(map(in_form, body.results, carried))
    results = (*ended, *body.results[len(ended) :])
    if results == body.results:
        return node.attrs
    return {**node.attrs, "body": replace(body, nodes=tuple(builder.nodes), results=results)}


def prepare(
    builder: Builder, results: Sequence[Node], leaves: Iterable[Node], rewrite: Rewrite
) -> list[Node]:
    """The same results, what lies between them and ``leaves`` made anew through ``rewrite``."""
    replaced: dict[Node, Node] = {leaf: leaf for leaf in leaves}
    cone = _between(builder, results, replaced)
    with building(builder), builder.phase(rewrite):
        _replay(builder, cone, replaced, builder.names, silent=True)
    return [replaced.get(r, r) for r in results]


def _between(builder: Builder, results: Sequence[Node], leaves: Mapping[Node, Node]) -> list[Node]:
    reached = set(leaves)
    above: list[Node] = []
    for node in builder.nodes:
        if node not in leaves and any(i in reached for i in node.inputs):
            reached.add(node)
            above.append(node)
    needed = set(results)
    for node in reversed(above):
        if node in needed:
            needed.update(node.inputs)
    return [node for node in above if node in needed]


def _replay(
    builder: Builder,
    nodes: Iterable[Node],
    replaced: dict[Node, Node],
    names: Mapping[Node, str],
    *,
    silent: bool = False,
    keep: bool = False,
) -> None:
    """Make ``nodes`` again; ``silent`` where the old ones stay, and have had their effects."""
    named = dict(names)
    for node in nodes:
        operands = [replaced.get(i, i) for i in node.inputs]
        if node.op.traits & _TELLING:
            with builder.phase(None):
                operands = list(map(in_form, operands, _models(node)))
        attrs = _attrs_in_form(node)
        attrs = silent_attrs(attrs) if silent else attrs
        made = builder.again(node, operands, attrs, keep=keep)
        replaced[node] = made
        if node in named:
            builder.name(made, named[node])
