"""Gradients of gradients, to order 4, and the confusion of perturbations."""

# The functions under test are lambdas in rows.
# ruff: noqa: PLW0108

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import gradsmith as gs
from helpers import each
from semantics.numbers import same

X = np.array([0.5, -1.25, 2.0])
W = np.array([3.0, 4.0, 5.0])
V = np.array([0.1, 0.2, 0.3])


# --- nesting

SYMBOL = sp.Symbol("x")
SCALAR_FUNCTIONS = {
    "sin*exp": (lambda x: np.sin(x) * np.exp(x), sp.sin(SYMBOL) * sp.exp(SYMBOL)),
    "x**5": (lambda x: x**5, SYMBOL**5),
    "x**2.5": (lambda x: x**2.5, SYMBOL ** sp.Rational(5, 2)),
    "x**x": (lambda x: x**x, SYMBOL**SYMBOL),
    "1/x": (lambda x: 1 / x, 1 / SYMBOL),
    "log": (lambda x: np.log(x), sp.log(SYMBOL)),
    "tanh": (lambda x: np.tanh(x), sp.tanh(SYMBOL)),
    "arctan": (lambda x: np.arctan(x), sp.atan(SYMBOL)),
    "sqrt": (lambda x: np.sqrt(1 + x * x), sp.sqrt(1 + SYMBOL**2)),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 1 / (1 + sp.exp(-SYMBOL))),
    "softplus": (lambda x: np.log1p(np.exp(x)), sp.log(1 + sp.exp(SYMBOL))),
    "tan": (lambda x: np.tan(x), sp.tan(SYMBOL)),
    "arcsin": (lambda x: np.arcsin(x / 3), sp.asin(SYMBOL / 3)),
    "2**x": (lambda x: 2.0**x, 2**SYMBOL),
    "product of elements": (lambda x: np.prod(np.array([x, x + 1, x * x])), None),
    "composed": (lambda x: np.exp(np.sin(x**2) / x), None),
}
SYMBOLIC = {
    "product of elements": SYMBOL**3 * (SYMBOL + 1),
    "composed": sp.exp(sp.sin(SYMBOL**2) / SYMBOL),
}


@each("order", [1, 2, 3, 4])
@pytest.mark.parametrize("name", SCALAR_FUNCTIONS)
def test_nested_grad_equals_sympy(name, order):
    fun, expression = SCALAR_FUNCTIONS[name]
    expression = SYMBOLIC.get(name, expression)
    exact = sp.diff(expression, SYMBOL, order)
    for _ in range(order):
        fun = gs.grad(fun)
    for point in (0.75, 1.3):
        expected = float(exact.evalf(30, subs={SYMBOL: sp.Float(repr(point), 30)}))
        same(fun(point), expected, rtol=1e-9)


@each("order", [1, 2, 3, 4])
def test_nested_grad_of_vectors(order):
    fun = lambda x: np.sum(np.sin(2 * x))  # noqa: E731
    for _ in range(order):
        fun = summed_gradient(fun)
    value = 2**order * np.sin(2 * X + order * np.pi / 2)
    same(fun(X), np.sum(value))


def summed_gradient(fun):
    return lambda x: np.sum(gs.grad(fun)(x))


def test_nested_grad_by_different_arguments():
    def f(x, y):
        return np.sin(x * y) * x

    mixed = gs.grad(gs.grad(f, argnums=1), argnums=0)
    other = gs.grad(gs.grad(f, argnums=0), argnums=1)
    x, y = 0.7, -1.3
    expected = 2 * x * np.cos(x * y) - x * x * y * np.sin(x * y)
    same(mixed(x, y), expected)
    same(other(x, y), expected)


def test_nested_grad_with_seeds():
    def directional(x, v):
        return np.sum(gs.grad(lambda y: y**3)(x, grad_outputs=v))

    by_x, by_v = gs.grad(directional, argnums=(0, 1))(X, V)
    same(by_x, 6 * X * V)
    same(by_v, 3 * X**2)


def test_nested_value_and_grad():
    def f(x):
        value, g = gs.value_and_grad(lambda y: np.sum(y**3))(x)
        return value * np.sum(g)

    expected = 3 * X**2 * np.sum(3 * X**2) + np.sum(X**3) * 6 * X
    same(gs.grad(f)(X), expected)


def test_nested_f_grad():
    inner = gs.differentiable(lambda x, w: np.sum(w * x**3))

    def outer(x, w):
        by_x, by_w = inner.grad(x, w)
        return np.sum(by_x * by_w)

    by_x, by_w = gs.grad(outer, argnums=(0, 1))(X, W)
    same(by_x, 15 * W * X**4)
    same(by_w, 3 * X**5)


def test_inner_gradient_in_a_loop():
    def descend(x, rate):
        for _ in range(3):
            x = x - rate * gs.grad(lambda y: np.sum(y**4))(x)
        return np.sum(x)

    def steps(rate):
        x = X
        for _ in range(3):
            x = x - rate * 4 * x**3
        return np.sum(x)

    h = 1e-6
    expected = (steps(0.01 + h) - steps(0.01 - h)) / (2 * h)
    same(gs.grad(descend, argnums=1)(X, 0.01), expected, rtol=1e-6)


# --- perturbation confusion


def test_inner_derivative_of_a_sum():
    same(gs.grad(lambda x: x * gs.grad(lambda y: x + y)(1.0))(1.0), 1.0)


def test_inner_derivative_of_a_product():
    same(gs.grad(lambda x: x * gs.grad(lambda y: x * y)(2.0))(3.0), 6.0)


def test_inner_derivative_at_the_outer_variable():
    same(gs.grad(lambda x: gs.grad(lambda y: x * y * y)(x))(3.0), 12.0)


def test_inner_variable_of_the_same_name():
    same(gs.grad(lambda x: x * gs.grad(lambda x: x**3)(x))(2.0), 36.0)


def test_inner_function_of_outer_intermediates():
    def f(x):
        h = np.sin(x)
        return gs.grad(lambda y: h * y**2 + y)(h)

    same(gs.grad(f)(0.7), 4 * np.sin(0.7) * np.cos(0.7))


def test_three_levels():
    def f(x):
        return gs.grad(lambda y: y**2 * gs.grad(lambda z: x * y * z**3)(x + y))(x)

    x, y, z = sp.symbols("x y z")
    inner = sp.diff(x * y * z**3, z).subs(z, x + y)
    middle = sp.diff(y**2 * inner, y).subs(y, x)
    same(gs.grad(f)(1.5), float(sp.diff(middle, x).subs(x, sp.Rational(3, 2))))


def test_curried_derivative():
    def shifted(h):
        return lambda x: np.sin(x + h)

    def slope_at(h):
        return gs.grad(lambda x: shifted(h)(x))(0.3)

    same(gs.grad(slope_at)(0.4), -np.sin(0.7))


def test_the_amazing_bug():
    """Manzyuk et al., "Perturbation confusion in forward AD of higher-order functions" (2019)."""

    def shift(u):
        return lambda fun: lambda x: fun(x + u)

    def twice_shifted(u):
        once = shift(u)
        return once(once(lambda x: np.exp(x)))(0.5)

    same(gs.grad(twice_shifted)(0.0), 2 * np.exp(0.5))


def test_autograd_grad_holds_other_arguments_constant():
    def f(x, y):
        (by_y,) = gs.autograd.grad(x * y**2, y, create_graph=True)
        return x * by_y

    same(gs.grad(f)(2.0, 3.0), 2 * 2 * 2 * 3.0)


def test_stop_gradient_inside_nested_gradients():
    def f(x):
        return gs.grad(lambda y: y**2 * gs.stop_gradient(y))(x)

    same(gs.compile(f)(3.0), 18.0)
    same(gs.grad(f)(3.0), 6.0)


def test_stop_gradient_outside_a_trace_is_the_identity():
    same(gs.stop_gradient(X), X)
    assert gs.stop_gradient(2.5) == 2.5


def test_stop_gradient_of_a_tree():
    def f(x, w):
        frozen = gs.stop_gradient({"x": x, "w": [w]})
        return np.sum(x * frozen["x"] * frozen["w"][0])

    same(gs.grad(f)(X, W), X * W)


def test_positions_that_come_from_around_the_function():
    def f(x, w):
        return np.sum(x**2 * w)

    both, one = (0, 1), 1
    pair = gs.compile(lambda x, w: gs.grad(f, argnums=both)(x, w))(X, W)
    same(pair[0], 2 * X * W)
    same(pair[1], X**2)
    same(gs.compile(lambda x, w: gs.grad(f, argnums=one)(x, w))(X, W), X**2)
    chosen = gs.compile(lambda x, w, k: gs.value_and_grad(f, argnums=k)(x, w)[1])
    for k, expected in ((0, 2 * X * W), (1, X**2)):
        same(chosen(X, W, k), expected)
