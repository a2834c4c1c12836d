"""Errors that the values in a call decide: NumPy's or Python's own, handled by the function's
own ``try``. Each function is compiled once and called with values of both kinds.
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import gradsmith as gs
from helpers import each


def largest_of_a_mask(x):
    try:
        return np.max(x[x > 0])
    except ValueError:
        return 0.0


def method_of_a_mask(x):
    try:
        return x[x > 0].min()
    except ValueError as error:
        return str(error)[:10] == "zero-size " and -1.0


def place_in_a_mask(x):
    try:
        return np.argmin(x[x > 0])
    except ValueError:
        return -1


def pythons_largest(x):
    try:
        return max(x)
    except ValueError:
        return -1.0


def pythons_least_of_a_mask(x):
    try:
        return min(x[x > 0]) * 2
    except ValueError:
        return -1.0


def largest_without_try(x):
    return np.max(x[x > 0])


def rows_without_elements(x):
    m = np.ones((2, 1)) * x[x > 0]
    try:
        return m.max(axis=1)
    except ValueError:
        return x


def quotient_of_integers(x):
    try:
        return int(x[0]) // int(x[-1])
    except ZeroDivisionError as error:
        return str(error)


def remainder_of_integers(x):
    try:
        return int(x[0]) % int(x[-1])
    except ZeroDivisionError:
        return -1


def quotient_of_a_count(x):
    c, s = 0, 0.0
    for v in x:
        if v > 0:
            c += 1
            s += v
    try:
        return s / c
    except ZeroDivisionError:
        return 0.0


def quotients_in_a_loop(x):
    total = 0
    for v in x:
        try:
            total += 7 // int(v)
        except ZeroDivisionError:
            total -= 100
    return total


def repeated(x):
    try:
        return np.repeat(x, int(x[0]))
    except ValueError:
        return x


def averaged(x):
    try:
        return np.average(x, weights=x - 1)
    except ZeroDivisionError:
        return -1.0


def averaged_without_try(x):
    return np.average(x, weights=x - 1)


ARRAYS = [
    np.array([1.0, 2.0, 4.0]),
    np.array([-1.0, -2.0, 0.0]),
    np.array([2.0, 1.0, 0.0]),
    np.array([-1.0]),
    np.array([]),
    np.array([3.0]),
]
OF_ARRAYS = (
    largest_of_a_mask,
    method_of_a_mask,
    place_in_a_mask,
    pythons_largest,
    pythons_least_of_a_mask,
    largest_without_try,
    rows_without_elements,
    quotient_of_integers,
    remainder_of_integers,
    quotient_of_a_count,
    quotients_in_a_loop,
    repeated,
    averaged,
    averaged_without_try,
)


def repeated_as_given(n):
    try:
        return np.repeat(np.arange(3.0), n)
    except ValueError:
        return "negative"


def of_range(n):
    return range(n)[4]


def of_range_from_the_end(n):
    try:
        return range(2, n, 3)[-2]
    except IndexError as error:
        return str(error)


def of_ranges_in_a_loop(n):
    total = 0
    for i in range(n):
        total += range(1, n + 1)[i] * range(n)[-1]
    return total


def unraveled(n):
    try:
        return sum(np.unravel_index(17, (n, n)))
    except ValueError as error:
        return str(error)


def raveled(n):
    try:
        return np.ravel_multi_index((5, 0), (n, n)) * 1.0
    except ValueError as error:
        return str(error)


def raveled_arrays(n):
    return np.ravel_multi_index((np.arange(4), np.arange(4) - 0), (n, n))


OF_INTEGERS = (
    repeated_as_given,
    of_range,
    of_range_from_the_end,
    of_ranges_in_a_loop,
    unraveled,
    raveled,
    raveled_arrays,
)


def outcome(function, *given):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(*given)
    except (ValueError, LookupError, ArithmeticError) as error:
        builtin = next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
        return builtin.__name__, str(error).split("\n")[0]
    return np.asarray(result).dtype.kind, np.asarray(result).tolist()


@pytest.mark.parametrize("backwards", [False, True])
@each(
    ("function", "values"),
    [*itertools.product(OF_ARRAYS, [ARRAYS]), *itertools.product(OF_INTEGERS, [[5, 1, 7, 12, 2]])],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_errors_are_pythons(function, values, backwards):
    compiled = gs.compile(function)
    for value in values[:: -1 if backwards else 1]:
        wanted, found = outcome(function, value), outcome(compiled, value)
        if wanted[0] == "IndexError":
            assert found[0] == wanted[0]
        else:
            assert found == wanted
