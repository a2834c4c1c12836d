"""NumPy's own calls, as emitted code makes them, against plain loops: NumPy has defects, too.

``np.add.at`` of NumPy 2.0 to 2.4 adds the first row alone, or what stands behind its operand in
memory, where a single index array has more axes than the operand. No call is emitted so.
"""

from __future__ import annotations

import ast
import itertools
import math

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

random = np.random.default_rng(5)

KEYS = {
    "one axis": ((5,), np.array([0, 1, 1])),
    "two axes": ((5,), np.array([[0, 1, 2], [1, 0, -1]])),
    "three axes": ((5,), random.integers(0, 5, (2, 3, 4))),
    "rows": ((5, 3), np.array([[0, 1], [1, 0]])),
    "pairs": ((5, 3), (random.integers(0, 5, (2, 4)), random.integers(0, 3, (2, 4)))),
    "a grid": ((5, 3), (np.array([[0], [1], [1]]), np.array([0, 2]))),
    "columns": ((4, 3), (slice(None), np.array([[0, 1], [1, 2]]))),
    "a row's": ((5, 3), (1, np.array([[0, 1, 1]] * 2))),
    "apart": ((5, 3, 4), (np.array([[0, 1]] * 2), slice(None), np.array([[0, 1]] * 2))),
    "a new axis": ((5,), (None, np.array([[0, 1, 1]] * 2))),
}


def added(x, key, term):
    """``np.add.at`` by a loop."""
    result = x.copy()
    places = np.arange(x.size).reshape(x.shape)[key]
    for place, value in zip(places.flat, np.broadcast_to(term, places.shape).flat, strict=True):
        result.reshape(-1)[place] += value
    return result


def broadcast_to_it(shape):
    """The shapes of operands that broadcast to this one."""
    for lead in range(len(shape) + 1):
        for ones in itertools.product([False, True], repeat=len(shape) - lead):
            yield tuple(1 if one else n for one, n in zip(ones, shape[lead:], strict=True))


def calls_of_at(source):
    """The operands of the calls of ``np.add.at`` in a source."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [ast.unparse(c.args[2]) for c in calls if ast.unparse(c.func) == "np.add.at"]


@pytest.mark.parametrize("name", KEYS)
@each("dtype", [float, np.float32])
def test_adding_at_indices(name, dtype):
    """The user's own call, and the adjoint of a sum of what is read."""
    shape, key = KEYS[name]

    def function(x, term):
        total = np.zeros(x.shape, x.dtype)
        np.add.at(total, key, term)
        return np.sum(total * x) + np.sum(x[key] * term)

    x = random.integers(-9, 9, shape).astype(dtype)
    whole = x[key].shape
    for operand in dict.fromkeys(broadcast_to_it(whole)):
        gradient = gs.value_and_grad(function, argnums=(0, 1))
        for _ in range(2):
            term = random.integers(1, 9, operand).astype(dtype)
            value, (g_x, g_term) = gradient(x, term)
            expected = added(np.zeros(shape, dtype), key, term)
            np.testing.assert_array_equal(value, 2 * np.sum(expected * x))
            np.testing.assert_array_equal(g_x, 2 * expected)
            read = 2 * np.broadcast_to(x[key], whole)
            lead = tuple(range(len(whole) - len(operand)))
            ones = tuple(i + len(lead) for i, n in enumerate(operand) if n == 1)
            np.testing.assert_array_equal(g_term, read.sum(lead + ones).reshape(operand))


def test_no_operand_of_add_at_is_broadcast():
    index = np.array([[0, 1], [1, 0]])

    def function(x, w):
        return np.sum(np.sum(x[index], axis=0) * w)

    source = gs.grad(function).source(np.zeros(3), np.array([1.0, 3.0]))
    assert calls_of_at(source) == ["np.broadcast_to(w, index.shape)"]
    np.testing.assert_array_equal(gs.grad(function)(np.zeros(3), np.array([1.0, 3.0])), [4, 4, 0])


def test_add_at_in_loops_and_through_views():
    index = np.array([[0, 1], [1, 0]])

    def function(x, w):
        total = np.zeros((3, len(x)))
        for k in range(3):
            np.add.at(total[k], (index + k) % len(x), w)
        return np.sum(total.T @ np.ones(3) * x)

    for n in (3, 4):
        x, w = np.arange(1.0, n + 1), np.array([1.0, 3.0])
        g_x, g_w = gs.grad(function, argnums=(0, 1))(x, w)
        rows = [added(np.zeros(n), (index + k) % n, w) for k in range(3)]
        np.testing.assert_array_equal(g_x, sum(rows))
        np.testing.assert_array_equal(g_w, sum(x[(index + k) % n].sum(axis=0) for k in range(3)))


# -- other calls that emitted code makes ----------------------------------------------------------


def loops(shape):
    return itertools.product(*map(range, shape))


def elementwise(function, *operands):
    operands = np.broadcast_arrays(*operands)
    return np.array(
        [function(*values) for values in zip(*(o.flat for o in operands), strict=True)]
    )


SHAPES = [(3, 4), (4,), (1, 4), (3, 1), (1,), ()]
PAIRS = list(itertools.product(SHAPES, repeat=2))


def numbers(shape):
    return random.integers(-4, 5, shape) * 1.0


@each("pair", PAIRS, ids=str)
def test_elementwise_calls(pair):
    """Functions with ``out=`` and ``where=``, choices and clipping."""
    x, y = map(numbers, pair)
    shape = np.broadcast_shapes(*pair)
    for function, plain in (
        (np.multiply, lambda a, b: a * b),
        (np.subtract, lambda a, b: a - b),
        (np.maximum, max),
        (np.logaddexp, lambda a, b: math.log(math.exp(a) + math.exp(b))),
        (np.hypot, math.hypot),
    ):
        out = np.zeros(shape)
        function(x, y, out=out)
        np.testing.assert_allclose(out.ravel(), elementwise(plain, x, y), rtol=1e-15, atol=1e-15)
        part = np.zeros((2, *shape))
        function(x, y, out=part[1, ...])
        np.testing.assert_array_equal(part, [np.zeros(shape), out])
    quotient = np.divide(x, y, out=np.zeros(shape), where=y != 0)
    expected = elementwise(lambda a, b: a / b if b else 0.0, x, y)
    np.testing.assert_array_equal(quotient.ravel(), expected)
    chosen = np.where(x > 0, x, y)
    np.testing.assert_array_equal(
        chosen.ravel(), elementwise(lambda a, b: a if a > 0 else b, x, y)
    )
    stored = np.full((2, *shape), 7.0)
    stored[1] = x * y
    stored[1] += x
    np.testing.assert_array_equal(stored[1].ravel(), elementwise(lambda a, b: a * b + a, x, y))
    clipped = np.broadcast_to(x, shape).clip(-1, np.maximum(y, -1))
    plain = elementwise(lambda a, b: min(max(a, -1), max(b, -1)), x, y)
    np.testing.assert_array_equal(clipped.ravel(), plain)


@each(
    ("left", "right"),
    [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 4)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((2, 3), (5, 3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((1, 2, 3), (5, 3, 4)),
        ((6, 1, 2, 3), (5, 3, 4)),
        ((5, 2, 3), (3,)),
        ((3,), (5, 3, 4)),
        ((2, 1), (1, 4)),
        ((0, 3), (3, 4)),
        ((2, 0), (0, 4)),
    ],
    ids=str,
)
def test_products(left, right):
    x, y = numbers(left), numbers(right)
    a, b = x if x.ndim > 1 else x[None], y if y.ndim > 1 else y[:, None]
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (np.broadcast_to(o, (*lead, *o.shape[-2:])) for o in (a, b))
    expected = np.zeros((*lead, a.shape[-2], b.shape[-1]))
    for place in loops(expected.shape):
        *stack, i, k = place
        rows, columns = a[(*stack, i)], b[(*stack, slice(None), k)]
        expected[place] = sum(p * q for p, q in zip(rows, columns, strict=True))
    expected = expected[..., 0, :] if x.ndim == 1 else expected
    expected = expected[..., 0] if y.ndim == 1 else expected
    np.testing.assert_array_equal(x @ y, expected)
    if x.ndim < 3 and y.ndim < 3:
        np.testing.assert_array_equal(x.dot(y), expected)
        transposed = np.asfortranarray(x)[::-1][::-1]
        np.testing.assert_array_equal(transposed.dot(y), expected)
    axes = (x.ndim - 1, max(y.ndim - 2, 0))
    contracted = np.tensordot(x, y, axes)
    rest = [np.moveaxis(o, axis, -1) for o, axis in zip((x, y), axes, strict=True)]
    for place in loops(contracted.shape):
        p, q = rest[0][place[: x.ndim - 1]], rest[1][place[x.ndim - 1 :]]
        assert contracted[place] == sum(s * t for s, t in zip(p, q, strict=True))


@each("pair", [p for p in PAIRS if p[0] and p[1]], ids=str)
def test_sums_of_products(pair):
    """np.vecdot and np.einsum broadcast their leading axes."""
    x, y = map(numbers, pair)
    if x.shape[-1] != y.shape[-1]:
        return
    lead = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    a, b = (np.broadcast_to(o, (*lead, o.shape[-1])) for o in (x, y))
    expected = [sum(s * t for s, t in zip(a[i], b[i], strict=True)) for i in loops(lead)]
    np.testing.assert_array_equal(np.vecdot(x, y).ravel(), expected)
    np.testing.assert_array_equal(np.einsum("...i,...i->...", x, y).ravel(), expected)
    outer = np.outer(x, y)
    for i, j in loops(outer.shape):
        assert outer[i, j] == x.flat[i] * y.flat[j]


@each("shape", [(4,), (3, 4), (2, 3, 4)], ids=str)
@each("axis", [0, -1])
def test_calls_along_an_axis(shape, axis):
    x = numbers(shape)
    moved = np.moveaxis(x, axis, -1)
    results = {
        "cumsum": (
            np.cumsum(x, axis=axis),
            lambda r: np.array([sum(r[: i + 1]) for i in range(r.size)]),
        ),
        "roll": (np.roll(x, 1, axis=axis), lambda r: np.array([*r[-1:], *r[:-1]])),
        "repeat": (
            np.repeat(x, 2, axis=axis),
            lambda r: np.array([v for v in r for _ in range(2)]),
        ),
        "sort": (np.sort(x, axis=axis), lambda r: np.array(sorted(r))),
        "argsort": (
            np.argsort(x, axis=axis, kind="stable"),
            lambda r: np.array(sorted(range(r.size), key=lambda i: r[i])),
        ),
        "sums": (
            np.logaddexp.reduce(x, axis=axis, keepdims=True),
            lambda r: np.array([math.log(sum(map(math.exp, r)))]),
        ),
    }  # fmt: skip
    for found, plain in results.values():
        rows = np.moveaxis(found, axis, -1)
        for place in loops(moved.shape[:-1]):
            np.testing.assert_allclose(rows[place], plain(moved[place]), rtol=1e-15)
    taken = np.take_along_axis(x, results["argsort"][0], axis=axis)
    np.testing.assert_array_equal(taken, results["sort"][0])


@each("shape", [(3, 4), (4, 3), (2, 3, 3)], ids=str)
@each("k", [-1, 0, 1])
def test_triangles_of_stacks(shape, k):
    x = numbers(shape)
    for place in loops(shape):
        *_, i, j = place
        assert np.triu(x, k)[place] == (x[place] if j - i >= k else 0)
        assert np.tril(x, k)[place] == (x[place] if j - i <= k else 0)
