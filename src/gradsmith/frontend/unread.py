"""Errors of values that nothing reads."""

from __future__ import annotations

from collections.abc import Iterable

from gradsmith.frontend.number_class import is_number, possible_types
from gradsmith.ir.builder import Builder
from gradsmith.ir.graph import Node
from gradsmith.ops.raising import ARITHMETIC, may_raise_inside, may_raise_unread


def note_errors(builder: Builder, nodes: Iterable[Node]) -> None:
    """Have the errors of nodes that have just been made raised, whether or not anything reads
    these.
    """
    for node in list(nodes):
        if may_raise_unread(node) or may_raise_inside(node) or _may_be_of_pythons(node):
            builder.note_error(node)


def _may_be_of_pythons(node: Node) -> bool:
    """Whether the path decides if a quotient or power is of Python's numbers, which raise."""
    if node.op.name not in ARITHMETIC or not all(map(is_number, node.inputs)):
        return False
    return all(any(t.weak for t in possible_types(operand)) for operand in node.inputs)
