"""Control flow that depends on traced values: small ones of every kind.

Rows of the table "Control flow" in docs/semantics.md; whole programs are in tests/control.
"""

# Functions are written here as users write them, not as a linter would have them.
# ruff: noqa: PLW0120, SIM102

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.numbers import check

X = np.array([0.5, -1.25, 2.0])


def if_with_results(x):
    y = np.sum(x)
    if y > 0:
        return y * x[0]
    return y * y


def if_that_sets(x):
    if x[0] > x[1]:
        y = x * 2
    elif x[1] > 5:
        y = x * x
    else:
        y = -x
    return np.sum(y * x)


def if_that_writes(x):
    y = x * x
    if x[1] < 0:
        y[1] = x[0]
        y[2:] *= 3
    return np.sum(y * x)


def conditional_expression(x):
    return x[0] * 3 if np.sum(x) > 0 else x[1]


def while_on_values(x):
    while np.max(x) > 0.3:
        x = x / 2
    return np.sum(x * x)


def while_with_a_break(x):
    total = x[0]
    n = 0
    while True:
        total = total * 1.5 + x[2]
        n += 1
        if total > 20:
            break
    return total * n


def for_with_a_break(x):
    total = x[1] * 0
    for i in range(3):
        total = total + x[i] * x[i]
        if total > 1:
            break
    return total


def for_that_returns(x):
    for i in range(3):
        if x[i] < 0:
            return x[i] * x[0]
    return np.sum(x)


def for_with_a_continue_and_else(x):
    total = x[0]
    for i in range(3):
        if x[i] < 0:
            continue
        total = total * x[i]
    else:
        total = total + x[1]
    return total


def range_to_a_value(x):
    total = x[0]
    for i in range(np.argmax(x)):
        total = total + x[i] * x[i]
    return total


def and_or_not(x):
    inside = (x[0] > 0 and x[1] < 1) or not x[2] > 0
    return np.sum(x * inside)


def chained_comparison(x):
    return np.sum(x * x * (0 < x[0] < 1)) + x[1] * (0 < x[0] <= 0.25 < x[2])


def return_in_a_with(x):
    with np.errstate(divide="ignore"):
        if x[0] > 0:
            return np.log(x[0]) * x[1]
        y = x * 2
    return np.sum(y)


def continue_in_a_with(x):
    total = x[0]
    for i in range(3):
        with np.errstate(divide="ignore"):
            if x[i] < 0:
                continue
            total = total + np.log(x[i])
    return total


def unreached_else(x):
    if x[0] > 0:
        y = x[1] * 2
    else:
        raise ValueError("negative")
    return y


def assigned_in_the_condition(x):
    c = x[0]
    while (k := c * c) < 9:
        c = c * 1.5
    return k * c


def numbers_of_python_in_an_arm(x):
    a = x[0] * 1.0
    d = a
    if x[1] > -0.5:
        if x[0] > -0.5:
            return d
    return d * x[1] + 0.0 * a


WORKING = [
    assigned_in_the_condition,
    numbers_of_python_in_an_arm,
    if_with_results,
    if_that_sets,
    if_that_writes,
    conditional_expression,
    while_on_values,
    while_with_a_break,
    for_with_a_break,
    for_that_returns,
    for_with_a_continue_and_else,
    range_to_a_value,
    and_or_not,
    chained_comparison,
    return_in_a_with,
    continue_in_a_with,
    unreached_else,
]


@each("fun", WORKING)
def test_values_and_gradients(fun):
    check(fun, X)


@each("fun", WORKING)
@each("scale", [-1.0, 0.3, 4.0])
def test_the_way_is_chosen_anew_in_every_call(fun, scale):
    compiled = gs.compile(fun)
    compiled(X)
    x = X * scale
    if fun is unreached_else and scale < 0:
        with pytest.raises(ValueError, match="negative"):
            compiled(x)
        return
    if fun is while_with_a_break:
        x = np.abs(x)
    np.testing.assert_allclose(compiled(x), fun(x), rtol=1e-12)


def test_effects_of_a_plain_loop():
    """That a ``while`` has begun does not make what it does depend on traced values."""

    def f(x):
        n, kept = 3, []
        while n > 0:
            kept.append(x[n - 1])
            if n == 5:
                raise ValueError
            n -= 1
        return kept[0] * kept[2]

    check(f, X)


def test_inner_functions_that_set_variables_outside():
    def f(x):
        total = x[0]

        def add(value):
            nonlocal total
            total = total + value * value

        for i in range(3):
            add(x[i])
        return total

    check(f, X)

    def in_one_arm(x):
        total = x[0]

        def add(value):
            nonlocal total
            total = total + value

        if x[0] > 0:
            add(x[1])
        return total

    check(in_one_arm, X)


def test_none_or_a_value_is_not_decided_by_the_way_that_was_traced():
    def f(x):
        best = None
        if x[0] > 0:
            best = x
        if best is None:
            return x * 0
        return x * 2

    compiled = gs.compile(f)
    for x in (X, -X, X):
        np.testing.assert_array_equal(compiled(x), f(x))


def test_what_a_condition_assigns_is_not_known_after_a_break():
    def f(x):
        c = x[0]
        while (k := c * 2) < 9:
            c = c * 1.5 + 0.1
            if c > 4:
                break
        return k * c

    compiled = gs.compile(f)
    for x in (X, 8 * X, 3 * X):
        assert compiled(x) == f(x)
