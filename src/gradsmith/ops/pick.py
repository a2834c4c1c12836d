"""Picking elements by functions: take, compress, diagonals and their kin."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ShapeError
from gradsmith.ir import dims
from gradsmith.ir.dims import Shape, Size
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Emitter, Linear, Op
from gradsmith.ir.types import ArrayType
from gradsmith.ops import syntax
from gradsmith.ops.arguments import as_size, normalize_axes, normalize_axis, refuse
from gradsmith.ops.create import zeros
from gradsmith.ops.declare import FUNCTIONS, as_node, implements, primitive
from gradsmith.ops.index import read, write
from gradsmith.ops.manipulate import ravel
from gradsmith.ops.ranges import integers
from gradsmith.ops.shape import cast, expand_dims, in_order, read_only, transpose

# -- by positions and masks ----------------------------------------------------------------------


def along(axis: int, key: Any) -> tuple[Any, ...]:
    """``[:, ..., key]``, the key standing at ``axis``."""
    return (*[slice(None)] * axis, key)


def _within(indices: Any, size: Size, mode: str) -> Any:
    if mode == "raise":
        return indices
    if mode == "wrap":
        return FUNCTIONS[np.remainder](as_node(indices), as_node(size))
    if mode == "clip":
        return FUNCTIONS[np.clip](as_node(indices), 0, as_node(size - 1))
    return refuse("np.take", "mode", mode)


@implements(np.take)
def _take(a: Any, indices: Any, axis: Any = None, mode: str = "raise") -> Node:
    x = ravel(a) if axis is None else as_node(a)
    place = 0 if axis is None else normalize_axis(axis, x.ndim)
    return in_order(read(x, along(place, _within(_positions(indices), x.shape[place], mode))))


def _positions(indices: Any) -> Any:
    """Indices as integers: truth values are no mask here, but 0 and 1; numbers, also in lists, are
    cut off.
    """
    given = as_node(indices)
    array = isinstance(indices, Node) and indices.array_type.form == "array"
    if given.dtype.kind == "f" and array:
        raise ArgumentTypeError(
            f"Cannot cast array data from dtype('{given.dtype}') to dtype('int64') according to "
            "the rule 'same_kind'"
        )
    converted = given.dtype.kind in "bf"
    return cast(given, np.dtype(np.int64)) if converted else indices


@implements(np.take_along_axis)
def _take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Node:
    x, positions = as_node(arr), as_node(indices)
    if positions.dtype.kind not in "iu":
        misfit = ArgumentTypeError("`indices` must be an integer array")
        misfit.own = IndexError("`indices` must be an integer array")
        raise misfit
    if axis is None:
        return read(ravel(x), positions)
    return read(x, grid_around(positions, normalize_axis(axis, x.ndim), x))


def grid_around(positions: Node, axis: int, x: Node) -> tuple[Node, ...]:
    """The key that takes ``positions`` along ``axis`` and every other axis in step."""
    if positions.ndim != x.ndim:
        raise ShapeError("`indices` and `arr` must have the same number of dimensions")
    key = []
    for place, size in enumerate(x.shape):
        others = tuple(i for i in range(x.ndim) if i != place)
        steps = integers(0, size)
        key.append(positions if place == axis else expand_dims(steps, axis=others))
    return tuple(key)


@implements(np.compress)
def _compress(condition: Any, a: Any, axis: Any = None) -> Node:
    x = ravel(a) if axis is None else as_node(a)
    place = 0 if axis is None else normalize_axis(axis, x.ndim)
    mask = cast(as_node(condition), np.dtype(bool))
    if mask.ndim != 1:
        raise ShapeError("condition must be a 1-d array")
    part = read(x, along(place, slice(None, mask.shape[0])))
    return in_order(read(part, along(place, mask)))


@implements(np.extract)
def _extract(condition: Any, arr: Any) -> Node:
    return _compress(ravel(condition), ravel(arr), 0)


# -- diagonals -----------------------------------------------------------------------------------


def _diagonal_length(rows: Size, columns: Size, offset: int) -> Size:
    if rows == columns and offset == 0:
        return rows
    high, wide = (rows, columns - offset) if offset >= 0 else (rows + offset, columns)
    length = high if high == wide or dims.decide("<=", high, wide) else wide
    return length if dims.decide(">=", length, 0) else 0


def _rest(shape: Shape, axis1: int, axis2: int) -> Shape:
    return tuple(s for i, s in enumerate(shape) if i not in (axis1, axis2))


def _diagonal_infer(x: ArrayType, *, offset: int, axis1: int, axis2: int) -> ArrayType:
    length = _diagonal_length(x.shape[axis1], x.shape[axis2], offset)
    return ArrayType(x.dtype, (*_rest(x.shape, axis1, axis2), length))


def _diagonal_transpose(g: Node, x: Node, *, offset: int, axis1: int, axis2: int) -> Node:
    rows, columns = x.shape[axis1], x.shape[axis2]
    if x.ndim == 2 and axis1 == 0 and rows == columns:
        return diag(g, k=offset)
    empty = zeros(shape=(*_rest(x.shape, axis1, axis2), rows, columns), dtype=g.dtype)
    placed = write(empty, (..., *diagonal_positions(g.shape[-1], offset)), g)
    order = [i for i in range(x.ndim) if i not in (axis1, axis2)] + [axis1, axis2]
    inverse = tuple(order.index(i) for i in range(x.ndim))
    return placed if inverse == tuple(range(x.ndim)) else transpose(placed, axes=inverse)


def diagonal_positions(length: Size, offset: int) -> tuple[Node, Node]:
    """The rows and columns of the elements of a diagonal."""
    row, column = max(-offset, 0), max(offset, 0)
    return integers(row, row + length), integers(column, column + length)


def _emit_diagonal(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    offset, axis1, axis2 = (node.attrs[key] for key in ("offset", "axis1", "axis2"))
    usual = (axis1, axis2) == (0, 1)
    return syntax.method(
        x,
        "diagonal",
        offset=offset or None,
        axis1=None if usual else axis1,
        axis2=None if usual else axis2,
    )


def _diag_infer(x: ArrayType, *, k: int) -> ArrayType:
    return ArrayType(x.dtype, (x.shape[0] + abs(k),) * 2)


def _emit_diag(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    k = node.attrs["k"]
    return syntax.call("np.diag", x, *([k] if k else []))


diagonal: Op = primitive(
    "diagonal",
    infer=_diagonal_infer,
    evaluate=np.diagonal,
    derivative=Linear((_diagonal_transpose,)),
    emit=_emit_diagonal,
    view=read_only,
)
diag: Op = primitive(
    "diag",
    infer=_diag_infer,
    evaluate=lambda x, *, k: np.diag(x, k),
    derivative=Linear((lambda g, x, *, k: diagonal(g, offset=k, axis1=0, axis2=1),)),
    emit=_emit_diag,
)


@implements(np.diagonal)
def _diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Node:
    x = as_node(a)
    if x.ndim < 2:
        raise ShapeError("diag requires an array of at least two dimensions")
    first, second = normalize_axes((axis1, axis2), x.ndim)
    step = dims.concrete(as_size(offset, "offset"))
    return diagonal(x, offset=step, axis1=first, axis2=second)


@implements(np.diag)
def _diag(v: Any, k: Any = 0) -> Node:
    x = as_node(v)
    step = dims.concrete(as_size(k, "k"))
    if x.ndim == 1:
        return diag(x, k=step)
    if x.ndim == 2:
        return diagonal(x, offset=step, axis1=0, axis2=1)
    raise ShapeError("Input must be 1- or 2-d.")


@implements(np.diagflat)
def _diagflat(v: Any, k: Any = 0) -> Node:
    return _diag(ravel(v), k)
