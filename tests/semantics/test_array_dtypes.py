"""Arrays whose dtype depends on the path: what is written to one of integers is cast."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.test_found import check

CALLS = ([1.2, 2.2], [-1.3, 2.4, 0.3], [6.1, 2.0, 9.5], [0.5], [1.3, 2.3])


def _chosen(x):
    z = np.zeros(len(x), dtype=int) if x[0] > 0 else x * 1
    z[0] = 2.7
    return z.sum() * x[0]


def _a_mask_or_indices(x):
    z = x > 5 if x[0] > 0 else np.arange(len(x))
    return np.sum(x[z]) * x[-1]


def _of_single_precision(x):
    z = x.astype(np.float32) if x[0] > 0.7 else x
    return float((z * 0.1).sum())


def _changed_in_a_loop(x):
    z = np.zeros(len(x), dtype=int)
    for i, v in enumerate(x):
        if v > 1:
            z = z / 2
        z[i] = v
    return z.sum() + x[0]


def _changed_by_the_first_iteration(x):
    z = np.zeros(3, dtype=bool)
    for v in x:
        z = z | (v > np.arange(3))
        if v > 1:
            z = z * 1
    return np.sum(z) * x[0]


def _in_a_dict(x):
    held = {"a": np.ones(2, dtype=np.float32)}
    if x[0] > 0.7:
        held["a"] = held["a"] * np.abs(x)[0]
    return np.sum(held["a"] / 3)


@pytest.mark.parametrize(
    "function",
    [
        *(_chosen, _a_mask_or_indices, _of_single_precision, _changed_in_a_loop),
        *(_changed_by_the_first_iteration, _in_a_dict),
    ],
)
def test_dtypes_of_arrays(function):
    compiled = gs.compile(function)
    for x in map(np.array, CALLS):
        found, expected = compiled(x.copy()), function(x.copy())
        assert (type(found), repr(found)) == (type(expected), repr(expected))
        if function is not _of_single_precision:
            check(function, x)


def test_a_total_that_becomes_floating_stays_a_loop():
    def function(x):
        total = np.zeros(2, dtype=int)
        for v in x:
            total = total + v
        return total

    sources = {gs.compile(function).source(np.ones(n)) for n in (5, 30)}
    assert len(sources) == 1
