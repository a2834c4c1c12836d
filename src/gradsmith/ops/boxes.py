"""Integers of Python's as elements of arrays of objects, where they may be of any size."""

from __future__ import annotations

import numpy as np

from gradsmith.ir.op import NON_DIFF
from gradsmith.ir.types import DType, scalar
from gradsmith.ops.declare import primitive

OBJECT: DType = np.dtype(object)
"""The dtype of the arrays that hold the integers of a list."""

boxed = primitive(
    "boxed",
    infer=lambda x: scalar(OBJECT),
    evaluate=lambda x: x,
    derivative=NON_DIFF,
    emit=lambda emitter, node, x: x,
)
