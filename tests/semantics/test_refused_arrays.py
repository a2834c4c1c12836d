"""Out-of-bounds indices and arrays that are refused.

Rows of the table "Values at kinks, ties and edges" in docs/semantics.md.
"""

# A lambda around one NumPy function is what is under test here; names are easier to read in a row.
# ruff: noqa: PLW0108

from __future__ import annotations

import re

import numpy as np
import pytest

import gradsmith as gs
from semantics.numbers import grad, same

# --- row: out-of-bounds index

INDEX = np.array([0, 3])


@pytest.mark.parametrize(
    "fun",
    [
        lambda x: x[3],
        lambda x: x[-4],
        lambda x: x[[0, 3]],
        lambda x: x[INDEX],
        lambda x: np.outer(x, x)[0, 3],
        lambda x: np.outer(x, x)[:, [5]],
        lambda x: x[3:][0],
    ],
    ids=["int", "negative", "list", "array", "second axis", "list on an axis", "after a slice"],
)
@pytest.mark.parametrize("transform", [gs.compile, gs.grad])
def test_out_of_bounds_index_is_an_index_error(transform, fun):
    with pytest.raises(IndexError, match="out of bounds"):
        transform(lambda x: np.sum(fun(x)))(np.ones(3))


@pytest.mark.parametrize("transform", [gs.compile, gs.grad])
@pytest.mark.parametrize("good", [1, np.array([0, 2])], ids=["int", "array"])
def test_out_of_bounds_index_argument_is_an_index_error(transform, good):
    call = transform(lambda x, i: np.sum(x[i] ** 2))
    x = np.arange(3.0)
    expected = call(x, good)
    with pytest.raises(IndexError, match="out of bounds"):
        call(x, good + 2)
    np.testing.assert_array_equal(call(x, good), expected)
    with pytest.raises(IndexError, match="out of bounds"):
        call(x, good - 5)


def test_out_of_bounds_after_the_size_shrank_is_an_index_error():
    call = gs.grad(lambda x: x[4] ** 2)
    same(call(np.arange(6.0)), [0, 0, 0, 0, 8, 0])
    with pytest.raises(IndexError, match="out of bounds"):
        call(np.arange(4.0))


def test_out_of_bounds_store_is_an_index_error():
    def f(x):
        y = np.zeros(3)
        y[3] = x[0]
        return np.sum(y)

    with pytest.raises(IndexError, match="out of bounds"):
        gs.grad(f)(np.ones(3))


def test_out_of_bounds_slice_is_none():
    same(grad(lambda x: x[1:100] * 2, np.ones(3)), [0, 2, 2])


# --- row: arrays that are refused


def wants(x, weight):
    return np.sum(x) + np.sum(weight)


REFUSED = {
    "object": np.array([1.0, None], dtype=object),
    "string": np.array(["a", "b"]),
    "bytes": np.array([b"a", b"b"]),
    "structured": np.zeros(2, dtype=[("a", float), ("b", int)]),
    "masked": np.ma.masked_array([1.0, 2.0], mask=[False, True]),
    "matrix": np.ones((2, 2)).view(np.matrix),
}
CALLS = {
    "grad": lambda fun: gs.grad(fun),
    "compile": lambda fun: gs.compile(fun),
    "f.grad": lambda fun: gs.differentiable(fun).grad,
    "vjp": lambda fun: lambda *args: gs.vjp(fun, *args),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("kind", REFUSED)
def test_arrays_that_are_refused_by_name(call, kind):
    with pytest.raises(TypeError) as caught:
        call(wants)(np.ones(2), REFUSED[kind])
    assert isinstance(caught.value, gs.GradsmithError)
    assert re.search(r"\bweight\b", str(caught.value))


@pytest.mark.parametrize("kind", REFUSED)
def test_arrays_that_are_refused_inside_a_tree(kind):
    def f(params):
        return np.sum(params["bias"])

    with pytest.raises(TypeError, match="bias"):
        gs.compile(f)({"bias": REFUSED[kind]})


@pytest.mark.parametrize("kind", REFUSED)
def test_arrays_that_are_refused_in_a_closure(kind):
    captured = REFUSED[kind]

    def f(x):
        return np.sum(x * captured)

    with pytest.raises(TypeError, match="captured"):
        gs.grad(f)(np.ones(2))
