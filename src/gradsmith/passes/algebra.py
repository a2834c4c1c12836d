"""Rules for adjoints: equal as real numbers, not always in the last bit.

They shape what derivative rules build (``g * (1 / y)``, ``g * b + b * g``) into what a person
would write (``g / y``, ``2 * b * g``). The user's own values are never touched by them.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from gradsmith.ir.graph import Node
from gradsmith.ops.arithmetic import add, divide, multiply, negative, subtract
from gradsmith.passes.pattern import Any_, Apply, number
from gradsmith.passes.rewrite import Rule


def _is_number(node: Node) -> bool:
    value = number(node)
    return value is not None and node.array_type.weak


X, Y, Z = Any_("x"), Any_("y"), Any_("z")
C, D = Any_("c", _is_number), Any_("d", _is_number)


def neg(x: Any) -> Apply:
    """The pattern ``-x``."""
    return Apply(negative, (x,))


def mul(x: Any, y: Any) -> Apply:
    """The pattern ``x * y``."""
    return Apply(multiply, (x, y))


def div(x: Any, y: Any) -> Apply:
    """The pattern ``x / y``."""
    return Apply(divide, (x, y))


SIGNS = [
    Rule(mul(C, neg(X)), lambda c, x: -c * x),
    Rule(mul(X, neg(Y)), lambda x, y: -(x * y)),
    Rule(div(neg(X), Y), lambda x, y: -(x / y)),
    Rule(div(X, neg(Y)), lambda x, y: -(x / y)),
    Rule(Apply(add, (X, neg(Y))), lambda x, y: x - y),
    Rule(Apply(subtract, (X, neg(Y))), lambda x, y: x + y),
    Rule(Apply(subtract, (0, X)), lambda x: -x),
    Rule(neg(Apply(subtract, (X, Y))), lambda x, y: y - x),
    Rule(neg(mul(C, X)), lambda c, x: -c * x),
    Rule(neg(div(C, X)), lambda c, x: -c / x),
]

PRODUCTS = [
    Rule(mul(C, mul(D, X)), lambda c, d, x: c * d * x),
    Rule(mul(C, div(X, D)), lambda c, d, x: c / d * x),
    Rule(mul(C, div(D, X)), lambda c, d, x: c * d / x),
    Rule(mul(X, div(1, Y)), lambda x, y: x / y),
    Rule(mul(X, div(C, Y)), lambda x, c, y: c * x / y),
    Rule(mul(X, mul(C, Y)), lambda x, c, y: c * (x * y)),
    Rule(div(mul(C, X), D), lambda c, x, d: c / d * x),
]


def _like_terms(root: Node, x: Node, y: Node) -> Node | None:
    """``2 * (g * b) + g * (2 * b)`` is ``4 * b * g``."""
    if not root.array_type.inexact:
        return None
    a, left = monomial(x)
    b, right = monomial(y)
    if not left or left != right or x.shape != y.shape or x.dtype != y.dtype:
        return None
    total = a + b if root.op is add else a - b
    if total == 0:
        return None
    wider = x if a not in (1, -1) else y
    product = _without_number(wider)
    return product if total == 1 else total * product


def monomial(node: Node) -> tuple[Any, Counter[Node]]:
    """A product as a number and factors with their multiplicities."""
    coefficient: Any = 1
    factors: Counter[Node] = Counter()
    stack = [node]
    while stack:
        part = stack.pop()
        value = number(part) if part.array_type.weak else None
        if value is not None:
            coefficient = coefficient * value
        elif part.op is negative:
            coefficient = -coefficient
            stack.append(part.inputs[0])
        elif part.op is multiply:
            stack.extend(part.inputs)
        else:
            factors[part] += 1
    return coefficient, factors


def _without_number(node: Node) -> Node:
    """A product without its numbers and signs."""
    if node.op is negative:
        return _without_number(node.inputs[0])
    if node.op is multiply:
        left, right = node.inputs
        if _is_number(left):
            return _without_number(right)
        if _is_number(right):
            return _without_number(left)
        return _without_number(left) * _without_number(right)
    return node


SUMS = [
    Rule(Apply(add, (X, Y), "root"), _like_terms),
    Rule(Apply(subtract, (X, Y), "root"), _like_terms),
]

ALGEBRA = [*SIGNS, *PRODUCTS, *SUMS]
