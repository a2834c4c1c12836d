"""Objects that Python asks for a number: ``__index__``, ``__float__``, ``__len__`` and others give
traced numbers, to the runtime and to C code; results of other classes are errors.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections import deque

import numpy as np
import pytest

from control.one_object import check_calls, function_of
from helpers import each
from semantics.test_builtin_arguments import caught

N = np.int64


def asking(*names):
    """A class whose methods of these names give the value that it holds."""
    methods = {f"__{name}__": lambda self: self.v for name in names}
    return type("Given", (), {"__init__": lambda self, v: setattr(self, "v", v), **methods})


CLASSES = {
    "Index": asking("index"),
    "Float": asking("float"),
    "Whole": asking("int"),
    "Complex": asking("complex"),
    "Long": asking("len"),
    "Truth": asking("bool"),
    "Rounded": asking("abs", "floor", "ceil", "trunc"),
}
GIVEN = {"itertools": itertools, "operator": operator, "math": math, "deque": deque, **CLASSES}

INTEGERS = [(3,), (1,), (True,), (N(2),), (2.5,)]
OF_INDEX = [
    "list(range({}))",
    "list(range(1, {}))",
    "list(range(0, 9, {}))",
    "[i * 2 for i in range({})]",
    "sum(range({})), len(range({})), 3 in range({}), range({}) == range(3)",
    "[10, 11, 12, 13][{}]",
    "(1, 2, 3, 4)[:{}], 'abcdef'[{}:], 'abcdef'[{}], list(range(9)[:{}])",
    "np.arange(5.0)[:{}]",
    "[1] * {}, 'ab' * {}, {} * (1,)",
    "chr({}), hex({}), bin({}), oct({})",
    "int({}), float({}), complex({}), operator.index({})",
    "round(2.3412, {})",
    "round(1.5, ndigits={})",
    "int('11', {} + 0) if False else int('11', {})",
    "'x'.center({}), 'x'.zfill({}), 'a,b,c'.split(',', {})",
    "list(enumerate('ab', {}))",
    "list(enumerate('ab', start={}))",
    "list(itertools.islice([1, 2, 3, 4, 5], 1, {}))",
    "list(itertools.repeat(1, {})), list(itertools.combinations([1, 2, 3], {}))",
    "math.factorial({}), math.gcd({}, 6), math.isqrt({}), math.comb(5, {}), math.lcm({}, 4)",
    "math.sqrt({}), math.sin({}), math.floor({})",
    "math.ldexp(1.5, {})",
    "[1, 2, 3, 4].pop({})",
    "list(deque([1, 2, 3], {}))",
    "slice({}).indices(9), slice(0, 5).indices({})",
    "'%d' % {}",
    "format({}, 'd')",
]


@each("expression", OF_INDEX)
def test_objects_are_asked_for_integers(expression):
    """Python's integers stay traced; NumPy's, and floats, are errors of Python's."""
    body = caught(expression.replace("{}", "Index(n)"))
    check_calls(function_of(body, "n", **GIVEN), *INTEGERS)


FLOATS = [(2.5,), (3.0,), (np.float64(1.5),), (3,), (np.float32(1.5),)]
OF_NUMBERS = [
    "float(Float(v))",
    "math.sqrt(Float(v)), math.exp(Float(v)), math.atan2(Float(v), 1), math.log(Float(v), 2)",
    "math.hypot(Float(v), 1.0) * math.fabs(Float(v))",
    "complex(Float(v)), complex(1, Float(v)), complex(Float(v), 2)",
    "math.floor(Float(v)), math.ceil(Float(v))",
    "np.array([1.0, 2.0]) * float(Float(v))",
    "int(Float(v))",
    "round(Float(v))",
    "int(Whole(v))",
    "float(Whole(v))",
    "list(range(Whole(v)))",
    "complex(Complex(v))",
    "abs(Rounded(v)), math.floor(Rounded(v)), math.ceil(Rounded(v)), math.trunc(Rounded(v))",
    "int(Rounded(v))",
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of floats of a subclass
@each("expression", OF_NUMBERS)
def test_objects_are_asked_for_floats_and_others(expression):
    """What the methods give has the class that Python asks for, or is an error."""
    check_calls(function_of(caught(expression), "v", **GIVEN), *FLOATS)


LENGTHS = [(3,), (0,), (N(2),), (-1,), (True,), (2.5,)]


@each(
    "expression",
    [
        "len(Long(n)) + 1",
        "bool(Long(n)), not Long(n), 1 if Long(n) else 2",
        "operator.truth(Long(n)), operator.not_(Long(n))",
        "any([Long(n)]), all([Long(n)])",
    ],
)
def test_lengths_are_integers_that_are_not_negative(expression):
    """Also where only the truth of an object is asked for."""
    check_calls(function_of(caught(expression), "n", **GIVEN), *LENGTHS)


X = (np.array([1.0, 2.0, 3.0]),), (np.array([2.0, 1.0]),), (np.array([0.5, 2.25]),)


@each(
    "expression",
    [
        "list(range(Index(len(x))))",
        "x[Index(len(x) - 1)]",
        "list(range(Index(int(x[0]))))",
        "math.sin(Float(float(x.sum())))",
        "float(Float(float(x[0]))) ** 2",
        "len(Long(len(x)))",
        "1 if Truth(bool(x[0] > 1)) else 0",
        "abs(Rounded(x[1])) * x[0]",
        "round(x[0] / 3.1, Index(len(x) - 1))",
    ],
)
def test_sizes_and_elements_are_given(expression):
    """Sizes stay sizes, and gradients go through the methods."""
    check_calls(function_of(expression, "x", **GIVEN), *X)


def test_a_round_method_is_given_the_digits():
    """By position, whether they are named or not."""
    rounded = type("R", (), {"__round__": lambda self, n=None: (n, 1.0)})
    body = "round(R()), round(R(), k), round(R(), ndigits=k), round(R(), None)"
    check_calls(function_of(body, "k", R=rounded), (1,), (2,))
