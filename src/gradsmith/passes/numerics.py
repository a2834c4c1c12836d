"""Stable forms of what users write by hand: soft plus, sigmoid, softmax, log-sum-exp.

``log(sum(exp(x)))`` overflows at 1000 and its textbook gradient is inf / inf; the composite ops
of `ops.stable` have neither fault. Shifts that users subtract by hand cancel against them, so
that no gradient runs through the maximum.
"""

from __future__ import annotations

from gradsmith.ir import dims
from gradsmith.ir.graph import Node
from gradsmith.ops.arithmetic import add, divide, negative, subtract
from gradsmith.ops.elementwise import exp, log, log1p, logaddexp
from gradsmith.ops.index import gather, getitem
from gradsmith.ops.reduce import reduce_sum
from gradsmith.ops.shape import expand_dims, squeeze
from gradsmith.ops.stable import log_softmax, logsumexp, sigmoid, softmax, softplus
from gradsmith.passes.pattern import Apply, Wild
from gradsmith.passes.rewrite import Rule

L, Y = Wild("x", lambda node: node.op is logsumexp), Wild("y")
S = "s"


def _real(node: Node) -> bool:
    return node.dtype.kind == "f"


U = Wild("u", _real)


def _softplus(u: Node) -> Node:
    return softplus(u)


def _sigmoid(u: Node) -> Node:
    return sigmoid(u)


LOGISTIC = [
    Rule(Apply(log1p, (Apply(exp, (U,)),)), _softplus),
    Rule(Apply(logaddexp, (0, U)), _softplus),  # five times as quick
    Rule(Apply(log, (Apply(add, (1, Apply(exp, (U,)))),)), _softplus),
    Rule(
        Apply(divide, (1, Apply(add, (1, Apply(exp, (Apply(negative, (U,)),)))))),
        _sigmoid,
    ),
    Rule(Apply(divide, (1, Apply(add, (1, Apply(exp, (U,)))))), lambda u: sigmoid(-u)),
    Rule(
        Apply(divide, (Apply(exp, (U,)), Apply(add, (1, Apply(exp, (U,)))))),
        _sigmoid,
    ),
    Rule(Apply(subtract, (1, Apply(sigmoid, (U,)))), lambda u: sigmoid(-u)),
    Rule(Apply(log, (Apply(sigmoid, (U,)),)), lambda u: -softplus(-u)),
]


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

NUMERIC_RULES = [*LOGISTIC, *SOFTMAX, *PARTS]
