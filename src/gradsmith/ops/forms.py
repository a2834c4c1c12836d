"""A value as another form of the same number: a Python number, a NumPy scalar, an array."""

from __future__ import annotations

from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType
from gradsmith.ops.index import getitem
from gradsmith.ops.index_key import ELLIPSIS, Index
from gradsmith.ops.scalars import widened
from gradsmith.ops.shape import cast


def in_type(node: Node, type_: ArrayType) -> Node:
    """``node`` as a value of ``type_``, of the same shape, whose dtype holds it."""
    if node.type == type_:
        return node
    if "array" not in (node.array_type.form, type_.form):
        return widened(node, dtype=type_.dtype, scalar=not type_.weak)
    if node.dtype != type_.dtype or node.array_type.weak:
        node = cast(node, type_.dtype)
    if node.array_type.form != type_.form and not node.ndim:
        return getitem(node, index=Index(() if type_.form == "scalar" else (ELLIPSIS,)))
    return node
