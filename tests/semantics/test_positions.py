"""Positions, orders and different values that only running tells.

Rows of the tables "Values at kinks, ties and edges" and "Loops and branches" in docs/semantics.md.
"""

from __future__ import annotations

import importlib.util
import inspect

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.numbers import differences, grad, same

X = np.array([0.55, -1.27, 2.02, 0.33, -0.71, 1.13])
W = np.array([3.0, -1.0, 2.0, 0.5, 4.0, -2.0])
TIES = np.array([0.5, -1.0, 0.5, 2.0, -1.0, 0.5])
A = np.array([[0.0, 1.5, 0.0], [0.7, 0.0, -0.4], [0.0, 0.0, 0.0], [2.5, 0.0, 0.1]])


def code(transformed, *arguments):
    """The lines of the emitted function that are no comments."""
    lines = [line.strip() for line in transformed.source(*arguments).splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


# --- row: positions


def found(x):
    idx = np.flatnonzero(x > 0)
    return np.sum(x[idx] ** 2 * W[: len(idx)]) / len(idx)


def by_where(x):
    (idx,) = np.where(x > 0)
    return np.sum(x[idx] ** 2) + idx.size * x[0] ** 2


def by_method(x):
    return np.sum(x[(x > 0).nonzero()] ** 2) + np.sum(x[x < 0])


def by_rows(x):
    at = np.argwhere(np.outer(x, x) > 0.1)
    return np.sum(x[at[:, 0]] * x[at[:, 1]] ** 2)


def by_axes(x):
    B = np.outer(x, x)
    rows, cols = np.nonzero(B > 0.1)
    return np.sum(B[rows, cols] * x[cols])


def by_search(x):
    order = np.argsort(x)
    places = np.searchsorted(x, 0.4 * x, sorter=order)
    return np.sum(x[order][np.minimum(places, len(x) - 1)] ** 2 * x)


POSITIONS = [found, by_where, by_method, by_rows, by_axes, by_search]


@each("function", POSITIONS)
def test_positions_are_constants_of_the_run(function):
    assert gs.compile(function)(X) == function(X)
    same(gs.grad(function)(X), differences(function, X), rtol=1e-6, atol=1e-7)


@each("function", POSITIONS)
def test_second_derivatives_at_positions(function):
    gradient = gs.grad(function)

    def slope(x):
        return gradient(x) @ W

    same(gs.grad(slope)(X), differences(slope, X), rtol=1e-5, atol=1e-6)
    along = gs.jvp(gradient, (X,), (W,))[1]
    same(along, gs.grad(lambda x: np.sum(gradient(x) * W))(X))


@each("function", POSITIONS)
def test_the_next_call_finds_other_positions(function):
    value, gradient = gs.compile(function), gs.grad(function)
    source = gradient.source(X)
    for other in (X, -X, X[::-1].copy(), np.abs(X)):
        assert value(other) == function(other)
        same(gradient(other), differences(function, other), rtol=1e-6, atol=1e-7)
        assert gradient.source(other) == source


def test_positions_of_nothing():
    def total(x):
        idx = np.flatnonzero(x > 5)
        rows, cols = np.nonzero(np.outer(x, x) > 100)
        for i in idx:
            x = x * i
        return np.sum(x**2) + np.sum(x[idx]) * len(rows) / max(len(cols), 1)

    assert gs.compile(total)(X) == total(X)
    same(gs.grad(total)(X), 2 * X)


def test_positions_are_integers_as_numpys():
    def positions(x):
        rows, cols = np.nonzero(np.outer(x, x) > 0)
        levels, first, inverse, counts = np.unique(np.sign(x), True, True, True)
        order, place = np.argsort(x, kind="stable"), np.searchsorted(np.sort(x), 0.2)
        return np.flatnonzero(x), rows, cols, levels, first, inverse, counts, order, place

    for made, expected in zip(gs.compile(positions)(X), positions(X), strict=True):
        assert type(made) is type(expected)
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(made, expected)


def test_positions_have_no_gradient():
    with pytest.raises(RuntimeError, match="int64"):
        gs.grad(np.argsort)(X, grad_outputs=np.ones(6))
    with pytest.warns(gs.UnusedInputWarning, match="argsort, which has no derivative"):
        same(gs.grad(lambda x: np.sum(np.argsort(x) * 2.0))(X), np.zeros(6))


def test_positions_known_while_tracing_have_a_known_number():
    def chosen(x):
        idx = np.flatnonzero(np.array([1, 0, 1, 1, 0, 0]))
        values, counts = np.unique(np.array([3, 1, 3]), return_counts=True)
        rows = np.unique(np.array([[1, 2], [0, 3], [1, 2]]), axis=0)
        return x[idx] * 2 + x[values] @ counts + np.sum(x[rows])

    same(gs.compile(chosen)(X), chosen(X))
    assert "_IDX = np.array([0, 2, 3])" in code(gs.compile(chosen), X)


# --- how it is written


def test_positions_are_found_once_and_their_number_is_read_off_them():
    lines = code(gs.grad(found), X)
    assert "idx = np.flatnonzero(x > 0)" in lines
    assert sum("nonzero" in line for line in lines) == 1
    assert any("/ len(idx)" in line for line in lines)
    assert any(line.startswith("g_x[idx] = ") for line in lines)


def test_rows_and_columns_are_found_at_once():
    def product(P, v):
        rows, cols = np.nonzero(P)
        y = np.zeros(len(P))
        np.add.at(y, rows, P[rows, cols] * v[cols])
        return np.sum(y**2)

    lines = code(gs.grad(product, argnums=(0, 1)), A, np.ones(3))
    assert "rows, cols = np.nonzero(P)" in lines
    assert any(line.startswith("g_P[rows, cols] = ") for line in lines)
    assert any(line.startswith("np.add.at(g_v, cols, ") for line in lines)


def test_only_what_is_read_of_unique_is_asked_for():
    def inverse(x):
        return x[np.unique(np.rint(x), return_index=True, return_inverse=True)[2]]

    def both(x):
        values, counts = np.unique(np.rint(x), return_counts=True)
        return values * counts

    def needed(x):
        values, _ = np.unique(np.rint(x), return_counts=True)
        return np.ones(len(values))

    (line,) = [line for line in code(gs.compile(inverse), X) if "unique" in line]
    assert line == "inverse = np.unique(np.rint(x), return_inverse=True)[1]"
    (line,) = [line for line in code(gs.compile(both), X) if "unique" in line]
    assert line == "values, counts = np.unique(np.rint(x), return_counts=True)"
    (line,) = [line for line in code(gs.compile(needed), X) if "unique" in line]
    assert line == "values = np.unique(np.rint(x))"


def test_emitted_modules_find_positions(tmp_path):
    path = tmp_path / "emitted.py"
    gradient = gs.differentiable(found).grad
    path.write_text(gradient.source(X), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("emitted", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for x in (X, -X):
        np.testing.assert_array_equal(module.found_grad(x, W=W)[0], gradient(x, inputs="x")[0])


# --- row: different values


def test_the_gradient_of_a_value_goes_to_its_first_occurrence():
    weights = np.array([2.0, 3.0, 5.0])
    expected = np.zeros(6)
    expected[np.unique(TIES, return_index=True)[1]] = weights
    same(grad(lambda x: np.unique(x) * weights, TIES), expected)
    same(expected, [3.0, 2.0, 0.0, 5.0, 0.0, 0.0])
    same(gs.jvp(np.unique, (TIES,), (W,))[1], [-1.0, 3.0, 0.5])


def test_unique_values_of_a_matrix():
    def levels(a):
        values, inverse = np.unique(a, return_inverse=True)
        return np.sum(values**2 * np.arange(len(values))) + np.sum(values[inverse] * a)

    at = np.arange(1.0, 7.0).reshape(2, 3) ** 1.5
    assert gs.compile(levels)(at) == levels(at)
    same(gs.grad(levels)(at), differences(levels, at), rtol=1e-6)


def test_nan_among_unique_values():
    x = np.array([np.nan, 1.0, np.nan, 0.5])
    for equal in (True, False):
        made = gs.compile(lambda x, equal=equal: np.unique(x, equal_nan=equal))(x)
        np.testing.assert_array_equal(made, np.unique(x, equal_nan=equal))


# --- row: orders


def test_ties_are_sorted_by_position():
    weights = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    order = np.argsort(TIES, kind="stable")
    expected = np.zeros(6)
    expected[order] = weights
    same(grad(lambda x: np.sort(x) * weights, TIES), expected)
    same(expected, [3.0, 1.0, 4.0, 6.0, 2.0, 5.0])
    same(gs.jvp(np.sort, (TIES,), (W,))[1], W[order])


def test_sorting_equals_torch():
    torch = pytest.importorskip("torch")
    matrix, weights = np.stack([TIES, -TIES, X]), np.arange(18.0).reshape(3, 6)
    for axis in (0, 1):
        leaf = torch.tensor(matrix, requires_grad=True)
        (torch.sort(leaf, dim=axis, stable=True)[0] * torch.tensor(weights)).sum().backward()
        made = grad(lambda a, axis=axis: np.sort(a, axis=axis) * weights, matrix)
        same(made, leaf.grad.numpy())


def test_the_order_of_equal_elements_is_that_of_the_kind_that_is_asked_for():
    x = np.random.default_rng(0).integers(0, 3, size=200).astype(float)

    def ordered(x, kind):
        return np.argsort(x, kind=kind), np.sort(x, kind=kind)

    for kind in (None, "stable", "heapsort"):
        made, expected = gs.compile(ordered)(x, kind), ordered(x, kind)
        np.testing.assert_array_equal(made[0], expected[0])
        np.testing.assert_array_equal(made[1], expected[1])


@pytest.mark.skipif(
    "descending" not in inspect.signature(np.sort).parameters, reason="new in NumPy 2.5"
)
def test_sorting_downwards():
    made = gs.compile(lambda x: (np.sort(x, descending=True), np.argsort(x, descending=True)))(X)
    np.testing.assert_array_equal(made[0], np.sort(X)[::-1])
    np.testing.assert_array_equal(made[1], np.argsort(X)[::-1])
    expected = np.zeros(6)
    expected[np.argsort(-TIES, kind="stable")] = W
    same(grad(lambda x: np.sort(x, descending=True) * W, TIES), expected)


def test_sorting_in_place():
    def fun(x):
        y = x.copy()
        y[1:].sort()
        x.sort()
        return np.sum(y * W) + x @ W

    same(gs.grad(fun)(X), differences(lambda x: fun(x.copy()), X), rtol=1e-6)


def test_sorting_keeps_single_precision():
    x = X.astype(np.float32)
    for function in (np.sort, np.unique, lambda x: x[np.argsort(x)], lambda x: x[np.nonzero(x)]):
        assert grad(function, x).dtype == np.float32
