"""Joining and splitting arrays: concatenate, stack, split and their kin."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ShapeError, UnsupportedError
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Size
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Each, Emitter, Linear, Op
from gradsmith.ir.types import ArrayType, describe_shape, same_shape
from gradsmith.ops import syntax
from gradsmith.ops.arguments import (
    as_dtype,
    as_size,
    as_static_int,
    joint_dtype,
    normalize_axis,
    size_of,
)
from gradsmith.ops.declare import as_node, implements, primitive
from gradsmith.ops.index import getitem
from gradsmith.ops.index_key import Index, Slice
from gradsmith.ops.keys import slice_of
from gradsmith.ops.manipulate import atleast_1d, atleast_2d, atleast_3d, ravel
from gradsmith.ops.shape import as_array, cast, expand_dims


def _part_along(x: Node, axis: int, part: Slice | Size) -> Node:
    """``x[:, ..., part]``, the part standing at ``axis``."""
    if part == Slice(None, None):
        return x
    whole = [Slice(None, None, None, size) for size in x.shape[:axis]]
    return getitem(x, index=Index((*whole, part)))


def _emit_joined(function: str) -> Any:
    def emit(emitter: Emitter, node: Node, *arrays: ast.expr) -> ast.expr:
        axis = node.attrs["axis"]
        return syntax.call(function, syntax.tuple_([*arrays]), axis=axis or None)

    return emit


# -- concatenate ---------------------------------------------------------------------------------


def _concatenate_infer(*arrays: ArrayType, axis: int) -> ArrayType:
    first = arrays[0]
    total: Size = 0
    for position, array in enumerate(arrays):
        if array.ndim != first.ndim:
            raise ShapeError(
                "all the input array dimensions must match, but the array at index 0 has "
                f"{first.ndim} dimension(s) and the array at index {position} has {array.ndim}",
                hint="give all the same number of axes, as x[None] does, or use np.vstack",
            )
        for i, (left, right) in enumerate(zip(first.shape, array.shape, strict=True)):
            if i != axis and not dims.same(left, right):
                raise ShapeError(
                    "all the input array dimensions except for the concatenation axis must "
                    f"match exactly, but along dimension {i} the arrays of shapes "
                    f"{describe_shape(first.shape)} and {describe_shape(array.shape)} do not"
                )
        total = total + array.shape[axis]
    shape = tuple(total if i == axis else size for i, size in enumerate(first.shape))
    return ArrayType(joint_dtype(*arrays), shape)


def _concatenate_transpose(position: int, g: Node, *arrays: Node, axis: int) -> Node:
    sizes = [array.shape[axis] for array in arrays]
    return _part_along(g, axis, between(sizes[:position], sizes[position], sizes[position + 1 :]))


def between(before: Sequence[Size], size: Size, after: Sequence[Size]) -> Slice:
    """The slice of ``size`` elements after those and before these."""
    start: Size = 0
    for length in before:
        start = start + length
    return Slice(start if before else None, start + size if after else None, None, size)


concatenate: Op = primitive(
    "concatenate",
    infer=_concatenate_infer,
    evaluate=lambda *arrays, axis: np.concatenate(arrays, axis),
    derivative=Linear(Each(_concatenate_transpose), joint=True),
    emit=_emit_joined("np.concatenate"),
)


# -- stack ---------------------------------------------------------------------------------------


def _stack_infer(*arrays: ArrayType, axis: int) -> ArrayType:
    first = arrays[0].shape
    if not all(same_shape(first, array.shape) for array in arrays):
        shapes = ", ".join(describe_shape(array.shape) for array in arrays)
        raise ShapeError(f"all input arrays must have the same shape, not {shapes}")
    return ArrayType(joint_dtype(*arrays), (*first[:axis], len(arrays), *first[axis:]))


stack: Op = primitive(
    "stack",
    infer=_stack_infer,
    evaluate=lambda *arrays, axis: np.stack(arrays, axis),
    derivative=Linear(
        Each(lambda position, g, *arrays, axis: _part_along(g, axis, position)), joint=True
    ),
    emit=_emit_joined("np.stack"),
)


# -- NumPy's functions ---------------------------------------------------------------------------


def _operands(arrays: Any, function: str, dtype: Any = None) -> list[Node]:
    """The arrays to join: a list, or the rows of one array."""
    rows = unstack(arrays) if isinstance(arrays, Node) else arrays
    nodes = [as_node(row) for row in rows]
    if not nodes:
        verb = "stack" if function == "np.stack" else "concatenate"
        raise ShapeError(f"need at least one array to {verb}")
    return nodes if dtype is None else [cast(n, as_dtype(dtype)) for n in nodes]


def _concatenated(nodes: Sequence[Node], axis: Any) -> Node:
    if any(n.ndim == 0 for n in nodes):
        raise ShapeError("zero-dimensional arrays cannot be concatenated")
    return concatenate(*nodes, axis=normalize_axis(axis, nodes[0].ndim))


@implements(np.concatenate, *([np.concat] if hasattr(np, "concat") else []))
def _concatenate(
    arrays: Any, /, axis: Any = 0, *, dtype: Any = None, casting: str = "same_kind"
) -> Node:
    nodes = _operands(arrays, "np.concatenate", dtype)
    if axis is None:
        return _concatenated([ravel(n) for n in nodes], 0)
    return _concatenated(nodes, axis)


@implements(np.stack)
def _stack(arrays: Any, axis: Any = 0, *, dtype: Any = None, casting: str = "same_kind") -> Node:
    nodes = _operands(arrays, "np.stack", dtype)
    return stack(*nodes, axis=normalize_axis(axis, nodes[0].ndim + 1))


@implements(np.vstack, *([np.row_stack] if "row_stack" in np.__dict__ else []))
def _vstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Node:
    nodes = _operands(tup, "np.vstack", dtype)
    if all(n.ndim == 1 for n in nodes):
        return stack(*nodes, axis=0)
    return _concatenated([atleast_2d(n) for n in nodes], 0)


@implements(np.hstack)
def _hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Node:
    nodes = [atleast_1d(n) for n in _operands(tup, "np.hstack", dtype)]
    return _concatenated(nodes, 0 if nodes[0].ndim == 1 else 1)


@implements(np.dstack)
def _dstack(tup: Any) -> Node:
    return _concatenated([atleast_3d(n) for n in _operands(tup, "np.dstack")], 2)


@implements(np.column_stack)
def _column_stack(tup: Any) -> Node:
    nodes = _operands(tup, "np.column_stack")
    if all(n.ndim == 1 for n in nodes):
        return stack(*nodes, axis=1)
    columns = [n if n.ndim > 1 else expand_dims(atleast_1d(n), axis=(1,)) for n in nodes]
    return _concatenated(columns, 1)


@implements(np.append)
def _append(arr: Any, values: Any, axis: Any = None) -> Node:
    nodes = [as_node(arr), as_node(values)]
    if axis is None:
        return _concatenated([ravel(n) for n in nodes], 0)
    return _concatenated(nodes, axis)


@implements(np.block)
def _block(arrays: Any) -> Node:
    depth = _depth(arrays)
    leaves = _leaves(arrays)
    ndim = max([depth, *(n.ndim for n in leaves)])
    return as_array(_joined_blocks(arrays, depth, ndim))


def _depth(arrays: Any) -> int:
    return 1 + max(map(_depth, arrays)) if isinstance(arrays, list) else 0


def _leaves(arrays: Any) -> list[Node]:
    if isinstance(arrays, list):
        return [leaf for part in arrays for leaf in _leaves(part)]
    return [as_node(arrays)]


def _joined_blocks(arrays: Any, depth: int, ndim: int) -> Node:
    """The innermost lists along the last axis, the next ones along the axis before."""
    if depth == 0:
        node = as_node(arrays)
        missing = tuple(range(ndim - node.ndim))
        return expand_dims(node, axis=missing) if missing else node
    if not isinstance(arrays, list):
        raise ShapeError("np.block: all lists must be nested equally deep")
    parts = [_joined_blocks(part, depth - 1, ndim) for part in arrays]
    return concatenate(*parts, axis=ndim - depth)


# -- splitting -----------------------------------------------------------------------------------


def _sections(size: Size, count: int) -> list[Slice]:
    """``count`` slices; the first ones take one more where it does not divide the size."""
    each, more = size // count, dims.concrete(size % count)
    sizes = [each + (1 if i < more else 0) for i in range(count)]
    return [between(sizes[:i], sizes[i], sizes[i + 1 :]) for i in range(count)]


def _split_parts(size: Size, where: Any, *, equal: bool) -> list[Slice]:
    if size_of(where) is None:
        points = [as_size(p, "a split point") for p in where]
        starts, stops = [None, *points], [*points, None]
        return [slice_of(a, b, None, size) for a, b in zip(starts, stops, strict=True)]
    count = as_static_int(where, "the number of sections")
    if count <= 0:
        misfit = ShapeError("number sections must be larger than 0.")
        if equal and not count and isinstance(where, (int, Dim)):
            misfit.own = ZeroDivisionError("integer modulo by zero")  # of Python's numbers
        raise misfit
    if equal and not dims.same(size % count, 0):
        raise ShapeError("array split does not result in an equal division")
    return _sections(size, count)


def _split_along(ary: Any, where: Any, axis: Any, *, equal: bool) -> list[Node]:
    if equal and isinstance(ary, (list, tuple)) and size_of(where) is not None:
        misfit = ArgumentTypeError("np.split of a list takes positions only")
        misfit.own = AttributeError(f"{type(ary).__name__!r} object has no attribute 'shape'")
        raise misfit
    x = as_node(ary)
    place = normalize_axis(axis, x.ndim)
    parts = _split_parts(x.shape[place], where, equal=equal)
    return [_part_along(x, place, part) for part in parts]


@implements(np.split)
def _split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Node]:
    return _split_along(ary, indices_or_sections, axis, equal=True)


@implements(np.array_split)
def _array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Node]:
    return _split_along(ary, indices_or_sections, axis, equal=False)


@implements(np.vsplit)
def _vsplit(ary: Any, indices_or_sections: Any) -> list[Node]:
    if as_node(ary).ndim < 2:
        raise ShapeError("vsplit only works on arrays of 2 or more dimensions")
    return _split_along(ary, indices_or_sections, 0, equal=True)


@implements(np.hsplit)
def _hsplit(ary: Any, indices_or_sections: Any) -> list[Node]:
    x = as_node(ary)
    if x.ndim == 0:
        raise ShapeError("hsplit only works on arrays of 1 or more dimensions")
    return _split_along(x, indices_or_sections, min(x.ndim - 1, 1), equal=True)


@implements(np.dsplit)
def _dsplit(ary: Any, indices_or_sections: Any) -> list[Node]:
    if as_node(ary).ndim < 3:
        raise ShapeError("dsplit only works on arrays of 3 or more dimensions")
    return _split_along(ary, indices_or_sections, 2, equal=True)


def unstack(x: Any, /, *, axis: Any = 0) -> tuple[Node, ...]:
    """`numpy.unstack`: the length of the axis becomes fixed."""
    node = as_node(x)
    if node.ndim == 0:
        raise ShapeError("Input array must be at least 1-d.")
    place = normalize_axis(axis, node.ndim)
    if dims.is_unbacked(node.shape[place]):
        raise UnsupportedError("the number of arrays depends on the data")
    return tuple(_part_along(node, place, i) for i in range(dims.concrete(node.shape[place])))


if hasattr(np, "unstack"):  # since NumPy 2.1
    implements(np.unstack)(unstack)
