"""Products of more factors than `passes/algebra.py` looks through: no number may be lost."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

X = np.array([0.9, -1.1, 1.05])


def power_by_squaring(x, times):
    for _ in gs.unroll(range(times)):
        x = x * x
    return x


def scaled_and_squared(x, times):
    for _ in gs.unroll(range(times)):
        x = 0.5 * x
        x = x * -x
    return x


def power_by_factors(x, times):
    product = x
    for _ in gs.unroll(range(3 * times)):
        product = product * x * -2.0
    return product * product - 0.5 * product


@each("times", range(1, 8))
@each("x", [0.9, np.float64(-1.1), X], ids=["float", "scalar", "array"])
def test_power_by_squaring(x, times):
    n = 2**times
    gradient = gs.grad(lambda x: np.sum(power_by_squaring(x, times)))
    second = gs.grad(lambda x: np.sum(gradient(x)))
    np.testing.assert_allclose(gradient(x), n * x ** (n - 1), rtol=1e-12)
    np.testing.assert_allclose(second(x), n * (n - 1) * x ** (n - 2), rtol=1e-12)
    moved = gs.jvp(lambda x: power_by_squaring(x, times), (x,), (np.ones_like(x)[()],))[1]
    np.testing.assert_allclose(moved, n * x ** (n - 1), rtol=1e-12)


@pytest.mark.parametrize("times", [1, 2, 3, 4, 5])
@each("function", [scaled_and_squared, power_by_factors])
def test_products_with_numbers_and_signs(function, times):
    gs.check_grads(lambda x: function(x, times), (1.1 * X,), order=2, rtol=1e-5, atol=1e-9)
