"""Recurrences of Python's integers whose steps traced values decide, over a known number of steps:
the code and the time to make it grow linearly, and numbers beyond 64 bits are exact.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs

X = np.array([0.5, -1.2, 2.0, 0.3])


def fibonacci(x, n):
    f = [1, 1]
    for i in range(2, n):
        f.append(f[i - 1] + f[i - 2] * (3 if x[i % len(x)] > 0 else 1))
    return f


def three_numbers(x, n):
    a, b, c = 1, 1, 2
    out = []
    for i in range(n):
        a, b, c = b + (1 if x[i % len(x)] > 0 else 2) * a, c * b % 1007 + a, a + b
        out.append((a, b, c))
    return out, a * x[0]


def remainders(x, n):
    k, steps = 27, []
    for i in range(n):
        k = (k * 3 + (1 if x[i % len(x)] > 0 else 5)) % 1009
        steps.append(k)
    return steps


def squares(x, n):
    k, out = 3, []
    for i in range(n):
        k = k * k + (1 if x[i % len(x)] > 0 else 2)
        if i % 4 == 3:
            k = k % 1000003
        out.append(k)
    return out, k * x[1]


pytestmark = pytest.mark.filterwarnings("ignore::gradsmith.GradsmithWarning")
PROGRAMS = [fibonacci, three_numbers, remainders, squares]


@pytest.mark.parametrize("function", PROGRAMS)
def test_the_numbers_are_pythons(function):
    compiled = gs.compile(function)
    for n in (6, 50):
        for x in (X, -X, X[::-1].copy(), X):
            assert repr(compiled(x, n)) == repr(function(x, n))


@pytest.mark.parametrize("function", PROGRAMS)
def test_the_code_grows_linearly(function):
    few, many = (gs.compile(function).source(X, n).count("\n") for n in (12, 36))
    assert many < 4 * few
