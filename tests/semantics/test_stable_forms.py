"""Stable forms of what users write by hand, wherever it stands, against mpmath.

In straight-line code, in a loop, in a branch, under a checkpoint, in single precision, in forward
mode and differentiated twice, at arguments where exponentials overflow.
"""

from __future__ import annotations

import warnings

import mpmath
import numpy as np
import pytest

import gradsmith as gs
from helpers import each

mp = mpmath.mp


def sigmoid(u):
    return 1 / (1 + mp.exp(-u))


def softplus(u):
    return u + mp.log1p(mp.exp(-u)) if u > 0 else mp.log1p(mp.exp(u))


def bose(u):
    return 1 / mp.expm1(abs(u) + 1)


def logistic_by_sign(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x)))


def cross_entropy(x):
    p = 1 / (1 + np.exp(-x))
    return -(0.3 * np.log(p) + 0.7 * np.log(1 - p))


def slope_of_logistic(x):
    p = 1 / (1 + np.exp(-x))
    return p * (1 - p)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.8 * (x + 0.044715 * x**3)))


FORMS = {
    "logistic": (lambda x: 1 / (1 + np.exp(-x)), sigmoid),
    "logistic of e/(1 + e)": (lambda x: np.exp(x) / (1 + np.exp(x)), sigmoid),
    "logistic, other order": (lambda x: 1.0 / (np.exp(-x) + 1.0), sigmoid),
    "logistic by sign": (logistic_by_sign, sigmoid),
    "scaled": (lambda x: 2.5 / (1 + np.exp(-x)), lambda u: 2.5 * sigmoid(u)),
    "of constants": (lambda x: 2 / (3 + np.exp(-x)), lambda u: 2 / (3 + mp.exp(-u))),
    "Boltzmann": (
        lambda x: 2 + 3 / (1 + np.exp(-(x - 0.5) / 0.7)),
        lambda u: 2 + 3 * sigmoid((u - mp.mpf(0.5)) / mp.mpf(0.7)),
    ),
    "Fermi": (lambda x: 1 / (np.exp(x) + 1), lambda u: sigmoid(-u)),
    "silu": (lambda x: x / (1 + np.exp(-x)), lambda u: u * sigmoid(u)),
    "silu as a product": (lambda x: x * (1 / (1 + np.exp(-x))), lambda u: u * sigmoid(u)),
    "gelu by a logistic": (lambda x: x / (1 + np.exp(-1.7 * x)), lambda u: u * sigmoid(1.7 * u)),
    "gelu": (
        gelu,
        lambda u: u * (1 + mp.tanh(mp.mpf(0.8) * (u + mp.mpf(0.044715) * u**3))) / 2,
    ),
    "mish": (lambda x: x * np.tanh(np.log(1 + np.exp(x))), lambda u: u * mp.tanh(softplus(u))),
    "elu": (
        lambda x: np.where(x > 0, x, np.exp(x) - 1),
        lambda u: u if u > 0 else mp.expm1(u),
    ),
    "cubed": (lambda x: (1 + np.exp(-x)) ** -3, lambda u: sigmoid(u) ** 3),
    "density": (
        lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2,
        lambda u: sigmoid(u) * sigmoid(-u),
    ),
    "slope": (slope_of_logistic, lambda u: sigmoid(u) * sigmoid(-u)),
    "softplus": (lambda x: np.log(1 + np.exp(x)), softplus),
    "softplus by log1p": (lambda x: np.log1p(np.exp(x)), softplus),
    "softplus by logaddexp": (lambda x: np.logaddexp(0, x), softplus),
    "softplus by maximum": (
        lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
        softplus,
    ),
    "softplus, scaled": (lambda x: np.log(1 + np.exp(3 * x)) / 3, lambda u: softplus(3 * u) / 3),
    "log-sigmoid": (lambda x: np.log(1 / (1 + np.exp(-x))), lambda u: -softplus(-u)),
    "log-sigmoid, less": (lambda x: -np.log(1 + np.exp(-x)), lambda u: -softplus(-u)),
    "log of the rest": (lambda x: np.log(1 - 1 / (1 + np.exp(-x))), lambda u: -softplus(u)),
    "cross-entropy": (cross_entropy, lambda u: softplus(u) - mp.mpf(0.3) * u),
    "cross-entropy of logits": (
        lambda x: np.maximum(x, 0) - 0.3 * x + np.log1p(np.exp(-np.abs(x))),
        lambda u: softplus(u) - mp.mpf(0.3) * u,
    ),
    "log of three": (
        lambda x: np.log(np.exp(x) + np.exp(2 * x) + 1),
        lambda u: mp.log(mp.exp(u) + mp.exp(2 * u) + 1),
    ),
    "log of a weighted one": (
        lambda x: np.log(2 + 3 * np.exp(x)),
        lambda u: mp.log(2 + 3 * mp.exp(u)),
    ),
    "tanh by exponentials": (
        lambda x: (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x)),
        mp.tanh,
    ),
    "tanh by one": (lambda x: (1 - np.exp(-2 * x)) / (1 + np.exp(-2 * x)), mp.tanh),
    "tanh by a growing one": (lambda x: (np.exp(2 * x) - 1) / (np.exp(2 * x) + 1), mp.tanh),
    "tanh by a logistic": (lambda x: 2 / (1 + np.exp(-2 * x)) - 1, mp.tanh),
    "tanh by sinh": (lambda x: np.sinh(x) / np.cosh(x), mp.tanh),
    "sech squared": (lambda x: 1 / np.cosh(x) ** 2, lambda u: mp.sech(u) ** 2),
    "Bose": (lambda x: 1 / (np.exp(np.abs(x) + 1) - 1), bose),
    "Bose by expm1": (lambda x: 1 / np.expm1(np.abs(x) + 1), bose),
    "Planck": (
        lambda x: (np.abs(x) + 1) ** 3 / (np.exp(np.abs(x) + 1) - 1),
        lambda u: (abs(u) + 1) ** 3 * bose(u),
    ),
    "Gumbel": (lambda x: np.exp(-np.exp(-x)), lambda u: mp.exp(-mp.exp(-u))),
}


def in_a_loop(form):
    def function(x):
        total = 0.0
        for i in range(len(x)):
            total += form(x[i])
        return total

    return function


def carried(form):
    def function(x):
        h = np.zeros(len(x))
        for _ in range(3):
            h = form(x + 0 * h)
        return np.sum(h)

    return function


def in_a_branch(form):
    def function(x):
        y = form(x) if x[1] < 0 else 2 * x
        return np.sum(y)

    return function


PLACES = {
    "straight": lambda form: lambda x: np.sum(form(x)),
    "loop": in_a_loop,
    "carried": carried,
    "branch": in_a_branch,
    "checkpoint": lambda form: lambda x: np.sum(gs.checkpoint(form)(x)),
}
AT = np.array([-1000.0, -40.0, -1.3, 0.7, 40.0, 1000.0])
SINGLE = np.array([-1000.0, -9.0, -1.3, 0.7, 9.0, 1000.0], dtype=np.float32)


def exact(reference, x, order):
    with mp.workdps(60):
        return np.array([float(mpmath.diff(reference, mp.mpf(float(u)), order)) for u in x])


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@pytest.mark.parametrize("place", PLACES)
@each("name", FORMS)
def test_value_gradient_and_tangent(name, place):
    form, reference = FORMS[name]
    function = PLACES[place](form)

    def both(x, direction):
        value, tangent = gs.jvp(function, (x,), (direction,))
        (gradient,) = gs.autograd.grad(function(x), [x])
        return value, gradient, tangent

    compiled = gs.compile(both)
    for x in (AT, AT[1:]):
        value, gradient, tangent = compiled(x, np.ones(len(x)))
        expected = exact(reference, x, 1)
        assert value == pytest.approx(np.sum(exact(reference, x, 0)), rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-30)
        assert tangent == pytest.approx(np.sum(expected), rel=1e-9, abs=1e-12)


@each("place", ["straight", "loop"])
@pytest.mark.parametrize("name", FORMS)
def test_second_derivative(name, place):
    form, reference = FORMS[name]
    function = PLACES[place](form)
    product = gs.grad(lambda x: np.sum(gs.grad(function)(x)))(AT)
    np.testing.assert_allclose(product, exact(reference, AT, 2), rtol=1e-6, atol=1e-14)


@each("name", [name for i, name in enumerate(FORMS) if i % 3 == 0])
def test_second_derivative_in_branches_and_under_checkpoints(name):
    form, reference = FORMS[name]
    for place in ("branch", "checkpoint", "carried"):
        function = PLACES[place](form)
        product = gs.grad(lambda x, f=function: np.sum(gs.grad(f)(x)))(AT)
        np.testing.assert_allclose(product, exact(reference, AT, 2), rtol=1e-6, atol=1e-14)


@each("place", ["straight", "loop"])
@pytest.mark.parametrize("name", FORMS)
def test_single_precision(name, place):
    form, reference = FORMS[name]
    gradient = gs.grad(PLACES[place](form))(SINGLE)
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, exact(reference, SINGLE, 1), rtol=2e-4, atol=2e-7)


# -- sums of exponentials ------------------------------------------------------------------------

SCORES = np.array([[1000.0, -1000.0, 3.0], [-1000.0, -1001.0, -1003.0], [0.5, 0.1, 800.0]])


def log_sum_exp(row):
    return np.log(np.sum(np.exp(row)))


def cross_entropy_of_softmax(row):
    return -np.log((np.exp(row) / np.sum(np.exp(row)))[1])


def softmax(row):
    return np.sum(np.exp(row) / np.sum(np.exp(row)) * np.arange(3.0))


def shifted(row):
    top = np.max(row)
    return top + np.log(np.sum(np.exp(row - top)))


def shifted_softmax(row):
    e = np.exp(row - np.max(row))
    return np.sum(e / np.sum(e) * np.arange(3.0))


def weights(row):
    e = np.exp(row - row.max())
    return e / e.sum()


SUMS = {
    log_sum_exp: weights,
    shifted: weights,
    cross_entropy_of_softmax: lambda row: weights(row) - np.array([0.0, 1.0, 0.0]),
    softmax: lambda row: weights(row) * (np.arange(3.0) - weights(row) @ np.arange(3.0)),
    shifted_softmax: lambda row: weights(row) * (np.arange(3.0) - weights(row) @ np.arange(3.0)),
}


def rows_in_a_loop(form):
    def function(x):
        total = 0.0
        for row in x:
            total += form(row)
        return total

    return function


def rows_in_a_branch(form):
    def function(x):
        total = 0.0
        for i in range(len(x)):
            if x[i, 0] > -2000:
                total += form(x[i])
        return total

    return function


def rows_under_checkpoints(form):
    def function(x):
        total = 0.0
        for i in range(len(x)):
            total += gs.checkpoint(form)(x[i])
        return total

    return function


@each("place", [rows_in_a_loop, rows_in_a_branch, rows_under_checkpoints])
@pytest.mark.parametrize("form", SUMS)
def test_sums_of_exponentials(form, place):
    function = place(form)
    expected = np.array([SUMS[form](row) for row in SCORES])
    value, gradient = gs.value_and_grad(function)(SCORES)
    assert np.isfinite(value)
    np.testing.assert_allclose(gradient, expected, rtol=1e-12, atol=1e-300)
    tangent = gs.jvp(function, (SCORES,), (np.ones(SCORES.shape),))[1]
    assert tangent == pytest.approx(np.sum(expected), abs=1e-12)
    product = gs.grad(lambda x: np.sum(gs.grad(function)(x) * np.arange(3.0)))(SCORES)
    assert np.all(np.isfinite(product))
    single = gs.grad(function)((SCORES / 10).astype(np.float32))
    expected = np.array([SUMS[form](row) for row in SCORES / 10])
    np.testing.assert_allclose(single, expected, rtol=1e-3, atol=1e-6)


def test_the_user_keeps_the_other_values():
    """Only what overflows is written anew: no exponential of the user's is reordered."""
    source = gs.grad(lambda x: np.sum(np.exp(x) * x)).source(AT)
    assert "np.where" not in source
