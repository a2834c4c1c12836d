"""Gradients of elementwise functions at kinks, ties and poles, and of complex numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradsmith.autodiff.forward import jvp
from gradsmith.autodiff.reverse import vjp
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.evaluate import evaluate
from gradsmith.ir.graph import Node
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.powers import power_of
from helpers import each
from ops.elementwise_gradients import gradients
from ops.harness import symbolic

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        # kinks
        (np.absolute, (0.0,), [0.0]),
        (np.absolute, (0j,), [0j]),
        (np.absolute, (3 + 4j,), [0.6 + 0.8j]),
        (np.fabs, (0.0,), [0.0]),
        (np.hypot, (0.0, 0.0), [0.0, 0.0]),
        (np.hypot, (3e200, 4e200), [0.6, 0.8]),
        (np.arctan2, (0.0, 0.0), [0.0, 0.0]),
        (np.arctan2, (3e200, 4e200), [1.6e-201, -1.2e-201]),
        (np.arctan2, (3e-200, 4e-200), [1.6e199, -1.2e199]),
        (np.sinc, (0.0,), [0.0]),
        (np.angle, (0j,), [0j]),
        (np.copysign, (0.0, -1.0), [0.0]),
        # ties
        (np.maximum, (1.0, 1.0), [0.5, 0.5]),
        (np.minimum, (1.0, 1.0), [0.5, 0.5]),
        (np.fmax, (1.0, 1.0), [0.5, 0.5]),
        (np.fmin, (NAN, 2.0), [0.0, 1.0]),
        (np.fmax, (2.0, NAN), [1.0, 0.0]),
        (np.heaviside, (0.0, 0.5), [1.0]),
        (np.heaviside, (1.0, 0.5), [0.0]),
        # poles
        (np.sqrt, (0.0,), [INF]),
        (np.log, (0.0,), [INF]),
        (np.log2, (0.0,), [INF]),
        (np.log1p, (-1.0,), [INF]),
        (np.arctanh, (1.0,), [INF]),
        (np.cbrt, (0.0,), [INF]),
        (np.divide, (1.0, 0.0), [INF, -INF]),
        (np.nan_to_num, (NAN,), [0.0]),
        (np.nan_to_num, (INF,), [0.0]),
        # far out
        (np.arcsinh, (1e200,), [1e-200]),
        (np.arccosh, (1e200,), [1e-200]),
        (np.arctan, (1e200,), [0.0]),
        (np.expm1, (-50.0,), [math.exp(-50)]),
        (np.logaddexp, (64.0, 64.0), [0.5, 0.5]),
        (np.logaddexp, (-1000.0, 0.0), [0.0, 1.0]),
        (np.logaddexp, (-INF, -INF), [0.0, 0.0]),
        (np.logaddexp, (-INF, 1.0), [0.0, 1.0]),
        (np.logaddexp, (INF, 1.0), [1.0, 0.0]),
        (np.logaddexp2, (-INF, -INF), [0.0, 0.0]),
        (np.ldexp, (1e-300, 1030), [INF]),
        # powers
        (np.power, (0.0, 0.0), [0.0, 0.0]),
        (np.power, (0.0, 1.0), [1.0, 0.0]),
        (np.power, (0.0, 2.0), [0.0, 0.0]),
        (np.power, (-2.0, 2.0), [-4.0, NAN]),
        (lambda x: power_of(x, 0), (0.0,), []),
        (lambda x: power_of(x, 0.0), (0.0,), []),
        (lambda x: power_of(x, 1), (0.0,), [1.0]),
        (lambda x: power_of(x, 2), (0.0,), [0.0]),
        (lambda x: power_of(x, 2.0), (-3.0,), [-6.0]),
        (lambda x: power_of(x, 0.5), (0.0,), [INF]),
        (lambda x: power_of(x, 1.5), (4.0,), [3.0]),
        (lambda x: power_of(x, -1), (2.0,), [-0.25]),
        (lambda y: power_of(2.0, y), (3.0,), [8 * math.log(2)]),
        (lambda y: power_of(0.0, y), (3.0,), [0.0]),
        (lambda y: power_of(-2.0, y), (2.0,), [NAN]),
    ],
)
@each("form", [np.float64, float, np.array, lambda v: np.array([v, v])])
def test_gradient_at_an_edge(
    function: Callable[..., Any], args: Any, expected: Any, form: Callable[..., Any]
) -> None:
    if form is float and function is np.divide:
        form = np.float64  # Python's own division raises
    given = [v if isinstance(v, (int, complex)) else form(v) for v in args]
    with np.errstate(all="ignore"):
        found = gradients(function, *given)
    assert len(found) == len(expected)
    for value, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(value, np.broadcast_to(wanted, np.shape(value)), rtol=2e-14)


@each("dtype", [np.float32, np.float64])
@each("function", [np.maximum, np.minimum, np.fmax, np.logaddexp, np.power])
def test_gradient_keeps_the_dtype(function: Callable[..., Any], dtype: type) -> None:
    x = np.array([0.5, 1.0, 2.0], dtype)
    assert [g.dtype for g in gradients(function, x, x[::-1].copy())] == [dtype, dtype]


@each(
    ("function", "count", "dtype"),
    [
        (np.maximum, 2, np.float32),
        (np.fmin, 2, np.float32),
        (np.logaddexp, 2, np.float32),
        (np.hypot, 2, np.float32),
        (np.arctan2, 2, np.float32),
        (np.power, 2, np.float32),
        (np.copysign, 2, np.float32),
        (np.sinc, 1, np.float32),
        (np.sinc, 1, np.complex64),
        (np.exp, 1, np.complex64),
        (np.absolute, 1, np.complex64),
    ],
)
def test_adjoint_computes_in_the_dtype(
    function: Callable[..., Any], count: int, dtype: type
) -> None:
    x = np.array([0.5, 1.0, 2.0], dtype)
    builder = Builder()
    with building(builder):
        params = [builder.parameter(f"p{i}", symbolic(f"n{i}_", x)) for i in range(count)]
        result = FUNCTIONS[function](*params)
        vjp([result], [builder.lift(np.ones(3, result.dtype))], params)
    wide = {np.dtype(np.float64), np.dtype(np.complex128)}
    assert not [n for n in builder.nodes if n.shape and n.dtype in wide]


# -- masks: what is not chosen does no harm ---------------------------------------------------


def test_root_of_a_maximum() -> None:
    def guarded(x: Node) -> Node:
        return FUNCTIONS[np.sqrt](FUNCTIONS[np.maximum](x, 0))

    with np.errstate(divide="ignore", invalid="ignore"):
        (g,) = gradients(guarded, np.array([-1.0, 4.0]))
    np.testing.assert_array_equal(g, [0.0, 0.25])


def test_maximum_of_a_logarithm() -> None:
    def guarded(x: Node) -> Node:
        return FUNCTIONS[np.maximum](FUNCTIONS[np.log](x), -5.0)

    with np.errstate(divide="ignore", invalid="ignore"):
        (g,) = gradients(guarded, np.array([0.0, 2.0]))
    np.testing.assert_array_equal(g, [0.0, 0.5])


def test_clip() -> None:
    x = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])

    def clipped(x: Any, low: Any, high: Any) -> Any:
        return FUNCTIONS[np.clip](x, low, high)

    dx, low, high = gradients(clipped, x, np.full(5, -1.0), np.full(5, 1.0))
    np.testing.assert_array_equal(dx, [0, 1, 1, 1, 0])
    np.testing.assert_array_equal(low, [1, 0, 0, 0, 0])
    np.testing.assert_array_equal(high, [0, 0, 0, 0, 1])
    dx, low, high = gradients(clipped, x, np.float64(1.5), np.float64(-1.5))  # crossed: high
    assert (low, high) == (0.0, 5.0)
    (dx,) = gradients(lambda x: FUNCTIONS[np.clip](x, -1, None), x)
    np.testing.assert_array_equal(dx, [0, 1, 1, 1, 1])
    (dx,) = gradients(lambda x: FUNCTIONS[np.clip](x, max=1.0), x)
    np.testing.assert_array_equal(dx, [1, 1, 1, 1, 0])
    (dx,) = gradients(np.clip, x)
    np.testing.assert_array_equal(dx, np.ones(5))


# -- complex numbers, after torch -------------------------------------------------------------


def test_gradient_of_the_squared_modulus() -> None:
    z = np.array([1 + 2j, -0.5j])

    def square(z: Node) -> Node:
        return FUNCTIONS[np.absolute](z) ** 2

    np.testing.assert_allclose(gradients(square, z)[0], 2 * z)
    parts = gradients(lambda z: FUNCTIONS[np.real](z * FUNCTIONS[np.conj](z)), z)
    np.testing.assert_allclose(parts[0], 2 * z)


@each(
    ("function", "expected"),
    [
        (np.real, 1),
        (np.imag, 1j),
        (np.conj, 1),
        (np.angle, 1j * (1 + 2j) / 5),
        (np.exp, np.conj(np.exp(1 + 2j))),
    ],
)
def test_gradient_of_complex_parts(function: Callable[..., Any], expected: complex) -> None:
    np.testing.assert_allclose(gradients(function, np.array([1 + 2j]))[0], [expected])


def test_tangent_of_the_modulus_is_real() -> None:
    builder = Builder()
    z = np.array([3 + 4j])
    with building(builder):
        param = builder.parameter("z", symbolic("n", z))
        (tangent,) = jvp([FUNCTIONS[np.absolute](param)], [param], [builder.lift(1j * z)])
        graph = builder.graph([tangent])
    assert tangent.dtype == np.float64
    np.testing.assert_allclose(evaluate(graph, [z])[0], [0.0], atol=1e-15)
