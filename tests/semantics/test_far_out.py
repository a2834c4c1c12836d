"""Hand-written formulas far out.

Rows of the table "Values at kinks, ties and edges" in docs/semantics.md.
"""

# A lambda around one NumPy function is what is under test here; names are easier to read in a row.
# ruff: noqa: PLW0108

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import gradsmith as gs
from helpers import each
from semantics.numbers import grad, grads, same


@pytest.fixture(autouse=True)
def _floating_point_errors_are_no_warnings():
    """At a kink NumPy itself divides by zero or overflows on the branch that is not taken."""
    with np.errstate(all="ignore"):
        yield


# --- row: hand-written log-sum-exp, softplus, softmax, sigmoid far out


def log_sum_exp(x):
    return np.log(np.sum(np.exp(x)))


def log_sum_exp_method(x):
    return np.log(np.exp(x).sum())


def log_sum_exp_in_steps(x):
    e = np.exp(x)
    total = e.sum()
    return np.log(total)


def softmax(x):
    e = np.exp(x)
    return e / np.sum(e)


def softmax_on_one_line(x):
    return np.exp(x) / np.exp(x).sum()


def softmax_shifted(x):
    e = np.exp(x - np.max(x))
    return e / e.sum()


FAR = {
    "1000": np.array([1000.0, 1001.0, 999.0]),
    "-1000": np.array([-1000.0, -1001.0, -999.0]),
    "mixed": np.array([1000.0, 0.0, -1000.0]),
    "near": np.array([0.5, -0.25, 0.75]),
}


@each("far", FAR)
@each("fun", [log_sum_exp, log_sum_exp_method, log_sum_exp_in_steps])
def test_log_sum_exp_far_out(fun, far):
    x = FAR[far]
    value, g = gs.value_and_grad(fun)(x)
    same(value, special.logsumexp(x))
    same(g, special.softmax(x))
    same(gs.compile(fun)(x), special.logsumexp(x))


@each("keepdims", [False, True])
@each("axis", [0, 1])
def test_log_sum_exp_of_an_axis_far_out(axis, keepdims):
    def f(x):
        return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))

    x = np.array([[1000.0, 1001.0, 999.0], [-1000.0, 0.0, 1000.0]])
    same(gs.compile(f)(x), special.logsumexp(x, axis=axis, keepdims=keepdims))
    same(grad(f, x), special.softmax(x, axis=axis))


@each("far", FAR)
@each("fun", [softmax, softmax_on_one_line, softmax_shifted])
def test_softmax_far_out(fun, far):
    x, seed = FAR[far], np.array([1.0, -2.0, 0.5])
    p = special.softmax(x)
    same(gs.compile(fun)(x), p)
    same(grad(fun, x, seed=seed), p * (seed - p @ seed))


@pytest.mark.parametrize("axis", [0, 1])
def test_softmax_of_an_axis_far_out(axis):
    def f(x):
        e = np.exp(x)
        return e / e.sum(axis=axis, keepdims=True)

    x = np.array([[1000.0, 1001.0, 999.0], [-1000.0, 0.0, 1000.0]])
    seed = np.array([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]])
    p = special.softmax(x, axis=axis)
    same(gs.compile(f)(x), p)
    same(grad(f, x, seed=seed), p * (seed - (p * seed).sum(axis=axis, keepdims=True)))


def test_cross_entropy_of_a_hand_written_softmax_far_out():
    labels = np.array([0, 2])

    def f(x):
        p = np.exp(x) / np.sum(np.exp(x), axis=1, keepdims=True)
        return -np.sum(np.log(p[np.arange(2), labels]))

    x = np.array([[1000.0, 1001.0, 999.0], [1.0, 0.0, 2.0]])
    same(grad(f, x), special.softmax(x, axis=1) - np.eye(3)[labels])


SOFTPLUS = {
    "log1p(exp(x))": lambda x: np.log1p(np.exp(x)),
    "log(1 + exp(x))": lambda x: np.log(1 + np.exp(x)),
    "log(exp(x) + 1)": lambda x: np.log(np.exp(x) + 1.0),
    "logaddexp(0, x)": lambda x: np.logaddexp(0, x),
}
SIGMOID = {
    "1/(1 + exp(-x))": lambda x: 1 / (1 + np.exp(-x)),
    "1.0/(exp(-x) + 1.0)": lambda x: 1.0 / (np.exp(-x) + 1.0),
    "exp(x)/(1 + exp(x))": lambda x: np.exp(x) / (1 + np.exp(x)),
}
LINE = np.array([-1000.0, -800.0, -40.0, -1.0, 0.0, 2.0, 40.0, 800.0, 1000.0])


@each("name", SOFTPLUS)
def test_softplus_far_out(name):
    fun = SOFTPLUS[name]
    same(gs.compile(fun)(LINE), np.logaddexp(0, LINE))
    same(grad(fun, LINE), special.expit(LINE))


def test_softplus_of_a_scalar_far_out():
    value, g = gs.value_and_grad(lambda x: np.log1p(np.exp(x)))(800.0)
    assert (value, g) == (800.0, 1.0)


@pytest.mark.parametrize("name", SIGMOID)
def test_sigmoid_far_out(name):
    p = special.expit(LINE)
    same(gs.compile(SIGMOID[name])(LINE), p)
    same(grad(SIGMOID[name], LINE), p * special.expit(-LINE))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_logistic_function_is_the_users_to_the_bit(dtype):
    def logistic(x):
        return 1 / (1 + np.exp(-x))

    limit = dtype(np.log(np.float64(np.finfo(dtype).max)))
    near = [limit, np.nextafter(limit, dtype(0)), np.nextafter(limit, dtype(np.inf))]
    x = np.array([0.0, -1.5, 3.0, -40.0, -800.0, 800.0, -np.inf, np.inf], dtype)
    x = np.concatenate([x, -np.array(near, dtype)])
    with np.errstate(over="ignore"):
        expected = logistic(x)
    assert gs.compile(logistic)(x).tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["log1p(exp(x))", "log(1 + exp(x))"])
def test_softplus_second_derivative_far_out(name):
    def slope(x):
        return np.sum(gs.grad(lambda y: np.sum(SOFTPLUS[name](y)))(x))

    same(gs.grad(slope)(LINE), special.expit(LINE) * special.expit(-LINE))


@pytest.mark.parametrize("fun", [np.logaddexp, np.logaddexp2])
def test_logaddexp_far_out(fun):
    def f(a, b):
        return fun(a, b)

    a, b = np.array([1000.0, -1000.0, 5000.0]), np.array([1000.0, -1000.0, -5000.0])
    by_a, by_b = grads(f, a, b, wrt=(0, 1))
    same(by_a, [0.5, 0.5, 1])
    same(by_b, [0.5, 0.5, 0])


def test_logaddexp_of_infinities():
    by_a, by_b = grads(lambda a, b: np.logaddexp(a, b), -np.inf, 2.0, wrt=(0, 1))
    same([by_a, by_b], [0, 1])


# --- a function that saturates, of one that overflows


def _in_a_loop(x):
    total = 0.0
    for v in x:
        total += np.tanh(np.exp(v)) if v > 0 else np.tanh(np.exp(v) * 2)
    return total


SATURATED = {
    "tanh of exp": lambda x: np.sum(np.tanh(np.exp(x))),
    "tanh of a product": lambda x: np.sum(np.tanh(x**2 * np.exp(x) + 1)),
    "tanh of cosh": lambda x: np.sum(np.tanh(np.cosh(x))),
    "tanh of a square": lambda x: np.sum(np.tanh(np.exp(x) ** 2)),
    "sigmoid of exp": lambda x: np.sum(1 / (1 + np.exp(-np.exp(x)))),
    "arctan of exp": lambda x: np.sum(np.arctan(np.exp(x))),
    "in a loop": _in_a_loop,
}


@each("fun", SATURATED.values(), ids=SATURATED)
def test_saturated(fun):
    x = np.array([800.0, 0.3, -800.0, -1.5])
    gradient = gs.grad(fun)(x)
    near = (fun(x + 1e-6) - fun(x - 1e-6)) / 2e-6
    np.testing.assert_allclose(np.sum(gradient), near, rtol=1e-7)
    np.testing.assert_allclose(gradient[[0, 2]], 0, atol=1e-300)
    np.testing.assert_allclose(gs.jvp(fun, (x,), (np.ones(4),))[1], near, rtol=1e-7)
