"""Which values share memory with which: the root of a value owns its buffer."""

from __future__ import annotations

from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import constant, item, parameter
from gradsmith.ir.types import ArrayType


def shares_operand(node: Node) -> bool:
    """Whether the result may share memory with operand 0 (views, and ops that may return one).

    NumPy's scalars (``x[0]``) are copies.
    """
    if node.op.view is None and node.op is not item:
        return "alias" in node.op.traits
    return not isinstance(node.type, ArrayType) or node.type.form == "array"


def root(node: Node) -> Node:
    """The value whose buffer ``node`` reads: itself, or what it is a view of."""
    while shares_operand(node):
        node = node.inputs[0]
    return node


def may_be_held(node: Node) -> bool:
    """Whether other objects may hold the buffer of the result: what a call returns that gradsmith
    does not know may be an attribute of an object, or a view of an argument.
    """
    return "borrows" in node.op.traits and not node.attrs.get("fresh", False)


def _is_fresh(node: Node) -> bool:
    """Whether evaluating it makes a buffer of its own, which nothing else can see yet."""
    return not (shares_operand(node) or may_be_held(node) or node.op in (parameter, constant))


def owns_buffer(node: Node) -> bool:
    """Whether it is fresh and an array that can be written in place."""
    return _is_fresh(node) and node.array_type.ndim > 0
