"""What a gradient through loops is taken of: inactive values cost nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff.build import chooses, loops
from autodiff.deriving import everything, graph_of
from gradsmith.autodiff.activity import Unused, why_unused
from gradsmith.autodiff.forward import jvp
from gradsmith.autodiff.reverse import vjp
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.evaluate import evaluate
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import type_of
from gradsmith.ir.parts import LoopView
from gradsmith.ops.compare import greater
from gradsmith.ops.create import zeros
from gradsmith.ops.elementwise import sin, tanh
from gradsmith.ops.index import read, write
from gradsmith.ops.rounding import floor

X, W = np.array([0.3, -0.4, 0.5]), np.array([[0.2, 0.1, 0.4], [0.5, -0.3, 0.1], [0.0, 0.7, 0.2]])


def backward_loop(function: Any, args: list[Any], by: list[int]) -> LoopView:
    def gradients(*nodes: Node) -> list[Node]:
        found = vjp(function(*nodes), [sin(y) for y in function(*nodes)], [nodes[k] for k in by])
        return [g for g in found if g is not None]

    nodes = everything(graph_of(gradients, args).nodes)
    return next(LoopView(n) for n in nodes if n.op.name == "loop" and n.attrs["reverse"])


def rnn(x: Node, w: Node) -> list[Node]:
    return loops(lambda i, h: [tanh(h @ w)], [x], 4)


def test_only_the_sums_asked_for_are_carried() -> None:
    assert backward_loop(rnn, [X, W], [0, 1]).count == 3  # of h and W, and h after the trip
    assert backward_loop(rnn, [X, W], [0]).count == 1


def test_carried_values_that_do_not_matter_have_no_adjoint() -> None:
    def function(x: Node) -> list[Node]:
        return loops(lambda i, u, v: [2.0 * u, sin(v)], [x, x], 3)[:1]

    assert backward_loop(function, [X], [0]).count == 1


def unused(function: Any, args: list[Any], k: int) -> tuple[Node | None, Unused | None]:
    builder = Builder(intern=False)
    with building(builder):
        params = [builder.parameter(f"p{j}", type_of(a)) for j, a in enumerate(args)]
        outputs = function(*params)
        seeds = [sin(y) for y in outputs]
        tangents = [sin(params[k])]
        moved = jvp(outputs, [params[k]], tangents)
        assert all(m is None for m in moved) == (vjp(outputs, seeds, [params[k]])[0] is None)
        return vjp(outputs, seeds, [params[k]])[0], why_unused(params[k], outputs)


def test_no_gradient_where_a_loop_passes_none() -> None:
    def function(x: Node, y: Node) -> list[Node]:
        return loops(lambda i, h: [h * y + floor(x)], [y], 3)

    found, reason = unused(function, [X, X], 0)
    assert found is None
    assert reason is not None
    assert "floor" in reason.reason


def test_no_gradient_where_another_result_is_asked_for() -> None:
    def function(x: Node, y: Node) -> list[Node]:
        return loops(lambda i, u, v: [u * x, v * y], [x, y], 3)[1:]

    assert unused(function, [X, X], 0)[0] is None
    assert unused(function, [X, X], 1)[0] is not None


def test_no_gradient_by_what_only_decides() -> None:
    def function(x: Node, y: Node) -> list[Node]:
        return chooses(greater(read(x, 0), 0), lambda: [sin(y)], lambda: [y])

    found, reason = unused(function, [X, X], 0)
    assert found is None
    assert reason is not None
    assert "greater" in reason.reason


def test_gradient_by_a_loops_result_and_by_its_input() -> None:
    builder = Builder(intern=False)
    with building(builder):
        x = builder.parameter("x", type_of(X))
        (h,) = loops(lambda i, h: [sin(h)], [x], 2)
        (y,) = loops(lambda i, h: [h * h], [h], 2)
        by_x, by_h = vjp([y], [x], [x, h])
        graph = builder.graph([by_x, by_h])
    for_x, for_h = evaluate(graph, [X])
    inner = np.sin(np.sin(X))
    np.testing.assert_allclose(for_h, X * 4 * inner**3)
    np.testing.assert_allclose(for_x, for_h * np.cos(np.sin(X)) * np.cos(X))


@pytest.mark.parametrize("kind", [np.float32, np.complex64])
def test_dtypes_are_kept(kind: Any) -> None:
    def gradients(x: Node, w: Node) -> list[Any]:
        (h,) = loops(lambda i, h: [sin(h @ w) * 1.5], [x], 3)
        return vjp([h], [x], [x, w])

    graph = graph_of(gradients, [X.astype(kind), W.astype(kind)])
    for node in everything(graph.nodes):
        for type_ in getattr(node.type, "items", [node.type]):
            kept = getattr(type_, "item", type_)
            assert kept.dtype in (kind, np.int64) or kept.weak, node
    assert [g.dtype for g in evaluate(graph, [X.astype(kind), W.astype(kind)])] == [kind, kind]


def test_two_gradients_of_one_loop_share_it() -> None:
    def gradients(x: Node, w: Node) -> list[Any]:
        (h,) = loops(lambda i, h: [tanh(h @ w)], [x], 4)
        return [h, *vjp([h], [x], [x]), *vjp([h], [h], [w]), *vjp([h], [x], [x, w])]

    nodes = everything(graph_of(gradients, [X, W]).nodes)
    forward = [n for n in nodes if n.op.name == "loop" and not n.attrs["reverse"]]
    assert len(forward) == 1


def test_tangent_of_a_write_plus_a_number() -> None:
    """What was written in part is not added into what only broadcasts to its shape."""
    builder = Builder(intern=False)
    with building(builder):
        x = builder.parameter("x", type_of(X))
        y = write(zeros(shape=(3,), dtype=np.dtype(float)), 1, read(x, 0)) + read(x, 2)
        (moved,) = jvp([y], [x], [x])
        assert moved is not None
        graph = builder.graph([moved])
    np.testing.assert_allclose(evaluate(graph, [X])[0], [X[2], X[0] + X[2], X[2]])
