"""Rules for adjoints: equal as real numbers, not always in the last bit.

They shape what derivative rules build (``g * (1 / y)``, ``g * b + b * g``) into what a person
would write (``g / y``, ``2 * b * g``). The user's own values are never touched by them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import number, size
from gradsmith.ir.types import DType
from gradsmith.ops.arithmetic import add, divide, may_be_zero, multiply, negative, subtract
from gradsmith.ops.matmul import matmul
from gradsmith.ops.reduce import reduce_sum
from gradsmith.passes.pattern import Apply, Wild
from gradsmith.passes.rewrite import Rule


def _is_number(node: Node) -> bool:
    value = number(node)
    return value is not None and node.array_type.weak


X, Y, Z = Wild("x"), Wild("y"), Wild("z")
C, D = Wild("c", _is_number), Wild("d", _is_number)


def neg(x: Any) -> Apply:
    """The pattern ``-x``."""
    return Apply(negative, (x,))


def mul(x: Any, y: Any) -> Apply:
    """The pattern ``x * y``."""
    return Apply(multiply, (x, y))


def div(x: Any, y: Any) -> Apply:
    """The pattern ``x / y``."""
    return Apply(divide, (x, y))


def _absorbs_sign(node: Node) -> bool:
    """Whether ``-node`` is no more work than ``node``, or next to none (``-len(x)``)."""
    if node.op in (negative, size):
        return True
    return node.op in (multiply, divide) and _is_number(node.inputs[0])


def _may_divide(left: Node, right: Node) -> bool:
    """Whether ``left / right`` may stand alone: Python's division raises at 0."""
    by_python = left.array_type.weak and right.array_type.weak
    return not by_python or not may_be_zero(right)


def _scalar(node: Node) -> bool:
    return node.ndim == 0


def _array(node: Node) -> bool:
    return node.ndim > 0


def as_precise(node: Node, root: Node) -> bool:
    """Whether it is a Python number, or floating or complex of the precision of ``root``."""
    if node.array_type.weak or not (node.array_type.inexact and root.array_type.inexact):
        return node.array_type.weak
    return _precision(node.dtype) == _precision(root.dtype)


@cache
def _precision(dtype: DType) -> DType:
    """The floating dtype of a real number, and of each part of a complex one."""
    return np.finfo(dtype.name).dtype


def _same_kind(x: Node, y: Node) -> bool:
    return (x.ndim == 0) == (y.ndim == 0)


A = Wild("a", _array)
S, T = Wild("s", _scalar), Wild("t", _scalar)

NOTHING = [Rule(Apply(add, (X, 0)), lambda x: x)]  # but -0.0 + 0 is 0.0

SIGNS = [
    Rule(mul(C, neg(X)), lambda c, x: -c * x),
    Rule(mul(X, neg(Y)), lambda x, y: None if y.array_type.weak else -(x * y)),
    Rule(div(neg(X), Y), lambda x, y: -(x / y)),
    Rule(div(X, neg(Y)), lambda x, y: None if y.array_type.weak else -(x / y)),
    Rule(Apply(add, (X, neg(Y))), lambda x, y: x - y),
    Rule(Apply(subtract, (X, neg(Y))), lambda x, y: x + y),
    Rule(Apply(subtract, (0, X)), lambda x: -x),
    Rule(neg(Apply(subtract, (X, Y))), lambda x, y: y - x),
    Rule(neg(mul(C, X)), lambda c, x: -c * x),
    Rule(neg(div(C, X)), lambda c, x: -c / x),
    Rule(neg(mul(S, A)), lambda s, a: -s * a if _absorbs_sign(s) else None),
]


SCALARS = [  # numbers meet before they meet an array: one pass over it instead of two
    Rule(mul(S, mul(T, A)), lambda s, t, a: s * t * a),
    Rule(mul(S, div(A, T)), lambda s, a, t: s / t * a if _may_divide(s, t) else None),
    Rule(div(mul(S, A), T), lambda s, a, t: s / t * a if _may_divide(s, t) else None),
    Rule(mul(A, div(S, T)), lambda a, s, t: None if _may_divide(s, t) else s * a / t),
    Rule(div(div(A, S), T), lambda a, s, t: a / (s * t)),
    Rule(mul(mul(S, X), A), lambda s, x, a: s * (x * a) if x.ndim else None),
    Rule(mul(div(X, S), A), lambda x, s, a: x * a / s if x.ndim else None),
    Rule(neg(div(A, S)), lambda a, s: a / -s if _absorbs_sign(s) else None),
]

PRODUCTS = [
    Rule(mul(C, mul(D, X)), lambda c, d, x: c * d * x),
    Rule(mul(C, div(X, D)), lambda c, d, x: c / d * x),
    Rule(mul(C, div(D, X)), lambda c, d, x: c * d / x),
    Rule(mul(X, div(1, Y)), lambda x, y: x / y),
    Rule(mul(X, div(C, Y)), lambda x, c, y: c * (x / y) if y.ndim or not x.ndim else None),
    Rule(div(mul(C, X), Y), lambda c, x, y: c * (x / y) if number(y) is None else None),
    Rule(mul(X, mul(C, Y)), lambda x, c, y: c * (x * y) if _same_kind(x, y) else None),
    Rule(div(mul(C, X), D), lambda c, x, d: c / d * x),
]


def _like_terms(root: Node, x: Node, y: Node) -> Node | None:
    """``2 * (g * b) + g * (2 * b)`` is ``4 * b * g``, also where other terms stand between."""
    if not root.array_type.inexact:
        return None
    sign = 1 if root.op is add else -1
    merged = _merge(x, y, sign)
    if merged is not None:
        return merged
    merged = _merge_into(x, y, sign)
    return _merge_into(y, x, 1) if merged is None and sign == 1 else merged


def _merge_into(total: Node, term: Node, sign: int) -> Node | None:
    """The sum ``total`` with ``term`` put together with a like term in it."""
    if total.op not in (add, subtract):
        return None
    first, second = total.inputs
    inner = 1 if total.op is add else -1
    merged = _merge(second, term, inner * sign)
    if merged is not None:
        return first + merged if inner == 1 else first - merged
    merged = _merge(first, term, sign)
    if merged is not None:
        return merged + second if inner == 1 else merged - second
    return None


def _merge(x: Node, y: Node, sign: int) -> Node | None:
    """``x + sign * y`` where both are multiples of the same product."""
    a, left = monomial(x)
    b, right = monomial(y)
    if not left or left != right or x.shape != y.shape or x.dtype != y.dtype:
        return None
    total = a + sign * b
    if total == 0:
        return None
    longer = x if a not in (1, -1) else y
    product = longer if longer in left else _without_number(longer, longer)
    return product if total == 1 else total * product


MOST_FACTORS = 24
"""Longer products are left alone: the cost of each sum stays bounded."""


def monomial(node: Node) -> tuple[Any, Counter[Node]]:
    """A product as a number and factors with their multiplicities; a long one as one factor."""
    coefficient: Any = 1
    factors: Counter[Node] = Counter()
    stack = [node]
    for _ in range(MOST_FACTORS):
        if not stack:
            return coefficient, factors
        part = stack.pop()
        value = number(part) if part.array_type.weak else None
        if value is not None:
            coefficient = coefficient * value
        elif part.op not in (negative, multiply) or not as_precise(part, node):
            factors[part] += 1
        else:
            coefficient = -coefficient if part.op is negative else coefficient
            stack.extend(part.inputs)
    return 1, Counter([node])


def _without_number(node: Node, root: Node) -> Node:
    """The product ``root``, of which ``node`` is a part, without its numbers and signs."""
    if node.op not in (negative, multiply) or not as_precise(node, root):
        return node
    if node.op is negative:
        return _without_number(node.inputs[0], root)
    left, right = node.inputs
    if _is_number(left):
        return _without_number(right, root)
    if _is_number(right):
        return _without_number(left, root)
    return _without_number(left, root) * _without_number(right, root)


SUMS = [
    Rule(Apply(add, (X, Y), "root"), _like_terms),
    Rule(Apply(subtract, (X, Y), "root"), _like_terms),
]


def _vector(node: Node) -> bool:
    return node.ndim == 1 and node.array_type.inexact


V, W = Wild("v", _vector), Wild("w", _vector)

PRODUCTS_OF_MATRICES = [  # a sign is cheaper to change in the product
    Rule(Apply(matmul, (X, neg(Y))), lambda x, y: -(x @ y)),
    Rule(Apply(matmul, (neg(X), Y)), lambda x, y: -(x @ y)),
    Rule(Apply(reduce_sum, (mul(V, W),)), lambda v, w: v @ w if v.shape == w.shape else None),
    Rule(Apply(matmul, (X, mul(S, A))), lambda x, s, a: s * (x @ a)),
    Rule(Apply(matmul, (mul(S, A), Y)), lambda s, a, y: s * (a @ y)),
    Rule(Apply(matmul, (X, div(A, S))), lambda x, a, s: x @ a / s),
    Rule(Apply(matmul, (div(A, S), Y)), lambda a, s, y: a @ y / s),
]


def guarded(rule: Rule) -> Rule:
    """The rule where all it takes apart and puts together has the precision of the result.

    Integers wrap around and booleans are not numbers: ``i * (j * x)`` is not ``(i * j) * x``.
    """

    def action(root: Node, **bindings: Node) -> Node | None:
        leaves = set(bindings.values())
        if not _of_one_precision(root, leaves, root):
            return None
        better = rule.action(**({"root": root} | bindings if rule.pattern.name else bindings))
        return better if better is None or _of_one_precision(better, leaves, root) else None

    return Rule(replace(rule.pattern, name="root"), action)


ARITHMETIC = frozenset({add, subtract, multiply, divide, negative, matmul, reduce_sum})
DEEPEST = 3
"""Levels of operations that a rule takes apart or puts together: all below was there before."""


def _of_one_precision(
    node: Node, leaves: Container[Node], root: Node, levels: int = DEEPEST
) -> bool:
    """Whether all that is computed between ``leaves`` and ``node`` is as precise as ``root``."""
    if not levels or node in leaves or node.op not in ARITHMETIC:
        return True
    below = (_of_one_precision(operand, leaves, root, levels - 1) for operand in node.inputs)
    return as_precise(node, root) and all(below)


ALGEBRA = [
    *map(guarded, [*NOTHING, *PRODUCTS_OF_MATRICES, *SIGNS, *PRODUCTS, *SCALARS]),
    *SUMS,
]
