"""Every pass on random programs and on their gradients: values, well-formedness, idempotence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings

from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.text import text
from gradsmith.ir.verify import verify
from gradsmith.passes.pipeline import ADJOINT, LOWERED, NUMERICS, lower, optimise
from gradsmith.passes.rewrite import rebuild
from ops.cases import noise
from ops.graphs import Traced, adjoint, emitted, finished_adjoint, run
from passes.programs import ARGUMENTS, Program, programs

Pass = Callable[[Graph], Graph]
REWRITES: dict[str, Pass] = {
    "numerics": lambda graph: rebuild(graph, NUMERICS),
    "adjoint": lambda graph: rebuild(graph, ADJOINT),
    "optimise": optimise,
    "lowered": lambda graph: rebuild(graph, LOWERED),
}
BUFFERS: dict[str, Pass] = {"lower": lower, "all": lambda graph: lower(optimise(graph))}
"""The first of two equal results is copied anew each time."""
PASSES = {**REWRITES, **BUFFERS}
ROUNDING = 1e-12

FOUND = [  # what went wrong once
    Program((("new", (2,)),), (5, 2)),
    Program((("divide", (1, 1)),), (5,)),
    Program((("diff", (4,)), ("mean", (5,))), (6,)),
    Program((("subtract", (2, 3)), ("logsumexp", (5,))), (6,)),
    Program((("subtract", (0, 1)), ("logsumexp of columns", (5,))), (6,)),
    Program((("spread", (1,)), ("log softmax", (5,))), (6,)),
    Program((("sum", (0,)), ("new", (4,)), ("where", (6, 5))), (7,)),
]


def over_programs(test: Any) -> Any:
    """Run it on random programs, the same in every run, and on those that were found so."""
    bounded = settings(
        max_examples=60,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    for found in FOUND:
        test = example(program=found)(test)
    return bounded(given(program=programs())(test))


def gradient(program: Program) -> tuple[Traced, list[Any]]:
    """Its adjoint and arguments of that: every result is seeded."""
    primal = program.traced
    random = np.random.default_rng(3)
    results = run(primal.graph, ARGUMENTS)
    return adjoint(primal), [*ARGUMENTS, *(noise(random, r) for r in results)]


def level(graph: Graph, values: Sequence[Any]) -> float:
    """The largest number on the way: what rounding errors are in proportion to."""
    every = tuple(n for n in graph.nodes if n.array_type.inexact)
    found = run(replace(graph, body=replace(graph.body, results=every)), values)
    return max((float(np.abs(v).max(initial=0)) for v in found), default=0.0)


def close(actual: Sequence[Any], expected: Sequence[Any], scale: float) -> None:
    for a, e in zip(actual, expected, strict=True):
        assert np.asarray(a).dtype == np.asarray(e).dtype
        np.testing.assert_allclose(a, e, rtol=ROUNDING, atol=ROUNDING * scale)


def check_pass(name: str, graph: Graph, values: Sequence[Any]) -> None:
    better = verify(PASSES[name](graph))
    found, expected = run(better, values), run(graph, values)
    assert [type(f) for f in found] == [type(e) for e in expected]
    close(found, expected, level(graph, values))
    if name in REWRITES:
        assert text(PASSES[name](better)) == text(better)


@pytest.mark.parametrize("name", PASSES)
@over_programs
def test_values_are_kept(name: str, program: Program) -> None:
    check_pass(name, program.traced.graph, ARGUMENTS)


@pytest.mark.parametrize("name", PASSES)
@over_programs
def test_gradients_are_kept(name: str, program: Program) -> None:
    function, values = gradient(program)
    check_pass(name, function.graph, values)


@over_programs
def test_optimised_functions_have_the_same_gradients(program: Program) -> None:
    function, values = gradient(program)
    expected, scale = run(function.graph, values), level(function.graph, values)
    finished = verify(finished_adjoint(program.traced).graph)
    close(run(finished, values), expected, scale)
    close(run(lower(optimise(finished)), values), expected, scale)
    for better in (optimise, PASSES["all"]):
        primal = replace(program.traced, function=replayed(better(program.traced.graph)))
        close(run(adjoint(primal).graph, values), expected, scale)


def replayed(graph: Graph) -> Callable[..., list[Node]]:
    """The graph as a function of nodes."""

    def function(*nodes: Node) -> list[Node]:
        made = dict(zip(graph.params, nodes, strict=True))
        for node in graph.nodes:
            made[node] = node.op(*(made[i] for i in node.inputs), **node.attrs)
        return [made[result] for result in graph.results]

    return function


@over_programs
def test_emitted_code_computes_what_the_graph_says(program: Program) -> None:
    function, values = gradient(program)
    for graph, arguments in ((program.traced.graph, ARGUMENTS), (function.graph, values)):
        for stage in (graph, PASSES["all"](graph)):
            kept = [np.array(v) for v in arguments]
            expected, scale = run(stage, arguments), level(stage, arguments)
            for a, e in zip(emitted(stage)(*arguments), expected, strict=True):
                assert type(a) is type(e)
                np.testing.assert_allclose(a, e, rtol=ROUNDING, atol=ROUNDING * scale)
            for now, before in zip(arguments, kept, strict=True):
                np.testing.assert_array_equal(now, before)


@over_programs
def test_second_gradients_are_kept(program: Program) -> None:
    """The gradient of the gradient, each rewritten while it is made, against the plain one."""
    first, values = gradient(program)
    random = np.random.default_rng(4)
    values += [noise(random, g) for g in run(first.graph, values)]
    plain = adjoint(first).graph
    expected, scale = run(plain, values), level(plain, values)
    finished = verify(finished_adjoint(finished_adjoint(program.traced)).graph)
    close(run(finished, values), expected, scale)
    lowered = verify(lower(optimise(finished)))
    close(emitted(lowered)(*values), expected, scale)
