"""Numbers as elements of arrays of objects, each in the class that Python gives it.

Integers of Python's may be of any size there, and a list may hold numbers of several classes.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, Emitter, Partials
from gradsmith.ir.types import ArrayType, DType, python_number, scalar
from gradsmith.ops import syntax
from gradsmith.ops.declare import primitive

OBJECT: DType = np.dtype(object)
"""The dtype of the arrays that hold the integers, or boxed numbers, of a list."""

boxed = primitive(
    "boxed",
    infer=lambda x: scalar(OBJECT),
    evaluate=lambda x: x,
    derivative=Partials((lambda out, x: 1,)),
    emit=lambda emitter, node, x: x,
)


def _rows(x: Any, *, pythons: bool) -> Any:
    made = np.empty(len(x), object)
    made[:] = x.tolist() if pythons else list(x)
    return made


def _emit_rows(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    if node.attrs["pythons"]:
        return syntax.method(x, "astype", dtype=OBJECT)
    return syntax.call("np.array", syntax.call("list", x), dtype=OBJECT)


boxed_rows = primitive(
    "boxed_rows",
    infer=lambda x, *, pythons: ArrayType(OBJECT, x.shape),
    evaluate=_rows,
    derivative=Partials((lambda out, x, *, pythons: 1,)),
    emit=_emit_rows,
)
"""The numbers of an array, as NumPy's scalars or Python's numbers."""


def _numbers(x: Any) -> Any:
    return np.array(x.tolist())


has_dtype = primitive(
    "has_dtype",
    infer=lambda x, *, dtype: python_number(bool),
    evaluate=lambda x, *, dtype: _numbers(x).dtype == dtype,
    derivative=NON_DIFF,
    emit=lambda emitter, node, x: ast.Compare(
        ast.Attribute(syntax.call("np.array", syntax.method(x, "tolist")), "dtype", ast.Load()),
        [ast.Eq()],
        [syntax.dtype(node.attrs["dtype"])],
    ),
    traits=("barrier",),
)
"""Whether NumPy makes an array of this dtype of the numbers."""
