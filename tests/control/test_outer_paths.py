"""Derivatives taken in branches and loops of values that were computed before these."""

import warnings

import numpy as np

import gradsmith as gs
from helpers import each

A = np.array([1.0, 2.0])


def pullback_in_a_branch(x, c):
    _, pullback = gs.vjp(lambda v: v * v, x)
    return pullback(1.0)[0] if c > 0 else 0.0


def pullback_in_an_if(x, c):
    y, pullback = gs.vjp(lambda v: v * v, x)
    r = 0.0
    if y > c:
        r = pullback(2.0)[0]
    return r + y


def pullback_in_a_loop(a, k):
    _, pullback = gs.vjp(lambda v: v * v, a)
    t = 0.0
    for i in range(len(a)):
        t = t + k * np.sum(pullback(np.ones(len(a)) * i)[0])
    return t


def rows_of_a_jacobian(a, k):
    _, pullback = gs.vjp(lambda v: v * v * k, a)
    return np.sum(np.array([pullback(np.eye(len(a))[i])[0] for i in range(len(a))]) ** 2)


def pullback_in_a_sum_and_a_helper(x, n):
    _, pullback = gs.vjp(lambda v: v * v, x)

    def moved(s):
        return pullback(s)[0]

    return sum(moved(1.0 * i) for i in range(n))


def pullback_in_an_inner_loop(x, n):
    t = 0.0
    for i in range(n):
        _, pullback = gs.vjp(lambda v, i=i: v * v * i, x)
        for _ in range(n):
            t = t + pullback(1.0)[0]
    return t


def pullback_in_a_while(x, n):
    _, pullback = gs.vjp(lambda v: v * v, x)
    t = 0.0
    while t < n:
        t = t + pullback(1.0)[0]
    return t


PULLBACKS = [
    (pullback_in_a_branch, [(1.5, 1.0), (1.5, -1.0), (2.0, 1.0)]),
    (pullback_in_an_if, [(1.5, 1.0), (1.5, 10.0)]),
    (pullback_in_a_loop, [(A, 2.0), (np.array([1.0, 2.0, 3.0]), 1.0)]),
    (rows_of_a_jacobian, [(A, 2.0)]),
    (pullback_in_a_sum_and_a_helper, [(1.5, 3), (1.5, 1)]),
    (pullback_in_an_inner_loop, [(1.5, 3), (1.5, 0)]),
    (pullback_in_a_while, [(1.5, 7.0), (1.5, -1.0)]),
]


def slope(f, x, rest):
    """Sum of the derivatives by central differences."""
    h = 1e-6
    return (f(x + h, rest) - f(x - h, rest)) / (2 * h)


@each(("f", "calls"), PULLBACKS)
def test_pullbacks_are_those_of_the_function(f, calls):
    compiled, gradient = gs.compile(f), gs.grad(f)
    for args in calls:
        np.testing.assert_allclose(compiled(*args), f(*args), rtol=1e-13)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gs.UnusedInputWarning)  # of paths without x
            made = gradient(*args)
        np.testing.assert_allclose(np.sum(made), slope(f, *args), rtol=1e-6, atol=1e-6)


def value_before_a_branch(x, c):
    y = x * x
    if c > 0:
        return gs.autograd.grad(y, x)[0]
    return y


def partly_before_a_branch(x, c):
    y = x * x
    if c > 0:
        return gs.autograd.grad(y * x, x)[0]
    return y


def steps(x, n):
    y = np.sum(x * x)
    for _ in range(n):
        x = x - 0.1 * gs.autograd.grad(y, x, materialize_grads=True)[0]
    return x


def with_a_carried_value(x, n):
    y, total = 1.0, 0.0
    for _ in range(n):
        y = y * x
        total = total + gs.autograd.grad(y, x)[0]
    return total


def with_seeds(x, k):
    y = x * x * k
    rows = []
    for i in range(len(x)):
        seed = np.zeros(len(x))
        seed[i] = 1
        rows.append(gs.autograd.grad(y, x, grad_outputs=seed, materialize_grads=True)[0])
    return np.array(rows)


AUTOGRAD = [
    (value_before_a_branch, (1.5, 1.0), 3.0),
    (value_before_a_branch, (1.5, -1.0), 2.25),
    (partly_before_a_branch, (1.5, 1.0), 6.75),
    (steps, (A, 2), 0.8 * A),
    (with_a_carried_value, (1.5, 3), 1 + 2 * 1.5 + 3 * 1.5**2),
    (with_seeds, (A, 1.0), np.diag(2 * A)),
]


@each(("f", "args", "wanted"), AUTOGRAD)
def test_gradients_take_the_whole_path(f, args, wanted):
    np.testing.assert_allclose(gs.compile(f)(*args), wanted, rtol=1e-13)


def test_loops_that_take_whole_paths_themselves_stay_loops():
    def descend(w, n, x):
        scaled = 2 * x
        for _ in range(n):
            w = w - 0.1 * gs.grad(lambda v: np.sum((v - scaled) ** 2))(w)
        return w

    compiled = gs.compile(descend)
    np.testing.assert_allclose(compiled(A, 3, A), descend(A, 3, A), rtol=1e-13)
    assert "for _ in range(n)" in compiled.source(A, 3, A)
