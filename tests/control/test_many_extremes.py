"""Sums of many minima, maxima and absolute values of integers: their order is asked case by case
only where there are few, so that such programs are compiled in no time.
"""

from __future__ import annotations

import itertools

import pytest

from control.one_object import check_calls


def annealed(values, steps):
    best = current = list(values)

    def roughness(p):
        return sum(abs(a - b) for a, b in itertools.pairwise(p))

    state = 3
    for k in range(steps):
        state = (state * 75 + 74) % 65537
        i, j = state % len(current), (state // 7) % len(current)
        new = current[:]
        new[i], new[j] = new[j], new[i]
        if roughness(new) <= roughness(current) + 1 / (k + 1):
            current = new
        if roughness(current) < roughness(best):
            best = current
    return roughness(best), best is values, best


def widest(values, steps):
    spread = 0
    for k in range(steps):
        low = sum(min(v, k) for v in values)
        high = sum(max(v, k) for v in values)
        spread = max(spread, high - low)
    return spread


@pytest.mark.parametrize("function", [annealed, widest])
def test_many_extremes(function):
    check_calls(function, ([4, 2, 9, 1, 7], 20), ([3.0, 1.0, 2.0, 5.0], 10), ([1], 3))
