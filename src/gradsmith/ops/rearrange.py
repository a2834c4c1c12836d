"""Rearranging elements: roll, repeat, tile, pad and triangles."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gradsmith.errors import ShapeError, UnsupportedError
from gradsmith.ir import dims
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Shape, Size
from gradsmith.ir.graph import Node
from gradsmith.ir.op import EmitRule, Emitter, Linear, Op
from gradsmith.ir.types import ArrayType
from gradsmith.ops import syntax
from gradsmith.ops.arguments import as_shape, as_size, normalize_axes, normalize_axis, size_of
from gradsmith.ops.declare import FUNCTIONS, as_node, implements, primitive
from gradsmith.ops.index import read
from gradsmith.ops.manipulate import broadcasted, ravel, reshaped
from gradsmith.ops.regions import as_whole
from gradsmith.ops.shape import as_array, copy, flip


def _sizes(emitter: Emitter, sizes: Shape) -> ast.expr:
    """A number where there is one, else a tuple."""
    items = [emitter.size(size) for size in sizes]
    return items[0] if len(items) == 1 else syntax.tuple_(items)


# -- roll ----------------------------------------------------------------------------------------


def _emit_roll(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    shift, axis = node.attrs["shift"], node.attrs["axis"]
    if node.ndim == 1:
        return syntax.call("np.roll", x, _sizes(emitter, shift))
    axes = axis[0] if len(axis) == 1 else axis
    return syntax.call("np.roll", x, _sizes(emitter, shift), axis=axes)


roll: Op = primitive(
    "roll",
    infer=lambda x, *, shift, axis: ArrayType(x.dtype, x.shape),
    evaluate=lambda x, *, shift, axis: np.roll(x, shift, axis),
    derivative=Linear(
        (lambda g, x, *, shift, axis: roll(g, shift=tuple(-s for s in shift), axis=axis),)
    ),
    emit=_emit_roll,
)


@implements(np.roll)
def _roll(a: Any, shift: Any, axis: Any = None) -> Node:
    x = as_node(a)
    steps = as_shape(shift, "shift")
    if axis is None:
        total = sum(steps[1:], steps[0])
        return reshaped(roll(ravel(x), shift=(total,), axis=(0,)), x.shape)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    places = tuple(normalize_axis(place, x.ndim) for place in axes)
    count = max(len(steps), len(places))
    if {len(steps), len(places)} - {1, count}:
        raise ShapeError("'shift' and 'axis' should be scalars or 1D sequences")
    steps = steps * count if len(steps) == 1 else steps
    places = places * count if len(places) == 1 else places
    return roll(x, shift=steps, axis=places)


# -- repeat and tile -----------------------------------------------------------------------------


def _times(shape: Shape, axis: int, factor: Size) -> Shape:
    return (*shape[:axis], shape[axis] * factor, *shape[axis + 1 :])


def _repeat_transpose(g: Node, x: Node, *, repeats: Size, axis: int) -> Node:
    split = (*x.shape[: axis + 1], repeats, *x.shape[axis + 1 :])
    total: Node = FUNCTIONS[np.sum](reshaped(g, split), axis=axis + 1)
    return total


def _emit_repeat(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    axis = None if node.ndim == 1 else node.attrs["axis"]
    return syntax.call("np.repeat", x, emitter.size(node.attrs["repeats"]), axis=axis)


repeat: Op = primitive(
    "repeat",
    infer=lambda x, *, repeats, axis: ArrayType(x.dtype, _times(x.shape, axis, repeats)),
    evaluate=lambda x, *, repeats, axis: np.repeat(x, repeats, axis),
    derivative=Linear((_repeat_transpose,)),
    emit=_emit_repeat,
)


def _cut_off(repeats: Any) -> Any:
    """What NumPy makes of a number that is no integer: arrays it refuses."""
    if isinstance(repeats, (float, np.floating)):
        return int(repeats)
    traced = isinstance(repeats, Node) and repeats.dtype.kind == "f"
    return as_whole(repeats) if traced and repeats.array_type.form != "array" else repeats


@implements(np.repeat)
def _repeat(a: Any, repeats: Any, axis: Any = None) -> Node:
    x = ravel(a) if axis is None else as_node(a)
    place = 0 if axis is None else normalize_axis(axis, x.ndim)
    repeats = _cut_off(repeats)
    if size_of(repeats) is not None:
        return repeat(x, repeats=as_size(repeats, "repeats"), axis=place)
    counts = as_node(repeats)
    if counts.op.name != "constant":
        raise UnsupportedError(
            "np.repeat: the size of the result depends on the values of `repeats`",
            hint="repeat by a number, or by an array that is known apart from the arguments",
        )
    numbers = np.atleast_1d(counts.attrs["value"].value)
    length = dims.concrete(x.shape[place])
    if numbers.size not in (1, length):
        raise ShapeError(
            f"operands could not be broadcast together with shape ({length},) {numbers.shape}"
        )
    origins = np.repeat(np.arange(length), numbers)
    return read(x, (*[slice(None)] * place, current_builder().lift(origins)))


def _aligned(shape: Shape, reps: Shape) -> tuple[Shape, Shape]:
    ndim = max(len(shape), len(reps))
    return (1,) * (ndim - len(shape)) + shape, (1,) * (ndim - len(reps)) + reps


def _tile_infer(x: ArrayType, *, reps: Shape) -> ArrayType:
    sizes, factors = _aligned(x.shape, reps)
    return ArrayType(x.dtype, tuple(s * f for s, f in zip(sizes, factors, strict=True)))


def _tile_transpose(g: Node, x: Node, *, reps: Shape) -> Node:
    sizes, factors = _aligned(x.shape, reps)
    split = tuple(n for pair in zip(factors, sizes, strict=True) for n in pair)
    total: Node = FUNCTIONS[np.sum](reshaped(g, split), axis=tuple(range(0, len(split), 2)))
    return reshaped(total, x.shape)


tile: Op = primitive(
    "tile",
    infer=_tile_infer,
    evaluate=lambda x, *, reps: np.tile(x, reps),
    derivative=Linear((_tile_transpose,)),
    emit=lambda emitter, node, x: syntax.call("np.tile", x, _sizes(emitter, node.attrs["reps"])),
)


@implements(np.tile)
def _tile(A: Any, reps: Any) -> Node:  # noqa: N803 (NumPy's name)
    x = as_node(A)
    factors = as_shape(reps, "reps")
    return tile(x, reps=factors) if factors else copy(x)


@implements(np.resize)
def _resize(a: Any, new_shape: Any) -> Node:
    raise UnsupportedError("np.resize is not supported", hint="use np.tile and slices")


# -- triangles -----------------------------------------------------------------------------------


def _emit_triangle(function: str) -> EmitRule:
    def emit(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
        k = node.attrs["k"]
        return syntax.call(function, x, *([] if k == 0 else [emitter.size(k)]))

    return emit


tril: Op = primitive(
    "tril",
    infer=lambda x, *, k: ArrayType(x.dtype, x.shape),
    evaluate=lambda x, *, k: np.tril(x, k),
    derivative=Linear((lambda g, x, *, k: tril(g, k=k),)),
    emit=_emit_triangle("np.tril"),
)
triu: Op = primitive(
    "triu",
    infer=lambda x, *, k: ArrayType(x.dtype, x.shape),
    evaluate=lambda x, *, k: np.triu(x, k),
    derivative=Linear((lambda g, x, *, k: triu(g, k=k),)),
    emit=_emit_triangle("np.triu"),
)


def _matrix(m: Any) -> Node:
    """``m`` with two axes at least: NumPy repeats a vector as the rows of a square matrix."""
    x = as_node(m)
    if x.ndim == 0:
        raise ShapeError("a triangle needs an array with at least 1 axis")
    return x if x.ndim > 1 else broadcasted(x, (x.shape[0], x.shape[0]))


@implements(np.tril)
def _tril(m: Any, k: Any = 0) -> Node:
    return tril(_matrix(m), k=as_size(k, "k"))


@implements(np.triu)
def _triu(m: Any, k: Any = 0) -> Node:
    return triu(_matrix(m), k=as_size(k, "k"))


# -- reversing -----------------------------------------------------------------------------------


@implements(np.flip)
def _flip(m: Any, axis: Any = None) -> Node:
    x = as_node(m)
    axes = tuple(sorted(normalize_axes(axis, x.ndim)))
    if not x.ndim:
        return read(as_array(x), ())  # a scalar
    return flip(x, axis=axes) if axes else x
