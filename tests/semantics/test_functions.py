"""Functions however they are written.

Rows of the table "Mutation and Python around it" in docs/semantics.md.
"""

# Functions are written here as users write them, not as a linter would have them.
# ruff: noqa: B023, C408, PLC3002, PLW0108

from __future__ import annotations

import functools
import inspect
import math
from math import pi

import numpy as np
import numpy as xp
import pytest
from numpy import tanh

import gradsmith as gs
from control.one_object import check_calls
from helpers import each
from semantics.numbers import check, same

X = np.array([0.5, -1.25, 2.0])
A = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.6], [0.9, -0.2, 1.7]])


# --- row: functions however they are written


def test_two_lambdas_on_one_line():
    f, g = (lambda x: np.sum(x**2)), (lambda x: np.sum(x**3))
    same(gs.grad(f)(X), 2 * X)
    same(gs.grad(g)(X), 3 * X**2)


def test_two_lambdas_on_one_line_that_differ_in_a_constant():
    pair = [lambda x: np.sum(x * 2.0), lambda x: np.sum(x * 3.0)]
    same(gs.grad(pair[0])(X), [2, 2, 2])
    same(gs.grad(pair[1])(X), [3, 3, 3])


def test_two_lambdas_on_one_line_that_differ_in_an_argument_name():
    pair = [lambda x, y: np.sum(x * y * y), lambda y, x: np.sum(x * y * y)]
    same(gs.grad(pair[0])(X, X + 1), (X + 1) ** 2)
    same(gs.grad(pair[1])(X, X + 1), 2 * X * (X + 1))


def test_lambda_in_a_lambda_on_one_line():
    same(gs.grad(lambda x: (lambda y: np.sum(y**3))(x * 2))(X), 24 * X**2)


def test_multi_line_lambda():
    f = lambda x: np.sum(  # noqa: E731
        np.sin(x)
        * x
    )  # fmt: skip
    same(gs.grad(f)(X), np.sin(X) + X * np.cos(X))


def test_lambda_as_a_keyword_over_several_lines():
    calls = dict(
        first=lambda x: np.sum(x * x),
        second=lambda x: (
            np.sum(x)
            + np.sum(x**3)
        ),
    )  # fmt: skip
    same(gs.grad(calls["second"])(X), 1 + 3 * X**2)
    same(gs.grad(calls["first"])(X), 2 * X)


def test_lambdas_of_a_comprehension_with_a_default():
    powers = [lambda x, k=k: np.sum(x**k) for k in (1, 2, 3)]
    for k, f in enumerate(powers, 1):
        same(gs.grad(f)(X), k * X ** (k - 1))


def test_lambdas_of_a_comprehension_bind_late():
    powers = [lambda x: np.sum(x**k) for k in (1, 2, 3)]
    for f in powers:
        same(gs.grad(f)(X), 3 * X**2)


def test_lambda_of_a_conditional_expression():
    f = (lambda x: np.sum(x**2)) if X.size == 3 else (lambda x: np.sum(x))
    same(gs.grad(f)(X), 2 * X)


def test_lambda_after_a_backslash():
    f = \
        lambda x: np.sum(x * x)  # noqa: E731  # fmt: skip
    same(gs.grad(f)(X), 2 * X)


def test_lambda_that_is_decorated():
    f = gs.differentiable(lambda x, w: np.sum(x * w * w))
    by_x, by_w = f.grad(X, X + 1)
    same(by_x, (X + 1) ** 2)
    same(by_w, 2 * X * (X + 1))


def test_nested_functions():
    def f(x):
        def square(y):
            def shift(z):
                return z + x[0]

            return shift(y) ** 2

        return np.sum(square(x))

    check(f, X)


def imported_however(x):
    import numpy
    from numpy import sum as total

    return total(xp.exp(tanh(x)) * numpy.cos(x)) * pi


def test_numpy_however_it_is_imported():
    check(imported_however, X)


def scalar_maths(x):
    return math.sin(x) * math.exp(-x) + math.sqrt(x) + math.log(x) + x**math.e + math.pow(x, 3)


def test_math_on_scalars():
    check(scalar_maths, 1.5)


def factor(scale):
    def decorate(fun):
        @functools.wraps(fun)
        def inner(*args, **kwargs):
            return scale * fun(*args, **kwargs)

        return inner

    return decorate


def plain_factor(fun):
    def inner(x):
        return 7.0 * fun(x)

    return inner


@factor(2.0)
def wrapped(x):
    return np.sum(x * x)


@plain_factor
def wrapped_plainly(x):
    return np.sum(x * x)


@factor(2.0)
@plain_factor
@factor(0.5)
def wrapped_thrice(x):
    return np.sum(x * x)


def test_decorated_with_wraps():
    same(gs.grad(wrapped)(X), 4 * X)
    same(gs.differentiable(wrapped).grad(X)[0], 4 * X)


def test_decorated_without_wraps():
    same(gs.grad(wrapped_plainly)(X), 14 * X)


def test_decorated_several_times():
    same(gs.grad(wrapped_thrice)(X), 14 * X)


def test_decorated_helper():
    check(lambda x: wrapped(x) * np.sum(x), X)


@gs.differentiable
@factor(3.0)
def differentiable_on_top(x):
    return np.sum(x * x)


@factor(3.0)
@gs.differentiable
def differentiable_below(x):
    return np.sum(x * x)


def test_differentiable_among_other_decorators():
    same(differentiable_on_top.grad(X)[0], 6 * X)
    same(gs.grad(differentiable_below)(X), 6 * X)


def test_differentiable_leaves_the_function_as_it_was():
    def f(x):
        """Sum of squares."""
        return np.sum(x * x)

    decorated = gs.differentiable(f)
    assert decorated.__name__ == "f"
    assert decorated.__doc__ == "Sum of squares."
    assert type(decorated(X)) is np.float64
    assert f(X) == decorated(X)
    same(gs.grad(decorated)(X), 2 * X)


def general(x, w, *rest, scale=1.0, **named):
    total = scale * np.sum(x * w)
    for part in rest:
        total = total + np.sum(part * x)
    for name in sorted(named):
        total = total + len(name) * np.sum(named[name] * x)
    return total


def test_variadic_and_keyword_arguments():
    g = gs.grad(general)
    same(g(X, X + 1), X + 1)
    same(g(X, X + 1, X, X * 2), 4 * X + 1)
    same(g(X, X + 1, scale=3.0), 3 * X + 3)
    same(g(X, X + 1, X, scale=2.0, ab=X, a=X), 6 * X + 2)
    same(g(X, w=X + 1), X + 1)


def test_gradients_of_variadic_arguments():
    by_x, by_rest = gs.grad(general, argnums=(0, 3))(X, X + 1, X, X * 2)
    same(by_x, 4 * X + 1)
    same(by_rest, X)


def test_f_grad_of_keyword_arguments():
    f = gs.differentiable(lambda x, w: np.sum(x * w * w))
    by_x, by_w = f.grad(w=X + 1, x=X)
    same(by_x, (X + 1) ** 2)
    same(by_w, 2 * X * (X + 1))


def test_default_arguments():
    def f(x, w=np.array([1.0, 2.0, 3.0]), power=2, *, shift=0.5):  # noqa: B008
        return np.sum(w * (x + shift) ** power)

    g = gs.grad(f)
    same(g(X), 2 * np.array([1, 2, 3]) * (X + 0.5))
    same(g(X, power=3), 3 * np.array([1, 2, 3]) * (X + 0.5) ** 2)
    same(g(X, np.ones(3), shift=0.0), 2 * X)
    same(g(X, 2.0, 1), [2, 2, 2])


def test_default_array_changed_later():
    w = np.ones(3)

    def f(x, w=w):
        return np.sum(w * x)

    g = gs.grad(f)
    same(g(X), np.ones(3))
    w[:] = 4.0
    same(g(X), np.full(3, 4.0))


def test_positional_only_and_keyword_only():
    def f(x, /, *, power):
        return np.sum(x**power)

    same(gs.grad(f)(X, power=3), 3 * X**2)


def test_none_bools_and_strings_are_static():
    def f(x, mask=None, flip=False, mode="sum"):
        y = x if mask is None else x * mask
        y = -y if flip else y
        return np.sum(y) if mode == "sum" else np.sum(y * y)

    g = gs.grad(f)
    same(g(X), np.ones(3))
    same(g(X, None, True), -np.ones(3))
    same(g(X, np.array([1.0, 0.0, 1.0]), mode="squares"), 2 * X * [1, 0, 1])
    same(g(X), np.ones(3))


class Linear:
    def __init__(self, w):
        self.w = w

    def loss(self, x):
        return np.sum(self.w * x)


def weighted_power(w, x, n=2, *, scale=1.0):
    return scale * np.sum(w * x**n)


@each(
    ("fun", "expected"),
    [
        (functools.partial(weighted_power, np.full(3, 5.0)), 10 * X),
        (functools.partial(weighted_power, np.full(3, 5.0), n=3), 15 * X**2),
        (functools.partial(weighted_power, 5.0, scale=2.0), 20 * X),
        (functools.partial(functools.partial(weighted_power, 5.0), n=3), 15 * X**2),
        (functools.partial(Linear(np.full(3, 5.0)).loss), np.full(3, 5.0)),
    ],
    ids=["array", "keyword", "number", "partial of a partial", "method"],
)
def test_functools_partial(fun, expected):
    same(gs.grad(fun)(X), expected)
    same(gs.grad(fun)(X), expected)


def test_array_of_a_partial_changed_later():
    w = np.ones(3)
    g = gs.grad(functools.partial(weighted_power, w))
    same(g(X), 2 * X)
    w[:] = 3.0
    same(g(X), 6 * X)


def test_partial_as_a_helper():
    helper = functools.partial(weighted_power, 3.0, n=3)
    check(lambda x: helper(x) * np.sum(x), X)


def integer_power(x, n):
    return 1.0 if n == 0 else x * integer_power(x, n - 1)


def is_even(n, x):
    return np.sum(x) if n == 0 else is_odd(n - 1, x * x)


def is_odd(n, x):
    return np.sum(np.sin(x)) if n == 0 else is_even(n - 1, x * 2)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_recursion_with_a_static_depth(depth):
    same(gs.grad(lambda x: np.sum(integer_power(x, depth)))(X), depth * X ** (depth - 1.0))


def test_recursion_with_the_depth_as_an_argument():
    g = gs.grad(lambda x, n: np.sum(integer_power(x, n)))
    for depth in (3, 1, 4, 3):
        same(g(X, depth), depth * X ** (depth - 1.0))


def test_mutual_recursion():
    check(lambda x: is_even(3, x), X)


def test_recursion_over_halves():
    def total(x):
        if x.shape[0] == 1:
            return x[0] ** 2
        half = x.shape[0] // 2
        return total(x[:half]) * 2 + total(x[half:])

    check(total, np.arange(1.0, 6.0))
    check(total, np.arange(1.0, 4.0))


def scaled(function):
    @functools.wraps(function)
    def wrapper(x, s=2.0):
        return function(x * s)

    return wrapper


def counted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs), len(args), sorted(kwargs)

    return wrapper


def completed(function):
    @functools.wraps(function)
    def wrapper(x):
        return function(x, 7.0)

    return wrapper


def test_wrappers_take_what_they_are_given():
    def added(x, t=5):
        return x + t

    def multiplied(x, y=3):
        return x * y

    check_calls(scaled(added), (1.0,), (1.0, 3.0))
    check_calls(counted(multiplied), (1.0,), (1.0, 2.0))
    check_calls(completed(lambda x, t: x + t), (1.0,), (2.0,))
    check_calls(scaled(completed(lambda x, t: x - t)), (1.0,), (2.0,))
    assert gs.compile(counted(multiplied))(x=1.0, y=2) == (2.0, 0, ["x", "y"])
    assert "def multiplied(x, y):" in gs.compile(counted(multiplied)).source(1.0, 2.0)
    assert gs.grad(scaled(multiplied), argnums=(0, 1))(1.0, 3.0) == (9.0, 3.0)


def test_methods_under_wrappers():
    def doubled(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return 2 * function(*args, **kwargs)

        return wrapper

    class Model:
        @doubled
        def value(self, x, y=2.0):
            return x * y

    check_calls(Model().value, (3.0,), (3.0, 4.0))
    assert gs.grad(Model().value)(3.0, y=4.0) == 8.0


def test_signatures_that_functions_tell():
    def product(*factors):
        return math.prod(factors)

    product.__signature__ = inspect.signature(lambda x, y=9.0: None)
    check_calls(product, (2.0,), (2.0, 3.0))
