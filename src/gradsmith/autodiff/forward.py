"""Forward mode: appends the tangents of a graph to the builder at work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from gradsmith.autodiff.activity import Active, between, passes_derivative, wanted
from gradsmith.autodiff.paths import add_path
from gradsmith.autodiff.tangents import push_branch, push_loop, push_rerun
from gradsmith.autodiff.zeros import accumulate, scale
from gradsmith.errors import GradientError, InternalError
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item
from gradsmith.ir.nesting import nesting_limited
from gradsmith.ir.op import Custom, Linear, NotImplementedRule, Partials, argument_rule
from gradsmith.ir.types import TupleType
from gradsmith.ops.boxes import OBJECT
from gradsmith.ops.create import zeros
from gradsmith.ops.regions import branch, loop, rerun
from gradsmith.ops.shape import astype, broadcast_to

EMPTY: Mapping[Node, Node | None] = MappingProxyType({})


def jvp(
    outputs: Sequence[Node], inputs: Sequence[Node], tangents: Sequence[Node | None]
) -> list[Node | None]:
    """The directional derivatives of the outputs along ``tangents``; None where zero."""
    given = dict(zip(inputs, tangents, strict=True))
    found = {node: tangent for node, tangent in given.items() if not node.inputs}
    inputs = [node for node, tangent in given.items() if tangent is not None]
    before = tuple(current_builder().nodes)
    with nesting_limited(lambda: before):
        nodes = between(inputs, outputs)
        wanted_nodes = wanted(nodes, Active(inputs).extend(nodes), outputs)
        _push([node for node in nodes if node in wanted_nodes], found, given)
    return [found.get(output) for output in outputs]


def _push(
    nodes: Sequence[Node],
    found: dict[Node, Node | None],
    given: Mapping[Node, Node | None] = EMPTY,
) -> None:
    """Add the tangents of ``nodes``, which are in order, to those that are known."""
    parts: dict[Node, dict[int, Node]] = {}
    for node in nodes:
        with current_builder().at(node.span.as_adjoint() if node.span else None):
            try:
                if node.op in PUSHES:
                    parts[node] = PUSHES[node.op](node, found, _push)
                elif isinstance(node.type, TupleType):
                    parts[node] = _tangents(node, found)
                elif node.op is item and node.inputs[0] in parts:
                    found[node] = parts[node.inputs[0]].get(node.attrs["index"])
                elif node.inputs:
                    found[node] = accumulate(given.get(node), _tangent(node, found))
            except GradientError as error:
                add_path(error, node, nodes)
                raise


PUSHES = {loop: push_loop, branch: push_branch, rerun: push_rerun}
"""Forward mode of the ops that run regions."""


def _tangent(node: Node, found: dict[Node, Node | None]) -> Node | None:
    moving = [
        position
        for position, operand in enumerate(node.inputs)
        if found.get(operand) is not None and passes_derivative(node, position)
    ]
    if not moving:
        return None
    term = _rule(node, moving, found)
    return None if term is None else _fit(term, node)


def _tangents(node: Node, found: dict[Node, Node | None]) -> dict[int, Node]:
    """Of those results of an op with several that move."""
    derivative = node.op.derivative
    if not isinstance(derivative, Custom) or isinstance(derivative.jvp, NotImplementedRule):
        raise InternalError(f"{node.op.name} has no derivative")
    moved: dict[int, Node] = derivative.jvp(
        node, node.inputs, [found.get(x) for x in node.inputs], **node.attrs
    )
    return moved


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
        return node.op(*operands, **_tangent_attrs(node))
    total: Node | None = None
    for position in moving:
        replaced: list[Any] = list(node.inputs)
        replaced[position] = found[node.inputs[position]]
        total = accumulate(total, node.op(*replaced, **_tangent_attrs(node)))
    return total


def _tangent_attrs(node: Node) -> Mapping[str, Any]:
    """The attributes with which a linear op gives the tangent: that of boxed numbers has none."""
    if node.attrs.get("dtype") != OBJECT:
        return node.attrs
    return {**node.attrs, "dtype": node.array_type.tangent_dtype}


def _is_linear(node: Node, position: int) -> bool:
    return callable(argument_rule(node.op.derivative, position))


def _zeros_like(node: Node) -> Node:
    return zeros(shape=node.shape, dtype=node.array_type.tangent_dtype)


def _fit(term: Node, node: Node) -> Node:
    if term.shape != node.shape:
        term = broadcast_to(term, shape=node.shape)
    dtype = node.array_type.tangent_dtype
    if node.array_type.weak or term.dtype == dtype:
        return term
    return astype(term, dtype=dtype)


def _unavailable(node: Node, rule: NotImplementedRule) -> GradientError:
    message = f"the derivative of {node.op.name} is not available: {rule.why}"
    return GradientError(message, node.span)
