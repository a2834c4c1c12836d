"""Forward mode through loops and branches: copies of them that carry the tangents along."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gradsmith.autodiff.activity import Active, in_arm, in_block, in_body, wanted
from gradsmith.autodiff.growth import is_exponential, is_tape_of_exponentials
from gradsmith.autodiff.regions import (
    Values,
    adjoint_of,
    adjoint_type,
    or_nothing,
    replay,
    shared,
)
from gradsmith.errors import InternalError
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building, current_builder
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import item
from gradsmith.ir.parts import BranchView, LoopView
from gradsmith.ir.types import ArrayType, TapeType, Type, ValueType
from gradsmith.ops.index import zero_tangent
from gradsmith.ops.regions import branch, loop, rerun

Tangents = Mapping[Node, "Node | None"]
Push = Callable[[Sequence[Node], dict[Node, "Node | None"]], None]
"""``push(nodes, found)`` adds the tangents of ``nodes``: forward mode itself."""


def push_branch(node: Node, found: Tangents, push: Push) -> dict[int, Node]:
    """The tangents of the results of a branch that have one."""
    view = BranchView(node)
    moving = _moving(node, found)
    actives = [in_arm(view, side, moving) for side in (0, 1)]
    places = [
        k
        for k, pair in enumerate(zip(*(arm.results for arm in view.arms), strict=True))
        if any(r in active.nodes for r, active in zip(pair, actives, strict=True))
    ]
    builders, results = [], []
    for region, active in zip(view.arms, actives, strict=True):
        builder = Builder(parent=current_builder())
        tangents = {region.params[p - 1]: found[node.inputs[p]] for p in moving}
        values: Values = dict(zip(region.params, node.inputs[1:], strict=True))
        moved = _pushed(builder, region, values, tangents, active, push)
        with building(builder):
            ends = [values.get(r, r) for r in region.results]
            ends += [_tangent(moved, region.results[k]) for k in places]
        builders.append(builder)
        results.append(ends)
    captured = shared(builders, results)
    then, orelse = (b.region(r, captured) for b, r in zip(builders, results, strict=True))
    symbols = (*view.symbols, *[None] * len(places))
    both = branch(node.inputs[0], *captured, then=then, orelse=orelse, symbols=symbols)
    return {k: item(both, index=len(view.symbols) + j) for j, k in enumerate(places)}


def push_rerun(node: Node, found: Tangents, push: Push) -> dict[int, Node]:
    """The tangents of the results of a region that is run again; its values are, too."""
    block: Region = node.attrs["block"]
    moving = _moving(node, found)
    active = in_block(block, moving)
    places = [k for k, result in enumerate(block.results) if result in active.nodes]
    builder = Builder(parent=current_builder())
    tangents = {block.params[p]: found[node.inputs[p]] for p in moving}
    values: Values = dict(zip(block.params, node.inputs, strict=True))
    moved = _pushed(builder, block, values, tangents, active, push)
    with building(builder):
        ends = [_tangent(moved, block.results[k]) for k in places]
    captured = builder.needed(ends)
    whole = rerun(*captured, block=builder.region(ends, captured), symbols=(None,) * len(ends))
    return {k: item(whole, index=j) for j, k in enumerate(places)}


def _moving(node: Node, found: Tangents) -> list[int]:
    return [p for p, operand in enumerate(node.inputs) if found.get(operand) is not None]


def _tangent(moved: Tangents, result: Node) -> Node:
    tangent = moved.get(result)
    if tangent is not None and isinstance(tangent.type, TapeType):
        return tangent
    return or_nothing(tangent, adjoint_of(result))


def _pushed(
    builder: Builder,
    region: Region,
    values: Values,
    tangents: Mapping[Node, Node | None],
    active: Active,
    push: Push,
) -> Tangents:
    """The region made again in ``builder`` with tangents: those of its nodes."""
    rewriting = current_builder().rewriting
    with building(builder):
        replay(region.nodes, values, region.names)
        for node, value in values.items():
            values[node] = builder.inner(value)
        found = {values[n]: None if t is None else builder.inner(t) for n, t in tangents.items()}
        builder.exponentials.update(
            builder.inner(own) for outer, own in builder.captured.items() if is_exponential(outer)
        )
        with builder.phase(rewriting):
            passing = wanted(region.nodes, active, region.results)
            push([values[n] for n in region.nodes if n in passing], found)
    return {n: found.get(values.get(n, n)) for n in (*region.params, *region.nodes)}


# -- loops ---------------------------------------------------------------------------------------


@dataclass
class Forward:
    """The loop with tangents as it is put together.

    ``tangents`` are the parameters for tangents by position of the operand, ``values`` what the
    nodes of the old body are in the new one.
    """

    view: LoopView
    builder: Builder
    values: Values
    tangents: dict[int, Node]
    moving: list[int]
    recorded: list[int]


def push_loop(node: Node, found: Tangents, push: Push) -> dict[int, Node]:
    """The tangents of the results of a loop that have one."""
    view = LoopView(node)
    readings = _moving(node, found)
    active = in_body(view, readings)
    moving = [k for k, param in enumerate(view.carried) if param in active.nodes]
    recorded = [j for j, result in enumerate(view.recorded) if result in active.nodes]
    new = _with_params(view, moving, readings, recorded)
    given: dict[Node, Node | None] = {view.params[p]: t for p, t in new.tangents.items()}
    for p in view.captured:
        if p in readings:
            given[view.params[p]] = found[node.inputs[p]]
    moved = _pushed(new.builder, view.body, new.values, given, active, push)
    both = _joined(new, found, moved)
    places = {k: view.count + i for i, k in enumerate(moving)}
    first = LoopView(both).count + 1 + len(view.recorded)
    places |= {view.place(j): first + i for i, j in enumerate(recorded)}
    return {k: item(both, index=place) for k, place in places.items()}


def _with_params(
    view: LoopView, moving: list[int], readings: list[int], recorded: list[int]
) -> Forward:
    """Parameters in the order that a loop has them: values before their tangents."""
    builder = Builder(parent=current_builder())
    values: Values = {view.params[p]: view.node.inputs[p] for p in view.captured}
    tangents: dict[int, Node] = {}

    def same(param: Node) -> None:
        attrs = param.attrs
        values[param] = builder.parameter(attrs["name"], param.type, attrs["symbol"])

    def moved(position: int) -> None:
        param = view.params[position]
        name = f"d_{view.body.names.get(param, param.attrs['name'])}"
        tangents[position] = builder.parameter(name, _tangent_type(param.type))

    same(view.index)
    for param in view.carried:
        same(param)
    for k in moving:
        moved(k)
    for p in view.tapes:
        same(view.params[p])
        if is_tape_of_exponentials(view.node.inputs[p]):
            builder.exponentials.add(values[view.params[p]])
    for p in view.tapes:
        if p in readings:
            moved(p)
    return Forward(view, builder, values, tangents, moving, recorded)


def _tangent_type(type_: Type) -> ValueType:
    """The type of the tangent of a value: of a tape it is a tape."""
    if isinstance(type_, TapeType):
        return TapeType(_tangent_type(type_.item), type_.length)
    if not isinstance(type_, ArrayType):
        raise InternalError("a loop carries values, not tuples or objects")
    return adjoint_type(type_)


def _joined(new: Forward, found: Tangents, moved: Tangents) -> Node:
    view, node = new.view, new.view.node
    results, count = view.body.results, view.count
    with building(new.builder):
        ends = [new.values.get(r, r) for r in results[:count]]
        ends += [_tangent(moved, results[k]) for k in new.moving]
        ends += [new.values.get(r, r) for r in results[count:]]
        ends += [_tangent(moved, view.recorded[j]) for j in new.recorded]
    tester, answer = _test(new)
    captured = shared(*([new.builder, *tester], [ends, *answer]))
    starts = [_started(found, node.inputs[k]) for k in new.moving]
    types = [adjoint_of(view.carried[k]) for k in new.moving]
    inits = [or_nothing(start, type_) for start, type_ in zip(starts, types, strict=True)]
    tapes = [node.inputs[p] for p in view.tapes]
    tapes += [_known(found, node.inputs[p]) for p in view.tapes if p in new.tangents]
    symbols = [*view.symbols]
    symbols[count:count] = [None] * len(inits)
    attrs = {
        **node.attrs,
        "body": new.builder.region(ends, captured),
        "test": tester[0].region(answer[0], captured) if tester else None,
        "carried": count + len(inits),
        "tapes": len(tapes),
        "symbols": (*symbols, *[None] * len(new.recorded)),
    }
    return loop(*node.inputs[:count], *inits, *tapes, *captured, **attrs)


def _started(found: Tangents, initial: Node) -> Node | None:
    tangent = found.get(initial)
    return zero_tangent(initial) if tangent is None else tangent


def _known(found: Tangents, node: Node) -> Node:
    tangent = found[node]
    if tangent is None:
        raise InternalError("a tape without a tangent has none to be read")
    return tangent


def _test(new: Forward) -> tuple[list[Builder], list[list[Node]]]:
    """The test for parameters among which there are tangents; two empty lists without one."""
    view, test = new.view, new.view.test
    if test is None:
        return [], []
    builder = Builder(parent=current_builder())
    kept = [view.index, *view.carried]
    values: Values = {}
    for old, param in zip(test.params, kept, strict=False):
        attrs = param.attrs
        values[old] = builder.parameter(attrs["name"], param.type, old.attrs["symbol"])
    for k in new.moving:
        builder.parameter(new.tangents[k].attrs["name"], new.tangents[k].type)
    for p in view.captured:
        values[test.params[p + 1 - len(view.tapes)]] = view.node.inputs[p]
    with building(builder):
        replay(test.nodes, values, test.names)
    return [builder], [[values.get(r, r) for r in test.results]]
