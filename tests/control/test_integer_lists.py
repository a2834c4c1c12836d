"""Lists of Python's integers that loops store into, or append to and read.

The loops stay loops, and the integers are Python's own, of any size. Each program runs at three
arguments through one compiled object and is compared with Python; its gradient is compared with
differences; the length of its source must not depend on that of the data.
"""
# ruff: noqa: PERF401  appending is what is tested

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs

SETS = [[0.5, 1.2, 2.1, 0.3, 3.1], [1.5, 0.2, 2.1, 2.3, 3.2, 0.4, 4.4], [1.5, 0.2, 0.7]]


def counts(x):
    count = [0] * len(x)
    for v in x:
        if v > 0.25:
            count[int(v) % len(x)] += 1
    return sum(c * v for c, v in zip(count, x, strict=True)), max(count), min(count)


def stored_on_one_path(x):
    places = [-1] * len(x)
    for i in range(len(x)):
        if x[i] > 1 and places[i] < 0:
            places[i] = i
    return sum(1 for k in places if k >= 0) * x[0], places[0], places[-1] // 2, places[1] / 4


def in_a_function(x):
    found = [0] * len(x)

    def put(i):
        found[i] += i

    for i in range(len(x)):
        if x[i] > 1:
            put(i)
    return sum(found) * x[0]


def by_two_names(x):
    first = [0] * len(x)
    second = first
    for i in range(len(x)):
        if x[i] > 1:
            first[i] = i + 1
    return second[1] * x[0] + sum(second), second is first


def exchanged(x):
    order = [0] * len(x)
    for i in range(len(x)):
        order[i] = i
    for i in range(len(x) - 1):
        if x[order[i]] > x[order[i + 1]]:
            order[i], order[i + 1] = order[i + 1], order[i]
    return sum(x[order[i]] * i for i in range(len(x)))


def longest_increasing(x):
    best = [1] * len(x)
    for i in range(len(x)):
        for j in range(i):
            if x[j] < x[i] and best[j] + 1 > best[i]:
                best[i] = best[j] + 1
    return max(best) * x[0]


def shortest_path(x):
    before, cost = [-1] * len(x), [0.0] * len(x)
    for i in range(1, len(x)):
        for j in range(i):
            c = cost[j] + (x[i] - x[j]) ** 2
            if before[i] < 0 or c < cost[i]:
                cost[i] = c
                before[i] = j
    k, total = len(x) - 1, 0.0
    while k > 0:
        total = total + x[k] * k
        k = before[k]
    return cost[-1] + total


def table(x):
    n = len(x)
    d = [[0] * (n + 1) for _ in range(n + 1)]
    for i in range(n):
        for j in range(n):
            if x[i] > 1 and x[j] > 1:
                d[i + 1][j + 1] = d[i][j] + 1
            else:
                d[i + 1][j + 1] = max(d[i][j + 1], d[i + 1][j])
    return d[n][n] * x[0]


def as_indices(x):
    n = len(x)
    places = [0] * n
    for i in range(n):
        if x[i] > 1:
            places[i] = n - 1 - i
    return np.sum(x[places] * x)


def as_an_array(x):
    numbers = [1] * len(x)
    for i in range(len(x)):
        if x[i] > 1:
            numbers[i] = i * 2
    made = np.array(numbers)
    return np.sum(made * x) + np.mean(numbers), made.dtype == np.int64, np.max(numbers)


def in_the_gradient(x):
    powers, total = [1] * len(x), 0.0
    for i in range(1, len(x)):
        if x[i] > 1:
            powers[i] = powers[i - 1] + 1
        total = total + np.sin(x[i]) * powers[i] ** 2 + x[i] ** powers[i]
    return total


def beyond_64_bits(x):
    numbers = [1] * len(x)
    for i in range(1, len(x)):
        numbers[i] = numbers[i - 1] * 10**12 + (7 if x[i] > 1 else 3)
    return x[0] * 2, numbers[-1], numbers[1]


def full_from_the_beginning(x):
    numbers = [2**63 - 1] * len(x)
    for i in range(len(x)):
        if x[i] > 1:
            numbers[i] += 1
    return x[0] * 2, numbers[0], numbers[2]


def appended(x):
    f = [1, 2**70]
    for i in range(2, len(x) + 20):
        f.append(f[i - 1] + f[i - 2] * (3 if x[i % len(x)] > 1 else 1))
    return x[0] * 2, f[-1], f[2]


def appended_in_branches(x):
    f = [2**62]
    for v in x:
        if v > 1:
            f.append(f[-1] * 2)
    return x[0] * len(f), f[-1]


def appended_by_a_while(x):
    f, k = [1], x[0]
    while k < 50:
        k = k * 2 + 1
        f.append(f[-1] * 10**7 + 1)
    return k, f[-1], f[len(f) // 2]


def in_tuples(x):
    f = [(0, 1.0, 1)]
    for v in x:
        k, product, n = f[-1]
        f.append((k + (1 if v > 1 else 3), product * v, n * 10**15))
    return f[-1][0] * f[-1][1], f[-1][2]


def powers_and_shifts(x):
    powers, shifts, bits = [], [], [0] * len(x)
    for i in range(len(x)):
        powers.append(10**i)
        shifts.append((1 << i) | 1)
        bits[i] = i ^ 2
    return x[0] * powers[-1], powers[-1], shifts[-1], sum(shifts), bits[1], max(bits)


ROLLED = [counts, stored_on_one_path, in_a_function, by_two_names, exchanged, longest_increasing]
ROLLED += [shortest_path, table, as_indices, as_an_array, in_the_gradient, beyond_64_bits]
ROLLED += [full_from_the_beginning, appended, appended_in_branches, appended_by_a_while, in_tuples]
ROLLED += [powers_and_shifts]


# -- what asks for separate elements


def returned(x):
    places = [0] * len(x)
    for i in range(len(x)):
        if x[i] > 1:
            places[i] = i
    return x[0] * 2, places


def with_a_float(x):
    numbers = [1] * len(x)
    for i in range(len(x)):
        if x[i] > 1:
            numbers[i] = x[i]
    return sum(numbers)


def beside_floats(x):
    numbers = [0]
    for v in x:
        numbers.append(v * 2)
    return np.sum(np.array(numbers)), numbers[0]


def searched(x):
    places = [0] * len(x)
    for i in range(len(x)):
        if x[i] > 1:
            places[i] = i
    return x[0] if 2 in places else x[1]


def _first(result):
    return result[0] if isinstance(result, tuple) else result


@pytest.mark.filterwarnings("ignore::gradsmith.GradsmithWarning")
@pytest.mark.parametrize("function", [*ROLLED, returned, with_a_float, beside_floats, searched])
def test_a_list_of_integers(function):
    compiled, gradient = gs.compile(function), gs.grad(lambda x: _first(function(x)))
    for numbers in [*SETS, SETS[0]]:
        x = np.array(numbers)
        assert repr(compiled(x)) == repr(function(x))
        steps = 1e-6 * np.eye(len(x))
        ends = [[_first(function(x + sign * step)) for step in steps] for sign in (1, -1)]
        expected = (np.array(ends[0]) - np.array(ends[1])) / 2e-6
        np.testing.assert_allclose(gradient(x), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("function", ROLLED)
def test_the_source_is_as_long_for_any_length(function):
    compiled = gs.compile(function)
    few, many = (compiled.source(np.linspace(0.3, 4.4, n)).count("\n") for n in (6, 15))
    assert few == many
