"""Functions that keep their digits far out and near zero: values, gradients, lowerings."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest

from gradsmith.ir.evaluate import evaluate
from gradsmith.ir.graph import Node
from gradsmith.ops import stable
from helpers import each
from ops.elementwise_gradients import gradients
from ops.harness import run, traced

INF, NAN = np.inf, np.nan


def test_sinc_near_zero() -> None:
    x = np.array([1e-9, 1e-3, 0.1, 0.1591, 0.1592, 0.3, 2.5])
    with mpmath.workdps(50):
        pi = mpmath.pi
        y = [pi * mpmath.mpf(v) for v in x]
        first = [pi * (mpmath.cos(t) / t - mpmath.sin(t) / t**2) for t in y]
        second = [
            pi**2 * (-mpmath.sin(t) / t - 2 * mpmath.cos(t) / t**2 + 2 * mpmath.sin(t) / t**3)
            for t in y
        ]
    np.testing.assert_allclose(gradients(np.sinc, x)[0], np.array(first, float), rtol=2e-14)
    found = gradients(np.sinc, x, order=2)[0]
    np.testing.assert_allclose(found, np.array(second, float), rtol=1e-12)
    assert gradients(np.sinc, np.float64(0), order=2)[0] == pytest.approx(-(math.pi**2) / 3)


def test_bessel_functions() -> None:
    x = np.array([-20.0, -8.0, -1e-5, 0.0, 1.0, 7.99, 8.01, 700.0])
    with mpmath.workdps(30):
        first = [float(mpmath.besseli(1, v)) for v in x]
        second = [float(mpmath.besseli(0, v) + mpmath.besseli(2, v)) / 2 for v in x]
    np.testing.assert_allclose(gradients(np.i0, x)[0], first, rtol=3e-15)
    np.testing.assert_allclose(gradients(np.i0, x, order=2)[0], second, rtol=1e-13)


TINY = float(np.finfo(float).tiny)  # below it there are no digits to keep
EXTREME = np.array([-1000.0, -700.0, -40.0, -1e-9, 0.0, 1e-9, 40.0, 700.0, 1000.0])


@pytest.mark.parametrize("op", [stable.softplus, stable.sigmoid, stable.sigmoid_slope])
def test_logistic_functions_far_out(op: Any) -> None:
    with mpmath.workdps(1000):
        e = [mpmath.exp(mpmath.mpf(v)) for v in EXTREME]
        exact = {
            "softplus": [mpmath.log(1 + t) for t in e],
            "sigmoid": [t / (1 + t) for t in e],
            "sigmoid_slope": [t / (1 + t) ** 2 for t in e],
            "slope of sigmoid_slope": [t * (1 - t) / (1 + t) ** 3 for t in e],
        }
        wanted = {name: np.array(values, float) for name, values in exact.items()}
    names = list(wanted)
    derivative = wanted[names[names.index(op.name) + 1]]
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        for function in (op, stable.LOWERINGS[op]):
            found = run(function, EXTREME)[0]
            np.testing.assert_allclose(found, wanted[op.name], rtol=1e-15, atol=TINY)
            assert run(function, EXTREME.astype(np.float32))[0].dtype == np.float32
        np.testing.assert_allclose(gradients(op, EXTREME)[0], derivative, rtol=3e-15)


def test_logistic_functions_share_their_exponential() -> None:
    def both(x: Node) -> list[Node]:
        lower = stable.LOWERINGS
        pair = lower[stable.softplus](x), lower[stable.sigmoid](x)
        return [*pair, lower[stable.sigmoid](-x), lower[stable.sigmoid_slope](-x)]

    graph, _ = traced(both, [np.ones(3)])
    assert [n.op.name for n in graph.nodes].count("exp") == 1


ROWS = np.array([[-INF, -INF], [-INF, 2.0], [INF, 1.0], [1000.0, 1001.0], [-1000.0, -1001.0]])


def test_logsumexp_of_infinities() -> None:
    ln = math.log1p(math.exp(-1))
    expected = np.array([-INF, 2.0, INF, 1001 + ln, -1000 + ln])
    op, attrs = stable.logsumexp, {"axis": (1,), "keepdims": False}

    def lowered(x: Node) -> Node:
        return stable.LOWERINGS[op](x, **attrs)

    with np.errstate(over="raise", invalid="raise", divide="ignore"):
        (value,) = evaluate(traced(lambda x: op(x, **attrs), [ROWS])[0], [ROWS])
        np.testing.assert_allclose(value, expected, rtol=1e-15)
        np.testing.assert_allclose(run(lowered, ROWS)[0], expected, rtol=1e-15)
    graph, _ = traced(lambda x: stable.LOWERINGS[stable.softmax](x, axis=(1,), zeros=True), [ROWS])
    share = 1 / (1 + math.exp(-1))
    weights = [[0, 0], [0, 1], [NAN, 0], [1 - share, share], [share, 1 - share]]
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(evaluate(graph, [ROWS])[0], weights, rtol=1e-13)


@each("shape", [(), (1,), (4,), (3, 4)])
@each("dtype", [np.float32, np.float64])
def test_softmax_family_is_lowered_to_the_same(shape: tuple[int, ...], dtype: type) -> None:
    x = np.random.default_rng(1).normal(size=shape).astype(dtype)[()]
    axes = tuple(range(len(shape)))
    for op, attrs in [
        (stable.logsumexp, {"axis": axes, "keepdims": False}),
        (stable.logsumexp, {"axis": axes, "keepdims": True}),
        (stable.softmax, {"axis": axes}),
        (stable.log_softmax, {"axis": axes}),
    ]:
        graph, _ = traced(lambda x, op=op, attrs=attrs: op(x, **attrs), [x])
        (lowered,) = run(lambda x, op=op, attrs=attrs: stable.LOWERINGS[op](x, **attrs), x)
        (value,) = evaluate(graph, [x])
        assert np.shape(value) == np.shape(lowered)
        assert value.dtype == lowered.dtype == dtype
        np.testing.assert_allclose(value, lowered, rtol=1e-6)
