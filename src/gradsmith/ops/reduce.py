"""Reductions over axes, first part (the ops): sums, extrema, truth values, counts.

Products over axes are in products.py, means and spreads in statistics.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from gradsmith.errors import ShapeError
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Shape
from gradsmith.ir.graph import Node, is_users
from gradsmith.ir.op import NON_DIFF, Custom, Derivative, EmitRule, Emitter, Linear, Op
from gradsmith.ir.types import ArrayType, DType, Form, describe_shape
from gradsmith.ops import syntax
from gradsmith.ops.compare import equal
from gradsmith.ops.declare import primitive, result_form
from gradsmith.ops.manipulate import broadcasted
from gradsmith.ops.select import where as select
from gradsmith.ops.shape import Axes, cast, expand_dims, lacks_methods, unbroadcast

__all__ = ["expand_reduced", "reduce_max", "reduce_min", "reduce_sum", "spread", "unbroadcast"]


# -- shapes and types ----------------------------------------------------------------------------


def reduced_shape(shape: Shape, axis: Axes, keepdims: bool) -> Shape:
    """What is left of ``shape``."""
    if keepdims:
        return tuple(1 if i in axis else size for i, size in enumerate(shape))
    return tuple(size for i, size in enumerate(shape) if i not in axis)


def expand_reduced(g: Node, axis: Axes, keepdims: bool) -> Node:
    """``g``, of a reduction's type, so that it broadcasts against the operand.

    Leading axes come back by broadcasting alone.
    """
    if keepdims or axis == tuple(range(len(axis))):
        return g
    return expand_dims(g, axis=axis)


def spread(g: Node, shape: Shape, axis: Axes, keepdims: bool) -> Node:
    """``g``, of a reduction's type, repeated over the operand's whole shape."""
    return broadcasted(expand_reduced(g, axis, keepdims), shape) if shape else g


@lru_cache(maxsize=1024)
def probe(function: Callable[..., Any], dtype: DType, wanted: DType | None) -> DType:
    """The dtype that ``function`` gives for one operand of this dtype, by asking it."""
    options = {} if wanted is None else {"dtype": wanted}
    return np.asarray(function(np.ones(1, dtype), **options)).dtype


def _reduction_infer(function: Callable[..., Any]) -> Callable[..., ArrayType]:
    """Type rule: the dtype that ``function`` itself gives, the axes gone."""

    def infer(
        x: ArrayType, *, axis: Axes, keepdims: bool, dtype: DType | None = None, **_: Any
    ) -> ArrayType:
        shape = reduced_shape(x.shape, axis, keepdims)
        return ArrayType(probe(function, x.dtype, dtype), shape, result_form(shape))

    return infer


def _emit_reduction(method: str, *, folds: bool = True, adds: bool = False) -> EmitRule:
    """``x.sum(axis=0)``; ``folds`` says that a scalar is its own reduction, and ``adds`` that
    NumPy adds it to 0, which makes 0.0 of -0.0.
    """

    def emit(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
        operand = node.inputs[0].array_type
        if folds and operand.form == "scalar" and operand.dtype == node.dtype:
            signed = adds and operand.inexact and is_users(node)
            return syntax.binary("+", syntax.expression(0), x) if signed else x
        options = {**node.attrs, **_written_axis(node), "in_order": None}
        options = {k: emitter.size(v) if isinstance(v, Dim) else v for k, v in options.items()}
        if lacks_methods(node.inputs[0]):
            return syntax.call(f"np.{method}", x, **options)
        return syntax.method(x, method, **options)

    return emit


def _written_axis(node: Node) -> dict[str, Any]:
    """The axis and keepdims of a reduction as a person writes them: none where it is all axes."""
    axis, ndim = node.attrs["axis"], node.inputs[0].ndim
    everything = len(axis) == ndim
    short = None if everything else axis[0] if len(axis) == 1 else axis
    return {"axis": short, "keepdims": node.attrs["keepdims"] or None}


def reduction(
    name: str,
    function: Callable[..., Any],
    derivative: Derivative,
    *,
    method: str | None = None,
    **options: Any,
) -> Op:
    """Declare a reduction whose value and dtype are those of ``function``, a NumPy function."""
    return primitive(
        name,
        infer=options.pop("infer", _reduction_infer(function)),
        evaluate=options.pop("evaluate", function),
        derivative=derivative,
        emit=options.pop("emit", None) or _emit_reduction(method or function.__name__, **options),
    )


# -- sums ----------------------------------------------------------------------------------------


def _sum_transpose(g: Node, x: Node, *, axis: Axes, keepdims: bool, **_: Any) -> Node:
    return spread(g, x.shape, axis, keepdims)


def _evaluate_sum(x: Any, *, axis: Axes, in_order: bool = False, **options: Any) -> Any:
    return 0 + np.cumsum(x)[-1] if in_order else np.sum(x, axis=axis, **options)


_emit_pairwise = _emit_reduction("sum", adds=True)


def _emit_sum(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    """``0 + np.cumsum(x)[-1]`` where it is Python's ``sum``, which begins with 0 and goes on from
    the left: NumPy's own adds in pairs.
    """
    if not (is_users(node) and node.attrs.get("in_order")):
        return _emit_pairwise(emitter, node, x)
    last = syntax.subscript(syntax.call("np.cumsum", x), syntax.expression(-1))
    return syntax.binary("+", syntax.expression(0), last)


reduce_sum = reduction(
    "reduce_sum", np.sum, Linear((_sum_transpose,)), evaluate=_evaluate_sum, emit=_emit_sum
)
reduce_any = reduction("reduce_any", np.any, NON_DIFF)
reduce_all = reduction("reduce_all", np.all, NON_DIFF)


# -- counts and positions ------------------------------------------------------------------------

# NumPy counts in Python's integers or in its own, by its version.
_COUNT_FORM: Form = "scalar" if isinstance(np.count_nonzero(np.ones(1)), np.generic) else "python"


def _count_infer(x: ArrayType, *, axis: Axes, keepdims: bool) -> ArrayType:
    shape = reduced_shape(x.shape, axis, keepdims)
    return ArrayType(np.dtype(np.intp), shape, "array" if shape else _COUNT_FORM)


def _evaluate_count(x: Any, *, axis: Axes, keepdims: bool) -> Any:
    whole = len(axis) == np.ndim(x)
    return np.count_nonzero(x, axis=None if whole else axis, keepdims=keepdims)


count_nonzero: Op = primitive(
    "count_nonzero",
    infer=_count_infer,
    evaluate=_evaluate_count,
    derivative=NON_DIFF,
    emit=lambda emitter, node, x: syntax.call("np.count_nonzero", x, **_written_axis(node)),
)


def _position_infer(x: ArrayType, *, axis: int | None, keepdims: bool) -> ArrayType:
    axes = tuple(range(x.ndim)) if axis is None else (axis,)[: x.ndim]
    shape = reduced_shape(x.shape, axes, keepdims)
    _refuse_empty(x.shape, axes, shape, "attempt to get the position of the extremum")
    return ArrayType(np.dtype(np.intp), shape, result_form(shape))


def _emit_position(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    options = {"axis": node.attrs["axis"], "keepdims": node.attrs["keepdims"] or None}
    if node.inputs[0].ndim == 1:
        options["axis"] = None
    return syntax.call(f"np.{node.op.name}", x, **options)


def _position(name: str, function: Callable[..., Any]) -> Op:
    return primitive(
        name, infer=_position_infer, evaluate=function, derivative=NON_DIFF, emit=_emit_position
    )


argmax = _position("argmax", np.argmax)
argmin = _position("argmin", np.argmin)


# -- extrema -------------------------------------------------------------------------------------


def _refuse_empty(shape: Shape, axis: Axes, result: Shape, what: str) -> None:
    """Raise where an axis without elements is reduced by what has no identity."""
    empty = any(dims.is_below(shape[a], 1) for a in axis)
    if empty and not any(dims.is_below(size, 1) for size in result):
        raise ShapeError(
            f"{what} of an array of shape {describe_shape(shape)} over axes {axis}: "
            "there are no elements to choose from"
        )


def _extremum_infer(x: ArrayType, *, axis: Axes, keepdims: bool) -> ArrayType:
    shape = reduced_shape(x.shape, axis, keepdims)
    _refuse_empty(x.shape, axis, shape, "maximum or minimum")
    return ArrayType(x.dtype, shape, result_form(shape))


def _ties(out: Node, x: Node, axis: Axes, keepdims: bool) -> tuple[Node, Node]:
    """Where the extremum is taken, and how many times."""
    tie = equal(x, expand_reduced(out, axis, keepdims))
    if len(axis) == x.ndim:  # ten times quicker than a sum of booleans
        return tie, count_nonzero(tie, axis=axis, keepdims=False)
    return tie, reduce_sum(tie, axis=axis, keepdims=keepdims)


def _extremum_gradient(g: Node, out: Node, x: Node, *, axis: Axes, keepdims: bool) -> Node:
    """Every element that is the extremum takes an equal share."""
    if not axis:
        return g
    tie, count = _ties(out, x, axis, keepdims)
    share = cast(g / count, g.dtype)
    return select(tie, expand_reduced(share, axis, keepdims), 0)


def _extremum_tangent(
    out: Node, inputs: tuple[Node, ...], tangents: list[Node], *, axis: Axes, keepdims: bool
) -> Node:
    if not axis:
        return tangents[0]
    tie, count = _ties(out, inputs[0], axis, keepdims)
    return reduce_sum(select(tie, tangents[0], 0), axis=axis, keepdims=keepdims) / count


EXTREMUM_DERIVATIVE = Custom((_extremum_gradient,), jvp=_extremum_tangent)


def _extremum(name: str, function: Callable[..., Any], method: str) -> Op:
    return reduction(name, function, EXTREMUM_DERIVATIVE, method=method, infer=_extremum_infer)


reduce_max = _extremum("reduce_max", np.max, "max")
reduce_min = _extremum("reduce_min", np.min, "min")
