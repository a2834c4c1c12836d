"""Values that Python needs in a loop and that are computed before it: checked before the loop."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

pytestmark = pytest.mark.filterwarnings("ignore::gradsmith.SpecialisationWarning")


def option(x, a, n):
    flag, total = bool(a[0] > 1), 0.0
    for i in range(n):
        total = total + np.sum(np.sum(x * i, keepdims=flag) * x)
    return total


def element_of_a_list(x, a, n):
    functions, k, total = [np.sin, np.cos, np.exp], int(a[0]), 0.0
    for i in range(n):
        total = total + np.sum(functions[k](x * i))
    return total


def shape(x, a, n):
    k, total = int(a[0]), 0.0
    for i in range(n):
        total = total + np.sum(np.sum(x.reshape(k + 1, -1), axis=0) ** 2) * i
    return total


def in_a_while(x, a, n):
    functions, k, d = [np.sin, np.cos, np.exp], int(a[0]), 1.0 * n
    while d > 0.1:
        x = 0.5 * x + 0.1 * functions[k](x)
        d = d * 0.5
    return np.sum(x)


def in_nested_loops(x, a, n):
    flag, total = bool(a[0] > 1), 0.0
    for i in range(n):
        for j in range(n):
            total = total + np.sum(np.sum(x * i, keepdims=flag) * x) * j
    return total


def on_a_path_of_a_branch(x, a, n):
    functions, k, total = [np.sin, np.cos, np.exp], int(a[0]), 0.0
    for i in range(n):
        if x[i % 4] > 0.5:
            total = total + np.sum(functions[k](x * i))
    return total


def written_in_the_loop(x, a, n):
    total, a = 0.0, a.copy()
    flag = bool(a[0] > 1)
    for i in range(n):
        total = total + np.sum(np.sum(x * i, keepdims=flag) * x)
        a[0] = 0.0
        flag = bool(a[0] > 1)
    return total


def axis_computed_in_the_loop(x, a, n):
    total = 0.0
    for i in range(n):
        for j in range(n):
            total = total + np.sum(np.sum(np.outer(x, x * i), axis=int(a[0] > 1)) * x) * j
    return total


def shape_computed_in_the_loop(x, a, n):
    total = 0.0
    for i in range(n):
        k = int(a[0] * 1.0) + 1
        total = total + np.sum(np.sum(x.reshape(k, -1), axis=0) ** 2) * i
    return total


def axis_computed_on_a_path_in_the_loop(x, a, n):
    total = 0.0
    for i in range(n):
        if x[i % 4] > 0.5:
            total = total + np.sum(np.sum(np.outer(x, x * i), axis=int(a[0] > 1)) * x)
    return total


def branch_decided_in_the_loop(x, a, n):
    total = 0.0
    for i in range(n):
        y = np.outer(x, x) if np.sum(a) > 2 else x
        total = total + np.sum(np.sin(y.reshape(-1)) * i)
    return total


X = np.linspace(0.1, 1.2, 6)
COMPUTED_IN_IT = [
    axis_computed_in_the_loop,
    shape_computed_in_the_loop,
    axis_computed_on_a_path_in_the_loop,
    branch_decided_in_the_loop,
]
STAY = [option, element_of_a_list, shape, in_a_while, in_nested_loops, on_a_path_of_a_branch]
STAY += COMPUTED_IN_IT


@pytest.mark.parametrize("f", [*STAY, written_in_the_loop], ids=lambda f: f.__name__)
def test_values_and_gradients(f):
    compiled, gradient = gs.compile(f), gs.grad(f)
    for first, n in ((2.0, 6), (1.0, 6), (0.0, 7), (2.0, 0)):
        a = np.array([first, 0.5])
        np.testing.assert_array_max_ulp(compiled(X, a, n), f(X, a, n), 4)
        if not n:  # nothing depends on x, which is a warning
            continue
        steps = 1e-6 * np.eye(len(X))
        slopes = [(f(X + h, a, n) - f(X - h, a, n)) / 2e-6 for h in steps]
        np.testing.assert_allclose(gradient(X, a, n), slopes, rtol=1e-5, atol=1e-6)


@each("f", STAY, ids=lambda f: f.__name__)
def test_the_loop_stays_one_and_is_checked_before(f):
    compiled, a = gs.compile(f), np.array([2.0, 0.5])
    text = compiled.source(X, a, 6)
    assert text == compiled.source(X, a, 7)
    (body,) = [s.body for s in ast.parse(text).body if isinstance(s, ast.FunctionDef)]
    raising = [i for i, s in enumerate(body) if any(isinstance(n, ast.Raise) for n in ast.walk(s))]
    loops = [i for i, s in enumerate(body) if isinstance(s, (ast.For, ast.While))]
    assert raising
    assert max(raising) < min(loops)


def test_an_error_is_not_raised_before_the_loop():
    compiled = gs.compile(shape_computed_in_the_loop)
    compiled(X, np.array([2.0, 0.5]), 6)
    assert compiled(X, np.array([np.nan, 0.5]), 0) == 0.0
    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        compiled(X, np.array([np.nan, 0.5]), 6)
