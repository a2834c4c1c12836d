"""Arrays that a loop fills with one number are made at once."""

from __future__ import annotations

import re

import numpy as np

import gradsmith as gs
from helpers import each


def of_elements(x):
    return sum([+v for v in x])


def of_rows(x):
    return sum(float(np.sum(row)) for row in x)


def of_multiples(x):
    total = 0.0
    for i in range(len(x)):
        total += 2.5 * x[i]
    return total


def from_the_second_on(x):
    total = 0.0
    for i in range(1, len(x)):
        total += 2.5 * x[i]
    return total


def of_some(x):
    total = 0.0
    for i in range(len(x)):
        if i > 1:
            total += x[i]
    return total


def until_a_large_one(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        if x[i] > 0.9:
            break
    return total


def of_differences(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] - x[-1]
    return total


VECTOR = np.array([0.1, 0.2, 0.95, 0.4])
CASES = [
    (of_elements, VECTOR, [1, 1, 1, 1], "np.ones(x.shape)"),
    (of_rows, np.ones((2, 3)), np.ones((2, 3)), "np.ones(x.shape)"),
    (of_multiples, VECTOR, [2.5] * 4, "np.full(x.shape, 2.5)"),
    (of_multiples, VECTOR.astype(np.float32), [2.5] * 4, "np.full(x.shape, 2.5"),
    (from_the_second_on, VECTOR, [0, 2.5, 2.5, 2.5], None),
    (of_some, VECTOR, [0, 0, 1, 1], None),
    (until_a_large_one, VECTOR, [1, 1, 1, 0], None),
    (of_differences, VECTOR, [1, 1, 1, -3], None),
]


@each(("f", "x", "expected", "written"), CASES)
def test_what_a_loop_fills(f, x, expected, written):
    gradient = gs.grad(f)
    found = gradient(x)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == x.dtype
    if written is not None:
        assert written in gradient.source(x)
        assert not re.search(r"^\s*for ", gradient.source(x), re.MULTILINE)
