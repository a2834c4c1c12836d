"""The caller's arguments.

Rows of the table "Mutation and Python around it" in docs/semantics.md.
"""

# Functions are written here as users write them, not as a linter would have them.

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.numbers import same

X = np.array([0.5, -1.25, 2.0])
A = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.6], [0.9, -0.2, 1.7]])


# --- row: the caller's arrays unchanged by any gradient call


CALLS = {
    "grad": lambda fun, x: gs.grad(fun)(x),
    "value_and_grad": lambda fun, x: gs.value_and_grad(fun)(x)[1],
    "vjp": lambda fun, x: gs.vjp(fun, x)[1](1.0)[0],
    "f.grad": lambda fun, x: gs.differentiable(fun).grad(x)[0],
    "f.value_and_grad": lambda fun, x: gs.differentiable(fun).value_and_grad(x)[1][0],
}


@each("call", CALLS.values(), ids=CALLS)
def test_gradient_calls_leave_the_arguments_alone(call):
    def f(v):
        v *= 2
        v[0] = 5.0
        return np.sum(v**3)

    x = X.copy()
    for _ in range(3):
        g = call(f, x)
        np.testing.assert_array_equal(x, X)
        same(g, [0, *(24 * X[1:] ** 2)])


def test_gradient_calls_leave_read_only_arguments_alone():
    x = X.copy()
    x.flags.writeable = False
    same(gs.grad(lambda v: np.sum(v * v))(x), 2 * X)
    assert not x.flags.writeable


def test_gradient_calls_leave_containers_alone():
    def f(params):
        params["w"] *= 2
        params["b"] = params["w"] * params["b"]
        params["new"] = params["b"] + 1
        return np.sum(params["new"])

    params = {"w": X.copy(), "b": X + 1}
    g = gs.grad(f)(params)
    assert list(params) == list(g) == ["w", "b"]
    np.testing.assert_array_equal(params["w"], X)
    np.testing.assert_array_equal(params["b"], X + 1)
    same(g["w"], 2 * (X + 1))
    same(g["b"], 2 * X)


def test_gradient_calls_leave_lists_alone():
    def f(parts):
        parts.append(parts[0] * 2)
        parts[0] = np.ones(3)
        return np.sum(parts[0] * parts[-1])

    parts = [X.copy()]
    same(gs.grad(f)(parts)[0], [2, 2, 2])
    assert len(parts) == 1
    np.testing.assert_array_equal(parts[0], X)


def test_one_array_passed_twice_and_written_to_has_no_two_gradients():
    def f(a, b):
        a *= 2
        return np.sum(a * b)

    x = X.copy()
    with pytest.raises(gs.GradsmithError, match="shares memory"):
        gs.grad(f, argnums=(0, 1))(x, x)
    np.testing.assert_array_equal(x, X)
