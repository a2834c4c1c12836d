"""Products of matrices and of vectors: matmul, outer, vecdot, vdot; contractions become these."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gradsmith.errors import ShapeError
from gradsmith.ir import dims
from gradsmith.ir.graph import OPERATORS, Node
from gradsmith.ir.op import Emitter, Linear, Op
from gradsmith.ir.types import ArrayType, broadcast, describe_shape, same_shape, scalar
from gradsmith.ops import syntax
from gradsmith.ops.complex import conjugated
from gradsmith.ops.declare import as_node, primitive, result_form, ufunc_dtype
from gradsmith.ops.emission import emit_call, emit_operator
from gradsmith.ops.manipulate import reshaped
from gradsmith.ops.shape import expand_dims, squeeze, transpose, unbroadcast

# -- matmul --------------------------------------------------------------------------------------


def _matmul_infer(x: ArrayType, y: ArrayType) -> ArrayType:
    shapes = f"{describe_shape(x.shape)} and {describe_shape(y.shape)}"
    if not x.ndim or not y.ndim:
        raise ShapeError(
            f"matmul needs operands with axes, not of shapes {shapes}",
            hint="write * to multiply by a number",
        )
    rows = y.shape[-2] if y.ndim > 1 else y.shape[0]
    if not dims.same(x.shape[-1], rows):
        raise ShapeError(
            f"matmul: shapes {shapes} do not align: {dims.hint(x.shape[-1])} columns on the left, "
            f"{dims.hint(rows)} {'rows' if y.ndim > 1 else 'elements'} on the right",
            hint="transpose an operand (x.T), or swap the operands",
        )
    batch = broadcast(x.shape[:-2], y.shape[:-2])
    shape = (*batch, *(x.shape[-2:-1]), *(y.shape[-1:] if y.ndim > 1 else ()))
    return ArrayType(ufunc_dtype(np.matmul, x, y), shape, result_form(shape))


def swapped(x: Node) -> Node:
    """``x`` with its last two axes swapped: a column made of a vector becomes a row."""
    if x.op is expand_dims and x.attrs["axis"] == (x.ndim - 1,) and x.ndim > 2:
        return row(x.inputs[0])
    *lead, rows, columns = range(x.ndim)
    return transpose(x, axes=(*lead, columns, rows))


def _adjoint(x: Node) -> Node:
    """The conjugate transpose of each matrix."""
    return swapped(conjugated(x))


def column(x: Node) -> Node:
    """The last axis as columns of matrices."""
    return expand_dims(x, axis=(x.ndim,))


def row(x: Node) -> Node:
    """The last axis as rows of matrices."""
    return expand_dims(x, axis=(x.ndim - 1,))


def _rows(x: Node) -> Node:
    """All rows of all matrices, one below the other."""
    return reshaped(x, (dims.product(x.shape[:-1]), x.shape[-1]))


def _matmul_left(g: Node, x: Node, y: Node) -> Node:
    """``g @ y.conj().T``."""
    if x.ndim == 1:
        if y.ndim == 1:
            return g * conjugated(y)
        return _row_gradient(g, x, conjugated(y))
    if y.ndim == 1:
        return _outer_product(g, conjugated(y))
    return unbroadcast(_product(g, _adjoint(y)), x.shape)


def _product(x: Node, y: Node) -> Node:
    """``x @ y``, by broadcasting (twice as quick) where that sums over a single element."""
    return x * y if x.shape[-1] == 1 and x.ndim > 1 else matmul(x, y)


def _row_gradient(g: Node, x: Node, y: Node) -> Node:
    if y.ndim == 2:
        return matmul(y, g)
    each = matmul(y, column(g))
    return unbroadcast(squeeze(each, axis=(each.ndim - 1,)), x.shape)


def _matmul_right(g: Node, x: Node, y: Node) -> Node:
    """``x.conj().T @ g``; where one ``y`` serves many ``x``, as one product of all their rows."""
    if x.ndim == 1:
        return g * conjugated(x) if y.ndim == 1 else _outer_product(conjugated(x), g)
    if y.ndim == 1:
        return matmul(_adjoint(_rows(x)), reshaped(g, (dims.product(g.shape),)))
    if y.ndim == 2 and x.ndim > 2:
        return matmul(_adjoint(_rows(x)), _rows(g))
    return unbroadcast(_product(_adjoint(x), g), y.shape)


matmul: Op = primitive(
    "matmul",
    infer=_matmul_infer,
    evaluate=np.matmul,
    derivative=Linear((_matmul_left, _matmul_right)),
    emit=emit_operator("@"),
)


def _emit_dot(emitter: Emitter, node: Node, x: ast.expr, y: ast.expr) -> ast.expr:
    return syntax.method(x, "dot", y)


BY_BLAS = (np.dtype(np.float32), np.dtype(np.float64))
"""Of integers the two products take as long, of half precision they round differently."""


def by_blas(*operands: Node) -> bool:
    """Whether `numpy.dot` and ``@`` have BLAS multiply these vectors or matrices."""
    dtype = operands[0].dtype
    return dtype in BY_BLAS and all(x.dtype == dtype and 1 <= x.ndim <= 2 for x in operands)


# Of vectors and matrices of real numbers: two thirds of a microsecond quicker than ``@``. Of
# arrays with other strides than BLAS takes the last bits differ (``@`` sums these without BLAS),
# so that the user's own values stay what the user wrote.
dot: Op = primitive(
    "dot",
    infer=_matmul_infer,
    evaluate=np.dot,
    derivative=Linear((_matmul_left, _matmul_right)),
    emit=_emit_dot,
)


def _matmul_operator(x: Any, y: Any) -> Node:
    return matmul(as_node(x), as_node(y))


OPERATORS["@"] = _matmul_operator


# -- outer products ------------------------------------------------------------------------------


def _outer_infer(x: ArrayType, y: ArrayType) -> ArrayType:
    return ArrayType(ufunc_dtype(np.multiply, x, y), (*x.shape, *y.shape))


def _emit_outer(emitter: Emitter, node: Node, x: ast.expr, y: ast.expr) -> ast.expr:
    """``x[:, None] * y``: a half to a tenth quicker than np.outer, for the same products."""
    key = syntax.tuple_([ast.Slice(None, None, None), ast.Constant(None)])
    return syntax.binary("*", syntax.subscript(x, key), y)


# Of two vectors; a product of its own since its transposes are matrix products, five times
# quicker than the sums that broadcasting would have to be undone by.
outer: Op = primitive(
    "outer",
    infer=_outer_infer,
    evaluate=np.outer,
    derivative=Linear(
        (
            lambda g, x, y: matmul(g, conjugated(y)),
            lambda g, x, y: matmul(conjugated(x), g),
        )
    ),
    emit=_emit_outer,
)


def _outer_product(x: Node, y: Node) -> Node:
    """The products of the last axes, of one vector or many at once."""
    if x.ndim == y.ndim == 1:
        return outer(x, y)
    return column(x) * (y if y.ndim == 1 else row(y))


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
            lambda g, x, y: unbroadcast(column(conjugated(g)) * y, x.shape),
            lambda g, x, y: unbroadcast(column(g) * x, y.shape),
        )
    ),
    emit=emit_call("np.vecdot"),
)


# -- vdot ----------------------------------------------------------------------------------------


def _vdot_infer(x: ArrayType, y: ArrayType) -> ArrayType:
    if not same_shape(x.shape, y.shape):
        raise ShapeError(
            f"vdot: shapes {describe_shape(x.shape)} and {describe_shape(y.shape)} differ"
        )
    return scalar(ufunc_dtype(np.vecdot, x, y))


# Of arrays of one shape, where np.tensordot takes ten times as long.
vdot: Op = primitive(
    "vdot",
    infer=_vdot_infer,
    evaluate=np.vdot,
    derivative=Linear((lambda g, x, y: conjugated(g) * y, lambda g, x, y: g * x)),
    emit=emit_call("np.vdot"),
)
