"""Builtins whose options are traced numbers, by position and by name, and the errors of these."""

from __future__ import annotations

import math

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

N = np.int64
X = np.array([1.5, -2.0])


def caught(expression):
    """Statements that return the value, or the class and the text of the error."""
    handler = "except Exception as e:\n    return type(e).__name__, str(e)"
    return f"try:\n    return {expression}\n{handler}"


BASES = [("12", 3), ("12", 8), ("12", N(3)), ("12", 1), ("12", 2), (b"12", 5), (12, 3)]
BASES += [("12", 2.5), ("12", np.array(5)), ("12", True), ("12", 40)]
OPTIONS = {
    "int(s, b)": ("s, b", BASES),
    "int(s, base=b)": ("s, b", BASES),
    "[int('11', b) for b in range(2, n)]": ("n", [(5,), (7,)]),
    "[int(s, len(x)) for s in ('1', '11')]": ("x", [(np.ones(3),), (np.ones(5),)]),
    "[*map(int, ['1', '2'], [n, n])]": ("n", [(8,), (10,)]),
    "int(f'{n}', 16), int(str(n), n + 8)": ("n", [(10,), (12,)]),
    "int(n, 3)": ("n", [(3,), (2.5,), (N(3),)]),
    "int(x=n)": ("n", [(3,), (2.5,)]),
    "int(base=n)": ("n", [(3,), (2.5,)]),
    "round(x, ndigits=n)": (
        "x, n",
        [(2.3412, 1), (2.3412, 2), (2.3412, N(1)), (N(12), -1), (25, -1), (25, 1.5), (25, N(1))],
    ),
    "round(number=x, ndigits=n)": ("x, n", [(2.3412, 1), (25, -1), (25, "a"), (2.3, 1.5)]),
    "sum(x, start=s)": ("x, s", [(X, 2), (X, 3.5), (np.ones(0), 3), ([1, 2], 3), ([], N(3))]),
    "pow(a, b, mod=m)": (
        "a, b, m",
        [(3, 4, 5), (3, -1, 7), (2, 10, 0), (2, -1, 4), (2.5, 3, 4), (3, 4, 2.5), (3, 4, None)],
    ),
    "pow(exp=b, base=a)": ("a, b", [(3, 4), (2.5, 2), (2, -1)]),
    "complex(imag=a), complex(real=a, imag=b), complex(imag=b, real=2)": (
        "a, b",
        [(3, 4), (2.5, 2), (N(2), 1.5)],
    ),
    "str(object=a), str(a)": ("a", [(3,), (2.5,), (N(2),)]),
    "'ab'.center(n, '*'), '12'.zfill(n), str(n).zfill(4)": ("n", [(6,), (1,), (N(7),)]),
    "'a b c d'.split(' ', n), 'a b c'.split(maxsplit=n)": ("n", [(1,), (2,), (N(1),)]),
    "list(enumerate(x, start=n))": ("x, n", [([1.0], 3), (X, 5), (X, N(2)), ((), 1)]),
    "sorted(x, reverse=n)": ("x, n", [([3, 1], 1), ([3, 1], 0), ([3.0, 1.0], True)]),
    "min(x, default=n)": ("x, n", [([3, 1], 1), ([], 0), (X, 2), (np.zeros(0), 2)]),
    "divmod(a, b)": ("a, b", [(7, 2), (N(7), 2), (7.5, 2), (7, N(2)), (7, 0)]),
    "list(range(a, b, c))": ("a, b, c", [(1, 7, 2), (N(1), N(4), 1), (1, 5, 0), (1.5, 2, 1)]),
    "chr(n), hex(n), bin(n), hash(n), format(n, 'd')": ("n", [(65,), (66,), (N(67),)]),
    "format(x, f'.{n}f'), f'{n:>{n}}'": ("x, n", [(2.5, 4), (1.25, 3), (2.0, N(5))]),
    "math.prod([2, 3], start=n), math.isqrt(n), math.comb(5, n)": ("n", [(3,), (4,), (N(5),)]),
}


@each("expression", OPTIONS)
def test_options_of_builtins_are_traced_numbers(expression):
    """Integers of Python's and of NumPy's, sizes, and what Python raises TypeError for."""
    parameters, calls = OPTIONS[expression]
    function = function_of(caught(expression), parameters, math=math)
    check_calls(function, *calls)


HANDLED = "try:\n    return int(s, b)\nexcept ValueError:\n    return -1"


def test_handlers_see_the_errors_of_the_base():
    """A base that fits reaches no handler."""
    check_calls(function_of(HANDLED, "s, b"), ("12", 3), ("12", 2), ("zz", 36), ("zz", 35))
