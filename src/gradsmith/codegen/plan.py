"""Which values become statements, which are written within expressions, which reuse a buffer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gradsmith.codegen.forms import LEAVES, BranchForm, form_of, is_given, kept_alive, record
from gradsmith.codegen.reading import reads, written_with
from gradsmith.codegen.schedule import Schedule
from gradsmith.ir.alias import owns_buffer, shares_operand
from gradsmith.ir.graph import Graph, Node, users
from gradsmith.ir.intrinsics import constant, item, size
from gradsmith.ir.types import ArrayType, TupleType
from gradsmith.ops.declare import commutes
from gradsmith.ops.index import index_set

LONGEST = 6
"""Operations in one expression: more is hard to read, and runs past the line."""

LONGEST_STEP = 3
"""Operations in one step of an adjoint on whole arrays: what follows is done in place."""


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


def plan(schedule: Schedule, *, condition: bool = False) -> Plan:
    """Decide the statements of a graph; a ``condition`` is to be one expression, if it can."""
    graph, snapshots = schedule.graph, frozenset(schedule.snapshots)
    choice = _Choice(graph, snapshots | schedule.pinned, condition=condition)
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
    return node.op in LEAVES or is_given(node)


class _Choice:
    """Statement or expression, for each node in order."""

    def __init__(self, graph: Graph, kept: frozenset[Node], *, condition: bool) -> None:
        self.kept = kept
        self.condition = condition
        self.names = graph.names
        self.readers = users(graph.nodes)
        self.results = list(graph.results)
        self.inlined: set[Node] = set()
        self.destined = destined_names(graph)
        self._cost: dict[Node, int] = {}
        self._members = set(graph.nodes)

    def decide(self, node: Node) -> None:
        """Put ``node`` among the inlined ones unless it deserves a statement."""
        cost = 1 + sum(self._cost.get(i, 0) for i in node.inputs if i in self.inlined)
        self._cost[node] = cost
        if is_given(node):
            return
        if node.op in (size, item) or (node.op is constant and not _is_constant_array(node)):
            self._cost[node] = 0
            self.inlined.add(node)
        elif not _is_leaf(node) and not self._needs_statement(node, cost):
            self.inlined.add(node)

    def _needs_statement(self, node: Node, cost: int) -> bool:
        mentioned = node.attrs.get("symbol") is not None  # by sizes
        if mentioned or node.op.update is not None or isinstance(node.type, TupleType):
            return True
        if node not in self.readers and node not in self.results:
            return True  # by its length a size is known
        if self._goes_in(node):
            return not _is_plain_view(node) or cost > 1
        if node in self.kept:
            return True
        readings = len(self.readers.get(node, ())) + self.results.count(node)
        if _is_plain_view(node) and cost == 1 and node not in self.results:
            return False
        if node in self.results and len(self.results) > 1:
            return True
        if readings > 1 or node in self.names or cost > LONGEST * (1 + self.condition):
            return True
        return not self.condition and self._is_a_step(node, cost)

    def _is_a_step(self, node: Node, cost: int) -> bool:
        """Whether it is done in place, or what is done to it is."""
        return self._feeds_in_place(node) or self._works_in_place(node) or self._grows(node, cost)

    def _goes_in(self, node: Node) -> bool:
        """Whether a branch or a loop reads it, and not only in order to choose."""
        regional = [r for r in self.readers.get(node, ()) if form_of(r) is not None]
        return any(
            not isinstance(form_of(r), BranchForm) or node in r.inputs[1:] for r in regional
        )

    def _is_evaluated(self, reader: Node, node: Node) -> bool:
        """Whether ``reader`` has been evaluated once ``node`` is."""
        if reader is node or reader not in self.inlined:
            return reader in self._cost
        return all(self._is_evaluated(r, node) for r in self.readers[reader])

    def _feeds_in_place(self, node: Node) -> bool:
        """Whether the one reader is a function that can write its result over this one."""
        readers = self.readers.get(node, ())
        if len(readers) != 1 or not owns_buffer(node):
            return False
        updates = readers[0].op.update is not None and readers[0].inputs[0] is node
        return updates or _can_overwrite(readers[0], node)

    def _grows(self, node: Node, cost: int) -> bool:
        """Whether it is a part of an adjoint that the one reader can add to: ``g = a * b / c``
        and ``g += d``, a temporary less (10 to 20 % of 10,000 elements and more).
        """
        readers = self.readers.get(node, ())
        if cost < LONGEST_STEP or len(readers) != 1 or not is_adjoint(readers[0]):
            return False
        if not _is_operator(node) or len(node.inputs) != 2:
            return False
        others = [i for i in readers[0].inputs if i is not node]
        return _can_augment(readers[0], node) and not any(map(self._is_free, others))

    def _is_free(self, operand: Node) -> bool:
        """Whether it has a variable that is no argument, no result and none of the user's."""
        kept = operand in self.inlined or operand in self.results or operand not in self._cost
        mine = operand in self._members and self.names.get(operand, "g_").startswith("g_")
        return mine and not kept and owns_buffer(operand)

    def _works_in_place(self, node: Node) -> bool:
        """Whether it has an operand with a variable that nothing reads afterwards: ``t += 1``.

        Temporaries within expressions NumPy reuses by itself, where they are large.
        """
        return any(
            self._is_free(i)
            and (_can_overwrite(node, i) or self._augments(node, i))
            and all(self._is_evaluated(reader, node) for reader in self.readers[i])
            for i in node.inputs
        )

    def _augments(self, node: Node, operand: Node) -> bool:
        """Whether a step of an adjoint is to be done on its operand: ``t += 1``."""
        if not is_adjoint(node) or not _can_augment(node, operand):
            return False
        reader = next(iter(self.readers.get(node, ())), None)
        if reader is None or reader.op is index_set:
            return False  # it is computed where it is stored
        if operand not in self.names:
            return _same_buffer_type(reader, node)
        alike = self.destined.get(node) in (None, self.names[operand])
        return alike and _can_augment(reader, node)


def is_adjoint(node: Node) -> bool:
    """Whether it is a step of a derivative, and no value of the user's."""
    return node.span is not None and node.span.adjoint


def destined_names(graph: Graph) -> dict[Node, str]:
    """For values without names the name that they have as soon as something is added to them."""
    readers, found = users(graph.nodes), dict(graph.names)
    for node in reversed(graph.nodes):
        last = readers.get(node, [node])[-1]
        if node not in found and last in found and _can_augment(last, node):
            found[node] = found[last]
    return found


def _is_operator(node: Node) -> bool:
    return "operator" in node.op.traits


def _is_plain_view(node: Node) -> bool:
    """``x.T``, ``x[1:]``: as cheap to write twice as to name."""
    return node.op.view is not None and node.op.name in ("transpose", "expand_dims")


def _can_overwrite(writer: Node, operand: Node) -> bool:
    """Whether ``writer`` is a function (``np.exp(t, out=t)``) that may reuse ``operand``; NumPy
    itself reuses the temporaries of operators.
    """
    if writer.op.inplace is None or _is_operator(writer):
        return False
    return _same_buffer_type(writer, operand)


def _can_augment(writer: Node, operand: Node) -> bool:
    """Whether ``operand`` may become ``writer`` by an operator of Python's: ``operand -= x``."""
    if not _is_operator(writer) or len(writer.inputs) != 2:
        return False
    first = writer.inputs[0] is operand or commutes(writer)
    once = writer.inputs.count(operand) == 1
    return first and once and _same_buffer_type(writer, operand)


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
    destined = destined_names(graph)
    first = _first_reads(result)
    for position, node in enumerate(result.statements):
        if form_of(node) is not None:
            _move_in(result, node, {i for i in node.inputs if last.get(i) == position})
            continue
        if node.op.update is not None:
            candidates = [node.inputs[0]]
        elif node.op.inplace is not None and node.array_type.ndim > 0:
            augments = _is_operator(node) and len(node.inputs) == 2
            fits = _can_augment if augments else _same_buffer_type
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
    if _is_operator(node) and wanted is not None:
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
    for node in reversed(result.statements):
        if node.op is record and node.attrs["by_reference"] and not node.attrs["copied"]:
            last[result.root(node.inputs[0])] = len(result.statements)
        for kept in kept_alive(node):
            last[result.root(kept)] = max(last[result.root(kept)], last.get(node, 0))
    return last
