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
