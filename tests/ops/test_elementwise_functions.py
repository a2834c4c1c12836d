"""Elementwise functions as NumPy and Python have them: signatures, refusals, emission."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradsmith.errors import ArgumentTypeError, ArgumentValueError, UnsupportedError
from gradsmith.ir.graph import Node
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.powers import power_of
from gradsmith.ops.scalars import as_float
from helpers import each
from ops.elementwise_gradients import gradients
from ops.harness import Sizes, agrees, run, traced

INF, NAN = np.inf, np.nan


X = np.array([[-1.7, 0.3, 2.5], [0.1, -0.6, 1.5]])
INTEGERS = np.array([7, -7, 3])


@each(
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


@each(
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
    with pytest.raises(UnsupportedError, match=r"math\.frexp"):
        run(FUNCTIONS[math.frexp], 1.5)
    with pytest.raises(UnsupportedError, match="copy=False"):
        run(lambda x: FUNCTIONS[np.nan_to_num](x, copy=False), X)
    with pytest.raises(ArgumentValueError, match="negative integer powers"):
        run(lambda n: power_of(n, -1), INTEGERS)
    with pytest.raises(ArgumentTypeError, match=r"np\.floor is not defined"):
        run(FUNCTIONS[np.floor], 1j)
    with pytest.raises(UnsupportedError, match="dtype=int"):
        run(lambda x: FUNCTIONS[np.sin](x, dtype=int), X)


@each(
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
            "np.minimum(v2, np.maximum(v1, v0))",
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
