"""Shapes, indices and memory layouts as in NumPy.

Rows of the table "Values at kinks, ties and edges" in docs/semantics.md.
"""

# A lambda around one NumPy function is what is under test here; names are easier to read in a row.
# ruff: noqa: PLW0108

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import function_of
from helpers import each
from programs.harness import same_bits
from semantics.numbers import differences, grad, grads, same


@pytest.fixture(autouse=True)
def _floating_point_errors_are_no_warnings():
    """At a kink NumPy itself divides by zero or overflows on the branch that is not taken."""
    with np.errstate(all="ignore"):
        yield


# --- row: size-1 broadcasting, 0-size, 0-d, repeated indices, strides, orders, read-only

SHAPES = [
    ((3,), (1,)),
    ((1,), (3,)),
    ((2, 3), (3,)),
    ((2, 3), (1, 3)),
    ((2, 3), (2, 1)),
    ((2, 1), (1, 3)),
    ((2, 3), ()),
    ((), (2, 3)),
    ((1,), (1,)),
    ((1, 1), ()),
    ((), ()),
    ((2, 1, 3), (4, 1)),
    ((0,), (1,)),
    ((0, 3), (3,)),
    ((2, 0), (2, 1)),
    ((1,), (0,)),
]


def mixed(a, b):
    return np.sin(a) * b + a / (2 + b * b)


@each(("left", "right"), SHAPES, ids=str)
def test_broadcasting_as_numpy(left, right):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=left), rng.normal(size=right)
    by_a, by_b = grads(mixed, a, b, wrt=(0, 1), seed=np.ones(np.shape(mixed(a, b))))
    assert np.shape(by_a) == left
    assert np.shape(by_b) == right
    same(by_a, differences(lambda a: mixed(a, b), a), rtol=1e-6, atol=1e-8)
    same(by_b, differences(lambda b: mixed(a, b), b), rtol=1e-6, atol=1e-8)


EMPTY = {
    "sum": lambda x: np.sum(x * x),
    "prod": lambda x: np.prod(x),
    "sum of an axis": lambda x: np.sum(x, axis=0),
    "matmul": lambda x: x.T @ x,
    "concatenate": lambda x: np.concatenate([x, x * x]),
    "reshape": lambda x: x.reshape(-1),
    "slice": lambda x: x[:5] * 2,
    "mask": lambda x: x[x > 0],
}


@each("name", EMPTY)
@each("shape", [(0, 3), (3, 0)], ids=str)
def test_arrays_of_size_0(name, shape):
    x = np.zeros(shape)
    value = gs.compile(EMPTY[name])(x)
    assert np.shape(value) == np.shape(EMPTY[name](x))
    g = grad(EMPTY[name], x)
    assert g.shape == shape
    assert g.dtype == np.float64


@each(
    "x",
    [2.0, np.float64(2.0), np.array(2.0), np.float32(2.0), np.array(2.0, dtype=np.float32)],
    ids=["float", "np.float64", "0-d", "np.float32", "0-d float32"],
)
def test_0_d_against_scalar(x):
    value, g = gs.value_and_grad(lambda x: x**3 + np.sin(x) * x)(x)
    assert np.shape(value) == np.shape(g) == ()
    assert np.asarray(g).dtype == np.asarray(x).dtype
    same(g, 12 + np.sin(2.0) + 2 * np.cos(2.0), rtol=1e-6)


def test_0_d_arrays_can_be_indexed():
    same(grad(lambda x: x[()] * x[...] + x[None][0], np.array(2.0)), 5.0)


REPEATED = {
    "list": lambda x: x[[0, 0, 2]] ** 2,
    "array": lambda x: x[np.array([1, 1, 1, 0])] ** 2,
    "matrix of indices": lambda x: x[np.array([[0, 1], [1, 0]])] ** 2,
    "negative": lambda x: x[[0, -3, -1]] ** 2,
    "pairs": lambda x: np.outer(x, x)[[0, 0, 1], [1, 1, 2]],
    "rows": lambda x: np.outer(x, x)[[2, 2]],
    "mixed with a slice": lambda x: np.outer(x, x)[1:, [0, 0]],
    "broadcast": lambda x: np.outer(x, x)[[[0], [0]], [1, 1]],
    "with a new axis": lambda x: np.outer(x, x)[[0, 0], None, :],
}


@each("name", REPEATED)
def test_repeated_indices_add_up(name):
    x = np.array([0.5, -1.5, 2.0])
    same(gs.compile(REPEATED[name])(x), REPEATED[name](x))
    same(grad(REPEATED[name], x), differences(REPEATED[name], x), rtol=1e-6, atol=1e-8)


def test_repeated_indices_given_as_an_argument():
    x, i = np.array([0.5, -1.5, 2.0]), np.array([0, 2, 0, -1])
    same(grad(lambda x, i: x[i] ** 2, x, i), [2.0, 0, 8.0])


BASE = np.arange(24.0).reshape(4, 6) / 7 - 1


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


LAYOUTS = {
    "reversed": BASE[::-1],
    "reversed columns": BASE[:, ::-1],
    "every other": BASE[::2, 1::2],
    "transposed": BASE.T,
    "Fortran": np.asfortranarray(BASE),
    "read-only": read_only(BASE),
    "broadcast": np.broadcast_to(BASE[0], (3, 6)),
    "transposed stack": BASE.reshape(2, 2, 6).transpose(2, 0, 1),
}


def several(x):
    y = x * x
    y[0] += 1.0
    return y.reshape(-1)[1:] * x.ravel()[:-1] + x.T.reshape(-1)[1:] + np.exp(x).sum()


@each("name", LAYOUTS)
def test_memory_layouts_as_numpy(name):
    x = LAYOUTS[name]
    before = x.copy()
    np.testing.assert_allclose(gs.compile(several)(x), several(x), rtol=1e-14)
    g = grad(several, x)
    assert g.shape == x.shape
    assert g.flags.writeable
    same(g, differences(several, x), rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("order", ["C", "F"])
def test_reshape_orders_as_numpy(order):
    def f(x):
        return x.reshape(6, 4, order=order) * np.arange(4.0) + np.ravel(x, order=order)[0]

    for x in (BASE, np.asfortranarray(BASE)):
        np.testing.assert_array_equal(gs.compile(f)(x), f(x))
        same(grad(f, x), differences(f, x), rtol=1e-6, atol=1e-8)


# --- sums add elements in the order in which they lie in memory

PICKED = ("m[:, [0, 1]]", "m[:, m[0] > 0]", "m.T[:, [0, 2]]", "m[1:, [2, 0]]")
MADE = (
    *("{}.sum()", "{}.copy().sum()", "np.array({}).sum()", "{}.astype(float).sum()"),
    *("({} * 1.0).sum()", "np.copy({}).std()", "np.mean({} + 1)", "np.linalg.norm({})"),
    *("np.where({0} > 0, {0}, 0.1).sum()", "{}.T.copy().sum()", "np.positive({}).sum()"),
    *(
        "np.take(m, [0, 1], axis=1).sum() + {}.sum()",
        "np.compress([1, 0, 1, 1], m, 1).sum() * {}[0, 0]",
    ),
)
WRITTEN = (
    *("q = {} * 1.0\nq[0] = 0.3", "q = {}\nq[0] += 0.3", "q = np.array({})\nq[:, 0] *= 2.0"),
    *(
        "q = np.zeros({0}.shape)\nq[:] = {0}",
        "q = {} / 1\nfor k in range(3):\n    q[k] += q[k, 0]",
    ),
)


@each("picked", PICKED)
def test_sums_of_elements_that_are_picked(picked):
    bodies = [f"return {made.format(picked)}" for made in MADE]
    bodies += [f"{written.format(picked)}\nreturn q.sum()" for written in WRITTEN]
    for body in bodies:
        function = function_of(body, "m")
        compiled = gs.compile(function)
        for seed in range(8):
            m = np.random.default_rng(seed).normal(size=(5, 4))
            same_bits(compiled(m.copy()), function(m.copy()))
