"""Elementwise functions at kinks, ties, poles and far out: values, gradients and emission."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from gradsmith.autodiff.forward import jvp
from gradsmith.autodiff.reverse import vjp
from gradsmith.errors import ArgumentTypeError, ArgumentValueError, UnsupportedError
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.evaluate import evaluate
from gradsmith.ir.graph import Node
from gradsmith.ops import stable
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.powers import power_of
from gradsmith.ops.scalars import as_float
from ops.harness import Sizes, agrees, emitted, run, symbolic, traced

INF, NAN = np.inf, np.nan


def call(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a NumPy function means on nodes; functions of nodes as they are."""
    return FUNCTIONS.get(function, function)


def gradients(function: Callable[..., Any], *args: Any, order: int = 1) -> list[Any]:
    """The gradient of the sum of the result in each argument, differentiated ``order`` times."""
    builder = Builder()
    with building(builder), dims.recording_guards():
        params = [builder.parameter(f"p{i}", symbolic(f"n{i}_", a)) for i, a in enumerate(args)]
        results = [call(function)(*params)]
        for _ in range(order):
            seed = builder.lift(np.ones(np.shape(evaluate(builder.graph(results), args)[0]))[()])
            found = vjp(results, [seed], params)
            results = [g for g in found if g is not None][:1]
        graph = builder.graph([g for g in found if g is not None])
    values = evaluate(graph, args)
    for value, again in zip(values, emitted(graph, args), strict=True):
        np.testing.assert_allclose(again, value, rtol=1e-12)
    return list(values)


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
@pytest.mark.parametrize("form", [np.float64, float, np.array, lambda v: np.array([v, v])])
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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", [np.maximum, np.minimum, np.fmax, np.logaddexp, np.power])
def test_gradient_keeps_the_dtype(function: Callable[..., Any], dtype: type) -> None:
    x = np.array([0.5, 1.0, 2.0], dtype)
    assert [g.dtype for g in gradients(function, x, x[::-1].copy())] == [dtype, dtype]


@pytest.mark.parametrize(
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


# -- accuracy ---------------------------------------------------------------------------------


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
            np.testing.assert_allclose(run(function, EXTREME)[0], wanted[op.name], rtol=1e-15)
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


@pytest.mark.parametrize("shape", [(), (1,), (4,), (3, 4)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
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


# -- complex numbers, after torch -------------------------------------------------------------


def test_gradient_of_the_squared_modulus() -> None:
    z = np.array([1 + 2j, -0.5j])

    def square(z: Node) -> Node:
        return FUNCTIONS[np.absolute](z) ** 2

    np.testing.assert_allclose(gradients(square, z)[0], 2 * z)
    parts = gradients(lambda z: FUNCTIONS[np.real](z * FUNCTIONS[np.conj](z)), z)
    np.testing.assert_allclose(parts[0], 2 * z)


@pytest.mark.parametrize(
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


# -- functions as NumPy has them --------------------------------------------------------------

X = np.array([[-1.7, 0.3, 2.5], [0.1, -0.6, 1.5]])
INTEGERS = np.array([7, -7, 3])


@pytest.mark.parametrize(
    ("function", "arrays", "options"),
    [
        (np.divmod, (X, np.array([0.4, -0.7, 1.1])), {}),
        (np.divmod, (INTEGERS, np.array([2, 2, -2])), {}),
        (np.round, (X,), {"decimals": 1}),
        (np.round, (X,), {}),
        (np.around, (INTEGERS,), {"decimals": -1}),
        (np.fix, (X,), {}),
        (np.square, (X,), {}),
        (np.reciprocal, (X,), {}),
        (np.reciprocal, (INTEGERS,), {}),
        (np.sign, (X + 1j,), {}),
        (np.angle, (X + 1j,), {"deg": True}),
        (np.angle, (X,), {}),
        (np.where, (X > 0, X, 0.0), {}),
        (np.where, (INTEGERS, 1.0, X), {}),
        (np.clip, (X, -1, 1), {}),
        (np.clip, (X, None, X[0] * 0), {}),
        (np.clip, (X,), {"min": 0.0}),
        (np.nan_to_num, (np.array([NAN, INF, -INF, 1.0]),), {}),
        (np.nan_to_num, (np.array([NAN, INF, -INF]),), {"nan": 1.0, "neginf": -9.0}),
        (np.isclose, (X, X + 1e-6), {}),
        (np.isclose, (X, X + 1e-6), {"atol": 1e-3}),
        (np.bitwise_and, (X > 0, X < 1), {}),
        (np.invert, (X > 0,), {}),
        (np.invert, (np.bool_(True),), {}),
        (np.logical_not, (X,), {}),
        (np.isreal, (X + 0j,), {}),
        (np.sinc, (X,), {}),
        (np.i0, (X,), {}),
        (np.heaviside, (X, 0.5), {}),
        (np.ldexp, (X, INTEGERS), {}),
        (np.add, (X, 1), {"dtype": np.float32}),
        (np.add, ([1.0, 2.0, 3.0], X), {}),
    ],
)
def test_function_agrees_with_numpy(
    function: Callable[..., Any], arrays: Any, options: dict[str, Any]
) -> None:
    if function in (np.where, np.clip, np.add):  # not everything is traced there
        fixed = [a for a in arrays if not isinstance(a, np.ndarray)]
        assert fixed or options or function is np.where
        varying = [a for a in arrays if isinstance(a, np.ndarray)]

        def partly(*nodes: Node) -> Node:
            left = iter(nodes)
            filled = [next(left) if isinstance(a, np.ndarray) else a for a in arrays]
            return FUNCTIONS[function](*filled, **options)

        (value,) = run(partly, *varying)
        expected = function(*arrays, **options)
        assert value.dtype == expected.dtype
        np.testing.assert_array_equal(value, expected)
    else:
        agrees(function, *arrays, **options)


@pytest.mark.parametrize(
    ("choices", "default"),
    [
        ([X, 2 * X], 0),
        ([X.astype(np.float32), 1.0], 0),
        ([1.0, X.astype(np.float32)], 0),
        ([INTEGERS, X.astype(np.float32)], 0),
        ([INTEGERS, 2], NAN),
        ([1.0, 2], 0),
        ([X, 1j], 0),
    ],
)
def test_select(choices: list[Any], default: Any) -> None:
    conditions = [X < 0, X > 1]
    expected = np.select(conditions, choices, default)
    (value,) = run(lambda a, b: FUNCTIONS[np.select]([a, b], choices, default), *conditions)
    assert value.dtype == expected.dtype
    np.testing.assert_array_equal(value, expected)


def test_pythons_math_makes_python_floats() -> None:
    for function, args in [
        (math.sin, (0.5,)),
        (math.log, (8.0, 2.0)),
        (math.hypot, (3.0, 4.0, 12.0)),
        (math.pow, (2.0, 3.0)),
        (math.atan2, (1.0, 2.0)),
        (math.fmod, (5.5, 2.0)),
        (math.sqrt, (np.float64(2.0),)),
    ]:
        (value,) = run(FUNCTIONS[function], *args)
        assert type(value) is float
        assert value == pytest.approx(function(*args), rel=1e-15)
    weak = np.ones(2, np.float32)
    (value,) = run(lambda x, t: x * FUNCTIONS[math.exp](t), weak, 0.5)
    assert value.dtype == np.float32
    assert gradients(math.sin, 0.5) == [math.cos(0.5)]
    with pytest.raises(ArgumentTypeError, match=r"math\.sin takes numbers"):
        run(FUNCTIONS[math.sin], X)


def test_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"np\.floor"):
        run(FUNCTIONS[math.floor], 1.5)
    with pytest.raises(UnsupportedError, match=r"math\.erf"):
        run(FUNCTIONS[math.erf], 1.5)
    with pytest.raises(UnsupportedError, match="copy=False"):
        run(lambda x: FUNCTIONS[np.nan_to_num](x, copy=False), X)
    with pytest.raises(ArgumentValueError, match="negative integer powers"):
        run(lambda n: power_of(n, -1), INTEGERS)
    with pytest.raises(ArgumentTypeError, match=r"np\.floor is not defined"):
        run(FUNCTIONS[np.floor], 1j)
    with pytest.raises(UnsupportedError, match="dtype=int"):
        run(lambda x: FUNCTIONS[np.sin](x, dtype=int), X)


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        (lambda x: power_of(x, 2), X, "v0 * v0"),
        (lambda x: power_of(x, 3), X, "v0 ** 3"),
        (lambda x: power_of(x, -2), X, "v0 ** (-2)"),
        (lambda x: power_of(x, 0.5), X, "np.sqrt(v0)"),
        (lambda x: power_of(x, -1.0), X, "v1 / v0"),
        (lambda x: FUNCTIONS[np.clip](x, 0, 1), X, "v0.clip(v1, v2)"),
        (
            lambda x: FUNCTIONS[np.clip](x, 0, 1),
            np.float64(1),
            "np.minimum(np.maximum(v0, v1), v2)",
        ),
        (lambda x: FUNCTIONS[np.clip](x, 0, None), X, "np.maximum(v0, v1)"),
        (lambda x: FUNCTIONS[np.round](x, 2), X, "v0.round(2)"),
        (FUNCTIONS[np.round], X, "np.rint(v0)"),
        (FUNCTIONS[np.invert], X > 0, "~v0"),
        (FUNCTIONS[np.invert], np.bool_(True), "np.logical_not(v0)"),
        (FUNCTIONS[np.absolute], 1.5, "abs(v0)"),
        (as_float, np.float64(1), "float(v0)"),
    ],
)
def test_emission(function: Callable[..., Any], x: Any, expected: str) -> None:
    assert source(function, x) == expected


def source(function: Callable[..., Any], x: Any) -> str:
    _, (node,) = traced(function, [x])
    order: list[Node] = list(dict.fromkeys(node.inputs))
    order.sort(key=lambda n: n.op.name != "parameter")
    names = {n: ast.Name(f"v{i}", ast.Load()) for i, n in enumerate(order)}
    return ast.unparse(node.op.emit(Sizes(), node, *[names[i] for i in node.inputs]))
