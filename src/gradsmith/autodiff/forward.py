"""Forward mode: appends the tangents of a graph to the builder at work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradsmith.autodiff.activity import between, passes_derivative
from gradsmith.autodiff.zeros import accumulate, scale
from gradsmith.errors import GradientError, InternalError
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Custom, Linear, NotImplementedRule, Partials, argument_rule
from gradsmith.ops.create import zeros
from gradsmith.ops.shape import astype, broadcast_to


def jvp(
    outputs: Sequence[Node], inputs: Sequence[Node], tangents: Sequence[Node | None]
) -> list[Node | None]:
    """The directional derivatives of the outputs along ``tangents``; None where zero."""
    found: dict[Node, Node | None] = {}
    given = dict(zip(inputs, tangents, strict=True))
    for node in between(inputs, outputs):
        propagated = _tangent(node, found) if node.inputs else None
        found[node] = accumulate(given.get(node), propagated)
    return [found.get(output) for output in outputs]


def _tangent(node: Node, found: dict[Node, Node | None]) -> Node | None:
    moving = [
        position
        for position, operand in enumerate(node.inputs)
        if found.get(operand) is not None and passes_derivative(node, position)
    ]
    if not moving:
        return None
    with current_builder().at(node.span.as_adjoint() if node.span else None):
        term = _rule(node, moving, found)
        return None if term is None else _fit(term, node)


def _rule(node: Node, moving: list[int], found: dict[Node, Node | None]) -> Node | None:
    derivative = node.op.derivative
    if isinstance(derivative, Partials):
        return _by_partials(node, moving, found)
    if isinstance(derivative, Linear):
        return _by_linearity(node, moving, found, joint=derivative.joint)
    if isinstance(derivative, Custom):
        if isinstance(derivative.jvp, NotImplementedRule):
            raise _unavailable(node, derivative.jvp)
        tangents = [found.get(x) if i in moving else None for i, x in enumerate(node.inputs)]
        result: Node | None = derivative.jvp(node, node.inputs, tangents, **node.attrs)
        return result
    raise InternalError(f"{node.op.name} has no derivative")


def _by_partials(node: Node, moving: list[int], found: dict[Node, Node | None]) -> Node | None:
    total: Node | None = None
    for position in moving:
        rule = argument_rule(node.op.derivative, position)
        if isinstance(rule, NotImplementedRule):
            raise _unavailable(node, rule)
        tangent = found[node.inputs[position]]
        if tangent is None or not callable(rule):
            raise InternalError(f"{node.op.name}: argument {position} has no derivative")
        partial = rule(node, *node.inputs, **node.attrs)
        total = accumulate(total, scale(tangent, partial, conjugate=False))
    return total


def _by_linearity(
    node: Node, moving: list[int], found: dict[Node, Node | None], *, joint: bool
) -> Node | None:
    if joint:
        operands: list[Any] = [
            (found[x] if i in moving else _zeros_like(x)) if _is_linear(node, i) else x
            for i, x in enumerate(node.inputs)
        ]
        return node.op(*operands, **node.attrs)
    total: Node | None = None
    for position in moving:
        replaced: list[Any] = list(node.inputs)
        replaced[position] = found[node.inputs[position]]
        total = accumulate(total, node.op(*replaced, **node.attrs))
    return total


def _is_linear(node: Node, position: int) -> bool:
    return callable(argument_rule(node.op.derivative, position))


def _zeros_like(node: Node) -> Node:
    return zeros(shape=node.shape, dtype=node.dtype)


def _fit(term: Node, node: Node) -> Node:
    if term.shape != node.shape:
        term = broadcast_to(term, shape=node.shape)
    if node.array_type.weak or term.dtype == node.dtype:
        return term
    return astype(term, dtype=node.dtype)


def _unavailable(node: Node, rule: NotImplementedRule) -> GradientError:
    message = f"the derivative of {node.op.name} is not available: {rule.why}"
    return GradientError(message, node.span)
