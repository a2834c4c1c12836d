"""Buffers changed after use and writes to arguments.

Rows of the table "Mutation and Python around it" in docs/semantics.md.
"""

# Functions are written here as users write them, not as a linter would have them.

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.numbers import check, same

X = np.array([0.5, -1.25, 2.0])
A = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.6], [0.9, -0.2, 1.7]])


# --- row: a constant buffer changed after use


def filled_again(x):
    b = np.zeros(2)
    b += 1
    y = b * x
    b[:] = 100
    return np.sum(y)


def element_changed(x):
    b = np.ones(2)
    y = b * x
    b[0] = 100
    return np.sum(y)


def scaled_after_use(x):
    b = np.ones(2)
    y = np.dot(b, x)
    b *= 100
    return y


def view_of_the_buffer_changed(x):
    b = np.ones((2, 2))
    y = b[0] * x
    b.reshape(-1)[:] = 100
    return np.sum(y)


def asked_twice(x):
    b = np.ones(2)
    y = np.sum(b * x)
    b[:] = 100
    z = np.sum(b * x)
    return y + 0.0 * z


@each(
    "fun",
    [filled_again, element_changed, scaled_after_use, view_of_the_buffer_changed, asked_twice],
)
def test_constant_buffer_changed_after_use(fun):
    x = np.array([2.0, 3.0])
    same(gs.grad(fun)(x), [1, 1])
    same(gs.grad(fun)(x), [1, 1])


def test_constant_buffer_reused_in_a_loop():
    def f(x):
        work, total = np.zeros(3), 0.0
        for k in range(4):
            work[:] = x**k
            total = total + np.sum(work * (k + 1))
        return total

    check(f, X)


def test_captured_buffer_is_not_written_by_a_gradient_call():
    work = np.zeros(3)

    def f(x):
        work[:] = x * 2
        return np.sum(work * work)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.TraceTimeEffectWarning)
        g = gs.grad(f)(X)
        again = gs.grad(f)(X)
    same(g, 8 * X)
    same(again, 8 * X)
    assert work.dtype == np.float64


# --- row: writes to arguments, through views, of overlapping slices


def scale_argument(v):
    v *= 2
    return v * v


def add_to_argument(v):
    v += np.sin(v)
    return v * v


def divide_argument(v):
    v /= 1 + v * v
    return v


def power_of_argument(v):
    v **= 3
    return v * 2


def assign_element(v):
    v[1] = v[0] * v[2]
    return v * v


def assign_all(v):
    v[:] = v * v + 1
    return v


def assign_scalar(v):
    w = v * v
    v[:] = 3.0
    return w + v


def second_name(v):
    w = v
    w += 1
    return v * w


def rebind(v):
    w = v
    w = w + 1
    return v * w


def negative_step(v):
    y = np.zeros(3)
    y[::-1] = v
    return y * v


def reverse_onto_itself(v):
    v[:] = v[::-1]
    return v * np.arange(3.0)


def shift_up(v):
    v[1:] = v[:-1]
    return v * v * np.arange(3.0)


def shift_down(v):
    v[:-1] = v[1:]
    return v * v * np.arange(1.0, 4.0)


def add_shifted(v):
    v[1:] += v[:-1]
    return v * v


def subtract_shifted(v):
    v[:-1] -= v[1:] ** 2
    return v * v


def swap_elements(v):
    v[0], v[2] = v[2], v[0]
    return v * v * np.arange(1.0, 4.0)


def element_is_a_copy(v):
    s = v[0]
    s += 10
    return v * s


def mask_store(v):
    y = v.copy()
    y[v > 0] = 7.0
    return y * v


def mask_store_of_values(v):
    y = np.zeros(3)
    y[v > 0] = v[v > 0] ** 2
    return y


def mask_augmented(v):
    v[v < 1] *= 3
    return v * v


def repeated_store(v):
    y = np.zeros(3)
    y[[0, 0, 1]] = v
    return y * y


def repeated_augmented_store(v):
    y = v * 2
    y[[0, 0, 1]] += v
    return y * y


def piecewise(v):
    y = np.empty(5)
    y[0] = 1.0
    y[1:4] = v
    y[4] = v[0] * v[1]
    return y * y


def ellipsis(v):
    y = np.empty((2, 3))
    y[...] = v
    y[..., 0] = v[0] ** 2
    return y * y


def new_axis(v):
    y = np.zeros((3, 3))
    y[:, None, 0] = v[:, None]
    return y * y


def loop_of_stores(v):
    y = np.zeros(3)
    for i in range(3):
        y[i] = v[i] * (i + 1)
    return y * y


def running_sum(v):
    y = v.copy()
    for i in range(1, 3):
        y[i] += y[i - 1]
    return y * y


def in_a_list(v):
    parts = [v[:1], v[1:]]
    parts[1] *= 2
    return v * v


def two_names_of_a_new_array(v):
    y = z = np.zeros(3)
    y += v
    z *= 2
    return y * z


def double(v):
    v *= 2


def helper_writes(v):
    y = v * v
    double(y)
    double(y[1:])
    return y


def empty_store(v):
    v[3:] = 5.0
    v[1:1] *= 2
    return v * v


def store_of_one_in_many(v):
    v[:] = v[1]
    return v * v


VECTOR_WRITES = [
    scale_argument,
    add_to_argument,
    divide_argument,
    power_of_argument,
    assign_element,
    assign_all,
    assign_scalar,
    second_name,
    rebind,
    negative_step,
    reverse_onto_itself,
    shift_up,
    shift_down,
    add_shifted,
    subtract_shifted,
    swap_elements,
    element_is_a_copy,
    mask_store,
    mask_store_of_values,
    mask_augmented,
    repeated_store,
    repeated_augmented_store,
    piecewise,
    ellipsis,
    new_axis,
    loop_of_stores,
    running_sum,
    in_a_list,
    two_names_of_a_new_array,
    helper_writes,
    empty_store,
    store_of_one_in_many,
]


@each("fun", VECTOR_WRITES)
def test_writes_have_numpys_meaning(fun):
    check(fun, X)


@each("fun", VECTOR_WRITES)
def test_writes_of_strided_arguments_have_numpys_meaning(fun):
    check(fun, np.repeat(X, 2)[::-2])


def test_a_write_to_a_0_d_array_is_in_place_and_to_a_scalar_is_not():
    value, g = gs.value_and_grad(second_name)(np.array(2.0))
    assert (value, g) == (9.0, 6.0)
    value, g = gs.value_and_grad(second_name)(np.float64(2.0))
    assert (value, g) == (6.0, 5.0)
    value, g = gs.value_and_grad(second_name)(2.0)
    assert (value, g) == (6.0, 5.0)


def test_a_store_casts_to_the_dtype_of_the_buffer():
    def f(x):
        y = np.zeros(3, dtype=np.float32)
        y[:] = x
        return np.sum(y * y)

    g = gs.grad(f)(X)
    assert g.dtype == np.float64
    same(g, 2 * X, rtol=1e-6)


def test_a_store_into_integers_cuts_the_gradient():
    def f(x):
        y = np.zeros(3, dtype=np.int64)
        y[:] = x
        return np.sum(x * y)

    same(gs.compile(f)(X), f(X))
    same(gs.grad(f)(X), np.trunc(X))


def test_augmented_assignment_that_cannot_be_cast_is_an_error_as_in_numpy():
    def f(x):
        y = np.zeros(3, dtype=np.int64)
        y += x
        return np.sum(x * y)

    with pytest.raises(TypeError):
        gs.grad(f)(X)


def test_a_broadcast_that_does_not_fit_the_store_is_an_error_as_in_numpy():
    def f(x):
        y = np.zeros(2)
        y[:] = x
        return np.sum(y)

    with pytest.raises(ValueError, match=r"\b2\b"):
        gs.grad(f)(X)


def test_a_write_to_a_read_only_broadcast_is_an_error_as_in_numpy():
    def f(x):
        y = np.broadcast_to(x, (2, 3))
        y[0] = 1.0
        return np.sum(y)

    with pytest.raises(ValueError, match="read-only"):
        gs.grad(f)(X)


def test_what_is_broadcast_of_a_number_is_read_only():
    def function(x):
        spread = np.broadcast_to(x[0], (2,))
        spread[0] = 1.0
        return spread

    with pytest.raises(ValueError, match="read-only"):
        gs.compile(function)(np.array([0.5, 1.0]))
    f = gs.compile(lambda x: np.broadcast_to(x[0], (2, 3)) * x[1])
    np.testing.assert_array_equal(f(np.array([0.5, 2.0])), np.ones((2, 3)))
