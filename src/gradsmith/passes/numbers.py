"""Numbers of adjoints as floating-point ones where they meet arrays of these: ``2.0 * x``.

NumPy takes them as they are, where it has to convert a whole number: 0.1 µs of 0.6.
"""

from __future__ import annotations

from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.intrinsics import number
from gradsmith.ops.arithmetic import add, divide, multiply, subtract
from gradsmith.passes.replay import Replay

LARGEST = 2048
"""Whole numbers up to here are numbers of every precision."""


def floating_numbers(graph: Graph) -> Graph:
    """The graph with the whole numbers of its adjoints' arithmetic made floating."""
    return _Converting(graph).run()


class _Converting(Replay):
    ops = frozenset({add, subtract, multiply, divide})

    def better(self, node: Node) -> Node | None:
        """The same operation on the number converted."""
        if not self.is_free(node) or node.dtype.kind != "f":
            return None
        if not all(self._is_fitting(i, node) for i in node.inputs):
            return None
        if not any(_is_small_integer(operand) for operand in node.inputs):
            return None
        return node.op(
            *(float(number(i)) if _is_small_integer(i) else self.made[i] for i in node.inputs)
        )

    def _is_fitting(self, operand: Node, node: Node) -> bool:
        """Whether it is such a number, or an array of the result's type."""
        return _is_small_integer(operand) or (operand.ndim > 0 and operand.dtype == node.dtype)


def _is_small_integer(node: Node) -> bool:
    """Whether it is a small integer of Python's."""
    value = number(node) if node.array_type.weak else None
    return type(value) is int and abs(value) <= LARGEST
