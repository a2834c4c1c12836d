"""The untaken branch of `np.where`, ties and bounds.

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


# --- row: np.where whose untaken branch is inf or nan


@pytest.mark.parametrize(("a", "b", "expected"), [(1, 1, 3), (1, -1, 0), (-1, 1, 0)])
def test_conditions_without_axes_around_each_other_keep_the_shape(a, b, expected):
    def fun(v, a, b):
        rows = np.where(b > 0, np.broadcast_to(v, (3, 4)), 0.0)
        return np.where(a > 0, np.sum(rows), 0.0)

    same(gs.grad(fun)(np.ones(4), float(a), float(b)), np.full(4, float(expected)))


WEIGHTS = np.array([2.0, 3.0, 5.0])
MASK = np.array([True, False, True])


def sine_over_x(x):
    return np.where(x != 0, np.sin(x) / x, 1.0)


def half_circle(x):
    return np.where(np.abs(x) < 1, np.sqrt(1 - x**2), 0.0)


def root_through_names(x):
    positive = x > 0
    root = np.sqrt(x)
    scaled = WEIGHTS * root
    return np.where(positive, scaled, 0.0)


WHERE = {
    "sqrt": (lambda x: np.where(x > 0, np.sqrt(x), 0), [0.0, 4.0, -1.0], [0, 0.25, 0]),
    "log": (lambda x: np.where(x > 0, np.log(x), 0.0), [0.0, 2.0, -1.0], [0, 0.5, 0]),
    "reciprocal": (lambda x: np.where(x != 0, 1 / x, 0.0), [0.0, 2.0, -4.0], [0, -1 / 4, -1 / 16]),
    "half power": (lambda x: np.where(x > 0, x**0.5, 0.0), [0.0, 4.0, -1.0], [0, 0.25, 0]),
    "root of a square": (lambda x: np.where(x > 0, np.sqrt(x**2), x), [0.0, 3.0, -3.0], [1, 1, 1]),
    "first branch untaken": (
        lambda x: np.where(x > 0, 0.0, np.log(-x)),
        [-2.0, 0.5, 3.0],
        [-0.5, 0, 0],
    ),
    "arctanh": (
        lambda x: np.where(np.abs(x) < 1, np.arctanh(x), x**2),
        [1.0, 0.5, -3.0],
        [2, 4 / 3, -6],
    ),
    "overflow": (lambda x: np.where(x > 700, x, np.exp(x)), [1000.0, 0.0, 800.0], [1, 1, 1]),
    "constant mask": (
        lambda x: np.where(MASK, np.exp(x), np.log(x)),
        [0.0, 2.0, -1.0],
        [1, 0.5, np.exp(-1)],
    ),
    "nested": (
        lambda x: np.where(x > 0, np.where(x > 1, np.sqrt(x - 1), 0), 0.0),
        [1.0, 5.0, -1.0],
        [0, 0.25, 0],
    ),
    "chain": (lambda x: np.where(x > 0, np.exp(np.log(x)), 0), [0.0, 2.0, -1.0], [0, 1, 0]),
    "weighted": (lambda x: np.where(x > 0, WEIGHTS * np.sqrt(x), 0), [0, 4.0, -1.0], [0, 0.75, 0]),
    "sine over x": (sine_over_x, [0.0, 1.0, 0.0], [0, np.cos(1) - np.sin(1), 0]),
    "half circle": (half_circle, [1.0, 0.6, 2.0], [0, -0.75, 0]),
    "through names": (root_through_names, [0.0, 4.0, -1.0], [0, 0.75, 0]),
    "reduced": (lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0)), [0.0, 4.0, -1], [0, 0.25, 0]),
    "indexed": (lambda x: np.where(x > 0, np.sqrt(x), 0)[:2], [0.0, 4.0, 9.0], [0, 0.25, 0]),
    "broadcast": (
        lambda x: np.where(x[:, None] > 0, np.sqrt(x)[:, None] * WEIGHTS, 0.0),
        [0.0, 4.0, -1.0],
        [0, 2.5, 0],
    ),
}


@each("name", WHERE)
def test_where_takes_the_gradient_of_the_taken_branch(name):
    fun, x, expected = WHERE[name]
    same(grad(fun, np.array(x)), expected)


def test_where_with_a_scalar_condition():
    def f(x):
        return np.where(np.sum(x) > 0, np.sum(np.sqrt(x)), 0.0)

    same(grad(f, np.zeros(3)), np.zeros(3))
    same(grad(f, np.full(3, 4.0)), np.full(3, 0.25))


def test_where_keeps_the_nan_of_the_untaken_branch_from_other_arguments():
    def f(x, w):
        return np.where(x > 0, w * np.sqrt(x), 0.0)

    by_x, by_w = grads(f, np.array([0.0, 4.0, -1.0]), np.array(3.0), wrt=(0, 1))
    same(by_x, [0, 0.75, 0])
    same(by_w, 2.0)


def test_where_keeps_an_infinite_factor_from_the_untaken_branch():
    def f(x, y):
        return np.where(x != 1, y / (x - 1), y)

    by_x, by_y = grads(f, np.array([1.0, 3.0]), np.array([2.0, 5.0]), wrt=(0, 1))
    same(by_x, [0, -1.25])
    same(by_y, [1, 0.5])


def test_where_second_derivative():
    def f(x):
        return np.sum(np.where(x > 0, x * np.sqrt(x), 0.0))

    def slope(x):
        return np.sum(gs.grad(f)(x))

    same(gs.grad(slope)(np.array([0.0, 4.0, -1.0])), [0, 0.375, 0])


def test_where_by_boolean_store():
    def f(x):
        y = np.zeros_like(x)
        y[x > 0] = np.sqrt(x[x > 0])
        return y

    same(grad(f, np.array([0.0, 4.0, -1.0])), [0, 0.25, 0])


TAKEN = {
    "sqrt": (lambda x: np.sqrt(x)[x > 0], [0.0, 4.0, -1.0], [0, 0.25, 0]),
    "reciprocal": (lambda x: (1 / x)[x != 0], [0.0, 2.0, -4.0], [0, -1 / 4, -1 / 16]),
    "power": (lambda x: (3 * x**0.5)[x > 0] ** 2, [0.0, 4.0, -1.0], [0, 9, 0]),
    "weighted": (lambda x: (WEIGHTS * np.log(x))[x > 0], [0.0, 2.0, -1.0], [0, 1.5, 0]),
    "number": (lambda x: (5 * np.sqrt(x * 4))[x > 0], [0.0, 4.0, -1.0], [0, 2.5, 0]),
    "constant mask": (lambda x: np.sqrt(x)[MASK], [1.0, 0.0, 4.0], [0.5, 0, 0.25]),
    "rows": (
        lambda x: np.sqrt(x[:, None] * WEIGHTS)[x > 0].sum(axis=0) ** 2,
        [0.0, 4.0, -1.0],
        [0, 10, 0],
    ),
}


@each("name", TAKEN)
def test_elements_that_a_mask_leaves_out_have_no_part_in_the_gradient(name):
    fun, x, expected = TAKEN[name]
    same(grad(fun, np.array(x)), expected)


def test_second_derivative_of_elements_taken_by_a_mask():
    def slope(x):
        return np.sum(gs.grad(lambda x: np.sum((x * np.sqrt(x))[x > 0]))(x))

    same(gs.grad(slope)(np.array([0.0, 4.0, -1.0])), [0, 0.375, 0])


def test_distances_inverted_where_they_are_not_zero():
    def potential(x):
        distance = np.sqrt((x[:, None] - x) ** 2)
        inverse = np.zeros_like(distance)
        inverse[distance > 0] = 1 / distance[distance > 0]
        return np.sum(inverse)

    x = np.array([0.0, 1.0, 3.0])
    same(grad(potential, x), [2 + 2 / 9, -2 + 0.5, -0.5 - 2 / 9])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_where_of_two_gradients_keeps_the_dtype(dtype):
    fun, x, expected = WHERE["sqrt"]
    g = grad(fun, np.array(x, dtype=dtype))
    assert g.dtype == dtype
    same(g, expected)


# --- row: maximum and minimum at a tie


@pytest.mark.parametrize("fun", [np.maximum, np.minimum])
def test_maximum_minimum_tie_gives_one_half_each(fun, torch):
    def f(a, b):
        return fun(a, b)

    a, b = np.array([1.0, 2.0, 3.0]), np.array([1.0, 5.0, -3.0])
    leaves = [torch.tensor(v, requires_grad=True) for v in (a, b)]
    output = getattr(torch, fun.__name__)(*leaves)
    expected = torch.autograd.grad(output.sum(), leaves)
    by_a, by_b = grads(f, a, b, wrt=(0, 1))
    assert by_a[0] == by_b[0] == 0.5
    same(by_a, expected[0])
    same(by_b, expected[1])


@pytest.mark.parametrize("fun", [np.maximum, np.minimum])
def test_maximum_minimum_with_itself(fun):
    same(grad(lambda x: fun(x, x), np.array([1.0, -2.0])), [1, 1])


def test_relu_at_zero():
    same(grad(lambda x: np.maximum(x, 0), np.array([-1.0, 0.0, 2.0])), [0, 0.5, 1])
    same(grad(lambda x: np.maximum(0.0, x), np.array([-1.0, 0.0, 2.0])), [0, 0.5, 1])


def test_maximum_tie_under_broadcasting():
    by_a, by_b = grads(np_maximum, np.ones((2, 3)), np.array([1.0, 0.0, 2.0]), wrt=(0, 1))
    same(by_a, [[0.5, 1, 0], [0.5, 1, 0]])
    same(by_b, [1, 0, 2])


def np_maximum(a, b):
    return np.maximum(a, b)


# --- row: max, min, amax over an axis share the gradient evenly

TIED = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
EXTREMA = {
    "np.max": lambda x, **k: np.max(x, **k),
    "np.amax": lambda x, **k: np.amax(x, **k),
    "x.max": lambda x, **k: x.max(**k),
    "np.min": lambda x, **k: np.min(x, **k),
    "np.amin": lambda x, **k: np.amin(x, **k),
    "x.min": lambda x, **k: x.min(**k),
}
AXES = [None, 0, 1, -1, -2, (0, 1), (1,)]


@each("name", EXTREMA)
@each("axis", AXES, ids=str)
@each("keepdims", [False, True])
def test_extrema_share_the_gradient_evenly(name, axis, keepdims):
    def f(x):
        return EXTREMA[name](x, axis=axis, keepdims=keepdims)

    chosen = np.max if "max" in name else np.min
    hit = chosen(TIED, axis=axis, keepdims=True) == TIED
    same(grad(f, TIED), hit / hit.sum(axis=axis, keepdims=True))


def test_extrema_share_a_seed_evenly():
    seed = np.array([4.0, 9.0])
    g = grad(lambda x: np.max(x, axis=1), TIED, seed=seed)
    same(g, [[0, 2, 2], [3, 3, 3]])


def test_extrema_equal_torchs_amax(torch):
    leaf = torch.tensor(TIED, requires_grad=True)
    (expected,) = torch.autograd.grad(torch.amax(leaf, dim=(0, 1)), leaf)
    same(grad(lambda x: np.amax(x), TIED), expected)


# --- row: clip at a bound


@each(
    "fun",
    [
        lambda x: np.clip(x, 0.0, 1.0),
        lambda x: np.clip(x, 0, 1),
        lambda x: x.clip(0.0, 1.0),
        lambda x: np.clip(x, a_min=0.0, a_max=1.0),
        lambda x: np.clip(x, np.zeros(5), np.ones(5)),
    ],
    ids=["floats", "ints", "method", "keywords", "arrays"],
)
def test_clip_at_a_bound_is_1(fun):
    x = np.array([-0.5, 0.0, 0.25, 1.0, 1.5])
    same(grad(fun, x), [0, 1, 1, 1, 0])


@each("low", [0.0, None])
@each("high", [1.0, None])
def test_clip_with_one_bound(low, high):
    if low is high is None:
        low = -10.0
    x = np.array([-0.5, 0.0, 0.25, 1.0, 1.5])
    inside = (x >= (-np.inf if low is None else low)) & (x <= (np.inf if high is None else high))
    same(grad(lambda x: np.clip(x, low, high), x), inside)


def test_clip_with_bounds_the_wrong_way_round_is_as_numpy():
    x = np.array([-1.0, 0.5, 3.0])
    same(gs.compile(lambda x: np.clip(x, 1.0, 0.0))(x), np.clip(x, 1.0, 0.0))
