"""Errors of NumPy's and Python's that the emitted code has to ask for: class and text."""

from __future__ import annotations

import numpy as np

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

SIZES = [(np.array([n]),) for n in (2.0, -1.0, 0.0, -3.0)]
MAKING = ["zeros((n, 2))", "ones(n)", "empty((2, n))", "full((n,), 2.0)", "eye(n)", "identity(n)"]


@each("made", MAKING)
def test_an_array_of_which_only_the_size_is_read_has_no_negative_sizes(made):
    check_calls(function_of(f"n = int(x[0])\nreturn np.{made}.size"), *SIZES)


DIVISIONS = [(1.4, 2.0), (1.4, 0.0), (-3.1, 0.5), (0.0, 0.0), (2, 0.0), (1.5, 2), (7, 2), (7, 0)]


@each("body", ["divmod(a, b)", "divmod(a, b)[1]", "divmod(1.5, b)", "a // b"])
def test_the_error_of_divmod(body):
    check_calls(function_of(body, "a, b"), *DIVISIONS)


def test_a_division_that_try_handles():
    body = "try:\n    return divmod(a, b)\nexcept ZeroDivisionError as e:\n    return len(str(e))"
    check_calls(function_of(body, "a, b"), *DIVISIONS)


def test_the_remainder_of_arrays_has_no_check():
    source = gs.compile(function_of("divmod(a, b)", "a, b")).source(np.ones(3), 2.0)
    assert "if" not in source.split('"""')[-1]


POWERS = ["a ** -1", "pow(a, -1)", "a ** -2", "a ** -0.5", "max(a, 0.0) ** -1"]


@each("body", POWERS)
def test_the_error_of_a_negative_power(body):
    check_calls(function_of(body, "a"), (1.5,), (0.0,), (2.0,))


X = np.array([1.5, 0.5, -1.1])
LISTS = {
    "read": "r = []\nfor v in x:\n    r.append(v)\nreturn r[k]",
    "read of a comprehension": "r = [v for v in x if v > 0]\nreturn r[k]",
    "first and last": "r = [v for v in x if v > k]\nreturn r[0] + r[-1]",
    "written": "r = [v for v in x]\nr[k] = x[1]\nreturn r[0]",
}


@each("name", LISTS)
def test_an_index_out_of_the_range_of_a_list(name):
    calls = [(X, k) for k in (1, 0, 2, 7, -1, -9)]
    check_calls(function_of(LISTS[name], "x, k"), *calls)
