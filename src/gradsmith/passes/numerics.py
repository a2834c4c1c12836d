"""Stable forms of what users write by hand: soft plus, sigmoid, softmax, log-sum-exp.

``log(sum(exp(x)))`` overflows at 1000 and its textbook gradient is inf / inf; the composite ops
of `ops.stable` have neither fault. Shifts that users subtract by hand cancel against them, so
that no gradient runs through the maximum.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np

from gradsmith.ir import dims
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import is_number, number
from gradsmith.ops.arithmetic import add, divide, multiply, negative, subtract
from gradsmith.ops.complex import absolute
from gradsmith.ops.elementwise import cosh, exp, log, log1p, logaddexp, sinh, sqrt, tanh
from gradsmith.ops.index import gather, getitem
from gradsmith.ops.powers import integer_power, power, power_of
from gradsmith.ops.reduce import reduce_sum
from gradsmith.ops.select import maximum
from gradsmith.ops.shape import expand_dims, squeeze
from gradsmith.ops.stable import (
    log_softmax,
    logsumexp,
    sigmoid,
    sigmoid_slope,
    softmax,
    softplus,
)
from gradsmith.passes.pattern import Apply, Wild
from gradsmith.passes.rewrite import Rule

L, X, Y = Wild("x", lambda node: node.op is logsumexp), Wild("x"), Wild("y")
S = "s"


def _real(node: Node) -> bool:
    return node.dtype.kind == "f"


U = Wild("u", _real)


def _softplus(u: Node) -> Node:
    return softplus(u)


def _sigmoid(u: Node) -> Node:
    return sigmoid(u)


def _positive(node: Node) -> bool:
    value = number(node)
    return isinstance(value, (int, float, np.floating)) and bool(0 < value < math.inf)


def _part(x: Node, c: Node, u: Node) -> Node:
    """``x / (c + exp(u))``."""
    if is_number(c, 1):
        return x * sigmoid(-u)
    return x / c * sigmoid(math.log(number(c)) - u)


def _part_of_power(x: Node, u: Node, s: Node) -> Node | None:
    """``x / (1 + exp(u))**n``."""
    n = s.attrs["n"]
    return x * integer_power(sigmoid(-u), n=n) if n > 0 else None


def _negative_power(u: Node, s: Node) -> Node | None:
    """``(1 + exp(u))**-n``."""
    n = s.attrs["n"]
    return integer_power(sigmoid(-u), n=-n) if n < 0 else None


def _negative_root(u: Node, c: Node) -> Node | None:
    """``(1 + exp(u))**-0.5``."""
    exponent = number(c)
    return (
        power_of(sigmoid(-u), -exponent) if isinstance(exponent, float) and exponent < 0 else None
    )


def _slope(u: Node, s: Node) -> Node | None:
    """``exp(u) / (1 + exp(u))**2``, an even function."""
    return sigmoid_slope(u) if s.attrs["n"] == 2 else None


def _tanh(u: Node) -> Node:
    return tanh(u)


def _half(u: Node) -> Node:
    """``u / 2``; of ``2 * x`` it is ``x``."""
    if u.op is negative:
        return -_half(u.inputs[0])
    factor = number(u.inputs[0]) if u.op is multiply else None
    return u.inputs[1] * (0.5 * factor) if isinstance(factor, (int, float)) else 0.5 * u


def odds(u: Wild | Apply, c: float | Wild = 1) -> Apply:
    """The pattern ``c + exp(u)``."""
    return Apply(add, (c, Apply(exp, (u,))))


C = Wild("c", _positive)
E = Apply(exp, (U,))
E_BACK = Apply(exp, (Apply(negative, (U,)),))
FALLING = Apply(softplus, (Apply(negative, (Apply(absolute, (U,)),)),))
SLOPES = [
    Rule(Apply(divide, (E, Apply(integer_power, (odds(U),), S))), _slope),
    Rule(
        Apply(divide, (E_BACK, Apply(integer_power, (odds(Apply(negative, (U,))),), S))),
        _slope,
    ),
]


LOGISTIC = [
    Rule(Apply(log1p, (E,)), _softplus),
    Rule(Apply(logaddexp, (0, U)), _softplus),  # five times as quick
    Rule(Apply(log, (odds(U),)), _softplus),
    Rule(Apply(divide, (1, odds(Apply(negative, (U,))))), _sigmoid),
    Rule(Apply(divide, (1, odds(U))), lambda u: sigmoid(-u)),
    Rule(Apply(divide, (E, odds(U))), _sigmoid),
    Rule(Apply(subtract, (1, Apply(sigmoid, (U,)))), lambda u: sigmoid(-u)),
    Rule(Apply(log, (Apply(sigmoid, (U,)),)), lambda u: -softplus(-u)),
    *SLOPES,
    Rule(Apply(divide, (Apply(multiply, (X, E)), odds(U))), lambda x, u: x * sigmoid(u)),
    Rule(Apply(divide, (X, Apply(integer_power, (odds(U),), S))), _part_of_power),
    Rule(Apply(divide, (X, Apply(sqrt, (odds(U),)))), lambda x, u: x * sqrt(sigmoid(-u))),
    Rule(Apply(integer_power, (odds(U),), S), _negative_power),
    Rule(Apply(power, (odds(U), Wild("c"))), _negative_root),
    # soft plus as those write it who know that it overflows; with logits of a cross-entropy
    Rule(Apply(add, (Apply(maximum, (U, 0)), FALLING)), _softplus),
    Rule(
        Apply(add, (Apply(subtract, (Apply(maximum, (U, 0)), Y)), FALLING)),
        lambda u, y: softplus(u) - y,
    ),
]

TANH = [
    Rule(Apply(divide, (Apply(subtract, (E, E_BACK)), Apply(add, (E, E_BACK)))), _tanh),
    Rule(Apply(divide, (Apply(subtract, (1, E)), odds(U))), lambda u: tanh(-_half(u))),
    Rule(Apply(divide, (Apply(subtract, (E, 1)), odds(U))), lambda u: tanh(_half(u))),
    Rule(Apply(divide, (Apply(sinh, (U,)), Apply(cosh, (U,)))), _tanh),
    Rule(Apply(divide, (X, odds(U, C))), _part),  # after those that know the numerator
]


def _log_of_sum(s: Node) -> Node | None:
    """``log(exp(u) + exp(v) + c)``, a term at a time."""
    terms = [_logarithm(term) for term in _terms(s)]
    if any(term is None for term in terms):
        return None
    total: Node = reduce(logaddexp, terms)
    return total


def _terms(node: Node) -> list[Node]:
    return [*_terms(node.inputs[0]), *_terms(node.inputs[1])] if node.op is add else [node]


def _logarithm(term: Node) -> Any:
    """The logarithm of an exponential or of a number, maybe one times the other; else None."""
    if term.op is exp and _real(term.inputs[0]):
        return term.inputs[0]
    if _positive(term):
        return math.log(number(term))
    if term.op is multiply and _positive(term.inputs[0]) and term.inputs[1].op is exp:
        return term.inputs[1].inputs[0] + math.log(number(term.inputs[0]))
    return None


SUMS = [Rule(Apply(log, (Wild("s", lambda node: node.op is add),)), _log_of_sum)]


def _logsumexp(u: Node, s: Node) -> Node | None:
    axis, keepdims = s.attrs["axis"], s.attrs["keepdims"]
    if _is_empty(u, axis):
        return None
    if _is_shifted(u, axis):
        rest, shift = u.inputs
        total = logsumexp(rest, axis=axis, keepdims=keepdims)
        return total - (shift if keepdims else _without(shift, axis, rest.ndim - shift.ndim))
    return logsumexp(u, axis=axis, keepdims=keepdims)


def _is_empty(u: Node, axis: tuple[int, ...]) -> bool:
    """Whether there is nothing along ``axis``: a sum of nothing is 0, but it has no maximum."""
    return any(dims.is_below(u.shape[a], 1) for a in axis)


def _is_shifted(u: Node, axis: tuple[int, ...]) -> bool:
    """Whether ``u`` is ``x - shift`` with a shift that is the same along ``axis``, so that it
    comes out of the sum of exponentials; ``x`` alone must have the shape and the precision.
    """
    if u.op is not subtract:
        return False
    rest, shift = u.inputs
    if rest.shape != u.shape or rest.dtype != u.dtype:
        return False
    lead = rest.ndim - shift.ndim
    return all(a < lead or dims.is_one(shift.shape[a - lead]) for a in axis)


def _without(shift: Node, axis: tuple[int, ...], lead: int) -> Node:
    """A shift, which lacks so many leading axes, in the shape that the reduction leaves."""
    own = tuple(a - lead for a in axis if a >= lead)
    if not own:
        return shift
    if shift.op is expand_dims and shift.attrs["axis"] == own:
        return shift.inputs[0]
    return squeeze(shift, axis=own)


def _softmax(u: Node, d: Node) -> Node | None:
    """``exp(u) / sum(exp(u))``; the sum must have kept its axes, or lost them all."""
    total = d.inputs[0] if d.op is expand_dims else d
    if total.op is not reduce_sum or total.inputs[0].op is not exp:
        return None
    if total.inputs[0].inputs[0] is not u:
        return None
    axis = total.attrs["axis"]
    whole = total.attrs["keepdims"] or len(axis) == u.ndim
    if _is_empty(u, axis) or not (whole or (d.op is expand_dims and d.attrs["axis"] == axis)):
        return None
    return _without_shift(u, axis)


def _without_shift(u: Node, axis: tuple[int, ...]) -> Node:
    return softmax(u.inputs[0] if _is_shifted(u, axis) else u, axis=axis)


def _log_of_part(root: Node, u: Node) -> Node:
    """``log(softmax(x)[i])`` is ``log_softmax(x)[i]``."""
    part = root.inputs[0]
    logs = log_softmax(u, **part.inputs[0].attrs)
    return part.op(logs, *part.inputs[1:], **part.attrs)


def _log_softmax(u: Node, s: Node) -> Node | None:
    """``x - logsumexp(x)``."""
    whole = s.attrs["keepdims"] or len(s.attrs["axis"]) == u.ndim
    return log_softmax(u, axis=s.attrs["axis"]) if whole else None


SOFTMAX = [
    Rule(
        Apply(log, (Apply(reduce_sum, (Apply(exp, (U,)),), S),)),
        _logsumexp,
    ),
    Rule(Apply(divide, (Apply(exp, (U,)), Wild("d"))), _softmax),
    Rule(
        Apply(log, (Apply(softmax, (U,), S),)), lambda u, s: log_softmax(u, axis=s.attrs["axis"])
    ),
    Rule(Apply(add, (Apply(subtract, (L, Y)), Y)), lambda x, y: x),
    Rule(
        Apply(subtract, (Apply(subtract, (U, Y)), Apply(subtract, (L, Y)))), lambda u, x, y: u - x
    ),
    Rule(Apply(subtract, (U, Apply(logsumexp, (U,), S))), _log_softmax),
]

PARTS = [
    Rule(Apply(log, (Apply(op, (Apply(softmax, (U,)),), rest=True),), "root"), _log_of_part)
    for op in (getitem, gather)
]

NUMERIC_RULES = [*LOGISTIC, *TANH, *SUMS, *SOFTMAX, *PARTS]
