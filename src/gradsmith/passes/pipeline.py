"""Which rules apply when, and the order of the passes."""

from __future__ import annotations

from gradsmith.ir.graph import Graph
from gradsmith.passes.rewrite import Table, rebuild

NUMERICS = Table()
"""Before differentiation: stable forms of what users write by hand."""

ADJOINT = Table()
"""While the adjoint is built: also algebra that may change the last bit."""

FINISH = Table()
"""At the end: what keeps every bit."""


def optimise(graph: Graph) -> Graph:
    """The graph as it is emitted."""
    return rebuild(graph, FINISH)
