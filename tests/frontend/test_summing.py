"""``sum`` of Python's floats, as Python 3.12 adds them, and of NumPy's, as every version does."""

from __future__ import annotations

import math
from types import FunctionType

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.frontend import summing
from helpers import each

X = np.random.default_rng(0).normal(size=9)


def sum_of_python_3_12(values, start=0):
    """What ``builtin_sum_impl`` does in CPython's ``bltinmodule.c``."""
    items, total = iter(values), start
    while type(total) is int:
        try:
            total += next(items)
        except StopIteration:
            return total
    if type(total) is float:
        lost = 0.0
        for item in items:
            if type(item) is float:
                more = total + item
                large, small = (total, item) if abs(total) >= abs(item) else (item, total)
                lost += (large - more) + small
                total = more
            elif type(item) is int:
                total += float(item)
            else:
                total = (total + lost if lost and math.isfinite(lost) else total) + item
                lost = 0.0
                break
        if lost and math.isfinite(lost):
            total += lost
        if type(total) is float:
            return total
    for item in items:
        total = total + item
    return total


def series(a, n):
    return sum(a**k * (-1.0) ** k / 3 for k in range(n))


def begun_with_a_float(a, n):
    return sum((a * k for k in range(n)), 0.1)


def begun_with_an_integer(a, n):
    return sum((a * k for k in range(n)), 7)


def under_a_condition(a, n):
    return sum(a * k for k in range(n) if a * k < 3.05)


def written_one_by_one(a, n):
    return sum([a, a / 3, 1e16, a / 7, -1e16, 2, a * n])


def of_numpy_scalars(a, n):
    return sum(v * a for v in X[:n])


def of_both(a, n):
    return sum([a, a * 3, a / 7, X[0] * a, a, a / 7])


def not_finite(a, n):
    return sum(a * 1e300 * 10**k for k in range(n))


FUNCTIONS = (
    series,
    begun_with_a_float,
    begun_with_an_integer,
    under_a_condition,
    written_one_by_one,
    of_numpy_scalars,
    of_both,
    not_finite,
)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("n", [1, 2, 9])
def test_bits_are_those_of_python_3_12(monkeypatch, function, n):
    monkeypatch.setattr(summing, "COMPENSATED", True)
    namespace = {**globals(), "sum": sum_of_python_3_12}
    expected = FunctionType(function.__code__, namespace)
    for a in (0.1, 0.7, 1.3):
        actual = gs.compile(function)(a, n)
        assert np.float64(actual).tobytes() == np.float64(expected(a, n)).tobytes()


@each("function", FUNCTIONS)
@each("n", [1, 2, 9])
def test_bits_are_those_of_this_python(function, n):
    for a in (0.1, 0.7, 1.3):
        actual = gs.compile(function)(a, n)
        assert np.float64(actual).tobytes() == np.float64(function(a, n)).tobytes()


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f is not not_finite])
def test_the_correction_has_no_derivative(monkeypatch, function):
    plain = gs.grad(function)(0.13, 9)
    monkeypatch.setattr(summing, "COMPENSATED", True)
    np.testing.assert_allclose(gs.grad(function)(0.13, 9), plain, rtol=1e-13)
