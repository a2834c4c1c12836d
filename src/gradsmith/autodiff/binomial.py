"""The adjoint of a loop with states in a few slots, and steps made again from these.

Binomial checkpointing after A. Griewank and A. Walther, Algorithm 799: revolve: an implementation
of checkpointing for the reverse or adjoint mode of computational differentiation, ACM
Transactions on Mathematical Software 26(1), 2000, pp. 19-45. Their loop over actions is one
over the trips here, from the last to the first::

    kept[0], places[0], depth = start, 0, 0
    for i in reversed(range(n)):
        state, place = kept[depth], places[depth]
        while place < i:
            kept[depth], places[depth] = state, place
            ahead = revolve(i - place + 1, slots - depth)
            for j in range(place, place + ahead):
                state = step(j, state)
            place += ahead
            depth += 1
        adjoints = adjoint(i, adjoints, state)
        depth -= 1

A state that was taken off is kept again where steps before ``i`` are still to be undone from it.
The number of steps made again is the least: ``r n - C(s + r, s + 1)`` for n trips, s slots and the
least r with ``C(s + r, s) >= n``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gradsmith.autodiff.regions import Values, replay
from gradsmith.autodiff.resolve import Answer, Question, resolve
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building, current_builder
from gradsmith.ir.dims import Dim, Size, Symbol
from gradsmith.ir.graph import Node, ancestors
from gradsmith.ir.intrinsics import item
from gradsmith.ir.mentions import live, mentioned
from gradsmith.ir.parts import LoopView
from gradsmith.ir.types import ArrayType, python_number
from gradsmith.ops.compare import greater, less
from gradsmith.ops.create import empty, zeros
from gradsmith.ops.index import getitem, index_set
from gradsmith.ops.index_key import Index
from gradsmith.ops.regions import loop, whole
from gradsmith.ops.revolve import steps_ahead
from gradsmith.ops.scalars import as_float
from gradsmith.ops.shape import copy, reshape

if TYPE_CHECKING:
    from gradsmith.autodiff.loops import Backward

INTEGER = python_number(int)


def is_binomial(view: LoopView) -> bool:
    """Whether states are to be kept in slots, and the loop is one that this can be done for."""
    attrs = view.node.attrs
    plain = view.test is None and not view.leaves and view.range[1] is not None
    steps = isinstance(view.range[2], int) and not attrs["reverse"] and not attrs["tapes"]
    return attrs.get("slots") is not None and plain and steps


def rewound(back: Backward) -> Node:
    """The backward loop; its first results are the adjoints that ``back`` carries."""
    answer = _needed(back)
    return _Rewinding(back, answer, _states(back.view, answer, back.results)).loop()


def _needed(back: Backward) -> Answer:
    """All that a trip's adjoint needs of the trip is computed again from the state before it."""
    return resolve(
        Question(
            forward=back.view.body,
            nodes=back.work.nodes,
            results=back.results,
            given={c.param for c in back.carried},
            at_hand=set(back.view.body.params),
            may_bring=lambda _: False,
            index=back.view.index.attrs["symbol"],
        )
    )


def _states(view: LoopView, answer: Answer, results: Sequence[Node]) -> list[int]:
    """The carried values that make up the state: the adjoint reads them, or a step does for it."""
    read = {*results, *answer.symbols, *(i for node in answer.again for i in node.inputs)}
    sizes = set(mentioned(answer.again))
    found = {k for k, p in enumerate(view.carried) if p in read or p.attrs["symbol"] in sizes}
    while True:
        wanted = [view.results[k] for k in sorted(found)]
        nodes = live(view.body.nodes, wanted)
        read, sizes = ancestors([*wanted, *nodes]), set(mentioned(nodes))
        more = {k for k, p in enumerate(view.carried) if p in read or p.attrs["symbol"] in sizes}
        if more <= found:
            return sorted(found)
        found |= more


@dataclass
class Slots:
    """The kept states as one region knows them: an array of them for each part of the state,
    the places in the loop that they are of, and how many are below the one at hand.
    """

    rows: list[Node]
    places: Node
    depth: Node

    def values(self) -> list[Node]:
        """As a loop carries them."""
        return [*self.rows, self.places, self.depth]


@dataclass
class _Rewinding:
    """The loop while it is written; ``states`` are positions of carried values."""

    back: Backward
    answer: Answer
    states: list[int]
    slots: int = field(init=False)
    trip: Dim = field(init=False)

    def __post_init__(self) -> None:
        self.view = self.back.view
        self.slots = self.view.node.attrs["slots"]
        self.start, stop, self.step = self.view.range
        self.stop: Size = 0 if stop is None else stop
        self.trip = dims.of_atom(self.view.index.attrs["symbol"])

    def loop(self) -> Node:
        """From the last trip to the first."""
        builder, ends = self._trip_back()
        inits = [c.init for c in self.back.carried] + self._first().values()
        captured = builder.needed(ends)
        return loop(
            *inits,
            *captured,
            body=builder.region(ends, captured),
            test=None,
            start=self.start,
            stop=self.stop,
            step=self.step,
            reverse=True,
            carried=len(inits),
            tapes=0,
            leaves=False,
            symbols=(*[None] * (len(inits) - 1), _fresh("depth", -1, self.slots - 1)[1], None),
        )

    # -- what is kept

    def _first(self) -> Slots:
        """The state before the first trip, and places for others."""
        first = Index((0,))
        rows = []
        for k in self.states:
            type_ = self.view.carried[k].array_type
            held = empty(shape=(self.slots, *type_.shape), dtype=type_.dtype)
            rows.append(index_set(held, self.view.node.inputs[k], index=first))
        lift = current_builder().lift
        places = zeros(shape=(self.slots,), dtype=INTEGER.dtype)
        if self.start != 0:
            places = index_set(places, lift(self.start), index=first)
        return Slots(rows, places, lift(0))

    def _params(self, builder: Builder) -> tuple[Slots, Dim]:
        """The same as parameters of a region, and the depth as a size."""
        rows = []
        for k in self.states:
            type_ = self.view.carried[k].array_type
            held = ArrayType(type_.dtype, (self.slots, *type_.shape))
            rows.append(builder.parameter(f"kept_{self._name(k)}", held))
        places = builder.parameter("places", ArrayType(INTEGER.dtype, (self.slots,)))
        depth, symbol = _fresh("depth", 0, self.slots - 1)
        return Slots(rows, places, builder.parameter("depth", INTEGER, symbol)), depth

    def _name(self, position: int) -> str:
        param = self.view.carried[position]
        return self.view.body.names.get(param) or str(param.attrs["name"])

    def _taken(self, slots: Slots, depth: Size) -> list[Node]:
        """The parts of the state in this slot."""
        index, found = Index((depth,)), []
        for k, rows in zip(self.states, slots.rows, strict=True):
            model = self.view.carried[k]
            part = getitem(rows, index=index)
            if model.ndim:
                part = copy(part)
            elif model.attrs["symbol"] is not None:
                part = _integer(part, self._name(k))
            elif model.array_type.weak:
                part = as_float(part)
            elif model.array_type.form == "array":
                part = reshape(part, shape=())
            found.append(part)
        return found

    # -- a trip

    def _trip_back(self) -> tuple[Builder, list[Node]]:
        """The body of the loop: get at the state before a trip, and then its adjoint."""
        builder = Builder(parent=current_builder())
        index = _same(builder, self.view.index)
        given = [builder.parameter(c.param.attrs["name"], c.param.type) for c in self.back.carried]
        slots, depth = self._params(builder)
        with building(builder):
            state, slots = self._reached(slots, depth)
            values = self._outside() | {self.view.index: index}
            values |= {c.param: g for c, g in zip(self.back.carried, given, strict=True)}
            values |= {self.view.carried[k]: s for k, s in zip(self.states, state, strict=True)}
            replay(self.answer.again, values, self.back.work.names)
            return builder, [*(values.get(r, r) for r in self.back.results), *slots.values()]

    def _outside(self) -> Values:
        """The values around the loop that its trips read."""
        return {self.view.params[p]: self.view.node.inputs[p] for p in self.view.captured}

    def _reached(self, slots: Slots, depth: Dim) -> tuple[list[Node], Slots]:
        """The state before the trip at hand, from the last one that is kept."""
        place = _integer(getitem(slots.places, index=Index((depth,))), "place")
        starts = [place, *self._taken(slots, depth), *slots.values()]
        builder, ends = self._advance()
        tester, asked = self._test(starts)
        captured = list(dict.fromkeys([*builder.needed(ends), *tester.needed([asked])]))
        now, known = _fresh("depth", 0, self.slots)
        made = loop(
            *starts,
            *captured,
            body=builder.region(ends, captured),
            test=tester.region([asked], captured),
            start=0,
            stop=None,
            step=1,
            reverse=False,
            carried=len(starts),
            tapes=0,
            leaves=False,
            symbols=(*self._symbols(), known, _fresh("trips", 0, None)[1]),
        )
        found = [item(made, index=k) for k in range(len(starts))]
        count = 1 + len(self.states)
        return found[1:count], Slots(found[count:-2], found[-2], current_builder().lift(now - 1))

    def _symbols(self) -> list[Symbol | None]:
        """By which sizes know the place, the parts of the state, and the arrays of slots."""
        parts = [self.view.carried[k].attrs["symbol"] for k in self.states]
        return [_fresh("place", None, None)[1], *parts, *[None] * (len(parts) + 1)]

    def _test(self, starts: Sequence[Node]) -> tuple[Builder, Node]:
        """Whether the trip at hand is still ahead."""
        builder = Builder(parent=current_builder())
        params = [builder.parameter("_", t) for t in (INTEGER, *(s.type for s in starts))]
        with building(builder):
            upwards = isinstance(self.step, int) and self.step > 0
            return builder, (less if upwards else greater)(params[1], self.trip)

    def _advance(self) -> tuple[Builder, list[Node]]:
        """Keep the state, and go on to where the next one is to be kept."""
        builder = Builder(parent=current_builder())
        builder.parameter("_", INTEGER, _fresh("_", 0, None)[1])
        place, symbol = _fresh("place", None, None)
        at = builder.parameter("place", INTEGER, symbol)
        state = [_like(builder, self.view.carried[k], self._name(k)) for k in self.states]
        slots, depth = self._params(builder)
        with building(builder):
            key = Index((depth,))
            pairs = zip(slots.rows, state, strict=True)
            rows = [index_set(held, part, index=key) for held, part in pairs]
            places = index_set(slots.places, at, index=key)
            left = (self.trip - place) // self.step + 1
            node, ahead = steps_ahead(left, self.slots - depth)
            builder.name(node, "ahead")
            stop = place + ahead * self.step
            after = self._steps(state, place, stop)
            kept = Slots(rows, places, builder.lift(depth + 1))
            return builder, [builder.lift(stop), *after, *kept.values()]

    def _steps(self, state: Sequence[Node], start: Size, stop: Size) -> list[Node]:
        """The state after the trips of a range."""
        builder = Builder(parent=current_builder())
        values = self._outside() | {self.view.index: _same(builder, self.view.index)}
        for k in self.states:
            values[self.view.carried[k]] = _same(builder, self.view.carried[k])
        wanted = [self.view.results[k] for k in self.states]
        with building(builder):
            replay(live(self.view.body.nodes, wanted), values, self.view.body.names)
        ends = [values[r] for r in wanted]
        captured = builder.needed(ends)
        symbols = [
            None if s is None else _fresh("part", None, None)[1]
            for s in (self.view.carried[k].attrs["symbol"] for k in self.states)
        ]
        made = loop(
            *state,
            *captured,
            body=builder.region(ends, captured),
            test=None,
            start=start,
            stop=stop,
            step=self.step,
            reverse=False,
            carried=len(state),
            tapes=0,
            leaves=False,
            symbols=(*symbols, None),
        )
        return [item(made, index=k) for k in range(len(state))]


def _fresh(name: str, low: Size | None, high: Size | None) -> tuple[Dim, Symbol]:
    """A size that changes while the code runs."""
    unique = f"{name}.{current_builder().root().token()}"
    made = dims.changing(unique, 1 if low is None else dims.hint(low), low, high)
    symbol = dims.as_symbol(made)
    assert symbol is not None
    return made, symbol


def _integer(value: Node, name: str) -> Node:
    """``int(value)``, called so."""
    made = whole(value, symbol=_fresh(name, None, None)[1])
    current_builder().name(made, name)
    return made


def _same(builder: Builder, model: Node) -> Node:
    return builder.parameter(model.attrs["name"], model.type, model.attrs["symbol"])


def _like(builder: Builder, model: Node, name: str) -> Node:
    """A parameter of that type; an integer has a size of its own."""
    known = model.attrs["symbol"] is not None
    return builder.parameter(name, model.type, _fresh(name, None, None)[1] if known else None)
