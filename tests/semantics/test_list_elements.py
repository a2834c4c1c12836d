"""Elements of lists are objects: what writes to one is seen by all who hold it, and by no others.

The compiler may keep such a list as arrays with the elements as rows only where nobody can tell.
"""

from __future__ import annotations

import linecache
import sys
import types
import warnings

import numpy as np
import pytest

import gradsmith as gs
from helpers import each, spread
from semantics.list_elements import pieces, program

PIECES = pieces()
PLACES = ("straight", "loop", "helper")
STEP = 1e-6
CALLS = ((1.25, 5), (1.75, 7), (0.5, 5))
"""Through one compiled object."""


def loaded(text, name):
    """The function ``f`` of a module with this text."""
    file = f"<list elements {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType(f"list_elements_{name}")
    sys.modules[module.__name__] = module  # dataclasses look there
    exec(compile(text, file, "exec"), module.__dict__)
    return module.f


def check(function):
    """The value to the bit, and the gradient against differences."""
    compiled = gs.value_and_grad(function)
    for x, n in CALLS:
        value, gradient = compiled(x, n)
        slope = (function(x + STEP, n) - function(x - STEP, n)) / (2 * STEP)
        assert float(value) == float(function(x, n)), (x, n)
        assert np.isclose(gradient, slope, rtol=1e-5, atol=1e-6), (x, n, gradient, slope)


@pytest.mark.parametrize(("name", "place"), spread(3, PIECES, PLACES))
def test_elements_are_objects(name, place):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.GradsmithWarning)
        check(loaded(program(PIECES[name], place), f"{name}_{place}"))


# -- lists that stay arrays


def common_subsequence(x, n):
    t = [[0.0] * (n + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            if (i * j) % 3 == 0:
                t[i][j] = t[i - 1][j - 1] + x
            else:
                t[i][j] = max(t[i - 1][j], t[i][j - 1])
    return t[n][n]


def time_warping(x, n):
    a, b = np.sin(np.arange(n) * x), np.cos(np.arange(n) * x)
    d = [[float("inf")] * (n + 1) for _ in range(n + 1)]
    d[0][0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            cost = abs(a[i - 1] - b[j - 1])
            d[i][j] = cost + min(d[i - 1][j], d[i][j - 1], d[i - 1][j - 1])
    return d[n][n]


def shortest_paths(x, n):
    d = [[x * ((i * 7 + j * 3) % 5 + 1.0) for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i][j] = min(d[i][j], d[i][k] + d[k][j])
    return sum(sum(r) for r in d)


def elimination(x, n):
    m = [[x * (i == j) * 4.0 + 1.0 / (1 + i + j) for j in range(n)] for i in range(n)]
    b = [x * i for i in range(n)]
    for k in range(n):
        for i in range(k + 1, n):
            factor = m[i][k] / m[k][k]
            for j in range(k, n):
                m[i][j] -= factor * m[k][j]
            b[i] -= factor * b[k]
    s = [0.0] * n
    for i in range(n - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, n):
            total -= m[i][j] * s[j]
        s[i] = total / m[i][i]
    return sum(s)


def knapsack(x, n):
    best = [0.0] * (n + 1)
    for k in range(1, 4):
        for c in range(n, k - 1, -1):
            value = best[c - k] + x * k
            best[c] = max(best[c], value)
    return best[n]


def rows_by_name(x, n):
    t = [[x] * n for _ in range(n)]
    for i in range(1, n):
        before, row = t[i - 1], t[i]
        for j in range(n):
            row[j] = before[j] * 0.5 + j
    return t[n - 1][1] + sum(t[1])


TABLES = (common_subsequence, time_warping, shortest_paths, elimination, knapsack, rows_by_name)


@pytest.mark.parametrize("function", TABLES)
def test_tables_are_arrays_of_any_size(function):
    check(function)
    gradient = gs.grad(function)
    assert gradient.source(1.25, 5) == gradient.source(1.75, 9)


def test_an_empty_list_is_false():
    def function(x, n):
        t = [x * i for i in range(n)]
        first = x if t else 2.0 * x
        second = 3.0 * x if not t else x
        while t:
            first += 1.0
            break
        return first + second + sum(t or [5.0 * x]) + x * bool(t)

    compiled = gs.value_and_grad(function)
    for x, n in ((1.25, 5), (1.5, 0), (1.5, 1), (0.5, 7), (0.25, 0)):
        value, gradient = compiled(x, n)
        slope = (function(x + STEP, n) - function(x - STEP, n)) / (2 * STEP)
        assert (float(value), round(gradient, 6)) == (function(x, n), round(slope, 6)), (x, n)


def _written_out_beside(x):
    doubled = [v * 2 for v in x]
    groups = [[] for _ in doubled]
    for v in x:
        groups[int(v > 0)].append(v)
    return [sum(group) for group in groups]


def _numbers_beside(x):
    doubled = [v * 2 for v in x]
    bins = [0.0 for _ in doubled]
    bins[int(x[0] > 0)] += x[1]
    return sum(bins) * len(bins)


def _a_generator_beside(x):
    doubled = [v * 2 for v in x]
    ones = (1.0 for _ in doubled)
    return next(ones) + sum(ones) * x[0]


def _a_generator_function_beside(x):
    doubled = [v * 2 for v in x]

    def ones():
        for _ in doubled:
            yield 1.0
        yield from doubled

    return sum(1 for _ in ones()) * x[0] + len({k for k in range(3) for _ in doubled})


@each(
    "function",
    [_written_out_beside, _numbers_beside, _a_generator_beside, _a_generator_function_beside],
)
def test_elements_that_nobody_reads_are_counted(function):
    """A list that a loop has made holds one thing that stands for all."""
    compiled = gs.compile(function)
    for values in ([-2.0, 0.5, 3.0, 1.0], [0.5, -1.5, 2.0], [1.0, 1.5, -0.5, 2.0, -1.0]):
        assert compiled(np.array(values)) == function(np.array(values))
