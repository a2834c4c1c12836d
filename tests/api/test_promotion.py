"""A compiled operation has the dtype and the value that NumPy (NEP 50) gives it."""

# ruff: noqa: PLW0108, SIM905

from __future__ import annotations

import operator
import os
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gradsmith as gs
from helpers import each

DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
).split()

OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
UFUNCS = (
    "add subtract multiply divide true_divide floor_divide remainder mod fmod power maximum "
    "minimum fmax fmin hypot arctan2 logaddexp logaddexp2 copysign equal not_equal less "
    "less_equal greater greater_equal logical_and logical_or logical_xor"
).split()
UNARY = (
    "negative positive absolute square sqrt exp log1p sin tanh sign reciprocal conj real imag "
    "isfinite isnan logical_not floor ceil rint"
).split()
REDUCTIONS = "sum prod mean max min var std any all argmax".split()

VALUES = {"b": [True, False], "i": [-3, -1, 0, 1, 2, 5], "u": [0, 1, 2, 5]}
FLOATS = [-2.5, -1.0, 0.0, 0.5, 1.0, 3.0]
COMPLEX = [0j, 1 + 2j, -0.5 + 0.25j, 3 - 1j, 2.0 + 0j]


def values_of(dtype):
    kind = np.dtype(dtype).kind
    return VALUES.get(kind, COMPLEX if kind == "c" else FLOATS)


@st.composite
def arrays(draw):
    """An array of rank 0 or 1 or a NumPy scalar of any dtype."""
    dtype = draw(st.sampled_from(DTYPES))
    form = draw(st.sampled_from(["vector", "0-d", "scalar"]))
    elements = draw(st.lists(st.sampled_from(values_of(dtype)), min_size=3, max_size=3))
    array = np.array(elements).astype(dtype)
    return {"vector": array, "0-d": np.array(array[0]), "scalar": array[0]}[form]


python_scalars = st.one_of(
    st.booleans(),
    st.integers(-5, 5),
    st.sampled_from([100, 300, -200, 2**40]),
    st.sampled_from(FLOATS),
    st.sampled_from(COMPLEX),
)


@st.composite
def pairs(draw):
    """Two operands of which at least one is of NumPy."""
    array = draw(arrays())
    other = draw(st.one_of(arrays(), python_scalars))
    return (array, other) if draw(st.booleans()) else (other, array)


def outcome(call, *args):
    """The result, or the class of the error."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(*args)
        except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
            return error


def agree(compiled, plain, *args):
    expected, actual = outcome(plain, *args), outcome(compiled, *args)
    if isinstance(expected, Exception):
        builtin = next(k for k in type(expected).__mro__ if k.__module__ == "builtins")
        assert isinstance(actual, builtin), (actual, expected)
        return
    assert not isinstance(actual, Exception), actual
    assert np.asarray(actual).dtype == np.asarray(expected).dtype
    assert np.shape(actual) == np.shape(expected)
    exact = np.asarray(expected).dtype.kind in "biu"
    tolerance = 0 if exact else 8 * np.finfo(np.asarray(expected).dtype).eps
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


relaxed = settings(
    max_examples=60 if os.environ.get("GRADSMITH_ALL") else 30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.mark.parametrize("name", OPERATORS)
@relaxed
@given(pair=pairs())
def test_operators_promote_as_numpy(name, pair):
    op = OPERATORS[name]
    agree(compiled_operator(name), op, *pair)


@pytest.mark.parametrize("name", UFUNCS)
@relaxed
@given(pair=pairs())
def test_binary_ufuncs_promote_as_numpy(name, pair):
    ufunc = getattr(np, name)
    agree(compiled_ufunc(name), ufunc, *pair)


@pytest.mark.parametrize("name", UNARY)
@relaxed
@given(array=arrays())
def test_unary_functions_promote_as_numpy(name, array):
    fun = getattr(np, name)
    agree(compiled_ufunc(name), fun, array)


@pytest.mark.parametrize("name", REDUCTIONS)
@relaxed
@given(array=arrays())
def test_reductions_promote_as_numpy(name, array):
    fun = getattr(np, name)
    agree(compiled_ufunc(name), fun, array)


# One compiled object per operation serves all dtypes, as in a user's program.

_COMPILED = {}


def compiled_operator(name):
    if name not in _COMPILED:
        _COMPILED[name] = gs.compile(BY_OPERATOR[name])
    return _COMPILED[name]


def compiled_ufunc(name):
    if name not in _COMPILED:
        fun = getattr(np, name)
        _COMPILED[name] = gs.compile(lambda *operands: fun(*operands))
    return _COMPILED[name]


BY_OPERATOR = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}


# Python scalars written in the code, whose type is known when compiling.

LITERALS = {
    "x + 1": lambda x: x + 1,
    "1 - x": lambda x: 1 - x,
    "2 * x": lambda x: 2 * x,
    "x / 2": lambda x: x / 2,
    "1 / x": lambda x: 1 / x,
    "x // 2": lambda x: x // 2,
    "x % 3": lambda x: x % 3,
    "x ** 2": lambda x: x**2,
    "x ** 3": lambda x: x**3,
    "x ** -1": lambda x: x**-1,
    "x ** 0.5": lambda x: x**0.5,
    "x ** 2.0": lambda x: x**2.0,
    "2 ** x": lambda x: 2**x,
    "2.0 ** x": lambda x: 2.0**x,
    "x + 1.5": lambda x: x + 1.5,
    "x * 1j": lambda x: x * 1j,
    "x + True": lambda x: x + True,
    "x > 1": lambda x: x > 1,
    "0.5 < x": lambda x: x > 0.5,
    "x == 1": lambda x: x == 1,
    "-x": lambda x: -x,
    "abs(x)": lambda x: abs(x),
    "x + np.pi": lambda x: x + np.pi,
    "x * np.float64(2)": lambda x: x * np.float64(2),
    "x * np.float32(2)": lambda x: x * np.float32(2),
    "x + np.int8(2)": lambda x: x + np.int8(2),
    "np.where(x > 1, x, 0)": lambda x: np.where(x > 1, x, 0),
    "np.where(x > 1, x, 0.5)": lambda x: np.where(x > 1, x, 0.5),
    "np.where(x > 1, 1, 0.5)": lambda x: np.where(x > 1, 1, 0.5),
    "np.maximum(x, 0)": lambda x: np.maximum(x, 0),
    "np.maximum(x, 0.5)": lambda x: np.maximum(x, 0.5),
    "np.clip(x, 0, 2)": lambda x: np.clip(x, 0, 2),
    "np.zeros_like(x)": lambda x: np.zeros_like(x) + x,
    "np.zeros(3) + x": lambda x: np.zeros(3) + x,
    "np.arange(3) * x": lambda x: np.arange(3) * x,
    "np.array([x, x])": lambda x: np.array([x, x]),
    "np.array([x[0], 1])": lambda x: np.array([np.ravel(x)[0], 1]),
    "np.concatenate": lambda x: np.concatenate([np.ravel(x), np.zeros(2, dtype=np.float32)]),
    "np.stack": lambda x: np.stack([x, np.zeros_like(x, dtype=np.int16)]),
    "x @ x": lambda x: np.ravel(x) @ np.ravel(x),
    "np.outer": lambda x: np.outer(x, np.float32([1, 2])),
    "x.mean()": lambda x: x.mean(),
    "x.sum()": lambda x: x.sum(),
    "x.sum(dtype)": lambda x: np.sum(x, dtype=np.complex128),
    "x.astype": lambda x: x.astype(np.float32) * 2,
    "x * (x > 0)": lambda x: x * (x.real > 0),
    "x ** 0": lambda x: x**0,
    "round trip": lambda x: (x * 2 + 1) / 3 - x,
}


@pytest.mark.parametrize("name", LITERALS)
@each("dtype", DTYPES)
def test_literals_promote_as_numpy(name, dtype):
    fun = LITERALS[name]
    agree(gs.compile(fun), fun, np.array(values_of(dtype)[:2] + values_of(dtype)[-1:], dtype))


@each("name", ["x + 1", "x / 2", "x ** 2", "x * 1j", "np.where(x > 1, x, 0)"])
@each("dtype", DTYPES)
def test_literals_promote_0_d_arrays_as_numpy(name, dtype):
    fun = LITERALS[name]
    agree(gs.compile(fun), fun, np.array(values_of(dtype)[-1], dtype))


def add_in_place(x, y):
    z = x.copy()
    z += y
    return z


def divide_in_place(x, y):
    z = x.copy()
    z /= y
    return z


def store_in_place(x, y):
    z = x.copy()
    z[:] = y
    return z


@each("fun", [add_in_place, divide_in_place, store_in_place])
@each("left", DTYPES)
@each("right", ["bool", "int64", "uint8", "float32", "float64", "complex64"])
def test_in_place_operations_keep_the_dtype_as_numpy(fun, left, right):
    x, y = np.array([1, 0, 1]).astype(left), np.array([1, 1, 0]).astype(right)
    agree(gs.compile(fun), fun, x, y)
