"""What reviews and random programs have found: wrong numbers once, each in its smallest form."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.errors import UnsupportedError
from helpers import each
from programs.harness import close, copied, differences, leaves, same_bits, seeds_for

X = np.array([0.4, -1.2, 0.9])
Y = np.array([1.3, 0.2, -0.8])
M = np.array([[0.3, -1.0, 0.5], [1.2, 0.1, -0.4], [0.7, 0.6, -0.2], [-0.9, 1.5, 0.8]])
COLUMN = np.array([[0.2], [-0.5], [1.1], [0.4]])
LABELS = np.array([[0, 1, 2, 0], [1, 1, 0, 2]])
IDS = np.array([0, 0, 1])
BITS = np.array([True, False, True])


def check(function, *arguments, rtol=1e-12):
    """Value and gradient; other than floating arguments are left as they are."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.UnusedInputWarning)
        left, written = copied(arguments), copied(arguments)
        value = function(*left)
        found = gs.compile(function)(*written)
        close(found, value, rtol=rtol)
        close(written, left, rtol=rtol)
        for actual, wanted in zip(leaves(found), leaves(value), strict=True):
            assert np.asarray(actual).dtype == np.asarray(wanted).dtype
        seed = seeds_for(value, np.random.default_rng(0))
        gradients = gs.vjp(function, *arguments)[1](seed)
        expected = differences(function, arguments, seed)
        moving = [g for g in leaves(gradients) if np.asarray(g).dtype.kind in "fc"]
        for actual, wanted in zip(moving, expected, strict=True):
            scale = np.max(np.abs(wanted), initial=1.0)
            np.testing.assert_allclose(actual, wanted, rtol=1e-6, atol=1e-7 * scale)


# -- integers wrap around, and booleans are united: sums and products are not to be regrouped -----

INTEGERS = {
    "products of int8": (lambda x, i, j: i * (j * x), X, np.int8(100), np.int8(100)),
    "products of int32": (
        lambda x, i, j: i * (j * x), X, np.array(100000, np.int32), np.array(100000, np.int32)
    ),
    "quotients of int32": (lambda x, i, j: x / i / j, X, np.int32(100000), np.int32(100000)),
    "minus an unsigned": (lambda x, u: (-u) * x, X, np.uint8(3)),
    "minus an unsigned in a sum": (lambda x, u: (-u) * x + u * x * x, X, np.uint8(3)),
    "minus a product with an unsigned": (lambda x, u: -((u * 2) * x), X, np.uint8(3)),
    "added minus an unsigned": (lambda x, u: _added(x, -u), X, np.array([3, 4], np.uint8)),
    "boolean matrix and mask": (
        lambda x, b, m: np.sum((b @ x) * m), X, np.ones((4, 3), bool), np.ones(4, bool)
    ),
    "int8 matrix and vector": (
        lambda x, b, m: np.sum((b @ x) * m), X, np.full((4, 3), 100, np.int8), np.full(4, 100, np.int8)
    ),
    "sum of masks": (lambda x, m, k: m * x + k * x, X, BITS, np.array([True, True, False])),
    "sum of masks of intermediates": (
        lambda x, y: np.isfinite(x) * y + np.signbit(x) * y + np.isnan(y) * x, X, Y
    ),
}  # fmt: skip


def _added(x, update):
    z = x * 1.0
    z[:2] += update
    return z * x


@each("name", INTEGERS)
def test_integers_and_booleans(name):
    check(*INTEGERS[name])


# -- np.full converts its value ------------------------------------------------------------------

FULL = {
    "2.5 as an integer": lambda x, s: np.full(x.shape, 2.5, dtype=int) * x,
    "0.1 as float32": lambda x, s: np.full(x.shape, 0.1, dtype=np.float32) * x,
    "like integers": lambda x, s: np.full_like(np.arange(3), s + 2) * x,
    "a boolean": lambda x, s: x * np.full(3, s, dtype=bool),
    "an argument as float32": lambda x, s: x + np.full(3, 0.1 * 3, dtype=np.float32) * x * s,
}


@each("name", FULL)
def test_a_filled_array_has_its_dtype(name):
    check(FULL[name], X, 0.7)


# -- a smaller array with something written into it broadcasts ------------------------------------

SPREAD = {
    "a row of sums": lambda m: np.sum(m, axis=0)[0] + m,
    "a row of means taken away": lambda m: m - np.mean(m, axis=0)[1],
    "from a row": lambda m: m[0][None] - m,
    "parts of sums": lambda m: np.tanh(m.sum(axis=0)[1:]).sum() + m.mean(axis=1)[::2].sum() + m,
    "a block of three axes": lambda m: (m[:, :, None] * m[0]).sum(axis=0)[0].sum() + m,
}


@each("name", SPREAD)
def test_scattered_gradients_of_smaller_arrays(name):
    check(SPREAD[name], M)


# -- stable forms, and what only looks like them ---------------------------------------------------


def _softmax(x, axis=1):
    return np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)


SHIFTS = {
    "of fewer axes": lambda x, c: np.log(np.sum(np.exp(x - c), axis=1)),
    "of fewer axes, first axis": lambda x, c: np.log(np.sum(np.exp(x - c), axis=0)),
    "softmax of fewer axes": lambda x, c: np.exp(x - c) / np.sum(np.exp(x - c), axis=1, keepdims=True),
    "softmax, first axis": lambda x, c: np.exp(x - c) / np.sum(np.exp(x - c), axis=0, keepdims=True),
}  # fmt: skip


@each("name", SHIFTS)
def test_shifts_that_broadcast(name):
    check(SHIFTS[name], X, COLUMN)
    check(SHIFTS[name], X[None], COLUMN)
    check(SHIFTS[name], X, COLUMN[:1])


@pytest.mark.parametrize("kind", [np.float32, np.int64, bool])
def test_shifts_of_other_dtypes(kind):
    check(lambda c, z: np.log(np.sum(np.exp(z - c), axis=1)), COLUMN, (3 * M).astype(kind))
    check(
        lambda c, z: np.exp(z - c) / np.sum(np.exp(z - c), axis=1, keepdims=True) * c,
        COLUMN,
        (3 * M).astype(kind),
    )


PICKED = {
    "one of each row": lambda m: np.log(_softmax(m))[np.arange(4), LABELS[0]],
    "two of each row": lambda m: np.log(_softmax(m))[np.arange(4), LABELS],
    "two of each row first": lambda m: np.log(_softmax(m)[np.arange(4), LABELS]),
    "columns": lambda m: np.log(_softmax(m, axis=0)[np.arange(4), LABELS]),
    "every other row": lambda m: np.log(_softmax(m))[np.arange(0, 4, 2), LABELS[0, :2]],
}


@each("name", PICKED)
def test_parts_of_log_softmax(name):
    check(PICKED[name], M)


@pytest.mark.parametrize(
    "function",
    [
        lambda m: np.log(np.exp(m).sum(axis=0, keepdims=True)),
        lambda m: np.exp(m) / np.exp(m).sum(axis=0),
        lambda m: np.exp(m) / np.sum(np.exp(m)),
    ],
)
def test_stable_forms_of_nothing(function):
    with np.errstate(divide="ignore"):
        same_bits(gs.compile(function)(M[:0]), function(M[:0]))


# -- seeds and tangents with stores into the same place ---------------------------------------------


def test_a_seed_in_which_an_element_was_stored_twice():
    def program(x, ids, values):
        seed = np.zeros_like(x)
        seed[ids] = values
        return gs.autograd.grad([x * 1.0, x**2], [x], grad_outputs=[seed, np.ones_like(x)])[0]

    found = gs.compile(program)(X, IDS, np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(found, np.array([2.0, 3.0, 0.0]) + 2 * X)


def test_tangents_of_a_store_with_repeated_indices():
    def f(x, w):
        s = np.zeros_like(w)
        s[IDS] = x
        return w + s, s - w

    tangents = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    total, difference = gs.jvp(f, (X, Y), tangents)[1]
    np.testing.assert_allclose(total, np.array([2.0, 3.0, 0.0]) + tangents[1])
    np.testing.assert_allclose(difference, np.array([2.0, 3.0, 0.0]) - tangents[1])


def test_a_seed_masked_by_a_row_over_larger_zeros():
    def program(x, mask, v):
        seed = np.where(mask, v, np.zeros((4, 3)))
        return gs.autograd.grad([x * 1.0, x * 2.0], [x], grad_outputs=[seed, seed])[0]

    found = gs.compile(program)(M, BITS, X)
    np.testing.assert_allclose(found, 3 * np.where(BITS, X, np.zeros((4, 3))))


# -- numbers of Python's own give way to any dtype -----------------------------------------------------

NUMBERS = {
    "max": lambda a, x: max(a, 0.1) * x,
    "min of three": lambda a, x: min(a, 2, 3.0) * x,
    "round": lambda a, x: round(a, 1) * x,
    "conjugate": lambda a, x: a.conjugate() * x,
}


@each("name", NUMBERS)
def test_python_numbers_stay_weak(name):
    x = X.astype(np.float32)
    same_bits(gs.compile(NUMBERS[name])(0.62, x), NUMBERS[name](0.62, x))


# -- what shares memory ------------------------------------------------------------------------------


def _written(make, *, whole=True):
    """Writes to the array or to what was made of it, and returns both."""

    def function(x):
        base = x * 2
        made = make(base)
        if whole:
            base[0] = 50.0
        else:
            made[..., 0] = 50.0
        return base * 1, made * 1

    return function


MADE = {
    "reshape": lambda z: z.reshape(-1),
    "reshape of rows": lambda z: z[1:].reshape(-1),
    "reshape of a row": lambda z: z[0].reshape(1, -1),
    "reshape of a column": lambda z: z[:, 1].reshape(1, -1),
    "reshape of columns": lambda z: z[:, 1:].reshape(-1),
    "ravel": lambda z: z.ravel(),
    "ravel of a column": lambda z: z[:, 1].ravel(),
    "ravel backwards": lambda z: z[0, ::-1].ravel(),
    "reshape of a transpose": lambda z: z.T.reshape(-1),
    "of a transposed product": lambda z: (z.T * 2).reshape(-1),
    "conj": lambda z: z.conj(),
    "np.conj": np.conj,
    "ascontiguousarray": np.ascontiguousarray,
    "ascontiguousarray of a transpose": lambda z: np.ascontiguousarray(z.T),
    "asfortranarray": np.asfortranarray,
    "copy": lambda z: z.copy(),
    "reshape of a copy": lambda z: z.copy().reshape(-1),
    "reshape of a copied transpose": lambda z: z.T.copy().reshape(-1),
    "flatten": lambda z: z.flatten(),
    "real": lambda z: z.real,
    "atleast_3d": np.atleast_3d,
}
LAYOUTS = {
    "C": np.copy,
    "Fortran": lambda m: np.array(m, order="F"),
    "columns back": lambda m: m[:, ::-1],
}
SURE = {("reshape", "C"), ("ravel", "C"), ("conj", "C"), ("reshape of rows", "C"), ("copy", "C")}


@each("whole", [True, False], ids=["array written", "result written"])
@each("layout", LAYOUTS)
@each("name", MADE)
def test_shared_memory_is_as_in_numpy_or_refused(name, layout, whole):
    function = _written(MADE[name], whole=whole)
    argument = LAYOUTS[layout](M)
    expected = function(argument.copy(order="K"))
    try:
        found = gs.compile(function)(argument)
    except UnsupportedError:
        assert (name, layout) not in SURE
    else:
        same_bits(found, expected)


REBUILT = {
    "transposed product": lambda x: x.T * 2,
    "product with a column": lambda x: x.T * x.T.sum(axis=0, keepdims=True),
    "where": lambda x: np.where(x.T > 0, x.T, 0),
    "zeros_like": lambda x: np.zeros_like(x.T) + 0,
    "concatenate": lambda x: np.concatenate([x.T, x.T]),
    "stack": lambda x: np.stack([x.T, x.T], axis=-1),
    "np.array": lambda x: np.array(x.T),
    "astype": lambda x: x.T.astype(np.float32),
    "columns by indices": lambda x: x[:, [0, 2]],
    "rows by indices": lambda x: x[[0, 2]],
    "matmul": lambda x: x.T @ x,
    "einsum": lambda x: np.einsum("ij,jk->ki", x, x.T),
    "cumsum": lambda x: x.T.cumsum(axis=0),
    "repeat": lambda x: np.repeat(x.T, 2, axis=0),
}


@each("name", REBUILT)
def test_reshapes_of_new_arrays_share_memory_as_in_numpy_or_are_refused(name):
    def function(x):
        base = REBUILT[name](x)
        flat = base.reshape(-1)
        base[0, 1] = 50.0
        return base * 1, flat * 1

    try:
        found = gs.compile(function)(M)
    except UnsupportedError:
        assert name not in ("matmul", "rows by indices")
    else:
        close(found, function(M), rtol=1e-12)


def test_layout_is_looked_at_in_every_call():
    def f(x):
        y = x * 2
        flat = y.reshape(-1)
        flat[0] = 50.0
        return y * 1

    compiled = gs.compile(f)
    same_bits(compiled(M), f(M))
    with pytest.raises(UnsupportedError, match="share memory"):
        compiled(np.array(M, order="F"))
    same_bits(compiled(M), f(M))


def test_a_reshape_read_after_a_write_says_what_to_do():
    def f(x):
        y = x.T * 2
        flat = y.reshape(-1)
        y[0] = 0.0
        return flat * 2

    with pytest.raises(UnsupportedError, match=r"flat \(a traced .* written to since"):
        gs.compile(f)(M)


WITHOUT_AXES = {
    "np.zeros": lambda x: np.zeros(()) + 0 * x.sum(),
    "np.array": lambda x: np.array(x.sum()),
    "np.asarray": lambda x: np.asarray(x.sum()),
    "np.copy": lambda x: np.copy(x.sum()),
    "squeeze": lambda x: np.squeeze(x[:1] * 1),
    "scalar": lambda x: x.sum(),
}


@each("name", WITHOUT_AXES)
def test_names_of_one_array_without_axes(name):
    def add(total, value):
        total += value

    def f(x):
        total = WITHOUT_AXES[name](x)
        other = total
        add(total, x[0])
        total *= 2.0
        return total * 1, other * 1, np.reshape(total, (-1,)) * 1

    check(f, X)


def test_an_array_of_a_scalar_shares_nothing_with_it():
    def f(x):
        total = np.sum(x)
        flat = total.reshape(1, -1)
        flat[0, 0] = 5.0
        return flat * total, np.maximum(x, total)

    check(f, X)


def test_the_value_of_vjp_is_of_the_layout_of_its_primals():
    x = np.asfortranarray(np.random.default_rng(0).normal(size=(300, 300)))
    value, pullback = gs.vjp(np.sum, x)
    assert value == x.sum() != np.ascontiguousarray(x).sum()
    np.testing.assert_array_equal(pullback(2.0)[0], np.full(x.shape, 2.0))
