"""Where a derivative is infinite: at distances of 0, under masks, beside what is never read.

The derivative that belongs to a norm at 0 is 0. An adjoint (a tangent) that is exactly 0 meets no
infinite partial. Where neither holds, an infinite derivative is infinite.
"""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

random = np.random.default_rng(3)
SPREAD = random.normal(size=(4, 3))
MEETING = np.vstack([SPREAD[:1], SPREAD[:3]])
WEIGHTS = np.array([0.0, 1.0, 2.0])
ROOTS = np.array([0.0, 3.0, 2.0])


def distances(x):
    return np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


# -- sums of squares, however they are written ---------------------------------------------------

SQUARES = {
    "powers": lambda d: d[..., 0] ** 2 + d[..., 1] ** 2 + d[..., 2] ** 2,
    "products": lambda d: d[..., 0] * d[..., 0] + d[..., 1] * d[..., 1] + d[..., 2] * d[..., 2],
    "np.square": lambda d: np.sum(np.square(d), axis=-1),
    "method": lambda d: (d * d).sum(axis=-1),
    "mean": lambda d: 3 * np.mean(d**2, axis=-1),
    "einsum": lambda d: np.einsum("ijk,ijk->ij", d, d),
    "weighted": lambda d: np.sum(2.5 * d**2 / 2.5, axis=-1),
    "absolute": lambda d: np.sum(np.abs(d) ** 2, axis=-1),
    "clipped": lambda d: np.maximum(np.sum(d**2, axis=-1), 0.0),
    "squares of norms": lambda d: np.linalg.norm(d, axis=-1) ** 2,
    "of a transpose": lambda d: np.sum(d.T**2, axis=0).T,
    "stacked": lambda d: np.stack([d[..., k] ** 2 for k in range(3)]).sum(axis=0),
    "variance": lambda d: 3 * np.mean((d - 0 * d) ** 2, axis=-1),
    "times itself": lambda d: np.sum(2 * d * d, axis=-1) / 2,
}
OUTER = {
    "np.sqrt": np.sqrt,
    "power": lambda s: s**0.5,
    "np.power": lambda s: np.power(s, 0.5),
    "cube root": np.cbrt,
    "power of 3/4": lambda s: s**0.75,
    "root of a root": lambda s: np.sqrt(np.sqrt(s)),
    "smooth": lambda s: np.exp(-np.sqrt(s)) * np.sqrt(s),
}


@pytest.mark.parametrize("squares", SQUARES)
def test_sums_of_squares(squares):
    def function(x):
        return np.sum(np.sqrt(SQUARES[squares](x[:, None] - x[None])))

    check(function, SPREAD, lambda x: np.sum(np.linalg.norm(x[:, None] - x[None], axis=-1)))


@each("outer", OUTER)
def test_roots_of_sums_of_squares(outer):
    def function(x):
        return np.sum(OUTER[outer](np.sum((x[:, None] - x[None]) ** 2, axis=-1)))

    def apart(x):
        s = np.sum((x[:, None] - x[None]) ** 2, axis=-1)
        return np.sum(OUTER[outer](s[~np.eye(len(x), dtype=bool)]))

    check(function, SPREAD, apart)


def check(function, x, smooth):
    """Against differences of a function that is smooth there, in both modes, twice."""
    expected = differences(smooth, x)
    transform = gs.value_and_grad(function)
    for _ in range(2):
        value, gradient = transform(x)
        assert value == pytest.approx(function(x), rel=1e-13)
        np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6)
    direction = random.normal(size=x.shape)
    tangent = gs.jvp(function, (x,), (direction,))[1]
    assert tangent == pytest.approx(np.sum(gradient * direction), rel=1e-9)
    product = gs.grad(lambda x: np.sum(gs.grad(function)(x) * direction))(x)
    expected = gs.jvp(gs.grad(function), (x,), (direction,))[1]
    assert np.all(np.isfinite(product))
    np.testing.assert_allclose(product, expected, rtol=1e-8, atol=1e-8)


def differences(function, x, step=1e-6):
    result = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        moved = np.zeros(x.shape)
        moved[place] = step
        result[place] = (function(x + moved) - function(x - moved)) / (2 * step)
    return result


# -- in loops, branches, checkpoints, through views -----------------------------------------------


def in_loops(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            total += np.sqrt(np.sum((x[i] - x[j]) ** 2))
    return total


def summed_in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            s = 0.0
            for k in range(3):
                s += (x[i, k] - x[j, k]) ** 2
            total += np.sqrt(s)
    return total


def rows_in_a_loop(x):
    total = 0.0
    for row in x:
        total += np.sum(np.sqrt(np.sum((x - row) ** 2, axis=1)))
    return total


def in_a_branch(x):
    s = np.sum((x[:, None] - x[None]) ** 2, axis=-1)
    return np.sum(np.sqrt(s)) if s[0, 1] > 0 else np.sum(s)


def of_a_branch(x):
    d = x[:, None] - x[None]
    s = np.sum(d**2, axis=-1) if d[0, 1, 0] > -9 else np.sum(np.abs(d), axis=-1) ** 2
    return np.sum(np.sqrt(s))


def checkpointed(x):
    return np.sum(gs.checkpoint(distances)(x))


def stored_in_a_loop(x):
    s = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        s[i] = np.sum((x - x[i]) ** 2, axis=1)
    return np.sum(np.sqrt(s))


def through_views(x):
    s = np.zeros((len(x), len(x)))
    t = s.T
    t[:] = np.sum((x[:, None] - x[None]) ** 2, axis=-1)
    return np.sum(np.sqrt(s))


@pytest.mark.parametrize(
    "function",
    [
        *(in_loops, summed_in_a_loop, rows_in_a_loop, in_a_branch, of_a_branch),
        *(checkpointed, stored_in_a_loop, through_views),
    ],
)
def test_distances_in_regions(function):
    check(function, SPREAD, lambda x: np.sum(np.linalg.norm(x[:, None] - x[None], axis=-1)))


def test_distances_in_single_precision():
    gradient = gs.grad(lambda x: np.sum(distances(x)))(SPREAD.astype(np.float32))
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(
        gradient, gs.grad(lambda x: np.sum(distances(x)))(SPREAD), rtol=1e-4
    )


def test_the_curvature_of_smooth_functions_of_a_distance():
    """Where the distance cancels, points that coincide have the right second derivative."""

    def function(x):
        return np.sum(np.exp(-(distances(x) ** 2) / 2) * np.arange(16).reshape(4, 4))

    def squares(x):
        s = np.sum((x[:, None] - x[None]) ** 2, axis=-1)
        return np.sum(np.exp(-s / 2) * np.arange(16).reshape(4, 4))

    def product(f):
        return gs.grad(lambda x: np.sum(gs.grad(f)(x) * SPREAD))(MEETING)

    np.testing.assert_allclose(product(function), product(squares), rtol=1e-12, atol=1e-12)


# -- what is not read ----------------------------------------------------------------------------


def triangle(x):
    return np.sum(np.triu(1 / distances(x), 1))


def pairs(x):
    return np.sum(1 / distances(x)[np.triu_indices(len(x), 1)])


def inverse_pairs(x):
    return np.sum((1 / distances(x))[np.triu_indices(len(x), 1)])


def diagonal_filled(x):
    r = distances(x)
    np.fill_diagonal(r, 1.0)
    return np.sum(np.triu(1 / r, 1))


def inverse_filled(x):
    inverse = 1 / distances(x)
    np.fill_diagonal(inverse, 0.0)
    return np.sum(inverse) / 2


def inverse_cleared_by_a_mask(x):
    r = distances(x)
    inverse = 1 / r
    inverse[r == 0] = 0
    return np.sum(inverse) / 2


def inverse_cleared_in_a_loop(x):
    inverse = 1 / distances(x)
    for i in range(len(x)):
        inverse[i, i] = 0.0
    return np.sum(inverse) / 2


def stored_under_a_mask(x):
    r = distances(x)
    inverse = np.zeros_like(r)
    inverse[r > 0] = 1 / r[r > 0]
    return np.sum(inverse) / 2


def replaced_under_a_mask(x):
    r = distances(x)
    r[r > 0] = 1 / r[r > 0]
    return np.sum(r) / 2


def one_where(x):
    r = distances(x)
    return np.sum(np.where(r > 0, 1 / r, 0.0)) / 2


def two_wheres(x):
    r = distances(x)
    return np.sum(np.where(r > 0, np.where(r < 99, 1 / r, r), 0.0)) / 2


def read_in_a_loop(x):
    inverse = 1 / distances(x)
    total = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            total += inverse[i, j]
    return total


def power_under_a_triangle(x):
    return np.sum(np.triu(np.sum((x[:, None] - x[None]) ** 2, axis=-1) ** -0.5, 1))


def logarithm_under_a_triangle(x):
    return np.sum(np.triu(np.exp(-np.log(distances(x))), 1))


def divided_where(x):
    r = distances(x)
    return np.sum(np.divide(1.0, r, out=np.zeros_like(r), where=r > 0)) / 2


def divided_in_branches(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            r = np.linalg.norm(x[i] - x[j])
            if r > 0:
                total += 1 / r
    return total / 2


@pytest.mark.parametrize(
    "function",
    [
        *(triangle, pairs, inverse_pairs, diagonal_filled, inverse_filled),
        *(inverse_cleared_by_a_mask, inverse_cleared_in_a_loop, stored_under_a_mask),
        *(replaced_under_a_mask, one_where, two_wheres, read_in_a_loop, divided_where),
        *(power_under_a_triangle, logarithm_under_a_triangle, divided_in_branches),
    ],
)
def test_what_is_not_read_adds_nothing(function):
    def apart(x):
        i, j = np.triu_indices(len(x), 1)
        return np.sum(1 / np.linalg.norm(x[i] - x[j], axis=1))

    check(function, SPREAD, apart)


def unit_or_else(v):
    length = np.sqrt(v @ v)
    u = v / length
    return np.sum(u) if length > 0 else 3 * np.sum(v)


def reciprocal_part(x):
    return np.sum((1 / x)[1:]) + np.sum(np.log(x)[1:]) + np.sum(np.sqrt(x)[1:])


def exponential_replaced(x):
    y = np.exp(1000 * (1 - x))
    y[x < 1] = 2 * x[x < 1]
    return np.sum(y)


def exponential_not_taken(x):
    return np.sum(np.where(x < 1, 2 * x, np.exp(-np.exp(1000 * (1 - x)))))


UNREAD = {
    unit_or_else: (np.zeros(3), [3, 3, 3]),
    reciprocal_part: (
        ROOTS,
        [0, *(-1 / ROOTS[1:] ** 2 + 1 / ROOTS[1:] + 0.5 / np.sqrt(ROOTS[1:]))],
    ),
    exponential_replaced: (ROOTS, [2, 0, 0]),
    exponential_not_taken: (ROOTS, [2, 0, 0]),
}


@each("function", UNREAD)
def test_other_values_that_are_not_read(function):
    x, expected = UNREAD[function]
    gradient = gs.grad(function)(x)
    np.testing.assert_allclose(gradient, expected, rtol=1e-12, atol=1e-300)
    direction = np.array([1.0, 2.0, 3.0])
    tangent = gs.jvp(function, (x,), (direction,))[1]
    assert tangent == pytest.approx(np.sum(gradient * direction))


# -- factors of 0 --------------------------------------------------------------------------------

INFINITE = {
    "sqrt": (np.sqrt, ROOTS),
    "cbrt": (np.cbrt, ROOTS),
    "power": (lambda x: x**0.3, ROOTS),
    "arccos": (np.arccos, np.array([1.0, 0.3, 0.5])),
    "arcsin": (np.arcsin, np.array([-1.0, 0.3, 0.5])),
    "arccosh": (np.arccosh, np.array([1.0, 3.0, 2.0])),
}


@each("name", INFINITE)
def test_zero_factors(name):
    function, x = INFINITE[name]

    def weighted(x):
        return np.sum(function(x) * WEIGHTS)

    gradient = gs.grad(weighted)(x)
    assert gradient[0] == 0
    np.testing.assert_allclose(
        gradient[1:], differences(weighted_tail(function), x[1:]), rtol=1e-6
    )
    direction = np.array([1.0, -2.0, 3.0])
    tangent = gs.jvp(weighted, (x,), (direction,))[1]
    assert tangent == pytest.approx(np.sum(gradient * direction))
    still = gs.jvp(lambda x: np.sum(function(x)), (x,), (WEIGHTS,))[1]
    assert np.isfinite(still)
    product = gs.grad(lambda x: np.sum(gs.grad(weighted)(x) * direction))(x)
    np.testing.assert_allclose(product, gs.jvp(gs.grad(weighted), (x,), (direction,))[1])
    assert np.all(np.isfinite(product))


def weighted_tail(function):
    return lambda x: np.sum(function(x) * WEIGHTS[1:])


@each("name", INFINITE)
def test_infinite_where_nothing_is_zero(name):
    function, x = INFINITE[name]
    assert np.isinf(gs.grad(lambda x: np.sum(function(x)))(x)[0])


def test_exponents_that_are_given():
    gradient = gs.grad(lambda x, p: np.sum(x**p * WEIGHTS))(ROOTS, 0.3)
    np.testing.assert_allclose(gradient, [0, *(0.3 * ROOTS[1:] ** -0.7 * WEIGHTS[1:])])
    bases = gs.grad(lambda p: np.sum(np.power(0.0 * ROOTS, p)))(np.array([0.5, 1.0, 2.0]))
    np.testing.assert_array_equal(bases, 0)


def test_chance_zeros_are_no_holes_in_second_derivatives():
    """The adjoint of a root is 0 where its residual is: the curvature there is not."""

    def function(x):
        return np.sum((np.sqrt(x) - np.array([1.0, 2.0, 2.0])) ** 2)

    x = np.array([1.0, 4.0, 9.0])
    curvature = gs.grad(lambda x: np.sum(gs.grad(function)(x)))(x)
    np.testing.assert_allclose(curvature, np.array([1.0, 2.0, 2.0]) / (2 * x**1.5))


def test_points_where_nothing_has_a_direction():
    zeros = np.zeros(3)
    for function in (
        lambda x: np.sum(np.arctan2(x, x)) + np.sum(np.hypot(x, x)),
        lambda x: np.linalg.norm(x) + np.std(x) + np.sqrt(np.var(x)),
        lambda x: np.sum(np.linalg.norm(np.outer(x, x), axis=1)),
        lambda x: np.sqrt(np.mean((x - x.mean()) ** 2)),
    ):
        np.testing.assert_array_equal(gs.grad(function)(zeros), 0)
        assert gs.jvp(function, (zeros,), (np.ones(3),))[1] in (0, pytest.approx(np.sqrt(3)))


# -- the code ------------------------------------------------------------------------------------


@each(
    "function",
    [
        lambda x: np.sum(np.sqrt(x**2 + 1)),
        lambda x: np.sum(np.sqrt(np.sum(x**2) + 1e-9) * x),
        lambda x: np.sum(np.sqrt(np.maximum(x, 1e-6)) * x),
        lambda x: np.sum(np.sqrt(x)),
        lambda x: np.sum(x / np.sqrt(x**2 + 3.0)),
        lambda x: np.sum(np.log(1 + x**2) * x),
        lambda x: np.sum(np.triu(1 / (1 + np.outer(x, x) ** 2))),
        lambda x: np.sum(x / np.sum(x)),
    ],
)
def test_nothing_is_masked_where_no_point_is_singular(function):
    source = gs.grad(function).source(ROOTS)
    assert not re.search(r"where=|!= 0", source)


def test_a_distance_is_divided_by_where_it_is_not_zero():
    source = gs.grad(lambda x: np.sum(distances(x))).source(SPREAD)
    assert source.count("where=") == 1
    assert "np.where" not in source


def test_a_single_distance_needs_no_array():
    source = gs.grad(lambda x: np.sqrt(np.sum(x**2))).source(ROOTS)
    assert " != 0 else " in source
    assert "np.where" not in source
