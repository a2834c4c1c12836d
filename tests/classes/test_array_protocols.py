"""Objects of the user's among the arguments of NumPy's functions: ``__array__`` and the like."""

from __future__ import annotations

import numpy as np

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


class Held:
    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)


class Quantity(np.lib.mixins.NDArrayOperatorsMixin):
    def __init__(self, value, unit):
        self.value = value
        self.unit = unit

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != "__call__":
            return NotImplemented
        values = [v.value if isinstance(v, Quantity) else v for v in inputs]
        return Quantity(getattr(ufunc, method)(*values, **kwargs), self.unit)

    def __array_function__(self, function, kinds, args, kwargs):
        assert kinds[0] is Quantity
        assert set(kinds) <= {Quantity, np.ndarray}
        values = [v.value if isinstance(v, Quantity) else v for v in args]
        return function(*values, **kwargs)


class Unwilling:
    def __array_ufunc__(self, *args, **kwargs):
        return NotImplemented


@case
def converted(x):
    held = Held(x * 2)
    return np.sum(np.sin(held)) + np.dot(held, x) + np.mean(np.asarray(held)) * np.array(held)


@case
def ufuncs(x):
    made = np.exp(Quantity(x, "m")) * 2.0
    return np.add(x, made).value * len(made.unit)


@case
def operators(x):
    length = Quantity(x, "km")
    made = x * length - 1.0 + length / 2.0
    return made.value * len(made.unit) + (x < Quantity(x * x, "km")).value


@case
def functions(x):
    return np.sum(Quantity(x, "m")) * np.dot(Quantity(x, "m"), x)


@case
def none_that_knows_it(x):
    try:
        return np.sin(Unwilling())
    except TypeError:
        return x * 2


@each("name", CASES)
def test_value_and_gradient(name):
    function = CASES[name]
    compiled, gradient = gs.compile(function), gs.grad(lambda x: np.sum(function(x) ** 2))
    for size in (3, 4, 1):
        x = np.linspace(0.4, 1.7, size)
        assert repr(compiled(x)) == repr(function(x))
        steps = np.eye(size) * 1e-6
        loss = [(np.sum(function(x + e) ** 2), np.sum(function(x - e) ** 2)) for e in steps]
        expected = [(a - b) / 2e-6 for a, b in loss]
        np.testing.assert_allclose(gradient(x), expected, rtol=1e-6)


class Pair:
    def __init__(self, a):
        self.a = a

    def __add__(self, other):
        return Pair(self.a + other) if isinstance(other, (int, float)) else NotImplemented

    __radd__ = __add__


@each(
    "body",
    [
        "(Pair(1) + x).a",
        "(x + Pair(1)).a",
        "p = Pair(0.0)\nfor _ in range(3):\n    p = p + x\nreturn p.a",
        "try:\n    return (Pair(1) * x).a\nexcept TypeError as error:\n    return str(error)",
    ],
)
def test_scalars_of_numpy_ask_a_second_time(body):
    """By their own operator, as numbers of Python's."""
    function = function_of(body, "x", Pair=Pair)
    check_calls(function, (np.int64(2),), (2.5,), (np.float64(1.5),))
    assert gs.compile(function)(np.float32(2)) == function(np.float32(2))


class Named:
    def __rmul__(self, other):
        return type(other).__name__

    def __radd__(self, other):
        return f"{other}"

    def __rmatmul__(self, other):
        return type(other).__name__


@each(
    "body",
    [
        "y = x if x > 1 else 1\nreturn y * Named(), y + Named()",
        "y = max(x, 1)\nreturn y * Named(), isinstance(y, int), y + Named()",
        "y = 1\nif x > 1: y = x\nreturn y * Named()",
    ],
)
def test_numbers_of_a_class_that_the_path_decides(body):
    function = function_of(body, "x", Named=Named)
    check_calls(function, (np.float64(1.5),), (np.float64(-2.0),), (np.float32(4.0),), (2.5,))


def test_scalars_have_no_matrix_product():
    function = function_of("return x @ Named()", "x", Named=Named)
    check_calls(function, (np.float64(1.5),), (np.float32(4.0),))
