"""NumPy's array manipulation functions that only change shape and the order of axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import ShapeError, UnsupportedError
from gradsmith.ir import dims
from gradsmith.ir.dims import Shape, Size
from gradsmith.ir.graph import Node
from gradsmith.ir.types import broadcast
from gradsmith.ops import shape as ops
from gradsmith.ops.arguments import (
    as_dtype,
    as_shape,
    as_static_int,
    normalize_axes,
    normalize_axis,
    require_default,
)
from gradsmith.ops.declare import as_node, implements

# -- reshape -------------------------------------------------------------------------------------


def reshaped(x: Node, shape: Shape) -> Node:
    """``x`` in that shape (no -1), itself where it has it."""
    return x if x.shape == shape and x.ndim > 0 else ops.reshape(x, shape=shape)


def may_be_negative(size: Size) -> bool:
    """Whether the data decide a size that is no number of elements."""
    bound = dims.least(size)
    known = (
        isinstance(size, int) or not dims.is_unbacked(size) or (bound is not None and bound >= 0)
    )
    return not known and not dims.settled(">=", size, 0)


def not_negative(size: Size) -> Size:
    """``max(size, 0)``."""
    if may_be_negative(size):
        return dims.compound("max", size, 0)
    return 0 if dims.is_below(size, 0) else size


def _is_left_open(size: Size) -> bool:
    """Whether it stands for what is left, as to NumPy any negative size does."""
    if may_be_negative(size):
        raise UnsupportedError(
            "a size that the data decide may be negative, which stands for what is left",
            hint="write max(n, 0), if it never is",
        )
    return not dims.is_unbacked(size) and dims.decide("<", size, 0)


def _resolve(shape: Shape, old: Shape) -> Shape:
    """``shape`` with its -1 replaced by what is left of ``old``."""
    shape = tuple(-1 if size not in old and _is_left_open(size) else size for size in shape)
    unknown = [i for i, size in enumerate(shape) if size == -1]
    if not unknown:
        return shape
    if len(unknown) > 1:
        raise ShapeError("can only specify one unknown dimension")
    known = [size for size in shape if size != -1]
    rest = list(old)
    for size in list(known):  # equal factors need no division
        if size in rest:
            rest.remove(size)
            known.remove(size)
    left, divisor = dims.product(tuple(rest)), dims.product(tuple(known))
    if dims.is_unbacked(divisor) or dims.decide("!=", divisor, 0):
        found = left // divisor
        resolved = tuple(found if size == -1 else size for size in shape)
        if dims.same(dims.product(old), dims.product(resolved)):
            return resolved
    wanted = str(tuple(dims.hint(s) for s in shape)).replace("-1", "newaxis")
    total = dims.hint(dims.product(old))
    raise ShapeError(
        f"cannot reshape array of size {total} into shape {wanted}",
        hint=f"give sizes whose product is {total}; one of them may be -1, which is worked out",
    )


@implements(np.reshape)
def reshape(a: Any, /, shape: Any, order: str = "C", *, copy: bool | None = None) -> Node:
    """`numpy.reshape`; ``order="F"`` by way of transposes."""
    require_default("np.reshape", order=(order, "CF"), copy=(copy, (None, True)))
    x = ops.copy(as_node(a)) if copy else as_node(a)
    wanted = _resolve(as_shape(shape), x.shape)
    if x.array_type.form == "scalar" and not (x.array_type.weak or wanted):
        return x  # the method of NumPy's scalars
    if order == "C":
        return reshaped(x, wanted)
    return transpose(reshaped(transpose(x), tuple(reversed(wanted))))


@implements(np.ravel)
def ravel(a: Any, order: str = "C") -> Node:
    """`numpy.ravel`."""
    require_default("np.ravel", order=(order, "CF"))
    x = as_node(a)
    return reshaped(transpose(x) if order == "F" else x, (x.array_type.size,))


@implements(np.expand_dims)
def expand_dims(a: Any, axis: Any) -> Node:
    """`numpy.expand_dims`."""
    x = as_node(a)
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    axes = tuple(sorted(normalize_axes(axis, x.ndim + count)))
    return ops.expand_dims(x, axis=axes) if axes else x


def _as_numpys(a: Any) -> Node:
    """A number of Python's as an array without axes."""
    x = as_node(a)
    return ops.as_array(x) if x.array_type.weak else x


@implements(np.squeeze)
def squeeze(a: Any, axis: Any = None) -> Node:
    """`numpy.squeeze`."""
    x = _as_numpys(a)
    if axis is None:
        for size in filter(_may_be_one, x.shape):
            dims.concrete(size)  # which says that the data decide it
        axes = tuple(i for i, size in enumerate(x.shape) if dims.is_one(size))
    else:
        axes = tuple(sorted(normalize_axes(axis, x.ndim)))
    return ops.squeeze(x, axis=axes) if axes else x


def _may_be_one(size: Size) -> bool:
    """Whether the data decide if it is 1."""
    if not dims.is_unbacked(size):
        return False
    least = dims.least(size)
    return (least is None or least < 2) and dims.settled("==", size, 1) is not True


def _each(function: Callable[[Node], Node], arrays: tuple[Any, ...]) -> Any:
    results = tuple(function(as_node(a)) for a in arrays)
    return results[0] if len(results) == 1 else results


@implements(np.atleast_1d)
def atleast_1d(*arys: Any) -> Any:
    """`numpy.atleast_1d`."""
    return _each(lambda x: x if x.ndim else ops.expand_dims(x, axis=(0,)), arys)


@implements(np.atleast_2d)
def atleast_2d(*arys: Any) -> Any:
    """`numpy.atleast_2d`."""
    missing = {0: (0, 1), 1: (0,)}
    return _each(lambda x: ops.expand_dims(x, axis=missing[x.ndim]) if x.ndim < 2 else x, arys)


@implements(np.atleast_3d)
def atleast_3d(*arys: Any) -> Any:
    """`numpy.atleast_3d`."""
    missing = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}
    return _each(lambda x: ops.expand_dims(x, axis=missing[x.ndim]) if x.ndim < 3 else x, arys)


# -- broadcasting --------------------------------------------------------------------------------


def broadcasted(x: Node, shape: Shape) -> Node:
    """``x`` broadcast to that shape, itself where it has it."""
    return x if x.shape == shape and x.ndim > 0 else ops.broadcast_to(x, shape=shape)


@implements(np.broadcast_to)
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Node:
    """`numpy.broadcast_to`."""
    return ops.broadcast_to(as_node(array), shape=as_shape(shape))


@implements(np.broadcast_arrays)
def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Node, ...]:
    """`numpy.broadcast_arrays`."""
    nodes = [as_node(a) for a in args]
    whole = broadcast(*[x.shape for x in nodes])
    return tuple(broadcasted(x, whole) for x in nodes)


@implements(np.broadcast_shapes)
def broadcast_shapes(*args: Any) -> Shape:
    """`numpy.broadcast_shapes`."""
    return broadcast(*[as_shape(a) for a in args])


# -- order of axes -------------------------------------------------------------------------------


def _permuted(x: Node, axes: tuple[int, ...]) -> Node:
    return x if axes == tuple(range(x.ndim)) else ops.transpose(x, axes=axes)


@implements(np.transpose, *([np.permute_dims] if hasattr(np, "permute_dims") else []))
def transpose(a: Any, axes: Any = None) -> Node:
    """`numpy.transpose`."""
    x = _as_numpys(a)
    if axes is None:
        return _permuted(x, tuple(reversed(range(x.ndim))))
    order = normalize_axes(axes, x.ndim)
    if len(order) != x.ndim:
        raise ShapeError("axes don't match array")
    return _permuted(x, order)


@implements(np.matrix_transpose)
def matrix_transpose(x: Any, /) -> Node:
    """`numpy.matrix_transpose`."""
    node = as_node(x)
    if node.ndim < 2:
        raise ShapeError(f"a matrix must have at least 2 axes, not {node.ndim}")
    return swapaxes(node, -1, -2)


@implements(np.swapaxes)
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Node:
    """`numpy.swapaxes`."""
    x = as_node(a)
    first, second = normalize_axis(axis1, x.ndim), normalize_axis(axis2, x.ndim)
    order = list(range(x.ndim))
    order[first], order[second] = second, first
    return _permuted(x, tuple(order))


@implements(np.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> Node:
    """`numpy.moveaxis`."""
    x = as_node(a)
    sources, targets = normalize_axes(source, x.ndim), normalize_axes(destination, x.ndim)
    if len(sources) != len(targets):
        raise ShapeError("`source` and `destination` must have the same number of elements")
    order = [i for i in range(x.ndim) if i not in sources]
    for target, origin in sorted(zip(targets, sources, strict=True)):
        order.insert(target, origin)
    return _permuted(x, tuple(order))


@implements(np.rollaxis)
def rollaxis(a: Any, axis: Any, start: Any = 0) -> Node:
    """`numpy.rollaxis`."""
    x = as_node(a)
    origin = normalize_axis(axis, x.ndim)
    place = as_static_int(start, "start")
    if not -x.ndim <= place <= x.ndim:
        raise ShapeError(f"'start' arg requires {-x.ndim} <= start < {x.ndim + 1}")
    place += x.ndim if place < 0 else 0
    order = [i for i in range(x.ndim) if i != origin]
    order.insert(place - (origin < place), origin)
    return _permuted(x, tuple(order))


# -- order of elements ---------------------------------------------------------------------------


@implements(np.flipud)
def flipud(m: Any) -> Node:
    """`numpy.flipud`."""
    return _flip_matrix(as_node(m), 0)


@implements(np.fliplr)
def fliplr(m: Any) -> Node:
    """`numpy.fliplr`."""
    return _flip_matrix(as_node(m), 1)


def _flip_matrix(x: Node, axis: int) -> Node:
    if x.ndim <= axis:
        raise ShapeError(f"Input must be >= {axis + 1}-d.")
    return ops.flip(x, axis=(axis,))


@implements(np.rot90)
def rot90(m: Any, k: Any = 1, axes: Any = (0, 1)) -> Node:
    """`numpy.rot90`."""
    x = as_node(m)
    first, second = normalize_axes(tuple(axes), x.ndim)
    turns = as_static_int(k, "k") % 4
    if turns == 0:
        return x
    if turns == 2:
        return ops.flip(x, axis=tuple(sorted((first, second))))
    if turns == 1:
        return swapaxes(ops.flip(x, axis=(second,)), first, second)
    return ops.flip(swapaxes(x, first, second), axis=(second,))


# -- dtype, copies and questions about shape -----------------------------------------------------


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Node:
    """`numpy.astype`."""
    node = as_node(x)
    wanted = as_dtype(dtype)
    if node.dtype == wanted and not node.array_type.weak:
        shared = node.array_type.form == "array"
        return ops.copy(node, order="K") if copy and shared else node
    return ops.cast(node, wanted)


if hasattr(np, "astype"):  # since NumPy 2.1
    implements(np.astype)(astype)


@implements(np.copy)
def copy(a: Any, order: str = "K", subok: bool = False) -> Node:
    """`numpy.copy`."""
    require_default("np.copy", order=(order, ("K", "C", "F", "A")))
    node = as_node(a)
    array = ops.as_array(node)
    kept = {"order": "K"} if order == "K" else {}
    return ops.copy(array, **kept) if array is node else array


@implements(np.shape)
def shape(a: Any) -> Shape:
    """`numpy.shape`."""
    return as_node(a).shape


@implements(np.ndim)
def ndim(a: Any) -> int:
    """`numpy.ndim`."""
    return as_node(a).ndim


@implements(np.size)
def size(a: Any, axis: Any = None) -> Size:
    """`numpy.size`."""
    x = as_node(a)
    return dims.product(tuple(x.shape[i] for i in normalize_axes(axis, x.ndim)))
