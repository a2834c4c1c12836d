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


# -- integers that are arguments ------------------------------------------------------------------


def until_it_repeats(n, m):
    seen, a, b = set(), n % 7, m % 7
    while (a, b) not in seen:
        seen.add((a, b))
        a, b = (a + b) % 7, (a * b + 1) % 7
    return len(seen), a, b


def until_it_is_three(n, m):
    a, b, c = n, n + 1, 0
    while a != 3 and c < m:
        c += 1
        a, b = (a + b) % 7, (a * b + 1) % 7
    return c, a, b


def squares_of_an_argument(n, m):
    for i in range(12):
        n = (n * n + m + i) % 1009
    return n, n > m, n / 3, np.zeros(n % 5 + 1)


OF_ARGUMENTS = [until_it_repeats, until_it_is_three, squares_of_an_argument]


@pytest.mark.parametrize("function", OF_ARGUMENTS)
def test_numbers_of_arguments_are_pythons(function):
    compiled = gs.compile(function)
    for n, m in ((3, 10), (7, 14), (12, 9), (-5, 3), (3, 10)):
        assert repr(compiled(n, m)) == repr(function(n, m))


def repeated(n, m):
    a, b = n, n + 1
    for _ in range(m):
        a, b = (a + b) % 7, (a * b + 1) % 7
        if a == 9:
            break
    return a, b


def test_conditions_on_numbers_of_arguments_stay_short():
    few, many = (gs.compile(repeated) for _ in range(2))
    assert few(3, 20) == repeated(3, 20)
    assert many(3, 40) == repeated(3, 40)
    assert len(many.source(3, 40)) < 3 * len(few.source(3, 20))


def halved(n):
    steps = 0
    while n > 1:
        n, steps = n - n // 2, steps + 1
    return steps


def leaves_of_halves(n):
    return 1 if n < 2 else leaves_of_halves(n // 2) + leaves_of_halves(n - n // 2)


def means_of_halves(n):
    steps = []
    while n > 1:
        n = (n + n // 2) // 2
        steps.append(n)
    return steps


def work_list(n):
    work, done = [n], []
    while work:
        k = work.pop()
        done.append(k)
        if k > 1:
            work += [k // 2, k - k // 2 - 1]
    return done


def bisected(n):
    low, high, seen = 0, n, []
    while low < high:
        middle = (low + high) // 2
        seen.append(middle)
        low, high = (middle + 1, high) if middle * middle < n else (low, middle)
    return low, seen


def clock(n):
    hour, minute, times = 3, 5, []
    for _ in range(4):
        minute += n
        hour, minute = (hour + minute // 60) % 24, minute % 60
        times.append((hour, minute))
    return times


@pytest.mark.parametrize(
    "function", [halved, leaves_of_halves, means_of_halves, work_list, bisected, clock]
)
def test_quotients_of_quotients(function):
    """What is known of a size is searched for only so long."""
    compiled = gs.compile(function)
    for n in (17, 40, 5, 63):
        assert compiled(n) == function(n)
