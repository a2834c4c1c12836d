"""Reverse mode through regions that are run again: nothing is kept of their first run.

The adjoint is such a region, too: it computes the values once more from what the first run was
given, and then the adjoints. So the derivative of the derivative keeps nothing either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gradsmith.autodiff.activity import in_block, wanted
from gradsmith.autodiff.regions import (
    Values,
    adjoint_of,
    given_adjoint,
    or_nothing,
    replay,
    workshop,
)
from gradsmith.autodiff.resolve import Question, resolve
from gradsmith.autodiff.sweep import Adjoints, Around, Sweep
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building, current_builder
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import item
from gradsmith.ops.regions import rerun


@dataclass
class Again:
    """The adjoint of a region as it is put together.

    ``given`` are parameters in its workshop for adjoints that are known around it, ``ends`` the
    totals at its end by position, ``outside`` is the builder of the enclosing region.
    """

    block: Region
    work: Builder
    sweep: Sweep
    given: Values = field(default_factory=dict)
    ends: dict[int, Node] = field(default_factory=dict)
    outside: Builder = field(default_factory=current_builder)

    def parameter(self, value: Node) -> Node:
        """That for a value from around."""
        if value not in self.given:
            self.given[value] = given_adjoint(self.work, value, self.outside)
        return self.given[value]


def pull_rerun(
    node: Node,
    parts: Sequence[Adjoints],
    positions: Sequence[int],
    starts: Mapping[int, Node | None],
    around: Around,
) -> Mapping[int, Adjoints]:
    """The adjoints of the captured values, from those of the results."""
    again = _begun(node, parts, positions)
    _sweep(again, parts, positions, starts)
    moved = [p for p in positions if p in again.ends]
    if not moved:
        return {}
    with building(again.work):
        ends = [or_nothing(again.ends[p], adjoint_of(node.inputs[p])) for p in moved]
    backward = _written(node, again, ends)
    return {p: [item(backward, index=k)] for k, p in enumerate(moved)}


def _begun(node: Node, parts: Sequence[Adjoints], positions: Sequence[int]) -> Again:
    block: Region = node.attrs["block"]
    results = [r for r, part in zip(block.results, parts, strict=True) if part]
    matter = wanted(block.nodes, in_block(block, positions), results)
    order = [n for n in (*block.params, *block.nodes) if n in matter]
    captured = dict(zip(block.params, node.inputs, strict=True))
    return Again(block, workshop(block, captured), Sweep(order))


def _sweep(
    again: Again,
    parts: Sequence[Adjoints],
    positions: Sequence[int],
    starts: Mapping[int, Node | None],
) -> None:
    rewriting = current_builder().rewriting
    sweep, before = again.sweep, {}
    with building(again.work), again.work.phase(rewriting):
        for result, part in zip(again.block.results, parts, strict=True):
            if part and result in sweep.members:
                sweep.add(result, again.parameter(part[0]))
        for p in positions:
            param, start = again.block.params[p], starts.get(p)
            if start is not None and param in sweep.members:
                before[p] = again.parameter(start)
                sweep.add(param, before[p])
        sweep.run()
        for p in positions:
            total = sweep.adjoint(again.block.params[p])
            if total is not None and total is not before.get(p):
                again.ends[p] = total


def _written(node: Node, again: Again, ends: Sequence[Node]) -> Node:
    """The region that computes all that the adjoint needs once more."""
    answer = resolve(
        Question(
            forward=again.block,
            nodes=again.work.nodes,
            results=ends,
            given=set(again.given.values()),
            at_hand=set(again.block.params),
            may_bring=lambda _: False,
        )
    )
    builder = Builder(parent=current_builder())
    values: Values = dict(zip(again.block.params, node.inputs, strict=True))
    values |= {param: value for value, param in again.given.items()}
    with building(builder):
        replay(answer.again, values, again.work.names)
    results = [values.get(end, end) for end in ends]
    captured = builder.needed(results)
    block = builder.region(results, captured)
    return rerun(*captured, block=block, symbols=(None,) * len(results))


__all__ = ["pull_rerun"]
