"""Arithmetic of integers that raises errors which a ``try`` handles."""

import numpy as np

from control.one_object import check_calls
from helpers import each

INTEGERS = [(1, 0), (2, 4), (-1, 0), (3, -2), (0, 0), (-2, 3)]
ARRAYS = [(np.array(x),) for x in ([1.0, 2.0, 4.0], [-1.0, 2.0, 0.3], [3.0, 0.5, 1.5])]


def remainder(a, b):
    try:
        return a % b
    except ZeroDivisionError:
        return 5


def quotient_and_remainder(a, b):
    try:
        return divmod(a, b)
    except ZeroDivisionError:
        return 5


def text_of_an_error(a, b):
    try:
        return 7 % (a - b)
    except ZeroDivisionError as e:
        return str(e)


def in_a_loop(a, b):
    r = 0
    for i in range(3):
        try:
            r += a % (b - i)
        except ZeroDivisionError:
            r += 100
    return r


def in_a_helper(a, b):

    def h(p, q):
        try:
            return p % q
        except ArithmeticError:
            return 9

    return h(a, b) + h(b, a)


def several_divisors(a, b):
    try:
        return (a % b, a // b, a % (b + 1))
    except ZeroDivisionError:
        return 5


def negative_power(x):
    a = np.arange(2)
    try:
        return a[1] ** (a[0] - 2)
    except ValueError:
        return -1


def power_of_a_scalar(x):
    k = np.int64(x[0])
    try:
        return np.int64(2) ** k
    except ValueError:
        return -1


def powers_of_an_array(x):
    k = x.astype(int)
    try:
        return 2**k
    except ValueError as e:
        return str(e)


def powers_in_a_loop(x):
    k = x.astype(int)
    r = 0
    for v in k:
        try:
            r = r + v**v
        except ValueError:
            r = r - 1
    return r


def positive_powers(x):
    k = x.astype(int)
    try:
        return k**2 + k ** np.int64(3)
    except ValueError:
        return x


def powers_without_a_handler(x):
    k = x.astype(int)
    return k ** k[0]


@each(
    "function",
    [
        remainder,
        quotient_and_remainder,
        text_of_an_error,
        in_a_loop,
        in_a_helper,
        several_divisors,
    ],
)
def test_divisors_that_are_arguments(function):
    check_calls(function, *INTEGERS)
    check_calls(function, *INTEGERS[1:])


@each(
    "function",
    [
        negative_power,
        power_of_a_scalar,
        powers_of_an_array,
        powers_in_a_loop,
        positive_powers,
        powers_without_a_handler,
    ],
)
def test_powers_of_integers(function):
    check_calls(function, *ARRAYS)
