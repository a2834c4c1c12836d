"""Reverse mode through branches: a branch on the same condition, with the adjoints of the arms.

What an adjoint needs of its arm is a result of a longer copy of the branch, computed again where
that is as cheap, or where it is known to the arm alone (the tapes of its loops).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gradsmith.autodiff.activity import Active, in_arm, wanted
from gradsmith.autodiff.regions import (
    Values,
    adjoint_of,
    extended,
    given_adjoint,
    nothing,
    or_nothing,
    replay,
    shared,
    workshop,
)
from gradsmith.autodiff.resolve import Answer, Question, dependents, resolve
from gradsmith.autodiff.sweep import Adjoints, Around, Sweep
from gradsmith.autodiff.zeros import is_zero
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building, current_builder
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import item
from gradsmith.ir.mentions import mentioned, said_by
from gradsmith.ir.parts import BranchView
from gradsmith.ir.types import ArrayType
from gradsmith.ops.forms import in_type
from gradsmith.ops.regions import branch


@dataclass
class Arm:
    """One arm of the backward branch as it is put together.

    ``given`` are parameters in its workshop for adjoints that are known around the branch: of
    results and, so far, of operands. ``ends`` are the totals at its end by position, ``outside``
    is the builder of the enclosing region.
    """

    region: Region
    work: Builder
    sweep: Sweep
    given: Values = field(default_factory=dict)
    ends: dict[int, Node] = field(default_factory=dict)
    outside: Builder = field(default_factory=current_builder)


def pull_branch(
    node: Node,
    parts: Sequence[Adjoints],
    wanted: Sequence[int],
    starts: Mapping[int, Node | None],
    around: Around,
) -> Mapping[int, Adjoints]:
    """The adjoints of a branch's operands, from those of its results."""
    view = BranchView(node)
    arms = [_arm(view, side, parts, wanted, around) for side in (0, 1)]
    for arm in arms:
        _sweep(arm, view, parts, wanted, starts)
    moved = [p for p in wanted if any(p in arm.ends for arm in arms)]
    if not moved:
        return {}
    for arm in arms:
        _complete(arm, view, moved, starts)
    backward = _written(view, arms, moved, around)
    return {p: [item(backward, index=k)] for k, p in enumerate(moved)}


def _arm(
    view: BranchView,
    side: int,
    parts: Sequence[Adjoints],
    positions: Sequence[int],
    around: Around,
) -> Arm:
    region = view.arms[side]
    active: Active = in_arm(view, side, positions)
    results = [r for r, part in zip(region.results, parts, strict=True) if part]
    matter = wanted(region.nodes, active, results)
    order = [n for n in (*region.params, *region.nodes) if n in matter]
    far = dependents(region.nodes, _far(view, region, around))
    inside = replace(around, distant=frozenset(far))
    captured = dict(zip(region.params, view.node.inputs[1:], strict=True))
    return Arm(region, workshop(region, captured), Sweep(order, inside))


def _far(view: BranchView, region: Region, around: Around) -> set[Node]:
    return {
        param
        for param, operand in zip(region.params, view.node.inputs[1:], strict=True)
        if operand in around.distant
    }


def _sweep(
    arm: Arm,
    view: BranchView,
    parts: Sequence[Adjoints],
    positions: Sequence[int],
    starts: Mapping[int, Node | None],
) -> None:
    rewriting = current_builder().rewriting
    before: dict[int, Node] = {}
    with building(arm.work), arm.work.phase(rewriting):
        for result, part in zip(arm.region.results, parts, strict=True):
            if part and result in arm.sweep.members:
                arm.sweep.add(result, _given(arm, part[0], result))
        for p in positions:
            param, start = arm.region.params[p - 1], starts.get(p)
            if start is not None and param in arm.sweep.members:
                before[p] = _given(arm, start, param)
                arm.sweep.add(param, before[p])
        arm.sweep.run()
        for p in positions:
            total = arm.sweep.adjoint(arm.region.params[p - 1])
            if total is None or total is before.get(p) or (p not in before and is_zero(total)):
                continue
            arm.ends[p] = total


def _given(arm: Arm, value: Node, model: Node) -> Node:
    """The parameter of an arm for a value from around."""
    if value not in arm.given:
        arm.given[value] = given_adjoint(arm.work, value, arm.outside)
    return arm.given[value]


def _complete(
    arm: Arm, view: BranchView, moved: Sequence[int], starts: Mapping[int, Node | None]
) -> None:
    """Both arms say what the totals are, in the same types."""
    with building(arm.work):
        for p in moved:
            type_ = adjoint_of(view.node.inputs[p])
            start = starts.get(p)
            if p not in arm.ends and start is not None:
                arm.ends[p] = _given(arm, start, view.node.inputs[p])
            arm.ends[p] = or_nothing(arm.ends.get(p), type_)


# -- writing it ----------------------------------------------------------------------------------


def _written(view: BranchView, arms: Sequence[Arm], moved: Sequence[int], around: Around) -> Node:
    """The backward branch."""
    answers = [_needed(view, arm, moved, around) for arm in arms]
    forward, places = _longer(view, arms, answers)
    builders: list[Builder] = []
    results: list[list[Node]] = []
    for arm, answer, kept in zip(arms, answers, places, strict=True):
        builder = Builder(parent=current_builder())
        values = dict(zip(arm.region.params, view.node.inputs[1:], strict=True))
        values |= {param: value for value, param in arm.given.items()}
        values |= {v: item(forward, index=place) for v, place in kept.items()}
        with building(builder):
            replay(answer.again, values, arm.work.names, answer.lasting)
        builders.append(builder)
        with building(builder):
            results.append([_end(view, arm, values, p) for p in moved])
    captured = shared(builders, results)
    then, orelse = (b.region(r, captured) for b, r in zip(builders, results, strict=True))
    condition, symbols = view.node.inputs[0], (None,) * len(moved)
    return branch(condition, *captured, then=then, orelse=orelse, symbols=symbols)


def _end(view: BranchView, arm: Arm, values: Mapping[Node, Node], position: int) -> Node:
    """A total in its own type, whatever rewriting has made of the numbers in it."""
    end = arm.ends[position]
    return in_type(values.get(end, end), adjoint_of(view.node.inputs[position]))


def _needed(view: BranchView, arm: Arm, moved: Sequence[int], around: Around) -> Answer:
    known = set(arm.region.nodes)
    inside = set(said_by(arm.region.nodes))

    def may_bring(node: Node) -> bool:
        if not isinstance(node.type, ArrayType) or not inside.isdisjoint(mentioned([node])):
            return False  # the other arm could not say how large it is
        return node in known or node in arm.region.results

    return resolve(
        Question(
            forward=arm.region,
            nodes=arm.work.nodes,
            results=[arm.ends[p] for p in moved],
            given=set(arm.given.values()),
            at_hand=set(arm.region.params),
            may_bring=may_bring,
            distant=frozenset(_far(view, arm.region, around)),
            lasting=around.lasting,
        )
    )


def _longer(
    view: BranchView, arms: Sequence[Arm], answers: Sequence[Answer]
) -> tuple[Node, list[dict[Node, int]]]:
    """The branch with what its adjoint needs among its results, and where it stands there."""
    results = [list(arm.region.results) for arm in arms]
    places: list[dict[Node, int]] = [{}, {}]
    symbols = [*view.symbols]
    for side, answer in enumerate(answers):
        other = arms[1 - side]
        for value in answer.brought:
            symbol = answer.symbols.get(value)
            known = results[side][: len(view.symbols)]
            if value not in known or symbol is not None:
                places[side][value] = len(symbols)
                results[side].append(value)
                symbols.append(symbol)
                with building(other.work):
                    zero = in_type(nothing(value.array_type), value.array_type)
                    results[1 - side].append(zero)
            else:
                places[side][value] = known.index(value)
    if len(symbols) == len(view.symbols):
        return view.node, places
    then, orelse = (
        extended(arm.region, arm.work.nodes, r) for arm, r in zip(arms, results, strict=True)
    )
    longer = branch(*view.node.inputs, then=then, orelse=orelse, symbols=tuple(symbols))
    return longer, places


__all__ = ["pull_branch"]
