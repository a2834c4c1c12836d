"""Products of matrices, and sums of their rows, by the quicker of NumPy's ways.

The last bit may change, so that nothing is done where a value of the user's depends on it.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Graph, Node, ancestors
from gradsmith.ops.create import ones
from gradsmith.ops.matmul import by_blas, dot, matmul
from gradsmith.ops.reduce import reduce_sum
from gradsmith.passes.replay import Replay


def quick_products(graph: Graph) -> Graph:
    """The graph with ``x.dot(y)`` for ``x @ y``, and for two and more sums of so many rows
    products with the same ones.
    """
    return _Quickening(graph).run()


class _Quickening(Replay):
    ops = frozenset({matmul, reduce_sum})

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.exact = ancestors(r for r in graph.results if not self.is_free(r))
        self.sums: Counter[Size] = Counter(
            node.inputs[0].shape[0] for node in graph.nodes if self._is_sum_of_rows(node)
        )

    def better(self, node: Node) -> Node | None:
        """The product ``node`` as a call, or the sum as a product."""
        if node.op is matmul:
            quick = node not in self.exact and by_blas(*node.inputs)
            return dot(*(self.made[operand] for operand in node.inputs)) if quick else None
        if not self._is_sum_of_rows(node):
            return None
        rows = node.inputs[0]
        if self.sums[rows.shape[0]] < 2:  # making the ones takes as long as a small sum
            return None
        return dot(ones(shape=rows.shape[:1], dtype=node.dtype), self.made[rows])

    def _is_sum_of_rows(self, node: Node) -> bool:
        """Whether it is such a sum of an adjoint's, in double precision."""
        if node.op is not reduce_sum or not self.is_free(node):
            return False
        matrix = node.inputs[0]
        alone = node.attrs["axis"] == (0,) and not node.attrs["keepdims"] and matrix.ndim == 2
        return alone and matrix.dtype == node.dtype == np.float64
