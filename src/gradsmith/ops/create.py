"""Making arrays: NumPy's "array creation" from shapes; ranges are in ranges.py."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gradsmith.errors import ShapeError
from gradsmith.ir import dims
from gradsmith.ir.dims import Shape
from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, EmitRule, Emitter, Linear, Op
from gradsmith.ir.types import ArrayType, DType
from gradsmith.ops import syntax
from gradsmith.ops.arguments import (
    as_dtype,
    as_shape,
    as_size,
)
from gradsmith.ops.declare import FUNCTIONS, as_node, implements, primitive
from gradsmith.ops.manipulate import broadcasted
from gradsmith.ops.raising import may_be_unbounded
from gradsmith.ops.shape import cast, copy

FLOAT: DType = np.dtype(np.float64)


def _unless(default: DType, dtype: DType) -> DType | None:
    """The keyword ``dtype=``, left out where it is what NumPy takes anyway."""
    return None if dtype == default else dtype


# -- one value everywhere ------------------------------------------------------------------------


def _filled(*_: ArrayType, shape: Shape, dtype: DType) -> ArrayType:
    if any(dims.is_below(size, 0) for size in shape):
        raise ShapeError("negative dimensions are not allowed")
    return ArrayType(dtype, shape)


def _emit_filled(function: str) -> EmitRule:
    def emit(emitter: Emitter, node: Node) -> ast.expr:
        shape = emitter.shape(node.attrs["shape"])
        return syntax.call(function, shape, dtype=_unless(FLOAT, node.dtype))

    return emit


zeros: Op = primitive(
    "zeros",
    infer=_filled,
    evaluate=lambda *, shape, dtype: np.zeros(shape, dtype),
    derivative=NON_DIFF,
    emit=_emit_filled("np.zeros"),
)
ones: Op = primitive(
    "ones",
    infer=_filled,
    evaluate=lambda *, shape, dtype: np.ones(shape, dtype),
    derivative=NON_DIFF,
    emit=_emit_filled("np.ones"),
)
empty: Op = primitive(
    "empty",
    infer=_filled,
    # What the user did not write and yet reads is zero here, anything in the emitted code.
    evaluate=lambda *, shape, dtype: np.zeros(shape, dtype),
    derivative=NON_DIFF,
    emit=_emit_filled("np.empty"),
)


def _full_infer(fill: ArrayType, *, shape: Shape, dtype: DType | None = None) -> ArrayType:
    if fill.ndim:
        raise ShapeError(f"a fill value has no axes, this one has {fill.ndim}")
    return _filled(shape=shape, dtype=dtype or fill.dtype)


def _emit_full(emitter: Emitter, node: Node, fill: ast.expr) -> ast.expr:
    if node.dtype.kind == "O" and node.ndim == 1:
        repeated = syntax.binary("*", ast.List([fill], ast.Load()), emitter.size(node.shape[0]))
        return syntax.call("np.array", repeated, dtype=node.dtype)
    dtype = _unless(node.inputs[0].dtype, node.dtype)
    return syntax.call("np.full", emitter.shape(node.attrs["shape"]), fill, dtype=dtype)


def _filled_with(fill: Any, *, shape: tuple[int, ...], dtype: DType | None = None) -> Any:
    if dtype is None or dtype.kind != "O":
        return np.full(shape, fill, dtype)
    boxes = np.empty(shape, dtype)  # `np.full` makes numbers of Python's of NumPy's
    boxes.fill(fill)
    return boxes


def _full_transpose(g: Node, fill: Node, **_: Any) -> Node:
    total: Node = FUNCTIONS[np.sum](g)
    return total


full: Op = primitive(
    "full",
    infer=_full_infer,
    evaluate=_filled_with,
    derivative=Linear((_full_transpose,)),
    emit=_emit_full,
)


# -- matrices ------------------------------------------------------------------------------------


def _emit_eye(emitter: Emitter, node: Node) -> ast.expr:
    rows, columns, k = (node.attrs[key] for key in ("rows", "columns", "k"))
    return syntax.call(
        "np.eye",
        emitter.size(rows),
        *([] if columns == rows else [emitter.size(columns)]),
        k=None if k == 0 else emitter.size(k),
        dtype=_unless(FLOAT, node.dtype),
    )


eye: Op = primitive(
    "eye",
    infer=lambda *, rows, columns, k, dtype: _filled(shape=(rows, columns), dtype=dtype),
    evaluate=lambda *, rows, columns, k, dtype: np.eye(rows, columns, k, dtype),
    derivative=NON_DIFF,
    emit=_emit_eye,
)


# -- NumPy's functions ---------------------------------------------------------------------------


@implements(np.zeros)
def _zeros(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> Node:
    return zeros(shape=as_shape(shape), dtype=as_dtype(dtype))


@implements(np.ones)
def _ones(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> Node:
    return ones(shape=as_shape(shape), dtype=as_dtype(dtype))


@implements(np.empty)
def _empty(
    shape: Any, dtype: Any = None, order: str = "C", *, device: Any = None, like: Any = None
) -> Node:
    return empty(shape=as_shape(shape), dtype=as_dtype(dtype))


@implements(np.ndarray)
def _ndarray(shape: Any, dtype: Any = None) -> Node:
    return empty(shape=as_shape(shape), dtype=as_dtype(dtype))


@implements(np.full)
def _full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> Node:
    fill = as_node(fill_value)
    if dtype is not None and as_dtype(dtype).kind in "iu" and may_be_unbounded(fill):
        fill = cast(fill, as_dtype(dtype))  # it may have more bits
    return filled(as_shape(shape), fill, fill.dtype if dtype is None else as_dtype(dtype))


def filled(shape: Shape, fill: Node, dtype: DType) -> Node:
    """A new array with ``fill`` (broadcast, where it has axes) everywhere."""
    if fill.ndim == 0:
        return full(fill, shape=shape, dtype=dtype)
    return copy(broadcasted(cast(fill, dtype), shape))


def _like(prototype: Any, dtype: Any, shape: Any) -> tuple[Shape, DType]:
    model = as_node(prototype)
    wanted = model.shape if shape is None else as_shape(shape)
    return wanted, model.dtype if dtype is None else as_dtype(dtype)


@implements(np.zeros_like)
def _zeros_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Node:
    size, kind = _like(a, dtype, shape)
    return zeros(shape=size, dtype=kind)


@implements(np.ones_like)
def _ones_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Node:
    size, kind = _like(a, dtype, shape)
    return ones(shape=size, dtype=kind)


@implements(np.empty_like)
def _empty_like(
    prototype: Any,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Node:
    size, kind = _like(prototype, dtype, shape)
    return empty(shape=size, dtype=kind)


@implements(np.full_like)
def _full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Node:
    size, kind = _like(a, dtype, shape)
    return filled(size, as_node(fill_value), kind)


@implements(np.eye)
def _eye(
    N: Any,  # noqa: N803 (NumPy's name)
    M: Any = None,  # noqa: N803
    k: Any = 0,
    dtype: Any = float,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> Node:
    rows = as_size(N, "N")
    columns = rows if M is None else as_size(M, "M")
    return eye(rows=rows, columns=columns, k=as_size(k, "k"), dtype=as_dtype(dtype))


@implements(np.identity)
def _identity(n: Any, dtype: Any = None, *, like: Any = None) -> Node:
    rows = as_size(n, "n")
    return eye(rows=rows, columns=rows, k=0, dtype=as_dtype(dtype))
