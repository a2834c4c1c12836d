"""Lists of positions that are empty in a call: to NumPy they are indices, and there are none."""

# ruff: noqa: PERF401  (loops as users write them)

from __future__ import annotations

import copy

import numpy as np
import pytest

import gradsmith as gs


def by_a_condition(x, k):
    return x[[i for i in range(len(x)) if x[i] > k]].sum()


def stored(x, k):
    places = []
    for i in range(len(x)):
        if x[i] > k:
            places.append(i)
    x[places] = 0
    return x


def sorted_first(x, k):
    return x[list(np.argsort(x)[: int(k)])]


def from_arrays(x, k):
    return x[np.flatnonzero(x > k).tolist()], x[[int(j) for j in np.flatnonzero(x > k)]]


def of_ranges(x, k):
    return range(len(x) + 2)[np.argmax(x[:1])], range(3, 20, 2)[np.int64(int(k) % 3)]


@pytest.mark.parametrize(
    "function", [by_a_condition, stored, sorted_first, from_arrays, of_ranges]
)
def test_values(function):
    calls = [(np.array([1.0, 2.0]), 0.0), (np.array([1.0, 2.0]), 5.0), (np.array([3.0, 1.0]), 1.0)]
    for order in (calls, calls[::-1]):
        compiled = gs.compile(function)
        for args in order:
            left, given = copy.deepcopy(args), copy.deepcopy(args)
            assert repr(compiled(*given)) == repr(function(*left))
            np.testing.assert_array_equal(given[0], left[0])
