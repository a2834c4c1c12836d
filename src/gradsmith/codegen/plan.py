"""The statements of a region, and which of them write over a buffer that nothing reads again."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

from gradsmith.codegen.choice import (
    Choice,
    can_augment,
    destined_names,
    is_constant_array,
    is_leaf,
    is_operator,
    same_buffer_type,
)
from gradsmith.codegen.forms import BranchForm, form_of, kept_alive, record
from gradsmith.codegen.reading import reads, written_with
from gradsmith.codegen.schedule import Schedule
from gradsmith.ir.alias import owns_buffer, shares_operand
from gradsmith.ir.graph import Graph, Node
from gradsmith.ops.index import getitem


@dataclass(slots=True)
class Plan:
    """The statements in order; for those done in place, the operand whose buffer they take."""

    statements: list[Node]
    inlined: set[Node]
    overwrites: dict[Node, Node] = field(default_factory=dict)
    constants: list[Node] = field(default_factory=list)
    snapshots: frozenset[Node] = frozenset()
    moved: dict[Node, set[int]] = field(default_factory=dict)
    """For branches and loops: the inputs that they own, and need no copy of."""

    def root(self, node: Node) -> Node:
        """The value whose buffer ``node`` reads; a snapshot is a copy and has its own."""
        while node not in self.snapshots and shares_operand(node):
            node = node.inputs[0]
        return node

    def showing(self, write: Node, views: Sequence[Node]) -> Node | None:
        """The statement that takes these views, one of the other, of what ``write`` goes into in
        place; without any, that takes the part that is written to.
        """
        if write not in self.overwrites:
            return None
        base, *_ = write.inputs
        views = views or [Node(getitem, (base, *write.inputs[2:]), write.attrs, base.type)]
        versions = [base]
        while versions[-1] in self.overwrites:
            versions.append(self.overwrites[versions[-1]])
        before = self.statements[: self.statements.index(write)]
        kept = (n for n in before if n not in self.snapshots and shares_operand(n))
        return next((node for node in kept if _takes(node, views, versions)), None)


def _takes(node: Node, views: Sequence[Node], of: Container[Node]) -> bool:
    """Whether ``node`` is what these views show of one of those."""
    for view in reversed(views):
        same = node.op is view.op and node.inputs[1:] == view.inputs[1:]
        if not same or node.attrs != view.attrs:
            return False
        node = node.inputs[0]
    return node in of


def plan(schedule: Schedule, *, condition: bool = False) -> Plan:
    """Decide the statements of a graph; a ``condition`` is to be one expression, if it can."""
    graph, snapshots = schedule.graph, frozenset(schedule.snapshots)
    choice = Choice(graph, snapshots | schedule.pinned, condition=condition)
    for node in graph.nodes:
        choice.decide(node)
    statements = [n for n in graph.nodes if n not in choice.inlined and not is_leaf(n)]
    constants = [n for n in graph.nodes if is_constant_array(n)]
    result = Plan(statements, choice.inlined, constants=constants, snapshots=snapshots)
    _reuse_buffers(graph, result)
    return result


# -- buffers -------------------------------------------------------------------------------------


def _reuse_buffers(graph: Graph, result: Plan) -> None:
    """Let a statement write over an operand that nothing reads afterwards."""
    last = _last_reads(graph, result)
    destined = destined_names(graph)
    first = _first_reads(result)
    for position, node in enumerate(result.statements):
        if form_of(node) is not None:
            _move_in(result, node, {i for i in node.inputs if last.get(i) == position})
            continue
        if node.op.update is not None:
            candidates = [node.inputs[0]]
        elif node.op.inplace is not None and node.array_type.ndim > 0:
            augments = is_operator(node) and len(node.inputs) == 2
            fits = can_augment if augments else same_buffer_type
            candidates = [i for i in node.inputs if fits(node, i)]
        else:
            continue
        for operand in candidates:
            dead = last.get(operand) == position
            if dead and _may_take(
                graph, result, destined, node, operand, first[operand] < position
            ):
                result.overwrites[node] = operand
                break


def _move_in(result: Plan, node: Node, dead: set[Node]) -> None:
    """Let a branch or a loop have the buffers that it owns, where nothing else shows them."""
    form = form_of(node)
    first = 1 if isinstance(form, BranchForm) else 0  # a condition is read before all else
    shown = [_shown(result, x) if p >= first else set() for p, x in enumerate(node.inputs)]
    result.moved[node] = {
        place
        for place in (() if form is None else form.owned)
        if node.inputs[place] in dead
        and node.inputs[place] not in result.inlined
        and owns_buffer(node.inputs[place])
        and sum(node.inputs[place] in buffers for buffers in shown) == 1
    }


def _shown(result: Plan, operand: Node) -> set[Node]:
    """The buffers that an operand may show, also by way of branches and loops."""
    found: set[Node] = set()
    inlined = written_with([operand], result.inlined)
    stack = [result.root(read) for read in inlined]
    while stack:
        base = stack.pop()
        if base not in found:
            found.add(base)
            stack.extend(result.root(kept) for kept in kept_alive(base))
    return found


def _may_take(
    graph: Graph,
    result: Plan,
    destined: Mapping[Node, str],
    node: Node,
    operand: Node,
    read_before: bool,
) -> bool:
    """Whether the code still reads well: one name for what is one value to the reader."""
    if operand in result.inlined or not owns_buffer(operand):
        return False
    if node.op.update is not None:
        return True
    name, wanted = _called(graph.names, result, operand), destined.get(node)
    if name is None:  # no mere step on the way to a name if another statement has read it: a term
        return wanted is None or not read_before or node.op.name in ("add", "subtract")
    if is_operator(node) and wanted is not None:
        return name == wanted
    return name.startswith("g_") or name == wanted


def _called(names: Mapping[Node, str], result: Plan, node: Node) -> str | None:
    """The name of the first value with one among those that have shared the buffer so far."""
    name: str | None = None
    value: Node | None = node
    while value is not None:
        name = names.get(value, name)
        value = result.overwrites.get(value)
    return name


def _first_reads(result: Plan) -> dict[Node, int]:
    """For every buffer the first statement that reads it."""
    first: dict[Node, int] = {}
    for position, node in enumerate(result.statements):
        for read in reads(node, result.inlined):
            first.setdefault(result.root(read), position)
    return first


def _last_reads(graph: Graph, result: Plan) -> dict[Node, int]:
    """For every buffer the last statement that reads it, itself or through a view."""
    last: dict[Node, int] = {}
    for position, node in enumerate(result.statements):
        for read in reads(node, result.inlined):
            last[result.root(read)] = position
    for returned in graph.results:
        inner = reads(returned, result.inlined) if returned in result.inlined else []
        for read in [returned, *inner]:
            last[result.root(read)] = len(result.statements)
    for node in reversed(graph.nodes):
        if node.op is record and node.attrs["by_reference"] and not node.attrs["copied"]:
            last[result.root(node.inputs[0])] = len(result.statements)
        for kept in kept_alive(node):
            base = result.root(kept)
            last[base] = max(last.get(base, 0), last.get(node, 0))
    return last
