"""Sums of products in adjoints with a factor in common: ``(a - b) * x`` for ``a * x - b * x``.

At the end, when it is known which products nothing else reads. The last bit may change, so that
the user's own sums stay as they are.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.intrinsics import number
from gradsmith.ops.arithmetic import add, divide, multiply, negative, subtract
from gradsmith.passes.algebra import as_precise
from gradsmith.passes.replay import Replay

DEEPEST = 8
MOST_ROUNDS = 4
"""A sum that has become a product may itself be part of such a sum."""


def factor_sums(graph: Graph) -> Graph:
    """The graph with factors taken out of the sums of its adjoints."""
    for _ in range(MOST_ROUNDS):
        better = _Factoring(graph).run()
        if better is graph:
            break
        graph = better
    return graph


@dataclass(slots=True)
class _Product:
    """The factors over and under the line, in the order in which they are written."""

    over: list[Node] = field(default_factory=list)
    under: list[Node] = field(default_factory=list)

    def without(self, factor: Node) -> _Product:
        """The product without one of the factors over the line."""
        place = self.over.index(factor)
        return _Product(self.over[:place] + self.over[place + 1 :], self.under)

    def divided_by(self, part: Node) -> _Product | None:
        """What is left where ``part``, of two factors, is one of the factors."""
        if part.op not in (multiply, divide):
            return None
        first, second = part.inputs
        over, under = list(self.over), list(self.under)
        others = over if part.op is multiply else under
        if first not in over:
            return None
        over.remove(first)
        if second not in others:
            return None
        others.remove(second)
        return _Product(over, under) if over else None


class _Factoring(Replay):
    """One round over a graph."""

    ops = frozenset({add, subtract, multiply})

    def better(self, node: Node) -> Node | None:
        """The sum ``node`` as a product; a product by way of a multiple that is needed anyway."""
        if not self.is_free(node):
            return None
        if node.op is multiply:
            ways = (self._with_one_number, self._by_variable, self._by_multiple)
            return next((made for way in ways if (made := way(node)) is not None), None)
        left, right = (self._factors(operand, node) for operand in node.inputs)
        factors = (*left.over, *left.under, *right.over, *right.under)
        if not all(as_precise(factor, node) for factor in factors):
            return None  # what is left of the products is added: masks would be united
        double = self._doubled(node)
        if double is not None:
            return double
        better = self._by_factor(node, left, right)
        return self._by_number(node, left, right) if better is None else better

    def _doubled(self, node: Node) -> Node | None:
        """``2 * p`` for ``p + p``, where the second is another reading of the same value; of
        ``-p - p`` the opposite.
        """
        (one, left), (other, right) = map(self._without_minus, node.inputs)
        product = self._factors(left, node)
        total = one + other if node.op is add else one - other
        if product != self._factors(right, node) or not total:
            return None
        scale = next((x for x in product.over if is_python_number(x)), None)
        if scale is None or len(product.over) == 1:
            return total * self._written(product)
        return _scaled(total * number(scale), self._written(product.without(scale)))

    def _without_minus(self, node: Node) -> tuple[int, Node]:
        if node.op is negative and self.is_part(node):
            return -1, node.inputs[0]
        return 1, node

    def _with_one_number(self, node: Node) -> Node | None:
        """``3 * x * y`` for ``1.5 * x * (2 * y)``."""
        product = self._whole(node)
        numbers = [x for x in product.over if is_python_number(x)]
        if len(numbers) < 2 or len(numbers) == len(product.over):
            return None
        product.over = [x for x in product.over if not is_python_number(x)]
        if not all(as_precise(x, node) for x in (*product.over, *product.under)):
            return None
        return _scaled(math.prod(map(number, numbers)), self._written(product))

    def _whole(self, node: Node) -> _Product:
        """All factors of a product that have no names."""
        left, right = (self._factors(x, node, named=False) for x in node.inputs)
        return _Product([*left.over, *right.over], [*left.under, *right.under])

    def _by_variable(self, node: Node) -> Node | None:
        """``2 * t`` for ``2 * k * x``, and ``t * y`` for ``x * y / k``, where there is a variable
        ``t = k * x``, or ``t = x / k``.
        """
        product = self._whole(node)
        factors = (*product.over, *product.under)
        if len(factors) < 3 or not all(as_precise(x, node) for x in factors):
            return None
        for factor in product.over:
            for variable in self._pairs(factor, factors):
                rest = product.divided_by(variable)
                if rest is None or variable.dtype != node.dtype or not self._is_there(variable):
                    continue
                rest.over.append(variable)
                return self._written(rest)
        return None

    def _pairs(self, factor: Node, others: Sequence[Node]) -> list[Node]:
        """The products and quotients of ``factor`` and one of the others, in their order.

        Found by their operands: a factor of a long chain of products has very many readers.
        """
        found: dict[Node, int] = {}
        for other in others:
            found.update(self._products.get((factor, other), {}))
            found.update(self._products.get((other, factor), {}))
        return sorted(found, key=found.__getitem__)

    @functools.cached_property
    def _products(self) -> dict[tuple[Node, ...], dict[Node, int]]:
        """The products and quotients of each two values, with their positions in the graph."""
        known: dict[tuple[Node, ...], dict[Node, int]] = {}
        for position, node in enumerate(self.graph.nodes):
            if node.op in (multiply, divide):
                known.setdefault(node.inputs, {})[node] = position
        return known

    def _is_there(self, node: Node) -> bool:
        """Whether it is computed by now, in a variable."""
        several = len(self.readers.get(node, ())) > 1
        return several and node in self.made and self.is_free(node)

    def _by_factor(self, node: Node, left: _Product, right: _Product) -> Node | None:
        common = next((x for x in left.over if x in right.over and x.ndim == node.ndim), None)
        if common is None or not (len(left.over) > 1 and len(right.over) > 1):
            return None
        rests = [self._written(product.without(common)) for product in (left, right)]
        return node.op(*rests) * self.made[common]

    def _by_number(self, node: Node, left: _Product, right: _Product) -> Node | None:
        """``2 * (x - y)`` for ``2 * x - 2 * y``, also where one of the numbers is negative."""
        for first, second in self._numbers(left, right):
            rests = [self._written(left.without(first)), self._written(right.without(second))]
            same = number(first) == number(second)
            op = node.op if same else subtract if node.op is add else add
            return self.made[first] * op(*rests)
        return None

    def _numbers(self, left: _Product, right: _Product) -> Iterator[tuple[Node, Node]]:
        """Numbers of both that are equal up to their sign, with an array beside each."""
        if not all(any(x.ndim for x in product.over) for product in (left, right)):
            return
        for first in left.over:
            for second in right.over:
                known = is_python_number(first) and is_python_number(second)
                if known and abs(number(first)) == abs(number(second)) != 1:
                    yield first, second

    def _factors(self, node: Node, whole: Node, depth: int = 0, *, named: bool = True) -> _Product:
        """The factors of a product that is made for ``whole`` alone; ``named`` also of those that
        have names.
        """
        alone = self.is_step(node) if named else self.is_part(node)
        own = node.op in (multiply, divide) and alone and node.dtype == whole.dtype
        if not own or depth == DEEPEST:
            return _Product([node])
        first, second = node.inputs
        product = self._factors(first, node, depth + 1, named=named)
        if node.op is divide:
            return _Product(product.over, [*product.under, second])
        other = self._factors(second, node, depth + 1, named=named)
        return _Product([*product.over, *other.over], [*product.under, *other.under])

    def _written(self, product: _Product) -> Node:
        first, *others = (self.made[x] for x in product.over)
        for factor in others:
            first = first * factor
        for divisor in product.under:
            first = first / self.made[divisor]
        return first

    def _by_multiple(self, node: Node) -> Node | None:
        """``2 * x * (200 * y)`` for ``400 * x * y`` where ``200 * y`` is all else made of ``y``:
        the smaller number may go well with others, and ``y`` need not be kept.
        """
        scale, product = node.inputs
        if not is_python_number(scale) or product.op is not multiply or not self.is_part(product):
            return None
        for one, other in (product.inputs, product.inputs[::-1]):
            multiple = self._only_multiple(other, product)
            if multiple is None or not as_precise(one, node) or other.dtype != node.dtype:
                continue
            ratio = number(scale) / number(multiple.inputs[0])
            if ratio == round(ratio):
                again = self._made_early(multiple)
                return None if again is None else ratio * (self.made[one] * again)
        return None

    def _made_early(self, product: Node) -> Node | None:
        """What ``product``, which may come later, is made of already."""
        if product in self.made:
            return self.made[product]
        if not all(operand in self.made for operand in product.inputs):
            return None
        return multiply(*(self.made[operand] for operand in product.inputs))

    def _only_multiple(self, node: Node, product: Node) -> Node | None:
        """The one other value that ``node`` is read for, where it is ``number * node``."""
        others = [r for r in self.readers[node] if r is not product]
        if len(others) != 1 or len(self.readers[node]) != 2 or node in self.results:
            return None
        multiple = others[0]
        known = multiple.op is multiply and multiple.inputs[1] is node and self.is_free(multiple)
        return multiple if known and is_python_number(multiple.inputs[0]) else None


def _scaled(scale: float, node: Node) -> Node:
    return node if scale == 1 else -node if scale == -1 else scale * node


def is_python_number(node: Node) -> bool:
    """Whether it is a number of Python's, real and not 0."""
    value = number(node) if node.array_type.weak else None
    return isinstance(value, (int, float)) and value != 0
