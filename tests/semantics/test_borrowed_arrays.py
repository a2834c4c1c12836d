"""Arrays that calls without a rule return may be held by objects outside: nothing writes to them
but what the function itself writes.

The referee is the function itself, on an equal object.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.errors import UnsupportedError
from helpers import each

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

    def doubled(self):
        return self.values * 2

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


@each("function", READING, ids=lambda f: f.__name__)
def test_reading_leaves_what_others_hold(function):
    compiled = gs.compile(function)
    for writable in (True, False):
        for x in (1.0, 0.5):
            table = Table(TEMPLATE, writable=writable)
            wanted, found = function(Table(TEMPLATE), x), compiled(table, x)
            np.testing.assert_array_equal(found, wanted)
            np.testing.assert_array_equal(table.values, TEMPLATE)


@each("function", READING, ids=lambda f: f.__name__)
def test_gradients_leave_what_others_hold(function):
    def total(table, x):
        made = function(table, x)
        return np.sum(made[0]) if isinstance(made, tuple) else np.sum(made)

    table = Table(TEMPLATE, writable=False)
    value, _ = gs.value_and_grad(total, argnums=1)(table, 1.0)
    np.testing.assert_allclose(value, total(Table(TEMPLATE), 1.0), rtol=1e-15)
    np.testing.assert_array_equal(table.values, TEMPLATE)


def add_to_attribute(table, x):
    d = table.values
    d += x
    return d * 2


def store_in_result_of_method(table, x):
    d = table.to_numpy()
    d[0] = x
    d[1:] *= 2
    return d


def store_in_view(table, x):
    d = table.tail()
    d[-1] = x
    return np.sum(d)


def store_in_part(table, x):
    first, last = table.parts()
    first[0] = x
    return first + last


def store_in_a_loop(table, x):
    d = table.values
    for i in range(len(d)):
        d[i] += x * i
    return np.sum(d)


def store_in_a_branch(table, x):
    d = table.values
    if x > 0.7:
        d[0] = x
    return np.sum(d)


def store_in_a_branch_of_its_own(table, x):
    total = 0.0
    if x > 0.7:
        d = table.values
        d[0] = x
        total = d[0] * 3
    return total


def store_and_return_what_was(table, x):
    d = table.values
    before = np.take(d[None], 0, axis=0)
    d[0] = x
    return before, d * 1


def store_in_what_it_makes(table, x):
    d = table.doubled()
    d[0] = x
    return d + table.doubled()


def handled(table, x):
    d = table.values
    try:
        d += x
    except ValueError as error:
        return d * 3, str(error)
    return d * 2, ""


WRITING = (
    add_to_attribute,
    store_in_result_of_method,
    store_in_view,
    store_in_part,
    store_in_a_loop,
    store_in_a_branch,
    store_in_a_branch_of_its_own,
    store_and_return_what_was,
    store_in_what_it_makes,
    handled,
)


def outcome(function, x, *, writable):
    table = Table(TEMPLATE, writable=writable)
    try:
        made = function(table, x)
    except ValueError as error:
        return str(error), table.values.tolist()
    parts = made if isinstance(made, tuple) else (made,)
    return [np.asarray(part).tolist() for part in parts], table.values.tolist()


@each("function", WRITING, ids=lambda f: f.__name__)
def test_writes_of_the_function_reach_what_others_hold(function):
    compiled = gs.compile(function)
    for writable, x in ((True, 1.0), (True, 0.5), (False, 1.0), (True, 2.0)):
        wanted = outcome(function, x, writable=writable)
        assert outcome(compiled, x, writable=writable) == wanted


def test_gradients_do_not_write():
    table = Table(TEMPLATE)
    gradient = gs.grad(lambda t, x: np.sum(add_to_attribute(t, x)), argnums=1)(table, 1.0)
    assert gradient == 8.0
    np.testing.assert_array_equal(table.values, TEMPLATE)


def read_after_write(table, x):
    d = table.values
    d[0] = x
    return table.sum()


def other_view_after_write(table, x):
    d, other = table.values, table.tail()
    d[1] = x
    return np.sum(other)


def write_in_each_iteration(table, x):
    for _ in range(3):
        d = table.values
        d[0] += x
    return d * 2


@pytest.mark.parametrize(
    "function", [read_after_write, other_view_after_write, write_in_each_iteration]
)
def test_uses_that_would_miss_a_write_are_refused(function):
    table = Table(TEMPLATE)
    with pytest.raises(UnsupportedError):
        gs.compile(function)(table, 1.0)
    np.testing.assert_array_equal(table.values, TEMPLATE)


def test_results_do_not_share_memory_with_what_others_hold():
    table = Table(TEMPLATE)
    for function in (lambda t, x: t.values, lambda t, x: np.take(t.values[None], 0, axis=0)):
        assert not np.shares_memory(gs.compile(function)(table, 1.0), table.values)
    gradient = gs.grad(lambda t, x: np.sum(t.values * x), argnums=1)(table, np.ones(4))
    np.testing.assert_array_equal(gradient, TEMPLATE)
    assert not np.shares_memory(gradient, table.values)


def trimmed_argument(x):
    v = np.trim_zeros(x) - 1
    return np.sqrt(np.abs(v))


def test_results_that_are_views_of_arguments_are_not_written():
    x = TEMPLATE.copy()
    np.testing.assert_array_equal(
        gs.compile(trimmed_argument)(x), trimmed_argument(TEMPLATE.copy())
    )
    np.testing.assert_array_equal(x, TEMPLATE)
