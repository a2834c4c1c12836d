"""Seeds.

Rows of the table "`grad` in the manner of `torch.autograd.grad`" in docs/semantics.md.

Most rows hold for two entry points, `f.grad(...)` and `gs.autograd.grad(...)` inside a traced
function; the fixture `grad` runs a test once through each.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import gradsmith as gs
from helpers import each
from semantics.entry_points import (
    identity_times_two,
    loss,
    refusal,
    square,
    two_scalars,
    two_vectors,
    vector,
    vector_and_scalar,
)
from semantics.numbers import RTOL, same

HERE = Path(__file__)


# --- row: no seed


@each("shape", [(3,), (2, 2), (1, 3), (2, 1, 2)], ids=str)
def test_no_seed_and_output_not_one_element(grad, shape):
    x = np.ones(shape)
    message = refusal(RuntimeError, grad, square, (x,))
    assert str(shape) in message
    assert "grad_outputs" in message


@each("shape", [(0,), (0, 3), (1, 0)], ids=str)
def test_no_seed_and_output_of_size_0(grad, shape):
    message = refusal(RuntimeError, grad, square, (np.ones(shape),))
    assert str(shape) in message


@each("shape", [(), (1,), (1, 1)], ids=str)
def test_no_seed_needed_for_one_element(grad, shape):
    x = np.full(shape, 3.0)
    (g,) = grad(square, (x,))
    assert np.shape(g) == shape
    same(g, np.full(shape, 6.0))


def test_no_seed_among_several_outputs_of_which_one_is_not_one_element(grad):
    message = refusal(RuntimeError, grad, vector_and_scalar, (vector(),))
    assert "(3,)" in message
    assert "grad_outputs" in message


@each("dtype", [np.complex64, np.complex128])
def test_no_seed_complex_scalar_output(grad, dtype):
    z = np.array([1 + 2j, 3 - 1j], dtype=dtype)
    message = refusal(RuntimeError, grad, loss, (z,))
    assert "complex" in message
    assert "grad_outputs" in message


def test_seed_for_a_complex_scalar_output(grad, torch):
    z = np.array([1 + 2j, 3 - 1j])
    tz = torch.tensor(z, requires_grad=True)
    seed = np.array(0.5 - 2j)
    expected = torch.autograd.grad((tz * tz).sum(), tz, grad_outputs=torch.tensor(seed))
    (g,) = grad(loss, (z,), grad_outputs=seed)
    same(g, expected[0])


# --- row: seed of another shape


@each("shape", [(2,), (1,), (), (1, 3), (3, 1), (3, 3), (0,)], ids=str)
def test_seed_of_another_shape(grad, shape):
    seed = np.ones(shape)
    message = refusal(RuntimeError, grad, identity_times_two, (vector(),), grad_outputs=seed)
    assert str(shape) in message
    assert "(3,)" in message


@each("shape", [(1,), (1, 1), (3,)], ids=str)
def test_seed_of_another_shape_for_a_scalar(grad, shape):
    message = refusal(RuntimeError, grad, loss, (vector(),), grad_outputs=np.ones(shape))
    assert str(shape) in message


def test_seed_of_2_by_2_for_the_mean_is_refused(grad):
    def mean_of_cubes(x):
        return np.mean((2 * x) ** 3)

    seed = [[0.0, 1.0], [0.0, 1.0]]
    message = refusal(RuntimeError, grad, mean_of_cubes, (np.ones((2, 2)),), grad_outputs=seed)
    assert "(2, 2)" in message
    assert "()" in message


def test_python_float_seed_for_a_vector_is_refused(grad):
    refusal(RuntimeError, grad, square, (vector(),), grad_outputs=1.0)


def test_seed_of_another_shape_names_its_index(grad):
    seeds = (np.ones(3), np.ones((3, 4)))
    message = refusal(RuntimeError, grad, two_vectors, (vector(),), grad_outputs=seeds)
    assert re.search(r"\[1\]|index 1\b|#1\b|(output|seed) 1\b", message)
    assert "(3, 4)" in message
    assert "(3,)" in message


@each("count", [1, 3])
def test_fewer_or_more_seeds_than_outputs(grad, count):
    seeds = [np.ones(3)] * count
    message = refusal(RuntimeError, grad, two_vectors, (vector(),), grad_outputs=seeds)
    assert re.search(rf"\b({count}|one|three)\b", message)
    assert re.search(r"\b(2|two)\b", message)


def test_more_seeds_than_one_output(grad):
    seeds = (np.ones(3), np.ones(3))
    refusal(RuntimeError, grad, square, (vector(),), grad_outputs=seeds)


def test_no_seeds_for_an_output_that_needs_none(grad):
    refusal(RuntimeError, grad, two_scalars, (vector(),), grad_outputs=())


# --- row: [seed, None]


@each("container", [list, tuple])
def test_none_among_seeds_where_the_output_has_one_element(grad, container):
    seed = vector(1.0, 2.0, 3.0)
    (g,) = grad(vector_and_scalar, (vector(),), grad_outputs=container([seed, None]))
    same(g, seed * np.cos(vector()) + 2 * vector())


def test_none_for_every_output(grad):
    (g,) = grad(two_scalars, (vector(),), grad_outputs=[None, None])
    same(g, np.exp(vector()) + 3 * vector() ** 2)


def test_none_among_seeds_where_the_output_has_more_elements(grad):
    seeds = [None, np.array(1.0)]
    message = refusal(RuntimeError, grad, vector_and_scalar, (vector(),), grad_outputs=seeds)
    assert "(3,)" in message


# --- row: seed of another real dtype, Python float, list, nested list

VECTOR_SEEDS = {
    "float64": np.array([1.0, 2.0, 3.0]),
    "float32": np.array([1.0, 2.0, 3.0], dtype=np.float32),
    "float16": np.array([1.0, 2.0, 3.0], dtype=np.float16),
    "int64": np.array([1, 2, 3]),
    "uint8": np.array([1, 2, 3], dtype=np.uint8),
    "list": [1.0, 2.0, 3.0],
    "list of ints": [1, 2, 3],
    "sequence of one array": [np.array([1.0, 2.0, 3.0])],
    "sequence of one list": ([1.0, 2.0, 3.0],),
}


@each("dtype", [np.float32, np.float64])
@each("seed", VECTOR_SEEDS.values(), ids=VECTOR_SEEDS)
def test_seed_of_another_real_dtype_is_converted(grad, dtype, seed):
    x = vector().astype(dtype)
    (g,) = grad(square, (x,), grad_outputs=seed)
    assert g.dtype == dtype
    same(g, 2 * x * np.array([1, 2, 3], dtype=dtype), rtol=1e-6 if dtype is np.float32 else RTOL)


@each("dtype", [np.float32, np.float64])
@each(
    "seed",
    [0.5, np.float64(0.5), np.float32(0.5), np.array(0.5), [0.5], (np.array(0.5),)],
    ids=["float", "np.float64", "np.float32", "0-d array", "list of a float", "tuple of a 0-d"],
)
def test_scalar_seed_is_converted(grad, dtype, seed):
    x = vector().astype(dtype)
    (g,) = grad(loss, (x,), grad_outputs=seed)
    assert g.dtype == dtype
    same(g, x)


def test_python_int_seed(grad):
    (g,) = grad(loss, (vector(),), grad_outputs=3)
    same(g, 6 * vector())


def test_nested_list_seed(grad):
    def cube(x):
        return (2 * x) ** 3

    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    (g,) = grad(cube, (x,), grad_outputs=[[0, 1], [0, 1]])
    same(g, 24 * x**2 * np.array([[0, 1], [0, 1]]))
    (g,) = grad(cube, (x,), grad_outputs=[[1, 1], [0, 0]])
    same(g, 24 * x**2 * np.array([[1, 1], [0, 0]]))


def test_seeds_as_weights(grad):
    def f(a, b, c):
        return 3 * a + 2 * b * b + np.log(c)

    args = vector(1.0, 2.0, 3.0), vector(3.0, 4.0, 5.0), vector(6.0, 7.0, 8.0)
    by_a, by_b, by_c = grad(f, args, grad_outputs=vector(0.1, 1.0, 0.0001))
    same(by_a, [0.3, 3, 3e-4])
    same(by_b, [1.2, 16, 2e-3])
    same(by_c, [0.1 / 6, 1 / 7, 0.0001 / 8])


@each("dtype", [np.complex64, np.complex128])
def test_complex_seed_for_a_real_output(grad, dtype):
    seed = np.ones(3, dtype=dtype)
    message = refusal(RuntimeError, grad, square, (vector(),), grad_outputs=seed)
    assert "complex" in message


def test_complex_python_seed_for_a_real_scalar(grad):
    message = refusal(RuntimeError, grad, loss, (vector(),), grad_outputs=1j)
    assert "complex" in message


def test_seed_may_be_a_traced_value(torch):
    def program(x, v):
        return gs.autograd.grad(np.sin(x), x, grad_outputs=v * v)

    (g,) = gs.compile(program)(vector(), vector(1.0, 2.0, 3.0))
    same(g, np.array([1.0, 4.0, 9.0]) * np.cos(vector()))


def test_differentiating_by_the_seed(torch):
    def pulled(x, v):
        (g,) = gs.autograd.grad(x**3, x, grad_outputs=v, create_graph=True)
        return np.sum(g * np.arange(3.0))

    x, v = vector(), vector(1.0, 2.0, 3.0)
    by_x, by_v = gs.differentiable(pulled).grad(x, v)
    same(by_x, np.arange(3.0) * v * 6 * x)
    same(by_v, np.arange(3.0) * 3 * x**2)


def test_seed_array_is_left_alone(grad):
    seed = vector(1.0, 2.0, 3.0)
    (g,) = grad(identity_times_two, (vector(),), grad_outputs=seed)
    same(seed, [1.0, 2.0, 3.0])
    assert not np.shares_memory(g, seed)
