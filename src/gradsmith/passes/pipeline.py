"""Which rules apply when, and the order of the passes."""

from __future__ import annotations

from collections.abc import Sequence

from gradsmith.ir.graph import Graph
from gradsmith.passes.algebra import ALGEBRA
from gradsmith.passes.arms import into_arms
from gradsmith.passes.buffers import own_buffers
from gradsmith.passes.cancellation import CANCELLATIONS
from gradsmith.passes.factor import factor_sums
from gradsmith.passes.fills import filled_at_once
from gradsmith.passes.flatten import flat_products
from gradsmith.passes.hoist import hoist
from gradsmith.passes.lowering import LOWERING
from gradsmith.passes.numbers import floating_numbers
from gradsmith.passes.numerics import NUMERIC_RULES
from gradsmith.passes.part_views import join_parts
from gradsmith.passes.parts import read_parts
from gradsmith.passes.products import quick_products
from gradsmith.passes.prune import prune
from gradsmith.passes.reductions import REDUCTIONS
from gradsmith.passes.regions import everywhere
from gradsmith.passes.results import own_results
from gradsmith.passes.rewrite import Table, rebuild
from gradsmith.passes.scatter import SCATTER
from gradsmith.passes.sink import sink
from gradsmith.passes.stores import known_parts
from gradsmith.passes.structure import GENERIC, STRUCTURE, UNWRAP
from gradsmith.passes.touched import touched_once
from gradsmith.passes.unread_errors import without_idle
from gradsmith.passes.views import through_views, views_inside

NUMERICS = Table(STRUCTURE, NUMERIC_RULES, generic=GENERIC)
"""Before differentiation: stable forms of what users write by hand."""

ADJOINT = Table(
    STRUCTURE, SCATTER, REDUCTIONS, CANCELLATIONS, ALGEBRA, generic=GENERIC, keep_names=True
)
"""While the adjoint is built: also algebra that may change the last bit."""

FINISH = Table(UNWRAP, STRUCTURE, NUMERIC_RULES, generic=GENERIC)
"""At the end, over everything: primal values get the stable forms, too, and nothing else."""

LOWERED = Table(STRUCTURE, generic=(*LOWERING, *GENERIC))
"""Last: stable composites in terms of what NumPy has."""


MOST_ROUNDS = 4
"""A constant that goes into a loop may decide what the loop is for."""


def optimise(graph: Graph) -> Graph:
    """The graph without waste, every value made once."""
    for round_ in range(MOST_ROUNDS):
        finish = _finished_again if round_ else everywhere(_finished)
        pruned = prune(finish(graph))
        graph = sink(pruned)
        if graph is pruned:
            break
    return prune(graph)


def _finished(graph: Graph) -> Graph:
    return rebuild(graph, FINISH)


_finished_again = everywhere(lambda graph: rebuild(graph, FINISH, keep=True))


def _lowered(graph: Graph) -> Graph:
    lowered = flat_products(factor_sums(rebuild(graph, LOWERED)))
    return own_buffers(read_parts(quick_products(floating_numbers(lowered))))


def lower(graph: Graph, labels: Sequence[str | None] | None = None) -> Graph:
    """The graph as it is emitted: of NumPy's own functions, each result with its own buffer.

    ``labels`` are names for the results, for where they need a copy of their own.
    """
    lowered = prune(hoist(everywhere(_lowered)(graph)))
    lowered = prune(everywhere(known_parts)(touched_once(lowered)))
    filled = everywhere(filled_at_once)(lowered)
    lowered = lowered if filled is lowered else prune(filled)
    for change in (everywhere(into_arms), _with_views_inside):
        changed = change(lowered)
        lowered = lowered if changed is lowered else prune(changed)
    lowered = everywhere(join_parts)(everywhere(through_views)(lowered))
    owned = own_results(lowered, labels or [None] * len(graph.results))
    return everywhere(without_idle)(owned)


def _with_views_inside(graph: Graph) -> Graph:
    """Branches that write to what they take views of, once these writes are known as such."""
    return views_inside(everywhere(through_views)(graph))
