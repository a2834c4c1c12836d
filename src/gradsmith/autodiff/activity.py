"""What depends on what: which nodes carry a derivative from the inputs to the outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node, ancestors
from gradsmith.ir.op import NonDiff, argument_rule
from gradsmith.ir.types import TupleType
from gradsmith.ops.control import finished_gradient


def is_differentiable(node: Node) -> bool:
    """Whether its type can carry a derivative at all."""
    if isinstance(node.type, TupleType):
        return any(item.inexact for item in node.type.items)
    return node.type.inexact


def passes_derivative(node: Node, position: int) -> bool:
    """Whether ``node`` has a derivative (available or not) in the operand at ``position``."""
    if not is_differentiable(node) or not is_differentiable(node.inputs[position]):
        return False
    return not isinstance(argument_rule(node.op.derivative, position), NonDiff)


def between(inputs: Sequence[Node], outputs: Iterable[Node]) -> list[Node]:
    """The nodes on a differentiable way from ``inputs`` to ``outputs``, inputs included,
    each after its operands.
    """
    needed = ancestors(outputs)
    active = {node for node in inputs if is_differentiable(node)}
    order = [node for node in inputs if node in active and node in needed and not node.inputs]
    for node in current_builder().nodes:
        if node not in needed:
            continue
        if node in active or any(
            operand in active and passes_derivative(node, position)
            for position, operand in enumerate(node.inputs)
        ):
            active.add(node)
            order.append(node)
    return list(dict.fromkeys(order))


@dataclass(frozen=True, slots=True)
class Unused:
    """Why an output has no gradient in an input; ``cut`` is the step that ends the way."""

    cut: Node | None

    @property
    def reason(self) -> str:
        """The reason as the end of a sentence."""
        if self.cut is None:
            return "it is not used at all on the way to the outputs"
        if self.cut.op is finished_gradient:
            step = "a gradient that was taken without create_graph=True and so is a constant"
        else:
            step = f"{self.cut.op.name}, which has no derivative"
        span = self.cut.span
        if span is None:
            return f"it reaches the outputs only through {step}"
        return f"it reaches the outputs only through {step} ({span.where}: {span.text})"


def why_unused(source: Node, outputs: Sequence[Node]) -> Unused | None:
    """Why ``source`` has no gradient: not used, or cut by a step that has none.

    None where it does reach the outputs: its gradient is zero then, as that of ``sign`` is.
    """
    needed = ancestors(outputs)
    if source not in needed:
        return Unused(None)
    active = {source}
    cut: Node | None = None
    for node in current_builder().nodes:
        if node not in needed or node is source:
            continue
        readings = [p for p, operand in enumerate(node.inputs) if operand in active]
        if not readings:
            continue
        if any(passes_derivative(node, position) for position in readings):
            active.add(node)
        elif cut is None:
            cut = node
    return None if active.intersection(outputs) else Unused(cut)
