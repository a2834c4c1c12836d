"""Reverse mode: appends the adjoint of a graph to the builder at work."""

from __future__ import annotations

from collections.abc import Sequence

from gradsmith.autodiff.activity import between, passes_derivative
from gradsmith.autodiff.zeros import accumulate, masked_parts, scale
from gradsmith.errors import GradientError, InternalError
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Shape
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item
from gradsmith.ir.op import Custom, Linear, NotImplementedRule, Partials, argument_rule
from gradsmith.ir.types import ArrayType, TupleType
from gradsmith.ops.compare import not_equal
from gradsmith.ops.complex import real
from gradsmith.ops.control import distinct
from gradsmith.ops.select import where
from gradsmith.ops.shape import astype, broadcast_to, unbroadcast

Adjoint = Node | None


def vjp(
    outputs: Sequence[Node], seeds: Sequence[Node | None], inputs: Sequence[Node]
) -> list[Node | None]:
    """The gradients of ``sum(seed * output)`` in each input; None where there is none.

    ``inputs`` may be intermediate values, and may depend on one another.
    """
    adjoints: dict[Node, Node | None] = {}
    tuples: dict[Node, list[Node | None]] = {}
    active = between(inputs, outputs)
    members = set(active)
    for output, seed in zip(outputs, seeds, strict=True):
        if output in members:
            adjoints[output] = accumulate(adjoints.get(output), seed)
    for node in reversed(active):
        if node.op is item:
            _collect_item(node, adjoints, tuples)
        else:
            _propagate(node, adjoints, tuples, members)
    return [_finish(node, adjoints.get(node)) for node in inputs]


def _collect_item(
    node: Node, adjoints: dict[Node, Node | None], tuples: dict[Node, list[Node | None]]
) -> None:
    whole = node.inputs[0]
    if not isinstance(whole.type, TupleType):
        raise InternalError(f"item of {whole!r}")
    parts = tuples.setdefault(whole, [None] * len(whole.type.items))
    index = node.attrs["index"]
    parts[index] = accumulate(parts[index], adjoints.get(node))


def _propagate(
    node: Node,
    adjoints: dict[Node, Node | None],
    tuples: dict[Node, list[Node | None]],
    members: set[Node],
) -> None:
    g = tuples.get(node) if isinstance(node.type, TupleType) else adjoints.get(node)
    if g is None or not node.inputs:
        return
    builder = current_builder()
    with builder.at(node.span.as_adjoint() if node.span else None):
        if isinstance(g, Node) and node in builder.names:
            builder.name(g, f"g_{builder.names[node]}")
        for position, operand in enumerate(node.inputs):
            if operand in members and passes_derivative(node, position):
                term = _contribution(node, position, g)
                adjoints[operand] = accumulate(adjoints.get(operand), term)


def _contribution(node: Node, position: int, g: Node | list[Node | None]) -> Node | None:
    derivative = node.op.derivative
    rule = argument_rule(derivative, position)
    if isinstance(rule, NotImplementedRule):
        message = f"the derivative of {node.op.name} is not available: {rule.why}"
        raise GradientError(message, node.span)
    if not callable(rule):
        raise InternalError(f"{node.op.name}: argument {position} has no derivative")
    attrs = node.attrs
    if isinstance(derivative, Partials):
        if not isinstance(g, Node):
            raise InternalError(f"{node.op.name}: an elementwise op with several results")
        term = scale(g, rule(node, *node.inputs, **attrs))
    elif isinstance(derivative, Linear):
        term = rule(g, *node.inputs, **attrs)
    elif isinstance(derivative, Custom):
        term = rule(g, node, *node.inputs, **attrs)
    else:
        raise InternalError(f"{node.op.name} has no derivative")
    return None if term is None else fit(term, node.inputs[position].array_type)


def fit(term: Node, type_: ArrayType) -> Node:
    """``term`` in the shape and dtype of the operand that it is the adjoint of."""
    summed = _unbroadcast(term, type_.shape)
    if summed.array_type.complex and not type_.complex:
        summed = real(summed)
    if type_.weak or summed.dtype == type_.dtype:
        return summed
    return astype(summed, dtype=type_.dtype)


def _unbroadcast(term: Node, shape: Shape) -> Node:
    """The sum over broadcast axes; a masked term stays masked where nothing of it was taken."""
    summed = unbroadcast(term, shape)
    parts = masked_parts(term)
    if parts is None or summed is term:
        return summed
    taken = unbroadcast(broadcast_to(parts[0], shape=term.shape), shape)
    return where(not_equal(taken, 0), summed, 0)


def _finish(node: Node, gradient: Node | None) -> Node | None:
    """A gradient has the dtype of its input; that of a Python number is a NumPy scalar."""
    if gradient is None:
        return None
    builder = current_builder()
    if gradient.dtype != node.dtype or gradient.array_type.weak:
        gradient = astype(gradient, dtype=node.dtype)
    if node in builder.names:
        name = f"g_{builder.names[node]}"
        if builder.names.get(gradient, name) != name:
            gradient = distinct(gradient, token=builder.token())  # the same value, another name
        builder.name(gradient, name)
    return gradient
