"""Products of matrices and of vectors: matmul and vecdot, which contractions come down to."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradsmith.errors import ShapeError
from gradsmith.ir import dims
from gradsmith.ir.graph import OPERATORS, Node
from gradsmith.ir.op import Linear, Op
from gradsmith.ir.types import ArrayType, broadcast, describe_shape
from gradsmith.ops.complex import conj
from gradsmith.ops.declare import (
    as_node,
    emit_call,
    emit_operator,
    primitive,
    result_form,
    ufunc_dtype,
)
from gradsmith.ops.manipulate import reshaped
from gradsmith.ops.shape import expand_dims, transpose, unbroadcast


def conjugated(x: Node) -> Node:
    """``conj(x)``, ``x`` itself where it is real."""
    return conj(x) if x.array_type.complex else x


# -- matmul --------------------------------------------------------------------------------------


def _matmul_infer(x: ArrayType, y: ArrayType) -> ArrayType:
    shapes = f"{describe_shape(x.shape)} and {describe_shape(y.shape)}"
    if not x.ndim or not y.ndim:
        raise ShapeError(f"matmul needs operands with axes, not of shapes {shapes}")
    rows = y.shape[-2] if y.ndim > 1 else y.shape[0]
    if not dims.same(x.shape[-1], rows):
        raise ShapeError(
            f"matmul: shapes {shapes} do not align: {dims.hint(x.shape[-1])} columns on the left, "
            f"{dims.hint(rows)} {'rows' if y.ndim > 1 else 'elements'} on the right"
        )
    batch = broadcast(x.shape[:-2], y.shape[:-2])
    shape = (*batch, *(x.shape[-2:-1]), *(y.shape[-1:] if y.ndim > 1 else ()))
    return ArrayType(ufunc_dtype(np.matmul, x, y), shape, result_form(shape))


def swapped(x: Node) -> Node:
    """``x`` with its last two axes swapped."""
    *lead, rows, columns = range(x.ndim)
    return transpose(x, axes=(*lead, columns, rows))


def _adjoint(x: Node) -> Node:
    """The conjugate transpose of each matrix."""
    return swapped(conjugated(x))


def _column(x: Node) -> Node:
    return expand_dims(x, axis=(x.ndim,))


def _row(x: Node) -> Node:
    return expand_dims(x, axis=(x.ndim - 1,))


def _rows(x: Node) -> Node:
    """All rows of all matrices, one below the other."""
    return reshaped(x, (dims.product(x.shape[:-1]), x.shape[-1]))


def _matmul_left(g: Node, x: Node, y: Node) -> Node:
    """``g @ y.conj().T``."""
    if x.ndim == 1:
        if y.ndim == 1:
            return g * conjugated(y)
        return unbroadcast(matmul(conjugated(y), g if y.ndim == 2 else _column(g)), x.shape)
    if y.ndim == 1:
        return _column(g) * conjugated(y)
    return unbroadcast(matmul(g, _adjoint(y)), x.shape)


def _matmul_right(g: Node, x: Node, y: Node) -> Node:
    """``x.conj().T @ g``; where one ``y`` serves many ``x``, as one product of all their rows."""
    if x.ndim == 1:
        return g * conjugated(x) if y.ndim == 1 else _column(conjugated(x)) * _row(g)
    if y.ndim == 1:
        return matmul(_adjoint(_rows(x)), reshaped(g, (dims.product(g.shape),)))
    if y.ndim == 2 and x.ndim > 2:
        return matmul(_adjoint(_rows(x)), _rows(g))
    return unbroadcast(matmul(_adjoint(x), g), y.shape)


matmul: Op = primitive(
    "matmul",
    infer=_matmul_infer,
    evaluate=np.matmul,
    derivative=Linear((_matmul_left, _matmul_right)),
    emit=emit_operator("@"),
)


def _matmul_operator(x: Any, y: Any) -> Node:
    return matmul(as_node(x), as_node(y))


OPERATORS["@"] = _matmul_operator


# -- vecdot --------------------------------------------------------------------------------------


def _vecdot_infer(x: ArrayType, y: ArrayType) -> ArrayType:
    shapes = f"{describe_shape(x.shape)} and {describe_shape(y.shape)}"
    if not x.ndim or not y.ndim or not dims.same(x.shape[-1], y.shape[-1]):
        raise ShapeError(f"vecdot: the last axes of shapes {shapes} do not fit each other")
    shape = broadcast(x.shape[:-1], y.shape[:-1])
    return ArrayType(ufunc_dtype(np.vecdot, x, y), shape, result_form(shape))


vecdot: Op = primitive(
    "vecdot",
    infer=_vecdot_infer,
    evaluate=np.vecdot,
    # The first operand is conjugated, in the transpose too: the sum of Re(conj(g) * conj(x) * y)
    # is that of Re(conj(conj(g) * y) * x).
    derivative=Linear(
        (
            lambda g, x, y: unbroadcast(_column(conjugated(g)) * y, x.shape),
            lambda g, x, y: unbroadcast(_column(g) * x, y.shape),
        )
    ),
    emit=emit_call("np.vecdot"),
)
