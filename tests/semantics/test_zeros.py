"""Derivatives at zero.

Rows of the table "Values at kinks, ties and edges" in docs/semantics.md.
"""

# A lambda around one NumPy function is what is under test here; names are easier to read in a row.
# ruff: noqa: PLW0108

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.numbers import grad, grads, same


@pytest.fixture(autouse=True)
def _floating_point_errors_are_no_warnings():
    """At a kink NumPy itself divides by zero or overflows on the branch that is not taken."""
    with np.errstate(all="ignore"):
        yield


# --- row: abs, sign, norm, std, hypot, arctan2 at zero


@each(
    "fun",
    [
        lambda x: np.abs(x),
        lambda x: np.absolute(x),
        lambda x: np.fabs(x),
        lambda x: abs(x),
    ],
    ids=["np.abs", "np.absolute", "np.fabs", "abs"],
)
def test_abs_at_zero_is_0(fun):
    same(grad(fun, np.array([-2.0, 0.0, 3.0, -0.0])), [-1, 0, 1, 0])


def test_sign_is_0_everywhere():
    (g,) = gs.differentiable(lambda x: np.sum(np.sign(x))).grad(np.array([-2.0, 0.0, 3.0]))
    same(g, [0, 0, 0])


@each(
    "fun",
    [
        lambda x: np.linalg.norm(x),
        lambda x: np.linalg.norm(x, axis=0),
        lambda x: np.linalg.norm(x, 2),
        lambda x: np.linalg.norm(x, keepdims=True),
    ],
    ids=["default", "axis", "ord", "keepdims"],
)
def test_norm_at_zero_is_0(fun):
    same(grad(fun, np.zeros(3)), np.zeros(3))
    same(grad(fun, np.array([3.0, 0.0, -4.0])), [0.6, 0, -0.8])


def test_norm_of_rows_of_which_one_is_zero():
    x = np.array([[0.0, 0.0], [3.0, -4.0]])
    same(grad(lambda x: np.linalg.norm(x, axis=1), x), [[0, 0], [0.6, -0.8]])


@each(
    "fun",
    [
        lambda x: np.std(x),
        lambda x: x.std(),
        lambda x: np.std(x, axis=0),
        lambda x: np.std(x, axis=-1, keepdims=True),
        lambda x: x.std(axis=(0, 1)),
        lambda x: np.std(x, ddof=1),
    ],
    ids=["np.std", "x.std", "axis", "keepdims", "tuple", "ddof"],
)
def test_std_of_constants_is_0(fun):
    same(grad(fun, np.full((2, 3), 0.7)), np.zeros((2, 3)))


def test_std_of_columns_of_which_one_is_constant():
    x = np.array([[1.0, 2.0], [1.0, 4.0]])
    same(grad(lambda x: np.std(x, axis=0), x), [[0, -0.5], [0, 0.5]])


@each(
    ("a", "b", "expected"),
    [(0, 0, (0, 0)), (3, -4, (0.6, -0.8)), (0, 2, (0, 1)), (-2, 0, (-1, 0))],
)
def test_hypot_at_the_origin_is_0(a, b, expected):
    by_a, by_b = grads(lambda a, b: np.hypot(a, b), float(a), float(b), wrt=(0, 1))
    same([by_a, by_b], expected)


def test_hypot_neither_overflows_nor_underflows():
    by_a, by_b = grads(lambda a, b: np.hypot(a, b), 3e200, 4e200, wrt=(0, 1))
    same([by_a, by_b], [0.6, 0.8])
    by_a, by_b = grads(lambda a, b: np.hypot(a, b), 3e-200, 4e-200, wrt=(0, 1))
    same([by_a, by_b], [0.6, 0.8])


@each(
    ("y", "x", "expected"),
    [(0, 0, (0, 0)), (1, 1, (0.5, -0.5)), (0, 2, (0.5, 0)), (0, -2, (-0.5, 0)), (-2, 0, (0, 0.5))],
)
def test_arctan2_at_the_origin_is_0(y, x, expected):
    by_y, by_x = grads(lambda y, x: np.arctan2(y, x), float(y), float(x), wrt=(0, 1))
    same([by_y, by_x], expected)


# --- row: sqrt(0)


@pytest.mark.parametrize("fun", [np.sqrt, lambda x: x**0.5], ids=["sqrt", "power"])
def test_sqrt_at_zero_is_inf(fun):
    same(grad(lambda x: fun(x), np.array([0.0, 4.0])), [np.inf, 0.25])


# --- row: powers


def power(x, y):
    return x**y


@each(
    "fun",
    [
        lambda x: x**0,
        lambda x: x**0.0,
        lambda x: np.power(x, 0),
        lambda x: np.power(x, 0.0),
        lambda x: x ** np.zeros(3),
    ],
    ids=["int", "float", "np.power int", "np.power float", "array"],
)
def test_zeroth_power_has_gradient_0_at_0(fun):
    x = np.array([0.0, 2.0, -1.0])
    by_function = gs.grad(lambda x: np.sum(fun(x)) + np.sum(x))(x)
    same(by_function, np.ones(3))


@pytest.mark.parametrize("exponent", [0, 0.0, np.zeros(3)], ids=["int", "float", "array"])
def test_zeroth_power_given_as_an_argument(exponent):
    same(grad(power, np.array([0.0, 2.0, -1.0]), exponent), np.zeros(3))


@each(("y", "expected"), [(1, 1), (2, 0), (3, 0), (0.5, np.inf), (1.5, 0), (0, 0)])
def test_power_at_base_0(y, expected):
    same(grad(power, np.zeros(2), np.full(2, float(y))), np.full(2, expected))
    same(grad(lambda x: x**y, np.zeros(2)), np.full(2, expected))


@each("y", [0.0, 0.5, 1.0, 2.0])
def test_exponent_of_base_0_has_gradient_0(y, torch):
    base, exponent = np.zeros(2), np.full(2, y)
    leaf = torch.tensor(exponent, requires_grad=True)
    (expected,) = torch.autograd.grad(torch.pow(torch.zeros(2).double(), leaf).sum(), leaf)
    same(grads(power, base, exponent, wrt=(1,))[0], expected)
    same(expected, [0, 0])


def test_exponent_of_scalar_base_0_has_gradient_0():
    same(grad(lambda y: 0.0**y, np.array([0.0, 0.5, 2.0])), np.zeros(3))


def test_exponent_of_a_negative_base_has_gradient_nan():
    by_x, by_y = grads(power, np.array([-2.0, 2.0]), np.array([3.0, 3.0]), wrt=(0, 1))
    same(by_x, [12, 12])
    assert np.isnan(by_y[0])
    same(by_y[1], 8 * np.log(2))


@each("n", [-3, -2, -1, 1, 2, 3, 4, 5, 7, 10])
def test_integer_powers_of_negative_bases(n):
    x = np.array([-2.0, -0.5, 3.0])
    same(grad(lambda x: x**n, x), n * x ** (n - 1.0))
    same(gs.compile(lambda x: x**n)(x), x ** float(n))


# --- row: prod with zeros

ZEROS = {
    "no zero": [1.5, 2.0, -3.0],
    "one zero": [0.0, 2.0, -3.0],
    "two zeros": [0.0, 2.0, 0.0],
    "all zeros": [0.0, 0.0, 0.0],
    "single": [0.0],
    "tiny": [1e-200, 1e-200, 3.0],
}


def products_of_the_others(x):
    return np.array([np.prod(np.delete(x, i)) for i in range(x.size)])


@each("name", ZEROS)
def test_prod_with_zeros_is_exact(name):
    x = np.array(ZEROS[name])
    same(grad(lambda x: np.prod(x), x), products_of_the_others(x), atol=0)


@each("keepdims", [False, True])
@each("axis", [0, 1, -1])
def test_prod_of_an_axis_with_zeros_is_exact(axis, keepdims):
    x = np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 5.0], [1.0, 4.0, 7.0]])
    expected = np.apply_along_axis(products_of_the_others, axis, x)
    same(grad(lambda x: x.prod(axis=axis, keepdims=keepdims), x), expected)


def test_prod_of_two_axes_with_zeros_is_exact():
    x = np.arange(8.0).reshape(2, 2, 2)
    expected = np.stack([products_of_the_others(part.ravel()).reshape(2, 2) for part in x])
    same(grad(lambda x: np.prod(x, axis=(1, 2)), x), expected)


@pytest.mark.parametrize("name", ["no zero", "one zero", "two zeros"])
def test_prod_second_derivative_with_zeros_is_exact(name):
    x, v = np.array(ZEROS[name]), np.array([1.0, -2.0, 0.5])

    def along(x):
        return np.sum(gs.grad(lambda y: np.prod(y))(x) * v)

    pairs = np.array([[0, x[2], x[1]], [x[2], 0, x[0]], [x[1], x[0], 0]])
    same(gs.grad(along)(x), pairs @ v)


# --- row: sinc(0)


def test_sinc_at_zero_is_0():
    x = np.array([0.0, 0.5, 1.0])
    same(grad(lambda x: np.sinc(x), x), [0, -4 / np.pi, -1])


def test_sinc_second_derivative_at_zero():
    def slope(x):
        return gs.grad(lambda y: np.sinc(y))(x)

    same(gs.grad(slope)(0.0), -(np.pi**2) / 3)


# --- row: the mean of the elements a mask selects, with none selected

MEANS = {
    "np.mean": lambda x: np.mean(x[x > 0]),
    "len": lambda x: np.sum(x[x > 0]) / (2 * len(x[x > 0])),
    "size": lambda x: np.sum(x[x > 0]) / x[x > 0].size,
    "twice": lambda x: np.sum(np.sqrt(x[x > 0])) / len(x[x > 0]) / len(x[x > 0]),
    "np.var": lambda x: np.var(x[x > 0]),
}


@each("name", MEANS)
@each("dtype", [np.float32, np.float64])
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::gradsmith.UnusedInputWarning")
def test_mean_of_no_element_has_gradient_0(name, dtype):
    fun = MEANS[name]
    some, none = np.array([1, -2, 3], dtype), np.array([-1, -2, -3], dtype)
    compiled = gs.grad(fun)
    assert np.isnan(fun(none))
    assert compiled(some).dtype == dtype
    same(compiled(none), [0, 0, 0])
    same(gs.grad(lambda x: np.sum(compiled(x)))(none), [0, 0, 0])
