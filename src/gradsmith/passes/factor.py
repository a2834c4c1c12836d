"""Sums of products in adjoints with a factor in common: ``(a - b) * x`` for ``a * x - b * x``.

At the end, when it is known which products nothing else reads. The last bit may change, so that
the user's own sums stay as they are.
"""

from __future__ import annotations

from gradsmith.ir.graph import Graph, Node
from gradsmith.ops.arithmetic import add, multiply, subtract
from gradsmith.passes.algebra import as_precise
from gradsmith.passes.replay import Replay

DEEPEST = 8
MOST_ROUNDS = 3
"""A sum that has become a product may itself be part of such a sum."""


def factor_sums(graph: Graph) -> Graph:
    """The graph with factors taken out of the sums of its adjoints."""
    for _ in range(MOST_ROUNDS):
        better = _Factoring(graph).run()
        if better is graph:
            break
        graph = better
    return graph


class _Factoring(Replay):
    """One round over a graph."""

    def better(self, node: Node) -> Node | None:
        """The sum ``node`` as a product."""
        if node.op not in (add, subtract) or not self.is_free(node):
            return None
        left, right = (self._factors(operand, node) for operand in node.inputs)
        common = next((x for x in left if x in right and x.ndim == node.ndim), None)
        if common is None or not (len(left) > 1 and len(right) > 1):
            return None
        if not all(as_precise(factor, node) for factor in (*left, *right)):
            return None  # what is left of the products is added: masks would be united
        rests = [self._product(factors, common) for factors in (left, right)]
        return node.op(*rests) * self.made[common]

    def _factors(self, node: Node, whole: Node, depth: int = 0) -> list[Node]:
        """The factors of a product that is made for ``whole`` alone."""
        own = node.op is multiply and node.dtype == whole.dtype and self.is_part(node)
        if not own or depth == DEEPEST:
            return [node]
        return [x for operand in node.inputs for x in self._factors(operand, node, depth + 1)]

    def _product(self, factors: list[Node], without: Node) -> Node:
        place = factors.index(without)
        first, *others = [self.made[x] for x in factors[:place] + factors[place + 1 :]]
        for factor in others:
            first = first * factor
        return first
