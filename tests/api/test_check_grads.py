"""check_grads accepts right derivatives and rejects wrong ones."""

# ruff: noqa: PLW0108

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

X = np.array([0.5, -1.25, 2.0])
W = np.array([3.0, 4.0, 5.0])
REVERSE = {"modes": ("rev",)}


def half_hidden(x):
    """Whose gradient misses one of two factors."""
    return np.sum(x * gs.stop_gradient(x))


def hidden(x):
    return np.sum(gs.stop_gradient(x) ** 2)


def slightly_hidden(x):
    return np.sum(np.sin(x)) + 1e-3 * np.sum(gs.stop_gradient(x) ** 2)


def hidden_in_one_element(x):
    return np.sum(x**2) + gs.stop_gradient(x[1]) * 0.5


RIGHT = {
    "scalar": (lambda x: x**3, (2.0,)),
    "loss": (lambda x: np.sum(np.sin(x) * x), (X,)),
    "vector": (lambda x: np.exp(x) / np.exp(x).sum(), (X,)),
    "two arguments": (lambda x, w: np.tanh(x * w) @ x, (X, W)),
    "several outputs": (lambda x: (x**2, np.sum(x)), (X,)),
    "tree": (lambda p: np.sum(p["w"] ** 2 * p["x"]), ({"w": W, "x": X},)),
    "integer argument": (lambda x, i: x[i] ** 2, (X, np.array([0, 0, 2]))),
    "linear": (lambda x: 2.0 * x, (X,)),
    "writes": (lambda x: written(x), (X,)),
    "complex": (lambda z: np.sum(np.abs(np.exp(z)) ** 2), (np.array([0.3 + 0.2j, -1j]),)),
    "holomorphic": (lambda z: np.sin(z) * z, (np.array([0.3 + 0.2j, -1j]),)),
    "float32": (lambda x: np.sum(np.sin(x)), (X.astype(np.float32),)),
    "large": (lambda x: np.sum(x**2), (1e6 * X,)),
    "small": (lambda x: np.sum(x**2), (1e-6 * X,)),
}


def written(x):
    y = np.zeros(4)
    y[1:] = x * x
    y[0] = x[2]
    return y * y


@each("name", RIGHT)
def test_right_gradients_are_accepted(name):
    fun, args = RIGHT[name]
    assert gs.check_grads(fun, args, **REVERSE) is None


@each("name", ["scalar", "loss", "vector", "two arguments", "tree", "writes"])
def test_right_second_derivatives_are_accepted(name):
    fun, args = RIGHT[name]
    assert gs.check_grads(fun, args, order=2, **REVERSE) is None


@each("fun", [half_hidden, hidden, slightly_hidden, hidden_in_one_element])
@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
def test_wrong_gradients_are_rejected(fun):
    with pytest.raises(AssertionError) as caught:
        gs.check_grads(fun, (X,), **REVERSE)
    assert isinstance(caught.value, gs.GradsmithError)


@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
def test_wrong_second_derivative_is_rejected_only_at_order_2():
    def f(x):
        y = gs.stop_gradient(x)
        return np.sum(y**2 + 2 * y * (x - y))

    gs.check_grads(f, (X,), order=1, **REVERSE)
    with pytest.raises(AssertionError):
        gs.check_grads(f, (X,), order=2, **REVERSE)


def test_wrong_gradient_of_one_argument_of_two_is_rejected():
    with pytest.raises(AssertionError):
        gs.check_grads(lambda x, w: np.sum(x * gs.stop_gradient(w) * w), (X, W), **REVERSE)


def test_the_message_shows_both_numbers():
    with pytest.raises(AssertionError) as caught:
        gs.check_grads(lambda x: x * gs.stop_gradient(x), (3.0,), **REVERSE)
    numbers = [float(n) for n in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", str(caught.value))]
    assert any(np.isclose(2 * a, b, rtol=1e-6) for a in numbers for b in numbers)


def test_arguments_are_left_alone():
    x = X.copy()
    gs.check_grads(written, (x,), **REVERSE)
    np.testing.assert_array_equal(x, X)


def test_it_accepts_what_differentiable_returns():
    assert gs.check_grads(gs.differentiable(lambda x: np.sum(x**2)), (X,), **REVERSE) is None


def test_defaults_are_as_documented():
    parameters = inspect.signature(gs.check_grads).parameters
    assert list(parameters)[:2] == ["fun", "args"]
    assert parameters["order"].default == 1
    assert "rev" in parameters["modes"].default


def test_an_unknown_mode_is_refused():
    with pytest.raises(gs.GradsmithError, match="sideways"):
        gs.check_grads(lambda x: x**2, (2.0,), modes=("sideways",))


def test_it_is_deterministic():
    messages = set()
    for _ in range(2):
        with pytest.raises(AssertionError) as caught:
            gs.check_grads(half_hidden, (X,), **REVERSE)
        messages.add(str(caught.value))
    assert len(messages) == 1
