"""Reverse mode through loops: a loop over the same trips backwards.

It carries the adjoints of what the forward loop carries, and one sum for each captured value;
what the forward loop is to keep of its trips, a longer copy of it records on tapes. The two are
loops like any others, so that they can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gradsmith.autodiff.activity import in_body, wanted_in_body
from gradsmith.autodiff.binomial import is_binomial, rewound
from gradsmith.autodiff.finiteness import extents_of
from gradsmith.autodiff.growth import is_tape_of_exponentials, is_vanishing_tape
from gradsmith.autodiff.lasting import lasting
from gradsmith.autodiff.poles import Clears, is_partly_zero, is_partly_zero_tape
from gradsmith.autodiff.regions import (
    Values,
    adjoint_of,
    extended,
    or_nothing,
    replay,
    workshop,
)
from gradsmith.autodiff.resolve import Answer, Question, dependents, resolve
from gradsmith.autodiff.sweep import Adjoints, Around, Sweep
from gradsmith.autodiff.zeros import accumulate
from gradsmith.errors import InternalError
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building, current_builder
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item
from gradsmith.ir.mentions import silent_attrs
from gradsmith.ir.parts import LoopView
from gradsmith.ir.types import TapeType, TupleType
from gradsmith.ops.conditional import conditional_op
from gradsmith.ops.regions import branch, length_of_range, loop
from gradsmith.ops.select import where


@dataclass
class Carried:
    """What the backward loop carries for the operand at ``position``: in its body ``param``
    becomes ``result``.
    """

    position: int
    param: Node
    init: Node
    result: Node


@dataclass
class Backward:
    """The backward loop as it is put together, its body in a workshop.

    ``tapes`` are (parameter, tape), ``recorded`` (position of the operand, value).
    """

    view: LoopView
    work: Builder
    sweep: Sweep
    carried: list[Carried] = field(default_factory=list)
    tapes: list[tuple[Node, Node]] = field(default_factory=list)
    recorded: list[tuple[int, Node]] = field(default_factory=list)

    @property
    def results(self) -> list[Node]:
        """Of the body."""
        return [*(c.result for c in self.carried), *(r for _, r in self.recorded)]

    def new(self, position: int) -> Node:
        """A parameter for the adjoint of the operand at ``position``."""
        model = self.view.params[position]
        name = self.work.names.get(model) or model.attrs["name"]
        return self.work.parameter(f"g_{name}", adjoint_of(model))


def pull_loop(
    node: Node,
    parts: Sequence[Adjoints],
    wanted: Sequence[int],
    starts: Mapping[int, Node | None],
    around: Around,
) -> Mapping[int, Adjoints]:
    """The adjoints of a loop's operands, from those of its results."""
    view = LoopView(node)
    active = in_body(view, wanted)
    matter = wanted_in_body(view, active, [k for k, part in enumerate(parts) if part])
    far = frozenset(view.params[p] for p in view.captured if node.inputs[p] in around.distant)
    order = [n for n in (*view.body.params, *view.body.nodes) if n in matter]
    unrecorded = dependents(view.body.nodes, view.carried)
    inside = Around(far | unrecorded, {**_lasting(view, around), **around.lasting})
    if is_binomial(view):
        inside = Around()
    captured = {view.params[p]: node.inputs[p] for p in view.captured}
    back = Backward(view, workshop(view.body, captured), Sweep(order, inside))
    tapes = (p for p in view.tapes if is_tape_of_exponentials(node.inputs[p]))
    back.work.exponentials.update(view.params[p] for p in tapes)
    back.work.extents |= extents_of({view.params[p]: node.inputs[p] for p in view.tapes})
    _carry(back, parts)
    _read(back, parts)
    _sum(back, starts)
    rewriting = current_builder().rewriting
    with building(back.work), back.work.phase(rewriting):
        back.sweep.run()
        _end(back)
    if not back.results:
        return {}
    by_slots = is_binomial(view) and not (back.tapes or back.recorded)
    backward = rewound(back) if by_slots else _written(back, _needed(back, far))
    return _collected(back, backward, starts)


def _lasting(view: LoopView, around: Around) -> dict[Node, tuple[Node, Node]]:
    """What the loop leaves to be read, unless a loop around would have to record that whole."""
    if view.node in around.distant:
        return {}
    found = lasting(view)
    return {n: (item(view.node, index=k), place) for n, (k, place) in found.items()}


def _carry(back: Backward, parts: Sequence[Adjoints]) -> None:
    """The adjoints of carried values are carried."""
    view = back.view
    for k, param in enumerate(view.carried):
        if param in back.sweep.members:
            g = back.new(k)
            init = or_nothing(parts[k][0] if parts[k] else None, g.array_type)
            if _is_read_under_condition(view, param) or (
                parts[k] and init.ndim and is_partly_zero(init, Clears.CONDITIONAL)
            ):
                back.work.partly_zero.add(g)
            back.carried.append(Carried(k, g, init, g))
            with building(back.work):
                back.sweep.add(view.results[k], g)


def _is_read_under_condition(view: LoopView, param: Node) -> bool:
    """Whether an iteration may leave a carried value unread."""
    readers = [n for n in view.body.nodes if n.op in _CHOOSING and param in n.inputs[1:]]
    return any(n.op is not branch or _is_unread_in_an_arm(n, param) for n in readers)


_CHOOSING = frozenset((branch, where, conditional_op))


def _is_unread_in_an_arm(node: Node, param: Node) -> bool:
    places = [k for k, operand in enumerate(node.inputs[1:]) if operand is param]
    return any(
        arm.params[k] not in {*arm.results, *(i for n in arm.nodes for i in n.inputs)}
        for arm in node.regions
        for k in places
    )


def _read(back: Backward, parts: Sequence[Adjoints]) -> None:
    """The adjoints of recorded values come on tapes."""
    view = back.view
    for j, result in enumerate(view.recorded):
        for tape in parts[view.place(j)]:
            if result in back.sweep.members and isinstance(tape.type, TapeType):
                g = back.work.parameter(f"g_{j}", tape.type.item)
                back.tapes.append((g, tape))
                if is_partly_zero_tape(tape) or is_vanishing_tape(tape):
                    back.work.partly_zero.add(g)
                with building(back.work):
                    back.sweep.add(result, g)


def _sum(back: Backward, starts: Mapping[int, Node | None]) -> None:
    """To the adjoints of captured values every trip adds."""
    view = back.view
    for p in view.captured:
        if view.params[p] in back.sweep.members:
            g = back.new(p)
            init = or_nothing(starts.get(p), g.array_type)
            back.carried.append(Carried(p, g, init, g))
            with building(back.work):
                back.sweep.add(view.params[p], g)


def _end(back: Backward) -> None:
    """What a trip leaves; a sum that it adds nothing to is left out."""
    view, sweep = back.view, back.sweep
    for c in back.carried:
        c.result = or_nothing(sweep.adjoint(view.params[c.position]), c.param.array_type)
    back.carried = [c for c in back.carried if c.position < view.count or c.result is not c.param]
    for p in view.tapes:
        terms = sweep.adjoints.get(view.params[p], ())
        back.recorded += [(p, term) for term in terms]


def _needed(back: Backward, far: frozenset[Node]) -> Answer:
    """What of the forward loop's trips the backward loop needs."""
    view = back.view
    known = set(view.body.nodes)
    return resolve(
        Question(
            forward=view.body,
            nodes=back.work.nodes,
            results=back.results,
            given={*(c.param for c in back.carried), *(p for p, _ in back.tapes)},
            at_hand=set(view.body.params) - set(view.carried),
            may_bring=lambda n: not isinstance(n.type, TupleType) and (n in known or n.op is item),
            distant=far,
            lasting=back.sweep.around.lasting,
            index=view.index.attrs["symbol"],
        )
    )


# -- writing it ----------------------------------------------------------------------------------


def _written(back: Backward, answer: Answer) -> Node:
    """The backward loop."""
    view = back.view
    later = _later(view, answer.brought)
    brought = [n for n in answer.brought if n not in {view.results[k] for k in later}]
    forward, records = _recording(view, back.work.nodes, brought)
    reads = _reads(back, answer)
    tapes = [*back.tapes, *zip(brought, records, strict=True)]
    tapes += [(view.params[p], view.node.inputs[p]) for p in view.tapes if view.params[p] in reads]
    builder = Builder(parent=current_builder())
    values: Values = {view.params[p]: view.node.inputs[p] for p in view.captured}

    def stands_for(node: Node, name: str) -> None:
        values[node] = builder.parameter(name, node.type, answer.symbols.get(node))

    values[view.index] = _same_parameter(builder, view.index)
    for c in back.carried:
        stands_for(c.param, c.param.attrs["name"])
    for k in later:
        stands_for(view.results[k], _name(view.results[k], back))
    for node, _ in tapes:
        stands_for(node, _name(node, back))
    with building(builder):
        replay(answer.again, values, back.work.names, answer.lasting)
    ends = [values.get(r, r) for r in back.results]
    split = len(back.carried)
    ends[split:split] = [values[view.carried[k]] for k in later]
    inits = [c.init for c in back.carried] + [item(forward, index=k) for k in later]
    return _closed(LoopView(forward), builder, inits, [tape for _, tape in tapes], ends)


def _same_parameter(builder: Builder, model: Node) -> Node:
    return builder.parameter(model.attrs["name"], model.type, model.attrs["symbol"])


def _name(node: Node, back: Backward) -> str:
    name: str = back.work.names.get(node) or node.attrs.get("name") or "kept"
    return name


def _reads(back: Backward, answer: Answer) -> set[Node]:
    made = [node for node in answer.again if node not in answer.lasting]
    operands = {operand for node in made for operand in node.inputs}
    return {*back.results, *answer.symbols, *operands}


def _later(view: LoopView, brought: Sequence[Node]) -> list[int]:
    """Where a carried value is needed as it was before the trip and after it, the backward loop
    has seen the one after already: in the trip that it has just done, the one before.
    """
    found: dict[Node, int] = {}
    for k, (param, result) in enumerate(zip(view.carried, view.results, strict=True)):
        if param in brought and result in brought and result not in view.params:
            found.setdefault(result, k)
    return list(found.values())


def _recording(
    view: LoopView, nodes: Sequence[Node], values: Sequence[Node]
) -> tuple[Node, list[Node]]:
    """The loop with these values of its body recorded, too, and their tapes."""
    more = [v for v in values if v not in view.recorded]
    places = {v: view.place(j) for j, v in enumerate([*view.recorded, *more])}
    node = view.node
    if more:
        body = extended(view.body, nodes, [*view.body.results, *more])
        symbols = (*view.symbols, *[None] * len(more))
        attrs = {**silent_attrs(node.attrs), "body": body, "symbols": symbols}
        node = loop(*node.inputs, **attrs)
    return node, [item(node, index=places[v]) for v in values]


def _closed(
    view: LoopView,
    builder: Builder,
    inits: Sequence[Node],
    tapes: Sequence[Node],
    ends: Sequence[Node],
) -> Node:
    captured = builder.needed(ends)
    start, stop, step, reverse = _trips_back(view)
    body = builder.region(ends, captured)
    return loop(
        *inits,
        *tapes,
        *captured,
        body=body,
        test=None,
        start=start,
        stop=stop,
        step=step,
        reverse=reverse,
        carried=len(inits),
        tapes=len(tapes),
        leaves=False,
        symbols=(None,) * (len(ends) + 1),
    )


def _may_end_early(view: LoopView) -> bool:
    return view.test is not None or view.leaves or view.range[1] is None


def _trips_back(view: LoopView) -> tuple[Size, Size, Size, bool]:
    """The range over the trips that the loop made, and whether to start from its end."""
    start, stop, step = view.range
    backwards: bool = not view.node.attrs["reverse"]
    if stop is not None and not _may_end_early(view):
        return start, stop, step, backwards
    symbol = view.symbols[view.count]
    if symbol is None:
        raise InternalError("a loop that may end early has no symbol for its number of trips")
    made = dims.of_atom(symbol)
    if not backwards and stop is not None:  # it ran over the last indices of its range
        end = start + length_of_range(start, stop, step) * step
        return end - made * step, end, step, backwards
    return start, start + made * step, step, backwards


def _collected(
    back: Backward, backward: Node, starts: Mapping[int, Node | None]
) -> Mapping[int, Adjoints]:
    """The adjoints of the operands: results of the backward loop."""
    totals: dict[int, Adjoints] = {}
    for place, c in enumerate(back.carried):
        total: Node | None = item(backward, index=place)
        if c.position < back.view.count:
            total = accumulate(starts.get(c.position), total)
        totals[c.position] = [] if total is None else [total]
    first = LoopView(backward).count + 1
    for j, (position, _) in enumerate(back.recorded):
        totals.setdefault(position, []).append(item(backward, index=first + j))
    return totals
