"""Out-of-bounds indices and arrays that are refused.

Rows of the table "Values at kinks, ties and edges" in docs/semantics.md.
"""

# A lambda around one NumPy function is what is under test here; names are easier to read in a row.
# ruff: noqa: PLW0108

from __future__ import annotations

import copy
import functools
import re

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.numbers import grad, same

# --- row: out-of-bounds index

INDEX = np.array([0, 3])


@each(
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
@each("transform", [gs.compile, gs.grad])
def test_out_of_bounds_index_is_an_index_error(transform, fun):
    with pytest.raises(IndexError, match="out of bounds"):
        transform(lambda x: np.sum(fun(x)))(np.ones(3))


@each("transform", [gs.compile, gs.grad])
@each("good", [1, np.array([0, 2])], ids=["int", "array"])
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


@each("call", CALLS.values(), ids=CALLS)
@each("kind", REFUSED)
def test_arrays_that_are_refused_by_name(call, kind):
    with pytest.raises(TypeError) as caught:
        call(wants)(np.ones(2), REFUSED[kind])
    assert isinstance(caught.value, gs.GradsmithError)
    assert re.search(r"\bweight\b", str(caught.value))


@each("kind", REFUSED)
def test_arrays_that_are_refused_inside_a_tree(kind):
    def f(params):
        return np.sum(params["bias"])

    with pytest.raises(TypeError, match="bias"):
        gs.compile(f)({"bias": REFUSED[kind]})


@each("kind", REFUSED)
def test_arrays_that_are_refused_in_a_closure(kind):
    captured = REFUSED[kind]

    def f(x):
        return np.sum(x * captured)

    with pytest.raises(TypeError, match="captured"):
        gs.grad(f)(np.ones(2))


class Metres(float):
    unit = "m"


class Doubling(float):
    def __mul__(self, other):
        return float(self) * float(other) * 2


class Row(np.ndarray):
    pass


class Averaging(np.ndarray):
    def mean(self):
        return 5.0


def _product(value, x):
    return x * value


def test_classes_that_compute_in_a_way_of_their_own_are_refused():
    for value, method in ((Doubling(2.0), "__mul__"), (np.ones(2).view(Averaging), "mean")):
        with pytest.raises(TypeError, match=f"{method} of its own"):
            gs.compile(lambda x: x * 2)(value)
        with pytest.raises(TypeError, match=f"outside variable .* is a .*{method}"):
            gs.compile(functools.partial(_product, value))(2.0)


def test_classes_of_arguments_are_seen():
    def f(x):
        return type(x).__name__, isinstance(x, (Metres, Row)), x * 2.0

    compiled = gs.compile(f)
    copy.deepcopy(Metres(2.0))  # leaves a name in the class
    for value in (Metres(2.0), 2.0, np.ones(1).view(Row), np.ones(1), np.float64(3.0)):
        assert compiled(value) == f(value)


def test_attributes_that_arguments_have_are_never_missing():
    def by_default(x):
        return x * len(getattr(x, "unit", "none"))

    def by_error(x):
        try:
            return x * len(x.unit)
        except AttributeError:
            return x * 4

    for f in (by_default, by_error):
        assert gs.compile(f)(2.0) == f(2.0) == 8.0
        with pytest.raises(gs.GradsmithError, match="unit"):
            gs.compile(f)(Metres(2.0))
    found = gs.compile(lambda x: (hasattr(x, "strides"), hasattr(x, "unit")))(np.ones(2))
    assert found == (True, False)
    with pytest.raises(gs.GradsmithError, match="strides"):
        gs.compile(lambda x: getattr(x, "strides", None))(np.ones(2))


def test_the_memory_of_an_array():
    for kind in (bytes, bytearray):
        with pytest.raises(gs.GradsmithError, match="the memory of an array is not known"):
            gs.compile(lambda x, kind=kind: len(kind(x)))(np.array([1, 2]))
        found = gs.compile(lambda x, kind=kind: list(kind(x.tolist())))(np.array([1, 2]))
        assert found == [1, 2]
