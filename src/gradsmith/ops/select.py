"""Choosing between values: where, clip, the greater and the lesser of two, nan_to_num.

What is not chosen gets a gradient of exactly 0, whatever its own derivative is (`Masked`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ArgumentValueError
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import number
from gradsmith.ir.op import NON_DIFF, Emitter, Masked, Partials
from gradsmith.ir.types import ArrayType, DType, broadcast, result_dtype
from gradsmith.ops import syntax
from gradsmith.ops.arguments import refuse
from gradsmith.ops.compare import (
    as_bool,
    equal,
    greater,
    greater_equal,
    isfinite,
    isnan,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
)
from gradsmith.ops.conditional import conditional, is_number_type
from gradsmith.ops.declare import (
    FUNCTIONS,
    as_node,
    elementwise,
    elementwise_infer,
    formula,
    implements,
    primitive,
)
from gradsmith.ops.emission import emit_call, write_over
from gradsmith.ops.shape import cast


def _where_infer(condition: ArrayType, x: ArrayType, y: ArrayType) -> ArrayType:
    shape = broadcast(condition.shape, x.shape, y.shape)
    return ArrayType(result_dtype(x, y), shape)  # without axes np.where makes an array, too


where = primitive(
    "where",
    infer=_where_infer,
    evaluate=np.where,
    derivative=Partials(
        (
            NON_DIFF,
            lambda out, condition, x, y: Masked(condition, 1),
            lambda out, condition, x, y: Masked(logical_not(condition), 1),
        )
    ),
    emit=emit_call("np.where"),
    sympy=formula("Piecewise((y, x), (z, True))"),
    traits=("elementwise",),
)


@implements(np.where)
def _where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    if x is None and y is None:
        return FUNCTIONS[np.nonzero](condition)
    if x is None or y is None:
        raise ArgumentValueError("either both or neither of x and y should be given")
    return where(as_bool(as_node(condition)), as_node(x), as_node(y))


def denominator(x: Node) -> Node:
    """``x`` with 1 in the place of 0: what divides a value that is 0 there itself."""
    choose = conditional if is_number_type(x.array_type) else where
    return choose(equal(x, 0), 1, x)


# -- the greater and the lesser of two -----------------------------------------------------------


def _share(out: Node, x: Node, y: Node) -> Node:
    """½ where the two are equal, 1 elsewhere, in the dtype of the result.

    A where on a mask that hardly ever holds is quick: 0.9 ns per element, np.heaviside(x, 0.5)
    2 to 5.5 ns.
    """
    plain = out.dtype in (np.float64, np.complex128)
    half, one = (0.5, 1) if plain else (out.dtype.type(0.5), out.dtype.type(1))
    return where(equal(x, y), half, one)


maximum = elementwise(
    "maximum",
    numpy=np.maximum,
    partials=(
        lambda out, x, y: Masked(greater_equal(x, y), _share(out, x, y)),
        lambda out, x, y: Masked(greater_equal(y, x), _share(out, x, y)),
    ),
    sympy="Max",
    commutative=True,
)
minimum = elementwise(
    "minimum",
    numpy=np.minimum,
    partials=(
        lambda out, x, y: Masked(less_equal(x, y), _share(out, x, y)),
        lambda out, x, y: Masked(less_equal(y, x), _share(out, x, y)),
    ),
    sympy="Min",
    commutative=True,
)
fmax = elementwise(
    "fmax",
    numpy=np.fmax,
    partials=(
        lambda out, x, y: Masked(logical_or(greater_equal(x, y), isnan(y)), _share(out, x, y)),
        lambda out, x, y: Masked(logical_or(greater_equal(y, x), isnan(x)), _share(out, x, y)),
    ),
    sympy="Max",
    commutative=True,
)
fmin = elementwise(
    "fmin",
    numpy=np.fmin,
    partials=(
        lambda out, x, y: Masked(logical_or(less_equal(x, y), isnan(y)), _share(out, x, y)),
        lambda out, x, y: Masked(logical_or(less_equal(y, x), isnan(x)), _share(out, x, y)),
    ),
    sympy="Min",
    commutative=True,
)


# -- clip: like minimum(maximum(x, low), high), but with gradient 1 at the bounds ----------------


def _emit_clip(emitter: Emitter, node: Node, *operands: ast.expr) -> ast.expr:
    """``x.clip(low, high)`` for arrays (half of what np.clip takes); ufuncs for scalars, which of
    equal numbers take the second: -0.0 stays what it is.
    """
    x, low, high = operands
    if node.inputs[0].ndim:
        return syntax.method(x, "clip", low, high)
    if not node.array_type.inexact:
        return syntax.call("np.clip", x, low, high)
    return syntax.call("np.minimum", high, syntax.call("np.maximum", low, x))


def _clip_in_place(
    emitter: Emitter, node: Node, target: ast.expr, *operands: ast.expr
) -> list[ast.stmt]:
    x, low, high = operands
    return [ast.Expr(syntax.method(x, "clip", low, high, out=target))]


# Within the bounds the result is x itself, so that one comparison tells. Where they cross the
# result is the upper one, as in np.clip.
clip = primitive(
    "clip",
    infer=elementwise_infer(result_dtype),
    evaluate=np.clip,
    derivative=Partials(
        (
            lambda out, x, low, high: Masked(equal(x, out), 1),
            lambda out, x, low, high: Masked(logical_and(less(x, low), less_equal(low, high)), 1),
            lambda out, x, low, high: Masked(greater(maximum(x, low), high), 1),
        )
    ),
    emit=_emit_clip,
    sympy=formula("Min(Max(x, y), z)"),
    traits=("elementwise",),
    inplace=_clip_in_place,
)
clip_below = primitive(
    "clip_below",
    infer=elementwise_infer(result_dtype),
    evaluate=np.maximum,
    derivative=Partials(
        (
            lambda out, x, low: Masked(greater_equal(x, low), 1),
            lambda out, x, low: Masked(less(x, low), 1),
        )
    ),
    emit=emit_call("np.maximum"),
    sympy="Max",
    traits=("elementwise",),
    inplace=write_over("np.maximum"),
)
clip_above = primitive(
    "clip_above",
    infer=elementwise_infer(result_dtype),
    evaluate=np.minimum,
    derivative=Partials(
        (
            lambda out, x, high: Masked(less_equal(x, high), 1),
            lambda out, x, high: Masked(greater(x, high), 1),
        )
    ),
    emit=emit_call("np.minimum"),
    sympy="Min",
    traits=("elementwise",),
    inplace=write_over("np.minimum"),
)


_MISSING: Any = object()


@implements(np.clip)
def _clip(
    a: Any, a_min: Any = _MISSING, a_max: Any = _MISSING, *, min: Any = None, max: Any = None
) -> Node:
    if (a_min is _MISSING) != (a_max is _MISSING):
        raise ArgumentTypeError(
            "np.clip takes both bounds by position or none", hint="pass None for the other bound"
        )
    low, high = (min, max) if a_min is _MISSING else (a_min, a_max)
    x = as_node(a)
    x = cast(x, x.dtype)  # a Python number is not weak as the first argument of np.clip
    if low is None and high is None:
        same: Node = FUNCTIONS[np.positive](x)
        return same
    if low is None:
        low = _limit_beside(x, as_node(high), "min")
    elif high is None:
        high = _limit_beside(x, as_node(low), "max")
    if low is None:
        return clip_above(x, as_node(high))
    return clip_below(x, as_node(low)) if high is None else clip(x, as_node(low), as_node(high))


def _limit_beside(x: Node, bound: Node, name: str) -> int | None:
    """The other bound where this one may be beyond the dtype of integers: of two, np.clip takes
    such a one for none, of which np.maximum and np.minimum raise an error.
    """
    weak = bound.array_type.weak and bound.dtype.kind == "i"
    if not (x.dtype.kind in "iu" and weak):
        return None
    limits: Any = np.iinfo(x.dtype)
    value = number(bound)
    held = x.dtype == np.int64 if value is None else limits.min <= value <= limits.max
    return None if held else int(getattr(limits, name))


# -- others --------------------------------------------------------------------------------------

nan_to_num = primitive(
    "nan_to_num",
    infer=elementwise_infer(lambda x: x.dtype),
    evaluate=np.nan_to_num,
    derivative=Partials((lambda out, x, **_: Masked(isfinite(x), 1),)),
    emit=emit_call("np.nan_to_num"),
    traits=("elementwise",),
)


@implements(np.nan_to_num)
def _nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Node:
    if not copy:
        refuse("np.nan_to_num", "copy", copy, hint="assign the result to x[...]")
    given = {"nan": nan or None, "posinf": posinf, "neginf": neginf}
    for name, value in given.items():
        if isinstance(value, (Node, np.ndarray)):
            refuse("np.nan_to_num", name, value, hint="use np.where(np.isnan(x), ..., x)")
    return nan_to_num(as_node(x), **{k: v for k, v in given.items() if v is not None})


@implements(np.select)
def _select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Node:
    if len(condlist) != len(choicelist):
        raise ArgumentValueError(
            f"np.select takes as many conditions as choices, not {len(condlist)} and "
            f"{len(choicelist)}"
        )
    if not condlist:
        raise ArgumentValueError("np.select takes at least one condition")
    conditions = [as_node(c) for c in condlist]
    if any(c.dtype.kind != "b" for c in conditions):
        raise ArgumentTypeError("the conditions of np.select must be boolean arrays")
    choices = [as_node(c) for c in choicelist]
    return _first_that_holds(conditions, choices, as_node(default))


def _first_that_holds(conditions: list[Node], choices: list[Node], default: Node) -> Node:
    dtype: DType = result_dtype(*[c.array_type for c in (*choices, default)])
    result = default
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        result = where(condition, choice, _joining(result, choice, dtype))
    return cast(result, dtype)


def _joining(result: Node, choice: Node, dtype: DType) -> Node:
    """``result`` such that together with ``choice`` it has no wider dtype than ``dtype``."""
    joint = result_dtype(result.array_type, choice.array_type)
    return result if np.promote_types(joint, dtype) == dtype else cast(result, dtype)
