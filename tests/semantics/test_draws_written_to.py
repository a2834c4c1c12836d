"""Arrays that a call makes and the function writes to: a call may run a function twice, and the
second run must find them as they were.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from control.one_object import check_calls


def added_to(x, n):
    rng = np.random.default_rng(n)
    a = rng.random(3)
    a += x
    if rng.random() < 0.5:
        return a, 1, 2
    return a, 1


def multiplied(x, n):
    rng = np.random.default_rng(n)
    a = rng.random(3) * x
    b = rng.random() * x
    if rng.random() < 0.5:
        return a, b
    return a, b, 1


def several_results(x, n):
    rng = np.random.RandomState(n)
    a, p = rng.normal(size=3), rng.permutation(4) * 2
    a *= x
    p += 1
    q, r = np.linalg.qr(np.outer(a, a) + np.eye(3))
    q *= x
    if random.Random(n).random() < 0.5:
        return a, p, q
    return a, p, q, r


def global_state(x, n):
    np.random.seed(n)
    a = np.random.rand(4)
    a[0] = x
    a.sort()
    if np.random.rand() < 0.5:
        return a, 1
    return a


@pytest.mark.parametrize("function", [added_to, multiplied, several_results, global_state])
def test_each_run_has_its_own(function):
    check_calls(function, *((1.5 + n / 2, n) for n in range(1, 9)))
