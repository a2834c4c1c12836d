"""Errors of values that Python refuses: calls of what is no function, truths of arrays."""

import warnings

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

EXPRESSIONS = (
    *("None(x)", "(3.0)(x)", "'abc'(x[0])", "[1, 2](x[0])", "bool(x == x)", "max(np.outer(x, x))"),
    *("min(x, x * 2)", "max(x[0], None)", "x(x[0])", "not x", "sorted([x, x * 2])"),
)
CALLS = [(np.array([0.5, -1.2]),), (np.array([1.5, 2.0]),)]


@each("expression", EXPRESSIONS)
def test_they_are_handled(expression):
    body = (
        f"try:\n    return {expression}\nexcept (TypeError, ValueError) as e:\n    return str(e)"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        check_calls(function_of(body), *CALLS)


def test_a_function_that_is_none_on_one_path():
    body = "f = None\nif x[0] > 1:\n    f = np.sin\n"
    check_calls(function_of(f"{body}return f(x).sum()"), *CALLS)
    handled = "try:\n    return f(x).sum()\nexcept TypeError:\n    return 0.5"
    check_calls(function_of(body + handled), *CALLS)


BESIDE_COMPLEX = (
    *("n == 1 + 0j", "n != 1 + 0j", "n in [1 + 0j, 3]", "{1 + 0j: 5}.get(n)", "(1 + 0j) == n"),
    *("n == 2j", "n * 2 == 4 + 0j", "[2j, 2 + 0j].index(n)", "int(n * 1.5) == 1 + 0j"),
)


@each("expression", BESIDE_COMPLEX)
def test_integers_equal_complex_numbers(expression):
    body = f"try:\n    return {expression}\nexcept ValueError:\n    return -1"
    check_calls(function_of(body, "n"), (1,), (2,), (True,), (0,), (1.0,), (1 + 0j,))


class Sized:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n


def test_lengths_below_zero():
    function = function_of("return len(Sized(int(x)))", "x", Sized=Sized)
    check_calls(function, (1.5,), (-4.0,), (0.2,), (-0.5,))
