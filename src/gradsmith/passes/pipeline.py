"""Which rules apply when, and the order of the passes."""

from __future__ import annotations

from gradsmith.ir.graph import Graph
from gradsmith.passes.algebra import ALGEBRA
from gradsmith.passes.results import own_results
from gradsmith.passes.rewrite import Table, rebuild
from gradsmith.passes.structure import GENERIC, STRUCTURE, UNWRAP

NUMERICS = Table(STRUCTURE, generic=GENERIC)
"""Before differentiation: stable forms of what users write by hand."""

ADJOINT = Table(STRUCTURE, ALGEBRA, generic=GENERIC)
"""While the adjoint is built: also algebra that may change the last bit."""

FINISH = Table(UNWRAP, STRUCTURE, generic=GENERIC)
"""At the end: what keeps every bit."""


LOWERED = Table(STRUCTURE, generic=GENERIC)
"""Last: stable composites in terms of what NumPy has."""


def optimise(graph: Graph) -> Graph:
    """The graph without waste, every value made once."""
    return rebuild(graph, FINISH)


def lower(graph: Graph) -> Graph:
    """The graph as it is emitted: of NumPy's own functions, each result with its own buffer."""
    return own_results(rebuild(graph, LOWERED))
