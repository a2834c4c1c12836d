"""Traces of matrices, or of stacks of them; diagonals are in pick.py."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gradsmith.errors import ShapeError
from gradsmith.ir import dims
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Emitter, Linear, Op
from gradsmith.ir.types import ArrayType, DType
from gradsmith.ops import syntax
from gradsmith.ops.arguments import as_dtype, as_static_int, normalize_axes
from gradsmith.ops.create import eye
from gradsmith.ops.declare import FUNCTIONS, as_node, implements, primitive, result_form
from gradsmith.ops.manipulate import moveaxis
from gradsmith.ops.reduce import probe
from gradsmith.ops.shape import expand_dims, owner


def _trace_infer(x: ArrayType, *, offset: int, dtype: DType | None = None) -> ArrayType:
    shape = x.shape[:-2]
    return ArrayType(probe(np.sum, x.dtype, dtype), shape, result_form(shape))


def _trace_transpose(g: Node, x: Node, *, offset: int, **_: Any) -> Node:
    rows, columns = x.shape[-2:]
    equal = dims.is_settled(rows, columns) and dims.hint(rows) == dims.hint(columns)
    if equal and dims.same(rows, columns):
        columns = rows
    kind = np.dtype(np.float64) if g.array_type.complex else g.dtype
    identity = eye(rows=rows, columns=columns, k=offset, dtype=kind)
    return (expand_dims(g, axis=(g.ndim, g.ndim + 1)) if g.ndim else g) * identity


def _emit_trace(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    offset, plain = node.attrs["offset"], node.inputs[0].ndim == 2
    where = ([offset] if offset else []) if plain else [offset, -2, -1]
    return syntax.method(owner(node, x), "trace", *where, dtype=node.attrs.get("dtype"))


# Of the last two axes; others are moved there, which costs nothing.
trace: Op = primitive(
    "trace",
    infer=_trace_infer,
    evaluate=lambda x, *, offset, dtype=None: np.trace(x, offset, -2, -1, dtype),
    derivative=Linear((_trace_transpose,)),
    emit=_emit_trace,
)


@implements(np.trace)
def trace_(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Node:
    """`numpy.trace`."""
    x = as_node(a)
    if x.ndim < 2:
        raise ShapeError(f"np.trace requires an array of at least two dimensions, not {x.ndim}")
    x = moveaxis(x, normalize_axes((axis1, axis2), x.ndim), (-2, -1))
    attrs: dict[str, Any] = {"offset": as_static_int(offset, "offset")}
    if dtype is not None and as_dtype(dtype) != probe(np.sum, x.dtype, None):
        attrs["dtype"] = as_dtype(dtype)
    return trace(x, **attrs)


@implements(np.linalg.trace)
def _linalg_trace(x: Any, /, *, offset: Any = 0, dtype: Any = None) -> Node:
    return trace_(x, offset, -2, -1, dtype)


@implements(np.linalg.diagonal)
def _linalg_diagonal(x: Any, /, *, offset: Any = 0) -> Node:
    found: Node = FUNCTIONS[np.diagonal](x, offset, -2, -1)
    return found
