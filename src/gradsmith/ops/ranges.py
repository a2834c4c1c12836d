"""Ranges: ``np.arange``, ``np.linspace`` and what is made of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ShapeError, UnsupportedError
from gradsmith.ir import dims
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, Emitter, Linear, Op
from gradsmith.ir.types import PYTHON_TYPES, ArrayType, DType, broadcast
from gradsmith.ops import syntax
from gradsmith.ops.arguments import as_dtype, as_size, as_static_int, size_of
from gradsmith.ops.declare import FUNCTIONS, as_node, implements, primitive
from gradsmith.ops.manipulate import moveaxis
from gradsmith.ops.raising import error_of
from gradsmith.ops.regions import as_whole, length_of_range
from gradsmith.ops.shape import astype, cast, unbroadcast

# -- the ops -------------------------------------------------------------------------------------


def _emit_arange(emitter: Emitter, node: Node) -> ast.expr:
    start, length, step = (node.attrs[key] for key in ("start", "length", "step"))
    atom = dims.as_atom(length)
    if isinstance(atom, dims.Compound) and (atom.name, atom.right) == ("max", 0):
        length = atom.left  # np.arange itself gives nothing where the stop is below the start
    stop = emitter.size(start + length * step)
    bounds = [stop] if start == 0 and step == 1 else [emitter.size(start), stop]
    if step != 1:
        bounds.append(syntax.expression(step))
    dtype = None if node.dtype == np.intp else node.dtype
    return syntax.call("np.arange", *bounds, dtype=dtype)


def _evaluate_arange(*, start: int, length: int, step: int, dtype: DType) -> Any:
    return np.arange(start, start + length * step, step, dtype=dtype)


arange: Op = primitive(
    "arange",
    infer=lambda *, start, length, step, dtype: ArrayType(dtype, (length,)),
    evaluate=_evaluate_arange,
    derivative=NON_DIFF,
    emit=_emit_arange,
)


@lru_cache(maxsize=256)
def _linspace_dtype(*operands: Any) -> DType:
    start, stop = (np.zeros((), o) if isinstance(o, np.dtype) else o(0) for o in operands)
    dtype: DType = np.linspace(start, stop, 1).dtype
    return dtype


def _linspace_infer(start: ArrayType, stop: ArrayType, *, num: Size, endpoint: bool) -> ArrayType:
    operands = [PYTHON_TYPES[t.dtype.kind] if t.weak else t.dtype for t in (start, stop)]
    if dims.is_below(num, 0):
        raise ShapeError(f"Number of samples, {dims.hint(num)}, must be non-negative.")
    shape = (num, *broadcast(start.shape, stop.shape))
    return ArrayType(_linspace_dtype(*operands), shape)


def _linspace_transpose(position: int, g: Node, ends: tuple[Node, Node], **attrs: Any) -> Node:
    real = np.empty((), g.dtype).real.dtype
    shares = cast(linspace(1.0 - position, float(position), **attrs), real)
    weighted = g * FUNCTIONS[np.reshape](shares, (-1,) + (1,) * (g.ndim - 1))
    return unbroadcast(FUNCTIONS[np.sum](weighted, axis=0), ends[position].shape)


def _emit_linspace(emitter: Emitter, node: Node, start: ast.expr, stop: ast.expr) -> ast.expr:
    endpoint = None if node.attrs["endpoint"] else False
    return syntax.call(
        "np.linspace", start, stop, emitter.size(node.attrs["num"]), endpoint=endpoint
    )


linspace: Op = primitive(
    "linspace",
    infer=_linspace_infer,
    evaluate=lambda start, stop, *, num, endpoint: np.linspace(start, stop, num, endpoint),
    derivative=Linear(
        (
            lambda g, start, stop, **attrs: _linspace_transpose(0, g, (start, stop), **attrs),
            lambda g, start, stop, **attrs: _linspace_transpose(1, g, (start, stop), **attrs),
        ),
        joint=True,
    ),
    emit=_emit_linspace,
)


# -- NumPy's functions ---------------------------------------------------------------------------


def _bound(value: Any, what: str) -> Size | float:
    """A bound of ``np.arange``: a size or a number that is known for good."""
    size = size_of(value)
    if size is not None:
        return size
    if isinstance(value, Node) and value.op.name == "constant" and value.ndim == 0:
        value = value.attrs["value"].value
    if isinstance(value, Node):
        raise ArgumentTypeError(f"np.arange: {what} must be a real number, not {value.type}")
    if isinstance(value, (float, np.floating)):
        return float(value)
    raise ArgumentTypeError(f"np.arange: {what} must be a number, not {value!r}")


@implements(np.arange)
def _arange(
    start: Any = None,
    stop: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: Any = None,
    like: Any = None,
) -> Node:
    low, high = (0, start) if stop is None else (0 if start is None else start, stop)
    given = {"start": low, "stop": high, "step": 1 if step is None else step}
    if any(map(_is_measured, given.values())):
        return _of_numbers([as_node(value) for value in given.values()], dtype)
    bounds = [_bound(value, what) for what, value in given.items()]
    floating = any(isinstance(b, float) for b in bounds)
    default = np.float64 if floating else np.intp
    kind = as_dtype(default if dtype is None else dtype)
    if floating and not any(isinstance(b, dims.Dim) for b in bounds):
        static: list[Any] = bounds
        return current_builder().lift(np.arange(*static, dtype=kind))
    first, last, stride = map(_whole, bounds)
    return integers(first, last, stride, kind)


def _is_measured(value: Any) -> bool:
    """Whether a bound is a real number that is known only while the code runs."""
    known = not isinstance(value, Node) or value.op.name == "constant"
    return not known and value.ndim == 0 and value.dtype.kind == "f"


def _of_numbers(bounds: Sequence[Node], dtype: Any) -> Node:
    """``np.arange`` of such numbers: NumPy adds multiples of the distance of the first two."""
    start, stop, step = bounds
    if np.result_type(*(b.dtype for b in bounds if not b.array_type.weak), float) != np.float64:
        raise UnsupportedError(
            "np.arange of numbers that are not float64", hint="convert its bounds with float()"
        )
    number = as_whole((stop - start) / step, "math.ceil")
    length = dims.compound("max", number, 0)
    distance = (start + step) - start
    made = start + arange(start=0, length=length, step=1, dtype=np.dtype(float)) * distance
    return made if dtype is None else astype(made, dtype=as_dtype(dtype))


def _whole(bound: Size | float) -> Size:
    if isinstance(bound, float):
        if not bound.is_integer():
            raise UnsupportedError(
                f"np.arange does not take a symbolic size together with {bound!r}",
                hint="use np.linspace, or a multiple of np.arange(n)",
            )
        return int(bound)
    return bound


def integers(start: Size, stop: Size, step: Size = 1, dtype: DType | None = None) -> Node:
    """``np.arange`` of integers, its length by guards."""
    stride = as_static_int(step, "step")
    if stride == 0:
        misfit = ArgumentTypeError("np.arange: step must not be zero")
        misfit.own = error_of(lambda: np.arange(0, 1, 0))
        raise misfit
    distance = stop - start if stride > 0 else start - stop
    length: Size = (distance + abs(stride) - 1) // abs(stride)
    if dims.is_unbacked(distance):
        length = length_of_range(start, stop, stride)
    elif dims.is_below(distance, 0):
        length = 0
    kind = np.dtype(np.intp) if dtype is None else dtype
    return arange(start=start, length=length, step=stride, dtype=kind)


@implements(np.linspace)
def _linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: Any = 0,
    *,
    device: Any = None,
) -> Any:
    start, stop, count = as_node(start), as_node(stop), as_size(num, "num")
    result = linspace(start, stop, num=count, endpoint=bool(endpoint))
    kind = result.dtype if dtype is None else as_dtype(dtype)
    if kind.kind in "iu":
        result = FUNCTIONS[np.floor](result)
    made = moveaxis(cast(result, kind), 0, axis)
    return (made, _step(start, stop, count - bool(endpoint))) if retstep else made


def _step(start: Node, stop: Node, parts: Size) -> Any:
    """The distance of two samples; NumPy has none of a single one."""
    kind = np.result_type(start.dtype, stop.dtype, np.float64)
    distance = astype(stop, dtype=kind) - astype(start, dtype=kind)
    return distance / parts if dims.decide(">", parts, 0) else np.nan
