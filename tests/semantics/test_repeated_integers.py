"""Integers that an array repeats are its own: they wrap around, unlike Python's."""

from __future__ import annotations

import numpy as np
import pytest

from control.one_object import check_calls

LARGE = 2**62


def multiplied(n):
    a = np.full(3, LARGE)
    a *= n
    b = np.full(2, LARGE, dtype=np.int64)
    return a, b * n, np.broadcast_to(LARGE, (2,)) * n, np.full_like(np.zeros(2, int), LARGE) * n


def by_constants(n):
    a = np.full(3, LARGE)
    a *= 2
    b = np.full(2, n) * LARGE
    return a, b * n, np.full(2, 1099511628211) * 1099511628211, a + a + a, -a * 2, a**2


def narrow(n):
    a = np.full(3, 200, np.uint8)
    a += 100
    return (
        a,
        np.full(2, 100, np.int8) + np.full(2, 100, np.int8),
        a * n,
        np.ones(2, int) * LARGE * 4,
    )


def in_a_loop(n):
    a = np.full(3, LARGE)
    for _ in range(3):
        a += LARGE
    return a, np.full((), LARGE) * 4, np.full(2, n * 2**60) * n


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", [multiplied, by_constants, narrow, in_a_loop])
def test_wrap_around(function):
    check_calls(function, (3,), (2,), (1,), (7,))
