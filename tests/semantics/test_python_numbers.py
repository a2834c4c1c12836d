"""Python's numbers keep Python's rules: value to the bit, class, and the error that is raised.

The referee is the function itself. Each is compiled once and called at all arguments of a kind, so
that decisions that were frozen at the first call show.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import operator
import warnings

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

NAN, INF = math.nan, math.inf
FLOATS = [(0.7, 1.3), (-1.2, 0.4), (2.5, 1.0), (0.0, -0.0), (NAN, 1.0), (1.0, NAN), (INF, -2.5),
          (1e200, 1e200), (-8.0, 1 / 3), (1000.0, -1.0), (2.675, 2.0)]  # fmt: skip
MIXED = [(np.float64(x), y) for x, y in FLOATS[:9]]
MIXED += [(np.float64(-INF), 0.5), (np.float64(-0.0), 0.5)]
SINGLE = [(np.float32(0.7), 2), (np.float32(-1.25), 3), (np.float32(0), 1)]
INTEGERS = [(3, 2), (-7, 3), (7, -3), (0, 5), (10**30, 7), (5, 1)]
INT_AND_FLOAT = [(4, 3.0), (2, 3.0), (3, 3.0), (-1, 0.5), (0, -0.0)]
KINDS = {"float": FLOATS, "float64": MIXED, "float32": SINGLE, "int": INTEGERS,
         "int and float": INT_AND_FLOAT}  # fmt: skip

OF_ONE = {
    "round": round,
    "round to 2": lambda x: round(x, 2),
    "round to tens": lambda x: round(x, -1),
    "int": int,
    "bool": bool,
    "float": float,
    "complex": complex,
    "abs": abs,
    "not": lambda x: not x,
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "is_integer": lambda x: float(x).is_integer(),
    "real and imag": lambda x: (x.real, float(x).imag),
    "half": lambda x: 1 if x > 0 else 2.5,
    "True plus": lambda x: True + x,
    "truths": lambda x: (x > 0) + (x > 1) + (not x),
    "class": lambda x: (type(x), type(float(x)), isinstance(x, float), isinstance(x, int)),
    "least of int": lambda x: min(x, 1),
    "of three": lambda x: max(x, 0, -0.5),
    "square": lambda x: x**2,
    "cube": lambda x: x**3,
    "root": lambda x: x**0.5,
    "whole exponent": lambda x: (x if x > 1 else 3) ** 2.0,
    "times one": lambda x: (x if x > 1 else 3) * 1.0,
    "and or": lambda x: (x and 2.0, x or 3),
    "beside known scalars of NumPy's": lambda x: (
        *(np.sqrt(4.0) * x, np.maximum(1, 2) + x, x - np.float64(1), np.float32(2) * x),
        *(np.sqrt(4.0) < x, x >= np.int64(2), np.exp(1) / (x or 1), sum([np.sqrt(4.0), x])),
    ),
    "added in place to a known scalar of NumPy's": lambda x: operator.iadd(np.sqrt(4.0), x),
    "modf": math.modf,
    "fsum": lambda x: math.fsum([x, 0.1, 0.2]),
    "dist": lambda x: math.dist([x, 1.0], [0.5, x]),
    "prod": lambda x: math.prod([x, 2, x]),
    "inverted truth": lambda x: (~int(x > 0), [4, 5][~(x > 0)] if type(x) is float else 0),
    "conjugates": lambda x: [type(v) for v in (complex(x).conjugate(), (x * 1j).conjugate().real)],
    "sum of a generator": lambda x: math.fsum(v * v for v in [x, 0.1, 0.2]),
}
OF_TWO = {
    "max": max,
    "min": min,
    "divide": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "divmod": divmod,
    "power": operator.pow,
    "pow": pow,
    "math.pow": math.pow,
    "atan2": math.atan2,
    "hypot": math.hypot,
    "fmod": math.fmod,
    "remainder": math.remainder,
    "copysign": math.copysign,
    "log": math.log,
    "np.divide": lambda x, y: np.divide(x % 1000, y),
    "np.remainder": lambda x, y: np.remainder(x % 1000, y),
    "np.floor_divide": lambda x, y: np.floor_divide(x % 1000, y),
    "np.divide by zero": lambda x, y: np.divide(x % 1000, y - y),
    "np.divmod by zero": lambda x, y: np.divmod(x % 1000, y - y),
    "np.square": lambda x, y: (np.square(x % 1000), np.square(1e200 * (x % 10))),
    "isclose": math.isclose,
    "isclose within": lambda x, y: (
        math.isclose(x, 1, rel_tol=abs(y)),
        math.isclose(1, x, abs_tol=abs(y)),
        math.isclose(x, 3, abs_tol=abs(y), rel_tol=0.25),
    ),
    "identity": lambda x, y: (max(x, y) is x, min(x, y) is x, (x if x > y else y) is y),
    "choice": lambda x, y: x if x > y else y,
    "nested": lambda x, y: max(x, y, 1) - min(1, x * y),
}
OF_MATH = ["sin", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
           "exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "fabs", "degrees", "radians",
           "erf", "erfc", "gamma", "lgamma", "isnan", "isinf", "isfinite", "ulp"]  # fmt: skip


def outcome(function, arguments):
    """What the call gives: its `repr` and class, or the error it raises."""
    try:
        with np.errstate(all="ignore"):
            value = function(*arguments)
    except Exception as error:
        return error
    parts = value if isinstance(value, tuple) else (value,)
    return [(type(part), repr(part)) for part in parts]


def check(function, many):
    def called(*numbers):
        return function(*numbers)

    compiled = gs.compile(called)
    for arguments in many:
        expected, found = outcome(function, arguments), outcome(compiled, arguments)
        if isinstance(expected, Exception):
            kinds = [k for k in (ValueError, OverflowError, ZeroDivisionError, TypeError)
                     if isinstance(expected, k)]  # fmt: skip
            assert isinstance(found, tuple(kinds)), (arguments, expected, found)
        else:
            assert found == expected, arguments


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::gradsmith.GradsmithWarning")
@pytest.mark.parametrize("kind", KINDS)
@each("name", OF_ONE)
def test_function_of_one_number(name, kind):
    check(OF_ONE[name], [(x,) for x, _ in KINDS[kind]])


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::gradsmith.GradsmithWarning")
@each("kind", KINDS)
@each("name", OF_TWO)
def test_function_of_two_numbers(name, kind):
    check(OF_TWO[name], KINDS[kind])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@each("kind", KINDS)
@each("name", OF_MATH)
def test_function_of_math(name, kind):
    check(getattr(math, name), [(x,) for x, _ in KINDS[kind]])


def test_a_call_of_math_stays_one():
    def f(x):
        return math.sin(x) * math.exp(-x) + max(x, 1.0)

    assert "math.sin(x) * math.exp(-x) + max(x, 1.0)" in gs.compile(f).source(0.5)
    source = gs.grad(f).source(0.5)
    assert "np.sin" not in source
    assert "np.where" not in source


def test_a_power_in_a_loop_calls_no_function_of_arrays():
    def f(x, q):
        s = 0.0
        for _ in range(10):
            s = 0.5 * s + x**q
        return s

    source = gs.grad(f, (0, 1)).source(0.5, 1.5)
    assert "x ** q" in source
    assert "np.where" not in source
    assert "np.log" not in source


def test_equal_branches_that_give_integers():
    """Each integer is known to sizes by a symbol of its own."""

    def f(x, n):
        total = 3.0
        for _ in range(3):
            total = total * 0.5 + (2 if x > 0 else n) * x
        return total

    compiled, gradient = gs.compile(f), gs.grad(f)
    for arguments in ((0.7, 2), (-0.7, 5), (1.2, 0)):
        assert compiled(*arguments) == f(*arguments)
        slope = 1.75 * (2 if arguments[0] > 0 else arguments[1])
        assert gradient(*arguments) == pytest.approx(slope)


# -- values that carry the gradient ---------------------------------------------------------------

X = np.array([1.4, 2.3, -1.2])
Y = np.array([0.25, 1.75, 3.5, -2.0])
CARRIED = {
    "float": lambda x: float(x[0]) * float(np.sum(x * x)),
    "item": lambda x: x[1].item() * x.item(0) + np.sum(x).item(),
    "item of two": lambda x: x[None].item(0, 1) * x.item((2,)),
    "tolist": lambda x: sum(v * v for v in x.tolist()),
    "an element of tolist": lambda x: x.tolist()[1] * x.tolist()[-1],
    "nested tolist": lambda x: x[:2].reshape(2, 1).tolist()[1][0] ** 2,
    "a write into tolist": lambda x: _written(x.tolist()),
    "complex": lambda x: abs(complex(x[0], x[1]) * complex(x[2])) ** 2,
    "math": lambda x: math.sin(x[0]) * math.exp(-float(x[1])) + math.atan2(x[2], 3.0),
    "hypot and dist": lambda x: math.hypot(*x.tolist()) + math.dist([x[0], 1.0], [x[1], x[2]]),
    "fsum": lambda x: math.fsum(x.tolist()) ** 2 + math.fsum([x[0], x[1]]),
    "an integer index": lambda x: x[int(x[1])] * x[round(x[1]) - 1],
    "an integer bound": lambda x: np.sum(x[: int(x[1])] ** 2) * int(x[1]),
    "a range": lambda x: _powers(x, math.ceil(x[1])),
    "an integer of numpy": lambda x: x[np.floor(x[1]).astype(int)] ** 2,
    "rounding": lambda x: x[0] * round(x[1]) + x[1] * math.floor(x[0]) + x[2] * (x[1] // 1),
    "divmod": lambda x: divmod(x[1], 0.7)[1] * divmod(float(x[1]), 2)[0],
    "a float in an array": lambda x: np.sum(np.array([float(x[0]), x[1], 2]) ** 2),
    "max": lambda x: max(x) * min(float(x[0]), 1) + max(x[0], x[1], 1.0),
    "power": lambda x: abs(float(x[1])) ** float(x[0]) + float(x[1]) ** 3,
    "size of a reduction": lambda x: np.zeros(_product(x.shape))[0] + x[0] ** 2,
}


def _product(shape):
    total = 1
    for size in shape:
        total = operator.mul(total, size)
    return abs(total)


def _written(numbers):
    numbers[0] = numbers[1] * 3.0
    return numbers[0] * numbers[-1]


def _powers(x, n):
    total = 0
    for i in range(n):
        total += x[i] ** 2 * i
    return total


@pytest.mark.parametrize("name", CARRIED)
def test_value_and_derivatives(name):
    function = CARRIED[name]
    compiled, gradient = gs.compile(function), gs.grad(function)
    for x in (X, Y):
        before = x.copy()
        assert outcome(compiled, (x,)) == outcome(function, (x,))
        expected = np.array([_slope(function, x, e) for e in np.eye(len(x))])
        np.testing.assert_allclose(gradient(x), expected, rtol=1e-6, atol=1e-6)
        tangent = gs.jvp(function, (x,), (np.ones(len(x)),))[1]
        np.testing.assert_allclose(tangent, np.sum(expected), rtol=1e-6, atol=1e-6)
        np.testing.assert_array_equal(x, before)


def _slope(function, x, direction, step=1e-6):
    return (function(x + step * direction) - function(x - step * direction)) / (2 * step)


KINKS = [
    (lambda x, q: x**q, (0.0, 2.5), (0.0, 0.0)),
    (lambda x, q: x**q, (0.0, 0.0), (0.0, 0.0)),
    (lambda x, q: x**q, (2.0, 0.0), (0.0, math.log(2.0))),
    (lambda x, q: 1.0 * math.pow(x, q), (0.0, 1.5), (0.0, 0.0)),
    (lambda x, y: math.sqrt(x * x + y * y), (0.0, 0.0), (0.0, 0.0)),
    (lambda x, y: 1.0 * math.hypot(x, y), (0.0, 0.0), (0.0, 0.0)),
    (lambda x, y: 1.0 * math.atan2(x, y), (0.0, 0.0), (0.0, 0.0)),
    (lambda x, y: math.sqrt(x) * y, (0.0, 1.0), (INF, 0.0)),
    (lambda x, y: max(x, y) * 1.0, (1.0, 1.0), (0.5, 0.5)),
    (lambda x, y: max(x, y) * 1.0, (2.0, NAN), (1.0, 0.0)),
    (lambda x, y: math.fabs(x) * y, (0.0, 2.0), (0.0, 0.0)),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@each(("function", "at", "expected"), KINKS)
def test_derivative_at_a_kink(function, at, expected):
    assert gs.grad(function, (0, 1))(*at) == pytest.approx(expected)


VECTORS = [
    *([1.0, NAN, 2.0], [NAN, 1.0], [0.0, -0.0], [-0.0, 0.0], [3.0, 3.0, 1.0], []),
    *(np.array([2, 5, 1]), np.array([1.5, 2.5], np.float32), np.array([True, False])),
]


@pytest.mark.parametrize("plain", [max, min])
def test_extremes_of_a_vector_are_those_that_python_finds(plain):
    check(plain, [(np.array(values),) for values in VECTORS])
    gradient = gs.grad(lambda x: plain(x) ** 2)
    np.testing.assert_array_equal(gradient(np.array([2.0, NAN, 2.0])), [2.0, 0.0, 2.0])


def test_absolute_values_of_complex_scalars_to_the_bit():
    compiled = gs.compile(lambda z: (abs(z), np.abs(z)))
    parts = np.random.default_rng(0).normal(size=(100, 2))
    for z in (np.complex128(complex(*pair)) for pair in parts):
        assert compiled(z) == (abs(z), np.abs(z))
    gs.check_grads(lambda x: abs(x[0] * 1j + x[1] * (2 - 1j)), (X[:2],))


def test_a_derivative_that_is_not_available():
    with pytest.raises(gs.GradsmithError, match="digamma"):
        gs.grad(lambda x: x * math.gamma(x))(2.5)


# -- results that are no numbers ------------------------------------------------------------------


def test_dtypes_and_classes_are_results():
    def f(x):
        return x.dtype, type(x[0]), type(float(x[0])), np.sum(x)

    for x in (X, X.astype(np.float32)):
        assert gs.compile(f)(x) == f(x)


def test_the_inverse_of_a_truth_of_pythons_is_an_integer():
    def f(x):
        return ~(x > 0), ~(0 < x < 1) + 1, ~np.bool_(x > 0)

    compiled = gs.compile(f)
    for x in (0.5, -0.5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            expected = f(x)
        assert repr(compiled(x)) == repr(expected)


@pytest.mark.parametrize("make", [int, float, complex])
def test_numbers_of_arrays_with_axes_are_made_as_numpy_makes_them(make):
    def f(x):
        try:
            return make(x)
        except TypeError as error:
            return str(error)

    compiled = gs.compile(f)
    for x in (np.ones(1), np.ones((1, 1)), np.array(2.0), np.ones(1)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            assert compiled(x) == f(x)


def test_unsigned_integers_that_python_needs():
    def f(n):
        return [10.0, 20.0, 30.0][operator.index(n) % 3]

    compiled = gs.compile(f)
    for n in (np.uint8(4), np.uint8(200), np.int64(2), 1):
        assert compiled(n) == f(n)


def test_integers_beyond_64_bits_in_tangents():
    def f(x):
        return x * 10**20 + 10**200 * x

    assert gs.jvp(f, (0.0,), (1.0,)) == (0.0, 1e200 + 1e20)


def class_of_a_power(x, y):
    r = x**y
    return (r.real, r.imag, abs(r)) if isinstance(r, complex) else (r, type(r).__name__)


@pytest.mark.filterwarnings("ignore::gradsmith.GradsmithWarning", "ignore::RuntimeWarning")
def test_powers_are_complex_where_pythons_are():
    compiled = gs.compile(class_of_a_power)
    for x, y in [(0.5, 0.5), (-1.0, 0.5), (-8.0, 1 / 3), (-8.0, 2.0), (-INF, 0.5), (-2.0, INF),
                 (NAN, 0.5), (0.0, 0.5), (-0.0, 0.5), (-2.0, -1.5),
                 (np.float64(-2.0), 0.5)]:  # fmt: skip
        assert repr(compiled(x, y)) == repr(class_of_a_power(x, y))


@each(
    "function",
    [
        lambda x: (x ** (1 / 3)).real,
        lambda x: (x**0.5).imag * 2 + x,
        lambda x: abs((x - 3.0) ** 1.5),
        lambda x: abs((-2.0) ** (x + 0.25)),
    ],
)
def test_parts_of_complex_powers_have_derivatives(function):
    gradient = gs.value_and_grad(function)
    for x in (4.1, -4.1, 0.5, -0.6):
        value, slope = gradient(x)
        assert value == function(x)
        assert abs(slope - (function(x + 1e-6) - function(x - 1e-6)) / 2e-6) < 1e-5


def of_all(x):
    return sum(x)


def of_products(x):
    return sum(x * x[::-1]) / len(x)


def of_rows(x):
    return sum(sum(np.outer(x, x)))


def of_a_root(x):
    return np.sqrt(sum((x - x[0]) ** 2))


def in_a_loop(x):
    total = 0.0
    for k in range(1, 4):
        total += sum(x / k)
    return total


def of_those_taken(x):
    return sum(x[x > 0.5])


@each("dtype", [np.float64, np.float32, np.complex128])
@each("f", [of_all, of_products, of_rows, of_a_root, in_a_loop])
def test_sums_of_arrays_to_the_last_bit(f, dtype):
    """Python's ``sum`` adds from the left, NumPy's in pairs."""
    compiled, rng = gs.compile(f), np.random.default_rng(0)
    for size in (1, 2, 9, 13, 200, 1001):
        x = rng.random(size).astype(dtype)
        value, expected = compiled(x), f(x)
        assert type(value) is type(expected)
        assert np.asarray(value).tobytes() == np.asarray(expected).tobytes()
        if dtype is np.float64:
            assert gs.value_and_grad(f)(x)[0] == expected


def test_sums_of_no_element():
    compiled = gs.compile(of_those_taken)
    assert compiled(np.array([0.75, 0.5])) == 0.75
    assert compiled(np.array([0.25, 0.5])) == 0
    assert gs.compile(of_all)(np.zeros(0)) == 0


def test_a_copy_of_a_number_is_that_number():
    @dataclasses.dataclass
    class Pair:
        first: float
        rest: list

    def f(x):
        pair = Pair(x[0], [x[1], x])
        held = dataclasses.asdict(pair)
        held["rest"][1] *= 2
        return copy.copy(x[0]), copy.deepcopy([x[1]]), held, dataclasses.astuple(pair)[0], x

    x = np.array([1.5, 2.5])
    given, expected = gs.compile(f)(x), f(x)
    assert repr(given) == repr(expected)
    for made in (given[0], given[1][0], given[2]["first"], given[3]):
        assert type(made) is np.float64
