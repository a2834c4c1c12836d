"""Which values become statements, which are written within expressions, which reuse a buffer."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradsmith.codegen.schedule import Schedule
from gradsmith.ir.alias import owns_buffer, shares_operand
from gradsmith.ir.graph import Graph, Node, users
from gradsmith.ir.intrinsics import constant, item, parameter, size
from gradsmith.ir.types import ArrayType, TupleType

LONGEST = 6
"""Operations in one expression: more is hard to read, and runs past the line."""


@dataclass(slots=True)
class Plan:
    """The statements in order; for those done in place, the operand whose buffer they take."""

    statements: list[Node]
    inlined: set[Node]
    overwrites: dict[Node, Node] = field(default_factory=dict)
    constants: list[Node] = field(default_factory=list)
    snapshots: frozenset[Node] = frozenset()

    def root(self, node: Node) -> Node:
        """The value whose buffer ``node`` reads; a snapshot is a copy and has its own."""
        while node not in self.snapshots and shares_operand(node):
            node = node.inputs[0]
        return node


def plan(schedule: Schedule) -> Plan:
    """Decide the statements of a graph."""
    graph, snapshots = schedule.graph, frozenset(schedule.snapshots)
    choice = _Choice(graph, snapshots | schedule.pinned)
    for node in graph.nodes:
        choice.decide(node)
    statements = [n for n in graph.nodes if n not in choice.inlined and not _is_leaf(n)]
    constants = [n for n in graph.nodes if _is_constant_array(n)]
    result = Plan(statements, choice.inlined, constants=constants, snapshots=snapshots)
    _reuse_buffers(graph, result)
    return result


def _is_constant_array(node: Node) -> bool:
    return node.op is constant and node.array_type.ndim > 0


def _is_leaf(node: Node) -> bool:
    return node.op in (parameter, constant, size)


class _Choice:
    """Statement or expression, for each node in order."""

    def __init__(self, graph: Graph, kept: frozenset[Node]) -> None:
        self.kept = kept
        self.names = graph.names
        self.readers = users(graph.nodes)
        self.results = list(graph.results)
        self.inlined: set[Node] = set()
        self._cost: dict[Node, int] = {}
        self._members = set(graph.nodes)

    def decide(self, node: Node) -> None:
        """Put ``node`` among the inlined ones unless it deserves a statement."""
        cost = 1 + sum(self._cost.get(i, 0) for i in node.inputs if i in self.inlined)
        self._cost[node] = cost
        if node.op in (size, item) or (node.op is constant and not _is_constant_array(node)):
            self._cost[node] = 0
            self.inlined.add(node)
        elif not _is_leaf(node) and not self._needs_statement(node, cost):
            self.inlined.add(node)

    def _needs_statement(self, node: Node, cost: int) -> bool:
        if node.op.update is not None or isinstance(node.type, TupleType):
            return True
        if node in self.kept:
            return True
        readings = len(self.readers.get(node, ())) + self.results.count(node)
        if _is_plain_view(node) and cost == 1 and node not in self.results:
            return False
        if node in self.results and len(self.results) > 1:
            return True
        if readings > 1 or node in self.names or cost > LONGEST:
            return True
        return self._feeds_in_place(node) or self._works_in_place(node)

    def _feeds_in_place(self, node: Node) -> bool:
        """Whether the one reader is a function that can write its result over this one."""
        readers = self.readers.get(node, ())
        if len(readers) != 1 or not owns_buffer(node):
            return False
        updates = readers[0].op.update is not None and readers[0].inputs[0] is node
        return updates or _can_overwrite(readers[0], node)

    def _works_in_place(self, node: Node) -> bool:
        """Whether it is a function with a temporary for operand that nothing reads afterwards.

        Operators stay in their expressions: NumPy reuses large temporaries there by itself, and
        a formula reads better than a list of steps (1.2 times slower for a long chain of them on
        a million elements, as fast elsewhere).
        """
        return any(
            i in self._members
            and i not in self.inlined
            and self.readers[i][-1] is node
            and i not in self.results
            and self.names.get(i, "g_").startswith("g_")
            and _can_overwrite(node, i)
            for i in node.inputs
        )


def _is_plain_view(node: Node) -> bool:
    """``x.T``, ``x[1:]``: as cheap to write twice as to name."""
    return node.op.view is not None and node.op.name in ("transpose", "expand_dims")


def _can_overwrite(writer: Node, operand: Node) -> bool:
    """Whether ``writer`` is a function (``np.exp(t, out=t)``) that may reuse ``operand``; NumPy
    itself reuses the temporaries of operators.
    """
    if writer.op.inplace is None or "operator" in writer.op.traits:
        return False
    return _same_buffer_type(writer, operand)


def _same_buffer_type(writer: Node, operand: Node) -> bool:
    if isinstance(operand.type, TupleType) or not isinstance(writer.type, ArrayType):
        return False
    if not owns_buffer(operand):
        return False
    return operand.dtype == writer.dtype and operand.shape == writer.shape


# -- buffers -------------------------------------------------------------------------------------


def _reuse_buffers(graph: Graph, result: Plan) -> None:
    """Let a statement write over an operand that nothing reads afterwards."""
    last = _last_reads(graph, result)
    first = _first_reads(result)
    for position, node in enumerate(result.statements):
        if node.op.update is not None:
            candidates = [node.inputs[0]]
        elif node.op.inplace is not None and node.array_type.ndim > 0:
            candidates = [i for i in node.inputs if _same_buffer_type(node, i)]
        else:
            continue
        for operand in candidates:
            dead = last.get(operand) == position
            if dead and _may_take(graph, result, node, operand, first[operand] < position):
                result.overwrites[node] = operand
                break


def _may_take(graph: Graph, result: Plan, node: Node, operand: Node, read_before: bool) -> bool:
    """Whether the code still reads well: one name for what is one value to the reader."""
    if operand in result.inlined or not owns_buffer(operand):
        return False
    if node.op.update is not None:
        return True
    name, wanted = graph.names.get(operand), graph.names.get(node)
    if name is None:  # no mere step on the way to a name if another statement has read it: a term
        return wanted is None or not read_before or node.op.name in ("add", "subtract")
    return name.startswith("g_") or name == wanted


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
    return last


def reads(node: Node, inlined: set[Node]) -> list[Node]:
    """The variables that the expression of ``node`` reads, and views on the way."""
    found: list[Node] = []
    stack = list(node.inputs)
    while stack:
        operand = stack.pop()
        found.append(operand)
        if operand in inlined:
            stack.extend(operand.inputs)
    return found
