"""Which values an expression is written with."""

from __future__ import annotations

from collections.abc import Iterable

from gradsmith.ir.graph import Node


def reads(node: Node, inlined: set[Node]) -> list[Node]:
    """The variables that the expression of ``node`` reads, and views on the way."""
    return written_with(node.inputs, inlined)


def written_with(operands: Iterable[Node], inlined: set[Node]) -> list[Node]:
    """The same for these operands."""
    found: list[Node] = []
    stack = list(operands)
    while stack:
        operand = stack.pop()
        found.append(operand)
        if operand in inlined:
            stack.extend(operand.inputs)
    return found
