"""NumPy's products of two arrays by name: dot, inner, outer, tensordot, kron, cross and so on."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gradsmith.errors import ShapeError, UnsupportedError
from gradsmith.ir import dims
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Linear, Op
from gradsmith.ir.types import ArrayType, broadcast, describe_shape, same_shape
from gradsmith.ops.arguments import as_static_int, normalize_axes, normalize_axis, size_of
from gradsmith.ops.complex import conjugated
from gradsmith.ops.contract import contract, tensordot, tensordot_labels
from gradsmith.ops.declare import as_node, implements, primitive, ufunc_dtype
from gradsmith.ops.emission import emit_call
from gradsmith.ops.forms import in_type
from gradsmith.ops.index import read
from gradsmith.ops.manipulate import moveaxis, ravel, reshaped
from gradsmith.ops.matmul import dot as blas_dot
from gradsmith.ops.matmul import matmul, outer, swapped, vdot, vecdot
from gradsmith.ops.shape import cast, expand_dims, squeeze, unbroadcast


def _strong(value: Any) -> Node:
    """An operand of a function that, unlike ufuncs, makes arrays of Python numbers first."""
    x = as_node(value)
    return cast(x, x.dtype)


# -- matmul and its kin --------------------------------------------------------------------------


@implements(np.matmul, np.linalg.matmul)
def matmul_(x1: Any, x2: Any, /) -> Node:
    """`numpy.matmul`."""
    return matmul(as_node(x1), as_node(x2))


def _check_axes(function: str, matrix: Node, vector: Node) -> None:
    if matrix.ndim < 2 or vector.ndim < 1:
        raise ShapeError(
            f"{function} needs a matrix and a vector, not shapes {describe_shape(matrix.shape)} "
            f"and {describe_shape(vector.shape)}",
            hint="use np.matmul or np.dot for other shapes",
        )


def matvec(x1: Any, x2: Any, /) -> Node:
    """`numpy.matvec`."""
    matrix, vector = as_node(x1), as_node(x2)
    _check_axes("np.matvec", matrix, vector)
    if vector.ndim == 1:
        return matmul(matrix, vector)
    product = matmul(matrix, expand_dims(vector, axis=(vector.ndim,)))
    return squeeze(product, axis=(product.ndim - 1,))


def vecmat(x1: Any, x2: Any, /) -> Node:
    """`numpy.vecmat`."""
    vector, matrix = conjugated(as_node(x1)), as_node(x2)
    _check_axes("np.vecmat", matrix, vector)
    if vector.ndim == 1:
        return matmul(vector, matrix)
    product = matmul(expand_dims(vector, axis=(vector.ndim - 1,)), matrix)
    return squeeze(product, axis=(product.ndim - 2,))


if hasattr(np, "matvec"):  # NumPy 2.2
    implements(np.matvec)(matvec)
    implements(np.vecmat)(vecmat)


@implements(np.vecdot)
def vecdot_(x1: Any, x2: Any, /, *, axis: Any = -1) -> Node:
    """`numpy.vecdot`."""
    x, y = as_node(x1), as_node(x2)
    x, y = (moveaxis(o, normalize_axis(axis, o.ndim), -1) for o in (x, y))
    if x.ndim == y.ndim == 1 and not x.array_type.complex:
        return matmul(x, y)
    return vecdot(x, y)


@implements(np.linalg.vecdot)
def _linalg_vecdot(x1: Any, x2: Any, /, *, axis: Any = -1) -> Node:
    return vecdot_(x1, x2, axis=axis)


# -- dot, vdot, inner, outer ---------------------------------------------------------------------


@implements(np.dot)
def dot(a: Any, b: Any) -> Node:
    """`numpy.dot`."""
    x, y = _strong(a), _strong(b)
    if not x.ndim or not y.ndim:
        return x * y
    return _along_one(x, x.ndim - 1, y, max(y.ndim - 2, 0), "dot")


@implements(np.inner)
def inner(a: Any, b: Any, /) -> Node:
    """`numpy.inner`."""
    x, y = _strong(a), _strong(b)
    if not x.ndim or not y.ndim:
        return x * y
    return _along_one(x, x.ndim - 1, y, y.ndim - 1, "inner")


def _along_one(x: Node, i: int, y: Node, j: int, function: str) -> Node:
    if not dims.same(x.shape[i], y.shape[j]):
        raise ShapeError(
            f"{function}: shapes {describe_shape(x.shape)} and {describe_shape(y.shape)} not "
            f"aligned: {dims.hint(x.shape[i])} (dim {i}) != {dims.hint(y.shape[j])} (dim {j})"
        )
    if x.ndim <= 2 and y.ndim <= 2:
        return _dot(x, i, y, j)
    left, right, out = tensordot_labels(x.ndim, y.ndim, ((i,), (j,)))
    return contract(x, left, y, right, out)


def _dot(x: Node, i: int, y: Node, j: int) -> Node:
    """The product of two vectors or matrices along these axes, as NumPy's functions compute it:
    ``@`` has another sign of zero, and other last bits, for single elements and some strides.
    """
    return blas_dot(swapped(x) if i < x.ndim - 1 else x, swapped(y) if j and y.ndim > 1 else y)


@implements(np.vdot)
def vdot_(a: Any, b: Any, /) -> Node:
    """`numpy.vdot`."""
    x, y = _strong(a), _strong(b)
    if x.ndim != y.ndim or not x.ndim or not same_shape(x.shape, y.shape):
        x, y = ravel(x), ravel(y)
    return vdot(x, y)


@implements(np.outer)
def outer_(a: Any, b: Any) -> Node:
    """`numpy.outer`."""
    return outer(ravel(_strong(a)), ravel(_strong(b)))


@implements(np.linalg.outer)
def _linalg_outer(x1: Any, x2: Any, /) -> Node:
    x, y = as_node(x1), as_node(x2)
    if x.ndim != 1 or y.ndim != 1:
        raise ShapeError(
            "Input arrays must be one-dimensional, but they are "
            f"x1.ndim={x.ndim} and x2.ndim={y.ndim}."
        )
    return outer(x, y)


# -- tensordot, kron -----------------------------------------------------------------------------


def _paired_axes(axes: Any, x: int, y: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if size_of(axes) is not None:
        count = as_static_int(axes, "axes")
        return tuple(range(x - count, x)), tuple(range(count))
    left, right = axes
    return normalize_axes(left, x), normalize_axes(right, y)


def _tensordot_(a: Any, b: Any, axes: Any = 2) -> Node:
    """`numpy.tensordot`."""
    x, y = _strong(a), _strong(b)
    left, right = _paired_axes(axes, x.ndim, y.ndim)
    fits = len(left) == len(right) and all(i >= 0 for i in left) and len(right) <= y.ndim
    if not fits or not all(
        dims.same(x.shape[i], y.shape[j]) for i, j in zip(left, right, strict=True)
    ):
        raise ShapeError(
            f"tensordot: shape-mismatch for sum over axes {axes} of shapes "
            f"{describe_shape(x.shape)} and {describe_shape(y.shape)}"
        )
    if left and len(left) == x.ndim == y.ndim:  # an array without axes
        return tensordot(x, y, axes=(left, right))
    if len(left) == 1 and x.ndim <= 2 and y.ndim <= 2:
        return _dot(x, left[0], y, right[0])
    first, second, out = tensordot_labels(x.ndim, y.ndim, (left, right))
    return contract(x, first, y, second, out)


implements(np.tensordot, np.linalg.tensordot)(_tensordot_)


@implements(np.kron)
def kron(a: Any, b: Any) -> Node:
    """`numpy.kron`."""
    x, y = _strong(a), _strong(b)
    ndim = max(x.ndim, y.ndim)
    if not ndim:
        return x * y
    x, y = (reshaped(o, (*[1] * (ndim - o.ndim), *o.shape)) for o in (x, y))
    blocks = expand_dims(x, axis=tuple(range(1, 2 * ndim, 2)))
    product = blocks * expand_dims(y, axis=tuple(range(0, 2 * ndim, 2)))
    return reshaped(product, tuple(m * n for m, n in zip(x.shape, y.shape, strict=True)))


@implements(np.linalg.multi_dot)
def multi_dot(arrays: Sequence[Any]) -> Node:
    """`numpy.linalg.multi_dot`: the order of least work for the sizes at hand."""
    nodes = [as_node(a) for a in arrays]
    if len(nodes) < 2:
        raise ShapeError("Expecting at least two arrays.")
    sizes: list[Size] = [1 if nodes[0].ndim == 1 else nodes[0].shape[0]]
    sizes += [n.shape[0] for n in nodes[1:]]
    sizes.append(1 if nodes[-1].ndim == 1 else nodes[-1].shape[-1])
    return _chain(nodes, _splits(sizes), 0, len(nodes) - 1)


def _splits(sizes: Sequence[Size]) -> dict[tuple[int, int], int]:
    """Where to split each stretch of a chain of matrix products (Cormen et al., section 14.2)."""
    n = len(sizes) - 1
    cost: dict[tuple[int, int], Size] = {(i, i): 0 for i in range(n)}
    best: dict[tuple[int, int], int] = {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            options = {
                k: cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                for k in range(i, j)
            }
            best[i, j] = functools.reduce(partial(_cheaper, options), options)
            cost[i, j] = options[best[i, j]]
    return best


def _cheaper(costs: Mapping[int, Size], one: int, other: int) -> int:
    return other if dims.decide("<", costs[other], costs[one]) else one


def _chain(nodes: Sequence[Node], best: Mapping[tuple[int, int], int], i: int, j: int) -> Node:
    if i == j:
        return nodes[i]
    k = best[i, j]
    return blas_dot(_chain(nodes, best, i, k), _chain(nodes, best, k + 1, j))


# -- cross ---------------------------------------------------------------------------------------


def _cross_infer(x: ArrayType, y: ArrayType) -> ArrayType:
    if not all(dims.same(operand.shape[-1], 3) for operand in (x, y)):
        raise ShapeError("cross: the last axes must have three elements")
    shape = broadcast(x.shape[:-1], y.shape[:-1])
    product = ArrayType(ufunc_dtype(np.multiply, x, y), (*shape, 3))
    return ArrayType(ufunc_dtype(np.subtract, product, product), product.shape)


# g·(dx × y) = dx·(y × g) and g·(x × dy) = dy·(g × x).
cross: Op = primitive(
    "cross",
    infer=_cross_infer,
    evaluate=np.cross,
    derivative=Linear(
        (
            lambda g, x, y: unbroadcast(cross(conjugated(y), g), x.shape),
            lambda g, x, y: unbroadcast(cross(g, conjugated(x)), y.shape),
        )
    ),
    emit=emit_call("np.cross"),
)


def _cross_in_plane(x: Node, y: Node) -> Node:
    """The third component alone, all there is of vectors in a plane."""
    (x0, x1), (y0, y1) = ([read(o, (..., i)) for i in range(2)] for o in (x, y))
    return x0 * y1 - x1 * y0


@implements(np.cross)
def cross_(
    a: Any, b: Any, axisa: Any = -1, axisb: Any = -1, axisc: Any = -1, axis: Any = None
) -> Node:
    """`numpy.cross`."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = as_node(a), as_node(b)
    if not x.ndim or not y.ndim:
        raise ShapeError("At least one array has zero dimension")
    x = moveaxis(x, normalize_axis(axisa, x.ndim), -1)
    y = moveaxis(y, normalize_axis(axisb, y.ndim), -1)
    sizes = [dims.concrete(o.shape[-1]) for o in (x, y)]
    if any(size not in (2, 3) for size in sizes):
        raise ShapeError(f"cross product of vectors of {sizes[0]} and {sizes[1]} components")
    if sizes == [2, 2]:
        made = _cross_in_plane(x, y)
        return in_type(made, replace(made.array_type, form="array"))
    if 2 in sizes:
        raise UnsupportedError(
            "np.cross of vectors of 2 and 3 components", hint="append a third component of 0"
        )
    return moveaxis(cross(x, y), -1, axisc)


@implements(np.linalg.cross)
def _linalg_cross(x1: Any, x2: Any, /, *, axis: Any = -1) -> Node:
    vectors = [as_node(o) for o in (x1, x2)]
    if any(dims.concrete(o.shape[normalize_axis(axis, o.ndim)]) != 3 for o in vectors):
        raise ShapeError("Both input arrays must be (arrays of) 3-dimensional vectors")
    return cross_(x1, x2, axis=axis)
