"""Lists of truth values and complex numbers have Python's classes, and loops over them stay loops.

And the built-in sum has the dtype of what it adds up.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls
from helpers import each

TRUTHS = [(np.array(v),) for v in ([True, True], [False, True, True], [True])]
ROWS = [(np.array(v),) for v in ([1.0, -2.0, 3.0], [-1.0, 2.0, 0.5, 4.0, -3.0], [2.0])]


def elements(a):
    values = a.tolist()
    return values[0] + values[-1], -values[0], type(values[0]), values


def squares(a):
    return [v * v for v in a.tolist()], sum(a.tolist())


def ends(a):
    first, *_, last = a.tolist() * 2
    return first > last, first + first


@pytest.mark.parametrize("function", [elements, squares, ends])
def test_truth_values_of_tolist(function):
    check_calls(function, *TRUTHS)


def test_complex_numbers_of_tolist():
    numbers = [(np.array([1j, 2.0]),), (np.array([1.5 + 2j, 0.5, 3j]),)]
    check_calls(elements, *numbers)
    check_calls(squares, *numbers)


def seen(x):
    """Flags that a branch sets to Python's truth value."""
    flags = [False] * len(x)
    for i in range(len(x)):
        if x[i] > 0:
            flags[i] = True
    total = 0.0
    for i, flag in enumerate(flags):
        if flag:
            total += x[i] * i
    return total, sum(flags), flags[0], flags[0] + flags[-1]


def set_to_comparisons(x):
    """Elements of two classes, as only some are NumPy's."""
    flags = [False] * len(x)
    for i in range(1, len(x)):
        flags[i] = x[i] > x[i - 1]
    return flags[0], flags[-1], type(flags[-1]), [i for i in range(len(x)) if flags[i]]


def of_complex_numbers(x):
    roots = [0j] * len(x)
    for i in range(len(x)):
        roots[i] = complex(float(x[i]), 1.0) * roots[i - 1] + 1.0
    return roots[-1], abs(roots[0]), type(roots[0])


@pytest.mark.parametrize("function", [seen, set_to_comparisons, of_complex_numbers])
def test_repeated_values_that_are_replaced(function):
    check_calls(function, *ROWS)


@pytest.mark.parametrize("function", [seen, of_complex_numbers])
def test_the_source_is_as_long_for_long_lists(function):
    few, many = (gs.compile(function).source(np.ones(n)).count("\n") for n in (5, 9))
    assert few == many


NARROW = [np.array([200, 100], np.uint8), np.array([2**31 - 1, 1], np.int32)]
NARROW += [
    np.array([[100, 1], [100, 2]], np.int8),
    np.array([True, True]),
    np.array([3], np.int16),
]


@pytest.mark.filterwarnings("ignore:overflow")
@each("values", NARROW, ids=lambda a: f"{a.dtype} {a.shape}")
def test_sums_of_integers_wrap_around_as_their_elements_do(values):
    def function(a):
        return sum(a), sum(a, 5), sum(a, 0.5), sum(a[:0])

    found, expected = gs.compile(function)(values), function(values)
    for one, other in zip(found, expected, strict=True):
        assert type(one) is type(other)
        assert getattr(one, "dtype", None) == getattr(other, "dtype", None)
        np.testing.assert_array_equal(one, other)
