"""Errors of values that nothing reads: Python raises them, and so does the compiled code."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of


def element_of_selected(x):
    y = x[x > 5]
    y[0]
    return x[0] * x[1]


def element_in_loop(x):
    y = x[x > 5]
    for _ in range(len(x)):
        s = y[-1] * 0.5  # noqa: F841
    return x[0] * x[1]


def at_integer_of_data(x):
    x[int(x[2])]
    return x[0] * x[1]


def at_integers_of_data(x):
    x[x.astype(int)]
    return x[0] * x[1]


def in_called_function(x):
    def read(i):
        return x[int(i)]

    read(x[2])
    return x[0] * x[1]


def on_one_path(x):
    if x[0] > 0.5:
        z = x[int(x[2])]  # noqa: F841
    return x[0] * x[1]


def on_one_path_by_itself(x):
    if x[0] > 0.5:
        x[int(x[2])]
    return x[0] * x[1]


def read_on_one_path(x):
    z = x[int(x[2])]
    return x[0] * x[1] if x[0] > 0.5 else z


def in_comprehension(x):
    r = [x[int(v)] for v in x]  # noqa: F841
    return x[0] * x[1]


def condition_of_loop(x):
    i = 0
    while x[i] < 5:
        i += 1 + int(x[2]) // 7
    return x[0] * x[1]


def store(x):
    y = np.zeros(3)
    y[int(x[2])] = 5.0
    return x[0] * x[1]


def stores_in_loop(x):
    counts = np.zeros(3)
    for v in x:
        counts[int(v)] += 1
    return x[0] * x[1]


def stores_into_list(x):
    counts = [0, 0, 0]
    for v in x:
        counts[int(v)] += 1
    return x[0] * x[1]


def added_at(x):
    counts = np.zeros(3)
    np.add.at(counts, x.astype(int), 1)
    return x[0] * x[1]


def integer_of_infinity(x):
    int(np.where(x[2] > 5, np.inf, 1.0))
    return x[0] * x[1]


def root_in_loop(x):
    for v in x:
        r = math.sqrt(5 - float(v))  # noqa: F841
    return x[0] * x[1]


def quotient(x):
    1.0 / (float(x[2]) - 7)
    return x[0] * x[1]


def largest_of_none(x):
    x[x < x[2] - 6.5].min()
    return x[0] * x[1]


def unequal_lengths(x):
    x[x > 5] + x[x < 1.75]
    return x[0] * x[1]


def integer_quotient(x):
    7 // int(x[2] - 7)
    return x[0] * x[1]


def remainder_of_integers(x):
    k = int(x[2] - 7) % 12
    r = 9 % (k % 2) + 1  # noqa: F841
    return x[0] * x[1]


def quotient_of_quotient(x):
    len(x) // (5 // int(x[2] - 1)) % 4
    return x[0] * x[1]


def cancelled_quotient(x):
    q = 7 // int(x[2] - 7)
    return x[0] * x[1 + q - q]


def quotients_of_counts(x):
    k = 0
    for v in x:
        k += 1 if v < 7 else -2
        divmod(4, k)
    return x[0] * x[1]


def quotient_on_one_path(x):
    k = 7 // int(x[2] - 7) if x[0] > 0.5 else 0  # noqa: F841
    return x[0] * x[1]


def quotient_on_one_path_by_itself(x):
    k = int(x[2] - 7)
    if x[0] > 0.5:
        7 % k
    return x[0] * x[1]


def quotient_in_while_loop(x):
    k, steps = int(x[2] - 5), 0
    while steps < 3:
        steps += 1
        5 // (k - steps)
    return x[0] * x[1]


def quotient_as_length(x):
    y = x[: 7 // int(x[2] - 7)] * 2  # noqa: F841
    return x[0] * x[1]


def quotient_as_trip_count(x):
    for _ in range(7 // int(x[2] - 7)):
        y = x[0] * 2  # noqa: F841
    return x[0] * x[1]


GOOD, BAD = np.array([1.0, 1.5, 2.0]), np.array([1.0, 1.5, 7.0])
SETS = {
    element_of_selected: (BAD, GOOD),
    element_in_loop: (BAD, GOOD),
    condition_of_loop: (BAD, GOOD),
    largest_of_none: (np.array([1.0, 1.5, 8.0]), GOOD),
    unequal_lengths: (np.array([1.0, 1.5, 8.0, 9.0]), np.array([1.0, 1.5, 1.6, 8.0, 9.0])),
}
FUNCTIONS = [
    element_of_selected,
    element_in_loop,
    at_integer_of_data,
    at_integers_of_data,
    in_called_function,
    on_one_path,
    on_one_path_by_itself,
    read_on_one_path,
    in_comprehension,
    condition_of_loop,
    store,
    stores_in_loop,
    stores_into_list,
    added_at,
    integer_of_infinity,
    root_in_loop,
    quotient,
    integer_quotient,
    remainder_of_integers,
    quotient_of_quotient,
    cancelled_quotient,
    quotients_of_counts,
    quotient_on_one_path,
    quotient_on_one_path_by_itself,
    quotient_in_while_loop,
    quotient_as_length,
    quotient_as_trip_count,
    largest_of_none,
    unequal_lengths,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_error_is_raised(function):
    good, bad = SETS.get(function, (GOOD, BAD))
    with pytest.raises((LookupError, ValueError, ArithmeticError)) as expected:
        function(bad)
    compiled, gradient = gs.compile(function), gs.grad(function)
    assert compiled(good) == function(good)
    np.testing.assert_allclose(gradient(good), [good[1], good[0], *(0.0 * good[2:])])
    for made in (compiled, gradient):
        with pytest.raises(type(expected.value)) as raised:
            made(bad)
        assert type(raised.value) is type(expected.value)
        assert str(raised.value) == str(expected.value)


DIVISORS = {
    "7 // k": [1, 2, 0],
    "7 % k": [2, 1, 0],
    "k // (k - 3)": [1, 2, 3],
    "for i in range(len(x)):\n    k % (i - 1)": [(1, 1), (1, 2), (1, 3)],
    "for i in range(len(x)):\n    7 // (i - k)": [(9, 6), (7, 6), (2, 6), (5, 6)],
    "for i in range(k):\n    7 // i": [-1, 0, 1],
    "for i in range(k):\n    i % (i - 5)": [2, 4, 5, 6],
}


@pytest.mark.parametrize("statement", DIVISORS)
def test_divisors_that_arguments_and_indices_decide(statement):
    function = function_of(f"{statement}\nreturn x[0] * 2", "x, k")
    calls = [call if isinstance(call, tuple) else (call, 3) for call in DIVISORS[statement]]
    check_calls(function, *((np.ones(length), k) for k, length in calls))


def test_what_is_read_is_not_computed_twice():
    def f(x):
        y = x[x > 5]
        total = 0.0
        for v in x:
            total += y[int(v) - 7]
        return total + y[0]

    statements = code(gs.compile(f).source(np.array([7.0, 8.0])))
    assert [line for line in statements if "y[" in line] == [
        "        total += y[t - 7]",
        "    return total + y[0]",
    ]


def test_a_gradient_reads_once():
    def f(x, k):
        return np.sum(x[k] * 3.0)

    statements = code(gs.grad(f).source(np.array([1.0, 2.0]), np.array([1, 1, 0])))
    assert [line for line in statements if "x[k]" in line] == []


def code(source):
    return [line for line in source.splitlines() if "#" not in line]


def test_handlers_see_errors_of_what_is_not_read():
    def f(x):
        missing = 0
        for v in x:
            try:
                x[int(v)]
            except IndexError:
                missing += 1
        return missing

    compiled = gs.compile(f)
    for x in (GOOD, BAD, np.array([3.0, 3.0, 0.0])):
        assert compiled(x) == f(x)
