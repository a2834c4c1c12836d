"""Functions that NumPy has no name for and that users write by hand: logistic, softmax.

Written by hand they overflow or lose their digits; these do neither. A pass recognises them, they
are differentiated as what they are, and then `LOWERINGS` turns them into NumPy's functions such
that a value and its derivative share their exponentials. Their own emission is what they come to
without that pass: each for itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Custom, EmitRule, Emitter, Op, Partials
from gradsmith.ir.types import ArrayType, DType
from gradsmith.ops import syntax
from gradsmith.ops.arithmetic import negative
from gradsmith.ops.compare import greater_equal, isfinite
from gradsmith.ops.complex import absolute
from gradsmith.ops.declare import (
    FUNCTIONS,
    elementwise_infer,
    formula,
    primitive,
    result_form,
    ufunc_dtype,
)
from gradsmith.ops.elementwise import exp, log, log1p, tanh
from gradsmith.ops.select import denominator, maximum, minimum, where
from gradsmith.ops.shape import expand_dims, squeeze

Axes = tuple[int, ...]

LOWERINGS: dict[Op, Callable[..., Node]] = {}
"""What each of these ops is made of: a function of its operands and attributes."""


def _lowers(op: Op) -> Callable[[Callable[..., Node]], Callable[..., Node]]:
    def declare(function: Callable[..., Node]) -> Callable[..., Node]:
        LOWERINGS[op] = function
        return function

    return declare


def _dtype(x: ArrayType) -> DType:
    if x.dtype.kind in "bc":
        raise ArgumentTypeError(f"a function of real numbers got dtype {x.dtype}")
    return ufunc_dtype(np.exp, x)


def _emit(text: str) -> EmitRule:
    """The expression ``text`` of x and the attributes."""

    def emit(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
        attrs = {name: syntax.expression(value) for name, value in node.attrs.items()}
        return syntax.template(text, x=x, **attrs)

    return emit


# -- logistic functions: one exponential, of -|x|, serves them all -------------------------------


def _decay(x: Node) -> Node:
    """``exp(-|x|)``, the same node for ``x`` and ``-x``."""
    return exp(-absolute(x.inputs[0] if x.op is negative else x))


def _evaluate_sigmoid(x: Any) -> Any:
    decay = np.exp(-np.abs(x))
    return np.maximum(x >= 0, decay) / (1 + decay)


def _evaluate_slope(x: Any) -> Any:
    decay = np.exp(-np.abs(x))
    return decay / (1 + decay) ** 2


def _logistic(
    name: str,
    evaluate: Callable[..., Any],
    partial: Callable[..., Node],
    *,
    sympy: str,
    emit: str,
) -> Op:
    return primitive(
        name,
        infer=elementwise_infer(_dtype),
        evaluate=evaluate,
        derivative=Partials((partial,)),
        emit=_emit(emit),
        sympy=formula(sympy),
        traits=("elementwise",),
    )


softplus = _logistic(
    "softplus",
    lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
    lambda out, x: sigmoid(x),
    sympy="log(1 + exp(x))",
    emit="np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))",
)
sigmoid: Op = _logistic(
    "sigmoid",
    _evaluate_sigmoid,
    lambda out, x: sigmoid_slope(x),
    sympy="1/(1 + exp(-x))",
    emit="np.maximum(x >= 0, np.exp(-np.abs(x))) / (1 + np.exp(-np.abs(x)))",
)
# The derivative of sigmoid; written out * (1 - out) it would be 0 from x = 37 on.
sigmoid_slope: Op = _logistic(
    "sigmoid_slope",
    _evaluate_slope,
    lambda out, x: -out * tanh(0.5 * x),
    sympy="exp(-x)/(1 + exp(-x))**2",
    emit="np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))) ** 2",
)


@_lowers(softplus)
def _lower_softplus(x: Node) -> Node:
    return maximum(x, 0) + log1p(_decay(x))


def _has_decay(x: Node) -> bool:
    """Whether ``exp(-|x|)`` is there already, for a soft plus of the same."""
    builder = current_builder()
    distance = builder.find(absolute, x.inputs[0] if x.op is negative else x)
    falling = None if distance is None else builder.find(negative, distance)
    return falling is not None and builder.find(exp, falling) is not None


def _in_adjoint() -> bool:
    span = current_builder().span
    return span is not None and span.adjoint


def _falling_logistic(x: Node) -> Node:
    """``1 / (1 + exp(x))``, where exp does not overflow: what is cut off beyond the limit is below
    the smallest normal number, so that both tails keep all of their digits.
    """
    limit = float(np.floor(np.log(np.finfo(x.dtype.name).max)))
    return 1 / (1 + exp(minimum(x, limit)))


def _exact_logistic(x: Node) -> Node:
    """``1 / (1 + exp(-x))`` to the bit: 0 where exp would overflow."""
    limit = _greatest_exponent(x.dtype)
    return greater_equal(x, -limit) / (1 + exp(minimum(-x, limit)))


def _greatest_exponent(dtype: DType) -> float:
    """The greatest number of which the exponential is finite."""
    largest = np.log(np.float64(np.finfo(dtype.name).max))
    limit = dtype.type(largest)
    return float(limit if limit <= largest else np.nextafter(limit, dtype.type(0)))


@_lowers(sigmoid)
def _lower_sigmoid(x: Node) -> Node:
    if not _has_decay(x):
        return _falling_logistic(-x) if _in_adjoint() else _exact_logistic(x)
    decay = _decay(x)
    # 1 or decay, which is at most 1: np.maximum is quicker than np.where (0.7 and 1.2 ns).
    return maximum(greater_equal(x, 0), decay) / (1 + decay)


@_lowers(sigmoid_slope)
def _lower_slope(x: Node) -> Node:
    decay = _decay(x)
    return decay / (1 + decay) ** 2


# -- sums of exponentials ------------------------------------------------------------------------


def _reduced(x: ArrayType, *, axis: Axes, keepdims: bool) -> ArrayType:
    if keepdims:
        shape = tuple(1 if i in axis else s for i, s in enumerate(x.shape))
    else:
        shape = tuple(s for i, s in enumerate(x.shape) if i not in axis)
    return ArrayType(_dtype(x), shape, result_form(shape))


def _evaluate_parts(x: Any, axis: Axes) -> tuple[Any, Any, Any]:
    """The greatest element (0 where infinite), the exponentials below it and their sum."""
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    powers = np.exp(x - top)
    return top, powers, np.sum(powers, axis=axis, keepdims=True)


def _parts(x: Node, axis: Axes, *, infinite: bool) -> tuple[Node, Node, Node]:
    """The same as nodes, without axes where all are summed over; all ops below share them.

    ``infinite`` says that infinite elements have a limit here, and are no nan as in exp / sum.
    """
    top = FUNCTIONS[np.max](x, axis=axis, keepdims=len(axis) < x.ndim)
    if infinite:
        top = where(isfinite(top), top, 0)
    powers = exp(x - top)
    return top, powers, _total(powers, axis)


def _sum(x: Node, axis: Axes, *, keepdims: bool) -> Node:
    total: Node = FUNCTIONS[np.sum](x, axis=axis, keepdims=keepdims)
    return total


def _total(x: Node, axis: Axes) -> Node:
    """The sum such that it broadcasts against ``x``."""
    return _sum(x, axis, keepdims=len(axis) < x.ndim)


def _spread(g: Node, x: Node, axis: Axes) -> Node:
    """``g``, of ``x`` without the axes, such that it broadcasts against ``x``."""
    return expand_dims(g, axis=axis) if 0 < len(axis) < x.ndim else g


def _evaluate_logsumexp(x: Any, *, axis: Axes, keepdims: bool) -> Any:
    top, _, total = _evaluate_parts(x, axis)
    with np.errstate(divide="ignore"):  # log(0) is right: nothing but -inf was summed
        result = np.log(total) + top
    return result if keepdims else np.squeeze(result, axis)[()]


def _logsumexp_gradient(g: Node, out: Node, x: Node, *, axis: Axes, keepdims: bool) -> Node:
    spread = g if keepdims else _spread(g, x, axis)
    return spread * softmax(x, axis=axis, zeros=True)


def _logsumexp_jvp(
    out: Node, inputs: tuple[Node, ...], tangents: list[Node], *, axis: Axes, keepdims: bool
) -> Node:
    weights = softmax(inputs[0], axis=axis, zeros=True)
    return _sum(weights * tangents[0], axis, keepdims=keepdims)


logsumexp = primitive(
    "logsumexp",
    infer=_reduced,
    evaluate=_evaluate_logsumexp,
    derivative=Custom((_logsumexp_gradient,), _logsumexp_jvp),
    emit=_emit("np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)"),
)


@_lowers(logsumexp)
def _lower_logsumexp(x: Node, *, axis: Axes, keepdims: bool) -> Node:
    top, _, total = _parts(x, axis, infinite=True)
    result = log(total) + top
    if result.ndim < x.ndim:
        return expand_dims(result, axis=axis) if keepdims else result
    return result if keepdims or not axis else squeeze(result, axis=axis)


# -- softmax -------------------------------------------------------------------------------------


def _softmax_infer(x: ArrayType, **_: Any) -> ArrayType:
    return ArrayType(_dtype(x), x.shape, result_form(x.shape))


def _evaluate_softmax(x: Any, *, axis: Axes, zeros: bool = False) -> Any:
    _, powers, total = _evaluate_parts(x, axis)
    with np.errstate(invalid="ignore"):
        return powers / (np.where(total == 0, 1, total) if zeros else total)


def _softmax_rule(g: Node, out: Node, axis: Axes) -> Node:
    """The Jacobian is symmetric, so that this is the tangent as well."""
    weighted = out * g
    return weighted - out * _total(weighted, axis)


def _emit_softmax(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    axis = syntax.expression(node.attrs["axis"])
    total = "np.logaddexp.reduce(x, axis=axis, keepdims=True)"
    if node.attrs.get("zeros"):  # -inf becomes the lowest number
        total = f"np.nan_to_num({total}, nan=np.nan, posinf=np.inf)"
    return syntax.template(f"np.exp(x - {total})", x=x, axis=axis)


# ``zeros``: whether a softmax over nothing but -inf is 0, as the gradient of logsumexp is there,
# instead of nan.
softmax = primitive(
    "softmax",
    infer=_softmax_infer,
    evaluate=_evaluate_softmax,
    derivative=Custom(
        (lambda g, out, x, *, axis, **_: _softmax_rule(g, out, axis),),
        lambda out, inputs, tangents, *, axis, **_: _softmax_rule(tangents[0], out, axis),
    ),
    emit=_emit_softmax,
)


@_lowers(softmax)
def _lower_softmax(x: Node, *, axis: Axes, zeros: bool = False) -> Node:
    _, powers, total = _parts(x, axis, infinite=zeros)
    return powers / (denominator(total) if zeros else total)


def _evaluate_log_softmax(x: Any, *, axis: Axes) -> Any:
    top, _, total = _evaluate_parts(x, axis)
    return (x - top) - np.log(total)


def _log_softmax_gradient(g: Node, out: Node, x: Node, *, axis: Axes) -> Node:
    return g - softmax(x, axis=axis) * _total(g, axis)


def _log_softmax_jvp(
    out: Node, inputs: tuple[Node, ...], tangents: list[Node], *, axis: Axes
) -> Node:
    return tangents[0] - _total(softmax(inputs[0], axis=axis) * tangents[0], axis)


log_softmax = primitive(
    "log_softmax",
    infer=_softmax_infer,
    evaluate=_evaluate_log_softmax,
    derivative=Custom((_log_softmax_gradient,), _log_softmax_jvp),
    emit=_emit("x - np.logaddexp.reduce(x, axis=axis, keepdims=True)"),
)


@_lowers(log_softmax)
def _lower_log_softmax(x: Node, *, axis: Axes) -> Node:
    top, _, total = _parts(x, axis, infinite=False)
    return (x - top) - log(total)
