"""A value as another form of the same number: a Python number, a NumPy scalar, an array."""

from __future__ import annotations

import numpy as np

from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType
from gradsmith.ops.arithmetic import multiply
from gradsmith.ops.index import getitem
from gradsmith.ops.index_key import ELLIPSIS, Index
from gradsmith.ops.scalars import as_float
from gradsmith.ops.shape import cast


def in_type(node: Node, type_: ArrayType) -> Node:
    """``node`` as a value of ``type_``, of the same shape, whose dtype holds it."""
    if node.type == type_:
        return node
    if type_.weak:
        return as_float(node) if type_.dtype == np.float64 else multiply(node, 1 + 0j)
    if node.dtype != type_.dtype or node.array_type.weak:
        node = cast(node, type_.dtype)
    if node.array_type.form != type_.form and not node.ndim:
        return getitem(node, index=Index(() if type_.form == "scalar" else (ELLIPSIS,)))
    return node
