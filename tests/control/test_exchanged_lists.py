"""Lists that the iterations of a loop exchange are the lists that they are, in either order of the
names, whatever made them.
"""

from __future__ import annotations

import numpy as np

import gradsmith as gs
from helpers import each


def of_zeros(x, k):
    b, a = [0.0] * len(x), [0.0] * len(x)
    for _ in range(k):
        a[1] = x[1]
        b, a = a, b
    return b


def of_zeros_the_other_way(x, k):
    a, b = [0.0] * len(x), [0.0] * len(x)
    for _ in range(k):
        b[1] = x[1]
        a, b = b, a
    return a


def recurrence(x, k):
    prev, cur = [0.0] * len(x), [0.0] * len(x)
    for _ in range(k):
        for j in range(1, len(x)):
            cur[j] = prev[j - 1] + x[j]
        prev, cur = cur, prev
    return prev


def of_arguments(x, k):
    b, a = list(x), list(x)
    for _ in range(k):
        a[1] = b[0] * 2
        b, a = a, b
    return a + b


def three(x, k):
    c, b, a = list(x), [v * 2 for v in x], list(x)
    for _ in range(k):
        a[1] = b[0] * 2 + c[1]
        b, c, a = c, a, b
    return a + b + c


def with_another_name(x, k):
    b, a = list(x), [v * 2 for v in x]
    first = b
    for _ in range(k):
        a[0] += x[1]
        b, a = a, b
    return [*first, float(len(first))]


def in_branches(x, k):
    b, a = list(x), [v * 2 for v in x]
    for i in range(k):
        if x[i] > 2:
            b, a = a, b
        a[0] += x[i]
    return a + b


FUNCTIONS = [
    of_zeros,
    of_zeros_the_other_way,
    recurrence,
    of_arguments,
    three,
    with_another_name,
    in_branches,
]


@each("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_value_and_gradient(function):
    def weighted(x, k):
        return sum(v * (i + 1) for i, v in enumerate(function(x, k)))

    compiled, gradient = gs.compile(function), gs.grad(weighted)
    for values, k in (([5.0, 1.0, 1.5], 2), ([1.0, 3.0, 2.5, 0.5], 3), ([1.0, 4.0], 1)):
        x = np.array(values)
        assert compiled(x, k) == function(x, k)
        steps = 1e-6 * np.eye(len(x))
        differences = [(weighted(x + h, k) - weighted(x - h, k)) / 2e-6 for h in steps]
        np.testing.assert_allclose(gradient(x, k), differences, rtol=1e-6, atol=1e-7)


def test_the_length_of_a_chosen_list():
    def function(x):
        a, b = list(x), [v * 2 for v in x]
        c = a if x[0] > 2 else b
        c[1] = 7.0
        return len(a), len(b), sum(a), sum(b)

    compiled = gs.compile(function)
    for values in ([5.0, 1.0, 1.0], [1.0, 5.0, 2.0, 3.0]):
        assert compiled(np.array(values)) == function(np.array(values))
