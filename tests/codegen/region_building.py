"""Branches and loops made by hand, and what is emitted for them, run against the interpreter."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

import numpy as np

from gradsmith.codegen.load import load
from gradsmith.codegen.module import module
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building, current_builder
from gradsmith.ir.dims import Dim, Size
from gradsmith.ir.evaluate import evaluate
from gradsmith.ir.graph import Graph, Node, Region
from gradsmith.ir.intrinsics import item
from gradsmith.ir.types import TapeType, TupleType, python_number
from gradsmith.ir.verify import verify
from gradsmith.ops.regions import branch, loop
from gradsmith.passes.pipeline import lower, optimise
from gradsmith.passes.results import own_results
from ops.graphs import fits, program, symbolic


@dataclass
class Made:
    """A loop: what it carried, how many trips it made, and what it recorded."""

    node: Node
    carried: list[Node]
    tapes: list[Node]
    symbols: list[Dim | None] = field(default_factory=list)

    @property
    def trips(self) -> Node:
        return item(self.node, index=len(self.carried))


@dataclass
class Trip:
    """What the body of a loop gives: the carried values, whether to leave, what to record."""

    carried: Sequence[Any]
    leave: Any = None
    recorded: Sequence[Any] = ()


def repeat(
    names: str,
    start: Sequence[Any],
    body: Callable[..., Trip | Sequence[Any]],
    *,
    over: tuple[Size, Size | None, Size],
    test: Callable[..., Any] | None = None,
    reverse: bool = False,
    tapes: Sequence[Node] = (),
    index: str = "i",
    number: Any = None,
) -> Made:
    """A loop; ``names`` are those of what it carries and reads from tapes."""
    outer = current_builder()
    values = [outer.lift(value) for value in start]
    called = names.split()
    inner = Builder(intern=False, parent=outer)
    with building(inner):
        i, given, numbers = _parameters(inner, index, called, values, tapes)
        known = [g if n is None else n for n, g in zip_longest(numbers, given)]
        made = body(i, *known)
        trip = made if isinstance(made, Trip) else Trip(made)
        leaves = [] if trip.leave is None else [trip.leave]
        results = [inner.lift(r) for r in (*trip.carried, *leaves, *trip.recorded)]
        captured = inner.needed(results)
    captured, tested = _tested(test, index, called, values, captured)
    with building(inner):
        region = inner.region(results, captured)
    after = [
        None if n is None else _unbacked(f"{c}_end") for c, n in zip(called, numbers, strict=False)
    ]
    open_ended = over[1] is None or bool(leaves) or test is not None
    after.append(_unbacked(f"trips_{number}") if open_ended else None)
    node = loop(
        *values,
        *tapes,
        *captured,
        body=region,
        test=tested,
        **dict(zip(("start", "stop", "step"), over, strict=True)),
        reverse=reverse,
        carried=len(values),
        tapes=len(tapes),
        leaves=bool(leaves),
        symbols=tuple(None if s is None else dims.as_symbol(s) for s in after),
    )
    carried = [item(node, index=k) for k in range(len(values))]
    recorded = [item(node, index=len(values) + 1 + k) for k in range(len(trip.recorded))]
    return Made(node, carried, recorded, after)


def _unbacked(name: str) -> Dim:
    return dims.symbol(name, 3, unbacked=True)


def _tested(
    test: Callable[..., Any] | None,
    index: str,
    called: list[str],
    values: list[Node],
    captured: list[Node],
) -> tuple[list[Node], Region | None]:
    """All that is captured, and the test."""
    if test is None:
        return captured, None
    asked = Builder(intern=False, parent=current_builder())
    with building(asked):
        i, given, _ = _parameters(asked, index, called, values, ())
        answer = asked.lift(test(i, *given))
        everything = list(dict.fromkeys([*captured, *asked.needed([answer])]))
        return everything, asked.region([answer], everything)


def _parameters(
    inner: Builder, index: str, called: list[str], values: list[Node], tapes: Sequence[Node]
) -> tuple[Dim, list[Node], list[Dim | None]]:
    """The index, the parameters, and for those that are integers the sizes that they are."""
    i = dims.symbol(index, 0, unbacked=True)
    inner.parameter(index, python_number(int), dims.as_symbol(i))
    given: list[Node] = []
    numbers: list[Dim | None] = []
    for name, value in zip(called, values, strict=False):
        number = dims.symbol(name, 2, unbacked=True) if value.type == python_number(int) else None
        symbol = None if number is None else dims.as_symbol(number)
        numbers.append(number)
        given.append(inner.parameter(name, value.type, symbol))
    for name, tape in zip(called[len(values) :], tapes, strict=True):
        assert isinstance(tape.type, TapeType)
        given.append(inner.parameter(name, tape.type.item))
    return i, given, numbers


def choose(
    condition: Any,
    then: Callable[[], Sequence[Any]],
    orelse: Callable[[], Sequence[Any]],
    names: str = "",
) -> list[Node]:
    """A branch: its results."""
    outer = current_builder()
    arms, results = [], []
    for make in (then, orelse):
        arm = Builder(intern=False, parent=outer)
        with building(arm):
            made = [arm.lift(r) for r in make()]
            for node, name in zip(made, names.split(), strict=False):
                if node not in arm.params:
                    arm.name(node, name)
        arms.append(arm)
        results.append(made)
    pairs = list(zip(arms, results, strict=True))
    captured = list(dict.fromkeys(n for arm, made in pairs for n in _needed(arm, made)))
    regions: list[Region] = []
    for arm, made in pairs:
        with building(arm):
            regions.append(arm.region(made, captured))
    node = branch(
        condition,
        *captured,
        then=regions[0],
        orelse=regions[1],
        symbols=(None,) * len(results[0]),
    )
    assert isinstance(node.type, TupleType)
    items = [item(node, index=k) for k in range(len(node.type.items))]
    for node, name in zip(items, names.split(), strict=False):
        outer.name(node, name)
    return items


def _needed(arm: Builder, results: list[Node]) -> list[Node]:
    with building(arm):
        return arm.needed(results)


def named(name: str, node: Node) -> Node:
    """The node, called so."""
    current_builder().name(node, name)
    return node


def graph_of(function: Callable[..., Sequence[Any]], *args: Any, names: str = "") -> Graph:
    """The graph of a function of nodes (sizes for integers)."""
    builder = Builder(intern=False)
    called = names.split() or [f"p{k}" for k in range(len(args))]
    with building(builder), dims.recording_guards() as guards:
        params: list[Any] = []
        for name, value in zip(called, args, strict=True):
            if isinstance(value, int):
                size = dims.symbol(name, value)
                builder.parameter(name, python_number(int), dims.as_symbol(size))
                params.append(size)
            else:
                params.append(builder.parameter(name, symbolic(value, name)))
        results = [builder.lift(r) for r in function(*params)]
        return verify(builder.graph(results, tuple(guards)))


def lines_of(graph: Graph) -> list[str]:
    """The code of the emitted function, without its indentation."""
    text = module(program(graph)).text
    assert text == module(program(graph)).text, "the same graph gives another text"
    lines = [line for line in text.split('"""')[2].splitlines() if line.strip()]
    return [line[4:] for line in lines]


def check(
    function: Callable[..., Sequence[Any]], *calls: tuple[Any, ...], names: str = ""
) -> list[str]:
    """Emit a function for the first of these calls, as it is and lowered, and run all."""
    first = versions = _versions(function, calls[0], names)
    for args in calls:
        if not all(fits(version, args) for version in versions):
            versions = _versions(function, args, names)  # other sizes need other code
        graph, *emitted = versions
        expected = _run(lambda graph=graph, args=args: evaluate(graph, args))
        for made in emitted:
            _compare(made, args, expected)
    return lines_of(first[-1])


def _versions(
    function: Callable[..., Sequence[Any]], args: Sequence[Any], names: str
) -> tuple[Graph, Graph, Graph]:
    """The graph of a function, as it may be emitted, and lowered."""
    graph = graph_of(function, *args, names=names)
    plain = own_results(graph, [None] * len(graph.results))
    with dims.recording_guards() as guards:
        lowered = verify(lower(verify(optimise(graph))))
    return graph, plain, replace(lowered, guards=(*lowered.guards, *guards))


def _run(function: Callable[[], Any]) -> Any:
    with np.errstate(all="ignore"):
        return function()


def _compare(graph: Graph, args: Sequence[Any], expected: Sequence[Any]) -> None:
    emitted = load(module(program(graph)).text, "function")
    given = [np.array(a) if isinstance(a, np.ndarray) else a for a in args]
    actual = _run(lambda: emitted(*given))
    for ours, theirs in zip(actual, expected, strict=True):
        assert type(ours) is type(theirs)
        assert np.asarray(ours).dtype == np.asarray(theirs).dtype
        np.testing.assert_array_equal(ours, theirs)
    for now, before in zip(given, args, strict=True):
        np.testing.assert_array_equal(now, before)
    arrays = [a for a in (*actual, *given) if isinstance(a, np.ndarray)]
    for one, other in itertools.combinations(arrays, 2):
        assert not np.shares_memory(one, other)
