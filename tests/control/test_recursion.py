"""Recursion that traced values end: a few levels stay branches, beyond the present ones decide."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.errors import UnsupportedError
from gradsmith.frontend import recursion

pytestmark = pytest.mark.filterwarnings("ignore::gradsmith.SpecialisationWarning")


def _refined(f, a, b, whole, tolerance):
    middle = (a + b) / 2
    left, right = (middle - a) * f((a + middle) / 2), (b - middle) * f((middle + b) / 2)
    if abs(left + right - whole) < tolerance:
        return left + right
    return _refined(f, a, middle, left, tolerance / 2) + _refined(
        f, middle, b, right, tolerance / 2
    )


def adaptive_integral(k, tolerance):
    return _refined(lambda t: np.exp(-k * t * t), 0.0, 2.0, 0.0, tolerance)


def _sorted(values):
    if len(values) <= 1:
        return values
    pivot, low, high = values[0], [], []
    for v in values[1:]:
        if v < pivot:
            low.append(v)
        else:
            high.append(v)
    return [*_sorted(low), pivot, *_sorted(high)]


def sorted_list(x, scale):
    return sum((i + 1.0) * v for i, v in enumerate(_sorted(list(x * scale))))


def _walked(x, k, depth):
    if x[k] < 0 or depth > 6:
        return x[k]
    return x[k] + 0.5 * _walked(x, 2 * k % 9, depth + 1) + _walked(x, (2 * k + 1) % 9, depth + 1)


def walk_with_two_calls(x, scale):
    return _walked(x * scale, 1, 0)


def _power(x, n):
    if n == 0:
        return 1.0
    half = _power(x, n // 2)
    return half * half * x if n % 2 else half * half


def power_by_halves(x, n):
    return _power(x, int(n))


def _bisected(f, a, b):
    middle = 0.5 * (a + b)
    if b - a < 1e-6:
        return middle + f(middle)
    return _bisected(f, a, middle) if f(a) * f(middle) <= 0 else _bisected(f, middle, b)


def bisection(c, high):
    return _bisected(lambda t: t**3 - c, 0.0, high)


def _sort_between(y, low, high):
    while low < high:
        place = low
        for j in range(low, high):
            if y[j] < y[high]:
                y[place], y[j] = y[j], y[place]
                place += 1
        y[place], y[high] = y[high], y[place]
        _sort_between(y, low, place - 1)
        low = place + 1


def sorted_in_place(x, c):
    """It calls itself in a ``while`` loop only, which the numbers end."""
    y = x.tolist()
    _sort_between(y, 0, len(y) - 1)
    return sum(y[j] * c**j for j in range(len(y)))


X = np.array([0.3, -1.2, 0.8, 2.0, -0.5, 0.1, 1.1, -0.7, 0.6])
CASES = {
    adaptive_integral: [(1.0, 1e-3), (3.0, 1e-4), (1.0, 1e-3)],
    sorted_list: [(X, 1.0), (X[::-1].copy(), 2.0), (X, -1.0)],
    walk_with_two_calls: [(X, 1.0), (np.abs(X), 0.5), (-X, 1.0)],
    power_by_halves: [(1.1, 37.0), (0.9, 8.0), (2.0, 1.0)],
    bisection: [(2.0, 3.0), (5.0, 2.0)],
    sorted_in_place: [(X[:5], 1.5), (X[4:], 0.5)],
}


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_recursion_is_specialised_on_what_ends_it(f):
    compiled, both = gs.compile(f), gs.value_and_grad(f)
    for first, second in CASES[f]:
        expected = f(first, second)
        assert compiled(first, second) == expected
        value, gradient = both(first, second)
        assert value == expected
        steps = 1e-6 * np.eye(np.size(first)).reshape(-1, *np.shape(first))
        slopes = [(f(first + h, second) - f(first - h, second)) / 2e-6 for h in steps]
        np.testing.assert_allclose(np.ravel(gradient), slopes, rtol=1e-5, atol=1e-6)


def _root(x, a, steps):
    if steps == 0 or abs(x * x - a) < 1e-9:
        return x
    return _root(0.5 * (x + a / x), a, steps - 1)


def test_a_few_levels_stay_branches():
    gradient = gs.grad(lambda a: _root(1.0, a, 10))
    assert gradient.source(1.5) == gradient.source(90.0)
    assert "SpecialisationError" not in gradient.source(1.5)
    np.testing.assert_allclose(gradient(2.0), 0.5 / np.sqrt(2.0))


def test_loops_in_a_recursion_without_end_are_not_all_tried(monkeypatch):
    """What comes too deep once mostly does so again, whichever way the loops are traced."""
    calls, check = [], recursion._check_ends
    monkeypatch.setattr(recursion, "_check_ends", lambda *a: calls.append(a) or check(*a))
    gs.compile(sorted_in_place)(X[:5], 1.5)
    assert len(calls) < 60  # 111 where each loop was tried in each way


def test_many_decisions_are_refused():
    with pytest.raises(UnsupportedError, match=r"recursion of _refined\(\) goes on, more than"):
        gs.compile(adaptive_integral)(1.0, 1e-9)


def _scaled(x, n):
    return x if n == 0 else 1.01 * _scaled(x, n - 1)


def test_deep_recursion_is_refused():
    with pytest.raises(UnsupportedError, match=r"recursion of _scaled\(\) is too deep"):
        gs.compile(lambda x: _scaled(x, 500))(1.0)


def _tested(x, depth):
    total = x
    for _ in range(3):
        if total > depth:
            total = total * 0.5 + _tested(x * 0.5, depth)
    return total


def test_recursion_within_a_loop_ends():
    check = gs.compile(_tested)
    for x in (3.0, 0.5, 7.0):
        assert check(x, 1.0) == _tested(x, 1.0)
