"""The reverse sweep over a list of nodes: adjoints from the results back to the operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gradsmith.autodiff.activity import passes_derivative
from gradsmith.autodiff.paths import add_path
from gradsmith.autodiff.twins import Group, groups_of
from gradsmith.autodiff.zeros import accumulate, masked_parts, scale
from gradsmith.errors import GradientError, InternalError
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Shape
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item
from gradsmith.ir.op import Custom, Linear, NotImplementedRule, Op, Partials, argument_rule
from gradsmith.ir.types import ArrayType, TapeType, TupleType
from gradsmith.ops.compare import not_equal
from gradsmith.ops.complex import real
from gradsmith.ops.select import where
from gradsmith.ops.shape import astype, broadcast_to, unbroadcast

Adjoints = list[Node]
"""Of one value: of an array one at most, of a tape any number, which are to be added."""


@dataclass(frozen=True, slots=True)
class Around:
    """What loops around a region say of its values.

    ``distant`` are those that a loop around would have to record: parts of them are worth
    recording instead. ``lasting`` are those that can be read from an array outside: the array,
    and a node that is indexed so.
    """

    distant: frozenset[Node] = frozenset()
    lasting: Mapping[Node, tuple[Node, Node]] = field(default_factory=dict)


class Sweep:
    """Adjoints of the nodes of one graph or region, as they grow.

    Parameters
    ----------
    active : sequence of nodes
        Those on the way, each after its operands.
    around : Around
        What loops around it mean for the loops and branches in it.
    """

    def __init__(self, active: Sequence[Node], around: Around | None = None) -> None:
        self.active = active
        self.members = set(active)
        self.around = Around() if around is None else around
        self.adjoints: dict[Node, Adjoints] = {}
        self._parts: dict[Node, list[Adjoints]] = {}
        self._groups: dict[Node, Group] = {}

    def add(self, node: Node, term: Node | None) -> None:
        """Add to the adjoint of ``node``, if it is on the way."""
        if term is None or node not in self.members:
            return
        found = self.adjoints.setdefault(node, [])
        if isinstance(node.type, TapeType):
            found.append(term)
        else:
            total = accumulate(found[0] if found else None, term)
            found[:] = [] if total is None else [total]

    def adjoint(self, node: Node) -> Node | None:
        """That of an array so far; None for zero."""
        found = self.adjoints.get(node)
        return found[0] if found else None

    def run(self) -> None:
        """From the last node to the first."""
        builder = current_builder()
        self._groups = groups_of(self.active)
        for node in reversed(self.active):
            group = self._groups.get(node)
            known = node if group is None else group.whole
            late = group is not None and node is not group.first
            if late or not (known in self.adjoints or known in self._parts):
                continue
            with builder.at(node.span.as_adjoint() if node.span else None):
                try:
                    self._pass(node, known)
                except GradientError as error:
                    add_path(error, node, self.active)
                    raise

    def _pass(self, node: Node, whole: Node) -> None:
        """From ``node`` on to its operands; ``whole`` stands for the loops joined with it."""
        if node.op is item:
            self._collect(node)
        elif node.op in PULLBACKS:
            self._pull(whole)
        elif node.inputs:
            self._propagate(node)

    def _collect(self, node: Node) -> None:
        """Keep the adjoint of an item until all those of the whole are known."""
        whole, index = node.inputs[0], node.attrs["index"]
        if whole in self._groups:
            group = self._groups[whole]
            whole, index = group.whole, group.members[whole][index]
        if not isinstance(whole.type, TupleType):
            raise InternalError(f"item of {whole!r}")
        parts = self._parts.setdefault(whole, [[] for _ in whole.type.items])
        if isinstance(node.type, TapeType):
            parts[index] += self.adjoints[node]
        elif self.adjoint(node) is not None:
            total = accumulate(parts[index][0] if parts[index] else None, self.adjoint(node))
            parts[index] = [] if total is None else [total]

    def _pull(self, node: Node) -> None:
        """Through a loop or a branch: it adds to the adjoints of its operands by itself."""
        wanted = [
            p
            for p, operand in enumerate(node.inputs)
            if operand in self.members and passes_derivative(node, p)
        ]
        taken: set[Node] = set()
        starts: dict[int, Node | None] = {}
        for position in wanted:
            operand = node.inputs[position]
            if operand not in taken and not isinstance(operand.type, TapeType):
                starts[position] = self.adjoint(operand)
                taken.add(operand)
        totals = PULLBACKS[node.op](node, self._parts[node], wanted, starts, self.around)
        for position in totals:
            if starts.get(position) is not None:
                self.adjoints[node.inputs[position]] = []
        for position, terms in totals.items():
            for term in terms:
                self.add(node.inputs[position], term)

    def _propagate(self, node: Node) -> None:
        builder = current_builder()
        g = self._given(node)
        if g is None:
            return
        if isinstance(g, Node) and node in builder.names:
            builder.name(g, f"g_{builder.names[node]}")
        for position, operand in enumerate(node.inputs):
            if operand in self.members and passes_derivative(node, position):
                self.add(operand, _contribution(node, position, g))

    def _given(self, node: Node) -> Node | list[Node | None] | None:
        if isinstance(node.type, TupleType):
            return [part[0] if part else None for part in self._parts[node]]
        return self.adjoint(node)


Pullback = Callable[
    [Node, Sequence[Adjoints], Sequence[int], Mapping[int, "Node | None"], Around],
    Mapping[int, Adjoints],
]
"""``pullback(node, adjoints of its results, wanted positions, totals so far, around)``: the new
totals of the operands at these positions (of tapes: terms). Loops and branches add to the
totals where they are, which would otherwise be zeros made for every trip."""

PULLBACKS: dict[Op, Pullback] = {}
"""Of the ops that run regions; ``autodiff.reverse`` fills it."""


def _contribution(node: Node, position: int, g: Node | list[Node | None]) -> Node | None:
    derivative = node.op.derivative
    rule = argument_rule(derivative, position)
    if isinstance(rule, NotImplementedRule):
        message = f"the derivative of {node.op.name} is not available: {rule.why}"
        raise GradientError(message, node.span)
    if not callable(rule):
        raise InternalError(f"{node.op.name}: argument {position} has no derivative")
    attrs, whole = node.attrs, None
    if isinstance(derivative, Partials):
        if not isinstance(g, Node):
            raise InternalError(f"{node.op.name}: an elementwise op with several results")
        term, whole = scale(g, rule(node, *node.inputs, **attrs)), g.shape
    elif isinstance(derivative, Linear):
        term = rule(g, *node.inputs, **attrs)
    elif isinstance(derivative, Custom):
        term = rule(g, node, *node.inputs, **attrs)
    else:
        raise InternalError(f"{node.op.name} has no derivative")
    return None if term is None else fit(term, node.inputs[position].array_type, whole)


def fit(term: Node, type_: ArrayType, whole: Shape | None = None) -> Node:
    """``term`` in the shape and dtype of the operand that it is the adjoint of; it has the shape
    ``whole``, where more is known of that than of its own.
    """
    summed = _unbroadcast(term, type_.shape, whole or term.shape)
    if summed.array_type.complex and not type_.complex:
        summed = real(summed)
    if type_.weak or summed.dtype == type_.tangent_dtype:
        return summed
    return astype(summed, dtype=type_.tangent_dtype)


def _unbroadcast(term: Node, shape: Shape, whole: Shape) -> Node:
    """The sum over broadcast axes; a masked term stays masked where nothing of it was taken."""
    summed = unbroadcast(term, shape, whole)
    parts = masked_parts(term)
    if parts is None or summed is term:
        return summed
    taken = unbroadcast(broadcast_to(parts[0], shape=term.shape), shape, whole)
    return where(not_equal(taken, 0), summed, 0)
