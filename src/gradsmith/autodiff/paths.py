"""The path through a step that has no derivative, for the error that names it."""

from __future__ import annotations

from collections.abc import Sequence

from gradsmith.errors import GradientError
from gradsmith.ir.graph import Node


def add_path(error: GradientError, step: Node, active: Sequence[Node]) -> None:
    """Say in ``error`` how the input reaches the result through ``step``.

    ``active`` are the nodes with a derivative, each after its operands. Where the step is a loop
    or a branch, the error knows the path within it already.
    """
    within = error.path or tuple(span for span in [step.span] if span is not None)
    before = [node.span for node in reversed(_operands(step, set(active)))]
    after = [node.span for node in _users(step, active)]
    error.path = (
        *(span for span in before if span is not None),
        *within,
        *(span for span in after if span is not None),
    )


def _operands(step: Node, members: set[Node]) -> list[Node]:
    """From ``step`` back to an input, by its first operand that has a derivative."""
    found: list[Node] = []
    node: Node | None = step
    while node is not None:
        node = next((operand for operand in node.inputs if operand in members), None)
        if node is not None and node.inputs:
            found.append(node)
    return found


def _users(step: Node, active: Sequence[Node]) -> list[Node]:
    """From ``step`` on to the result."""
    found = [step]
    for node in active:
        if found[-1] in node.inputs:
            found.append(node)
    return found[1:]
