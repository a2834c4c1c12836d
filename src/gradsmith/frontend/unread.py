"""Errors of values that nothing reads."""

from __future__ import annotations

from collections.abc import Iterable

from gradsmith.ir.builder import Builder
from gradsmith.ir.graph import Node
from gradsmith.ops.raising import may_raise_inside, may_raise_unread


def note_errors(builder: Builder, nodes: Iterable[Node]) -> None:
    """Have the errors of nodes that have just been made raised, whether or not anything reads
    these.
    """
    for node in list(nodes):
        if may_raise_unread(node) or may_raise_inside(node):
            builder.note_error(node)
