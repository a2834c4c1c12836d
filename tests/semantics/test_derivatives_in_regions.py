"""Derivatives that are taken in a branch or loop, of what was computed before it."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs


def _pullback_in_a_branch(x, c):
    _, pullback = gs.vjp(lambda v: v * v, x)
    return np.sum(pullback(x)[0]) if c > 0 else 0.0 * c


def _pullback_in_a_loop(x, c):
    _, pullback = gs.vjp(lambda v: v * v * c, x)
    total = 0.0
    for i in range(len(x)):
        total = total + np.sum(pullback(np.ones(len(x)) * i)[0])
    return total


def _pullback_in_a_comprehension(x, c):
    _, pullback = gs.vjp(lambda v: v * v * c, x)
    rows = np.array([pullback(np.eye(len(x))[i])[0] for i in range(len(x))])
    return np.sum(rows * np.arange(1.0, len(x) + 1))


def _pullback_in_a_while(x, c):
    _, pullback = gs.vjp(lambda v: np.sum(np.sin(v)), x)
    total, n = 0.0, 0
    while total < 3 and n < 4:
        total = total + np.sum(pullback(1.0)[0]) * c
        n += 1
    return total


REFERENCES = {
    _pullback_in_a_branch: lambda x, c: np.sum(2 * x * x) if c > 0 else 0.0 * c,
    _pullback_in_a_loop: lambda x, c: sum(np.sum(2 * x * i * c) for i in range(len(x))),
    _pullback_in_a_comprehension: lambda x, c: np.sum(2 * x * c * np.arange(1.0, len(x) + 1)),
    _pullback_in_a_while: _pullback_in_a_while,
}


@pytest.mark.parametrize("function", REFERENCES)
def test_pullbacks(function):
    compiled, gradient = gs.compile(function), gs.grad(function)
    for values, c in (([1.0, 2.0], 0.7), ([0.4, -0.3, 0.9], 1.1), ([1.0, 2.0], -0.5)):
        x = np.array(values)
        np.testing.assert_allclose(compiled(x, c), REFERENCES[function](x, c), rtol=1e-13)
        if function is _pullback_in_a_branch and c < 0:
            continue
        steps = 1e-6 * np.eye(len(x))
        slopes = [(function(x + h, c) - function(x - h, c)) / 2e-6 for h in steps]
        np.testing.assert_allclose(gradient(x, c), slopes, rtol=1e-6)


def _of_a_value_from_before(x, c):
    y = x * x
    if c > 0:
        return np.sum(gs.autograd.grad(np.sum(y * x), x)[0])
    return 0.0 * c


def _of_values_of_the_branch(x, c):
    if c > 0:
        b = x * 2
        y = np.sum(b * b * x)
        return np.sum(gs.autograd.grad(y, b)[0]) + np.sum(gs.autograd.grad(y, x)[0])
    return 0.0 * c


def test_autograd_grad():
    x = np.array([1.0, 2.0])
    for c in (1.0, -1.0, 2.0):
        first = gs.compile(_of_a_value_from_before)(x, c)
        np.testing.assert_allclose(first, np.sum(3 * x**2) if c > 0 else 0, rtol=1e-13)
        second = gs.compile(_of_values_of_the_branch)(x, c)
        np.testing.assert_allclose(second, np.sum(16 * x**2) if c > 0 else 0, rtol=1e-13)
