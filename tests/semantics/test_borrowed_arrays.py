"""Arrays that calls without a rule return may be held by objects outside: nothing writes to them
but what the function itself writes.

The referee is the function itself, on an equal object.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs

TEMPLATE = np.arange(1.0, 5.0)


class Table:
    """As objects of libraries are: arrays as attributes, items and results of methods."""

    def __init__(self, values, *, writable=True):
        self.values = np.array(values)
        self.values.flags.writeable = writable

    def to_numpy(self):
        return self.values

    def tail(self):
        return self.values[1:]

    def parts(self):
        return self.values[:2], self.values[2:]

    def __getitem__(self, key):
        return self.values[key]

    def sum(self):
        return self.values.sum()


Table.__module__ = "pandas"  # a class of a library: only calls know what its objects do


def attribute(table, x):
    d = table.values - x
    return d * 2


def function_of_attribute(table, x):
    return np.sqrt(table.values) - x


def functions_in_a_row(table, x):
    return np.sqrt(np.abs(table.values - x))


def method(table, x):
    d = table.to_numpy() - x
    d *= 2
    return d


def view(table, x):
    d = table.tail() - x
    return d * d


def item(table, x):
    d = np.exp(table[1:])
    return np.exp(d - x)


def parts(table, x):
    a, b = table.parts()
    a = a - x
    b = np.exp(b)
    return a * b


def in_a_loop(table, x):
    k = table.to_numpy()
    for _ in range(5):
        k = k - x
    return k


def in_an_open_loop(table, x):
    k = table.to_numpy()
    while k[0] > -3:
        k = k - x
    return k


def read_in_a_loop(table, x):
    total = np.zeros(4)
    for i in range(3):
        k = table.values - x * i
        total += k
    return total


def in_a_branch(table, x):
    k = table.values
    if x > 0:
        k = k - x
    return np.abs(k) * 2


def trimmed(table, x):
    t = np.exp(table.values)
    v = np.trim_zeros(t)
    u = t - x
    return u * 2, v * 3


READING = (
    attribute,
    function_of_attribute,
    functions_in_a_row,
    method,
    view,
    item,
    parts,
    in_a_loop,
    in_an_open_loop,
    read_in_a_loop,
    in_a_branch,
    trimmed,
)


@pytest.mark.parametrize("function", READING, ids=lambda f: f.__name__)
def test_reading_leaves_what_others_hold(function):
    compiled = gs.compile(function)
    for writable in (True, False):
        for x in (1.0, 0.5):
            table = Table(TEMPLATE, writable=writable)
            wanted, found = function(Table(TEMPLATE), x), compiled(table, x)
            np.testing.assert_array_equal(found, wanted)
            np.testing.assert_array_equal(table.values, TEMPLATE)


@pytest.mark.parametrize("function", READING, ids=lambda f: f.__name__)
def test_gradients_leave_what_others_hold(function):
    def total(table, x):
        made = function(table, x)
        return np.sum(made[0]) if isinstance(made, tuple) else np.sum(made)

    table = Table(TEMPLATE, writable=False)
    value, _ = gs.value_and_grad(total, argnums=1)(table, 1.0)
    np.testing.assert_allclose(value, total(Table(TEMPLATE), 1.0), rtol=1e-15)
    np.testing.assert_array_equal(table.values, TEMPLATE)


def trimmed_argument(x):
    v = np.trim_zeros(x) - 1
    return np.sqrt(np.abs(v))


def test_results_that_are_views_of_arguments_are_not_written():
    x = TEMPLATE.copy()
    np.testing.assert_array_equal(
        gs.compile(trimmed_argument)(x), trimmed_argument(TEMPLATE.copy())
    )
    np.testing.assert_array_equal(x, TEMPLATE)
