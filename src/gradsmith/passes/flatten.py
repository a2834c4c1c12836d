"""Products of adjoints as a person writes them: ``4 * g * b`` for ``4 * (g * b)``.

While an adjoint is simplified, numbers stand in front of products, where they meet each other. In
the end they join the first factor: no parentheses, and where that factor is the smaller array,
less work. The last bit may change, so that the user's own products stay as they are.
"""

from __future__ import annotations

from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.intrinsics import is_number, number
from gradsmith.ops.arithmetic import divide, multiply, negative
from gradsmith.ops.powers import integer_power
from gradsmith.passes.algebra import as_precise
from gradsmith.passes.factor import is_python_number
from gradsmith.passes.replay import Replay

PRODUCTS = (multiply, divide)
DEEPEST = 8
"""Longer products become several statements anyway."""


def flat_products(graph: Graph) -> Graph:
    """The graph with the numbers of its adjoints' products where they are written."""
    return _Flattening(graph).run()


class _Flattening(Replay):
    ops = frozenset({multiply, divide, negative})

    def better(self, node: Node) -> Node | None:
        """The product ``node`` written from left to right."""
        if not self.is_free(node):
            return None
        if node.op is multiply:
            return self._product(node, *node.inputs)
        if node.op is divide:
            return self._quotient(node, *node.inputs)
        product = node.inputs[0]
        return self._negated(product) if self._is_product_of(product, node) else None

    def _product(self, node: Node, left: Node, right: Node) -> Node | None:
        for factor, inverse in ((left, right), (right, left)):
            quotient = self._as_quotient(factor, inverse)
            if quotient is not None:
                return quotient
        if left.ndim == 0:
            if self._is_product_of(right, node):
                return self._multiplied(right, self.made[left])
            return self._times_square(right, self.made[left])
        return self._smaller_first(left, right) if self._is_product_of(left, node) else None

    def _quotient(self, node: Node, left: Node, right: Node) -> Node | None:
        if right.ndim or not self._is_product_of(left, node):
            return None
        if right.op is negative and is_python_number(left.inputs[0]):
            return self._opposite(left, right)
        return self._divided(left, self.made[right])

    def _as_quotient(self, factor: Node, inverse: Node) -> Node | None:
        """``x / y`` for ``x * (1 / y)``, as it comes of composites written out."""
        own = inverse.op is divide and self.is_part(inverse) and inverse.ndim > 0
        if not own or not is_number(inverse.inputs[0], 1) or not as_precise(factor, inverse):
            return None
        return self.made[factor] / self.made[inverse.inputs[1]]

    def _is_product_of(self, node: Node, whole: Node) -> bool:
        return node.op in PRODUCTS and self.is_part(node) and node.dtype == whole.dtype

    def _multiplied(self, node: Node, number: Node, depth: int = 0) -> Node | None:
        """The product ``node`` with ``number`` on its first factor."""
        first, second = node.inputs
        if depth < DEEPEST and self._is_product_of(first, node):
            head = self._multiplied(first, number, depth + 1)
        else:
            head = number * self.made[first] if first.dtype == node.dtype else None
        return None if head is None else node.op(head, self.made[second])

    def _negated(self, node: Node, depth: int = 0) -> Node | None:
        """The product ``node`` with the sign of its first factor changed."""
        first, second = node.inputs
        if depth < DEEPEST and self._is_product_of(first, node):
            head = self._negated(first, depth + 1)
            return None if head is None else node.op(head, self.made[second])
        if is_python_number(first):
            return node.op(-number(first), self.made[second])
        return node.op(-self.made[first], self.made[second]) if first.array_type.inexact else None

    def _opposite(self, node: Node, divisor: Node) -> Node | None:
        """``-1 / x / n`` for ``1 / x / -n``."""
        head = self._negated(node)
        return None if head is None else head / self.made[divisor.inputs[0]]

    def _times_square(self, node: Node, number: Node) -> Node | None:
        """``2 * x * x`` for ``2 * (x * x)``, which is how the square of a variable is written."""
        if node.op is not integer_power or node.attrs["n"] != 2 or not self.is_part(node):
            return None
        base = node.inputs[0]
        if base.dtype != node.dtype or not self.is_variable(base):
            return None
        return number * self.made[base] * self.made[base]

    def _smaller_first(self, node: Node, factor: Node) -> Node | None:
        """``x * (b / a)`` for ``x / a * b``, where both are smaller: one pass over ``x`` less."""
        first, second = node.inputs
        whole = _is_smaller(first, node) or first.dtype != node.dtype
        if whole or not (_is_smaller(second, node) and _is_smaller(factor, node)):
            return None
        return self.made[first] * node.op(self.made[factor], self.made[second])

    def _divided(self, node: Node, number: Node) -> Node | None:
        """The product ``node`` with its first factor, a smaller array, divided; or its divisor
        multiplied, where that is smaller.
        """
        first, second = node.inputs
        if node.op is divide and _is_smaller(second, node) and second.dtype == node.dtype:
            return self.made[first] / (self.made[second] * number)
        smaller = 0 < first.ndim < node.ndim and first.dtype == node.dtype
        if node.op is not multiply or not smaller:
            return None
        return self.made[first] / number * self.made[second]


def _is_smaller(part: Node, whole: Node) -> bool:
    """Whether an array is repeated along some axis of ``whole``."""
    lead = whole.ndim - part.ndim
    if part.ndim == 0:
        return False
    return lead > 0 or any(s == 1 != t for s, t in zip(part.shape, whole.shape, strict=True))
