"""Mistakes that users make, each a function that raises: their messages are snapshots.

`CASES` maps the name of each to the function and to the built-in class of the error.
"""

# Everything here is wrong on purpose; lambdas and loops are written as users write them.
# ruff: noqa: PLW0108, RET504, RUF005

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import gradsmith as gs

CASES = {}
X = np.array([0.5, -1.25, 2.0])
A = np.array([[2.0, 0.5], [0.5, 3.0]])
N = np.array([1, 2, 3])
Z = np.array([1.0 + 2.0j, 0.5j, 3.0])
BUFFER = np.zeros(3)
TABLE = {0.5: 1.0, 2.0: 4.0}


def case(builtin):
    """Register a mistake and the class that the error derives from besides ours."""

    def register(function):
        CASES[function.__name__] = (function, builtin)
        return function

    return register


# -- seeds ----------------------------------------------------------------------------------------


@gs.differentiable
def squares(x):
    return x * x


@gs.differentiable
def sum_and_squares(x):
    return np.sum(x), x * x


@gs.differentiable
def modulus(z):
    return np.sum(z * z)


@case(RuntimeError)
def no_seed_for_an_array():
    squares.grad(X)


@case(RuntimeError)
def no_seed_for_a_complex_output():
    modulus.grad(Z)


@case(RuntimeError)
def no_seed_for_an_empty_output():
    squares.grad(np.zeros(0))


@case(RuntimeError)
def no_seed_for_one_of_two_outputs():
    sum_and_squares.grad(X)


@case(RuntimeError)
def no_seed_within_a_function():
    def slope(x):
        y = np.exp(x)
        (g,) = gs.autograd.grad(y, x)
        return g

    gs.compile(slope)(X)


@case(RuntimeError)
def seed_of_another_shape():
    squares.grad(X, grad_outputs=np.ones(2))


@case(RuntimeError)
def seed_that_would_broadcast():
    squares.grad(X, grad_outputs=1.0)


@case(RuntimeError)
def seed_for_a_scalar_output():
    gs.grad(lambda x: np.mean(x))(X, grad_outputs=np.ones(3))


@case(RuntimeError)
def fewer_seeds_than_outputs():
    sum_and_squares.grad(X, grad_outputs=[1.0])


@case(RuntimeError)
def more_seeds_than_outputs():
    sum_and_squares.grad(X, grad_outputs=[1.0, X, X])


@case(RuntimeError)
def none_for_an_array_output():
    sum_and_squares.grad(X, grad_outputs=[None, None])


@case(RuntimeError)
def complex_seed_for_a_real_output():
    squares.grad(X, grad_outputs=1j * X)


@case(TypeError)
def text_for_a_seed():
    squares.grad(X, grad_outputs="ones")


@case(ValueError)
def batches_of_different_sizes():
    sum_and_squares.grad(X, grad_outputs=[np.ones(2), np.ones((4, 3))], is_grads_batched=True)


@case(RuntimeError)
def batched_seed_without_a_batch():
    squares.grad(X, grad_outputs=1.0, is_grads_batched=True)


@case(RuntimeError)
def batched_seed_of_another_shape():
    squares.grad(X, grad_outputs=np.ones((4, 2)), is_grads_batched=True)


# -- what gradients are taken of and by -----------------------------------------------------------


@gs.differentiable
def ignores_spare(x, spare):
    return np.sum(x)


@gs.differentiable
def binarised(x, w):
    active = np.where(x * w > 0, 1.0, 0.0)
    return np.sum(active * x)


@gs.differentiable
def rounded(x, w):
    steps = np.floor(w * 10) / 10
    return np.sum(x * steps)


@gs.differentiable
def detached(x, w):
    return np.sum(x * gs.stop_gradient(w))


@case(RuntimeError)
def unused_parameter():
    ignores_spare.grad(X, X)


@case(RuntimeError)
def parameter_cut_off_by_a_comparison():
    binarised.grad(X, X)


@case(RuntimeError)
def parameter_cut_off_by_rounding():
    rounded.grad(X, X, inputs="w")


@case(RuntimeError)
def parameter_cut_off_by_stop_gradient():
    detached.grad(X, X)


@case(RuntimeError)
def unused_intermediate():
    def f(x):
        y = np.sin(x)
        z = np.cos(x)
        return gs.autograd.grad(np.sum(y), [y, z])

    gs.compile(f)(X)


@case(ValueError)
def zeros_wanted_and_refused():
    ignores_spare.grad(X, X, allow_unused=False, materialize_grads=True)


@case(RuntimeError)
def gradient_of_a_gradient_without_create_graph():
    def penalty(x):
        (slope,) = gs.autograd.grad(np.sum(x**3), x)
        return np.sum(slope**2)

    gs.differentiable(penalty).grad(X)


@case(TypeError)
def integer_argument():
    gs.grad(lambda x: x * 2.0)(3)


@case(TypeError)
def integer_array():
    gs.grad(lambda n: np.sum(n * 2.0))(N)


@case(TypeError)
def integer_in_a_dict():
    gs.grad(lambda params: params["w"] * params["count"])({"w": 1.5, "count": 2})


@case(TypeError)
def text_argument():
    gs.grad(lambda mode, x: np.sum(x))("fast", X)


@case(TypeError)
def integer_input_by_name():
    gs.differentiable(lambda x, n: np.sum(x * n)).grad(X, N, inputs="n")


@case(TypeError)
def integer_intermediate():
    def f(x):
        i = np.argmax(x)
        return gs.autograd.grad(x[i], i)

    gs.compile(f)(X)


@case(RuntimeError)
def integer_output():
    def best(x):
        return np.argmax(x)

    gs.grad(best)(X)


@case(RuntimeError)
def boolean_output():
    def positive(x):
        mask = x > 0
        return mask

    gs.differentiable(positive).grad(X)


@case(TypeError)
def gradients_of_plain_arrays():
    gs.autograd.grad(np.sum(X), X)


@case(ValueError)
def no_inputs():
    ignores_spare.grad(X, X, inputs=[])


@case(ValueError)
def unknown_input():
    ignores_spare.grad(X, X, inputs="weight")


@case(ValueError)
def input_position_out_of_range():
    ignores_spare.grad(X, X, inputs=2)


@case(ValueError)
def argnums_out_of_range():
    gs.grad(ignores_spare, argnums=2)(X, X)


@case(TypeError)
def argnums_by_name():
    gs.grad(ignores_spare, argnums="x")(X, X)


# -- functions and their results ------------------------------------------------------------------


@case(TypeError)
def not_a_function():
    gs.grad(np.sum(X))


@case(TypeError)
def unknown_option():
    gs.differentiable(backend="fortran")


@case(TypeError)
def too_few_arguments():
    gs.grad(ignores_spare)(X)


@case(TypeError)
def too_many_arguments():
    ignores_spare.grad(X, X, X)


@case(TypeError)
def unknown_keyword():
    gs.compile(ignores_spare)(X, spare=X, weight=1.0)


@case(TypeError)
def aux_without_a_pair():
    def loss(x):
        return np.sum(x)

    gs.value_and_grad(loss, has_aux=True)(X)


@case(TypeError)
def returns_text():
    def loss(x):
        total = np.sum(x)
        return {"loss": total, "unit": "m"}

    gs.grad(loss)(X)


@case(TypeError)
def returns_nothing():
    def loss(x):
        np.sum(x)

    gs.grad(loss)(X)


@case(TypeError)
def returns_an_object():
    def f(x):
        return np.sum(x), object

    gs.compile(f)(X)


@case(ValueError)
def source_without_arguments():
    gs.grad(squares).source()


@case(RuntimeError)
def cotangent_of_another_structure():
    _, pullback = gs.vjp(sum_and_squares, X)
    pullback((1.0, X, X))


@case(ValueError)
def tangents_of_another_number():
    gs.jvp(ignores_spare, (X, X), (X,))


@case(ValueError)
def tangent_of_another_shape():
    gs.jvp(squares, (X,), (np.ones(2),))


# -- arrays that are refused ----------------------------------------------------------------------


class DeviceArray:
    """What another library's array looks like."""

    shape = (3,)
    dtype = "float32"

    def __array__(self, dtype=None, copy=None):
        return np.ones(3)


@case(TypeError)
def object_array():
    gs.grad(ignores_spare)(np.array([1.0, None]), X)


@case(TypeError)
def text_array():
    ignores_spare.grad(X, np.array(["a", "b"]))


@case(TypeError)
def masked_array():
    ignores_spare.grad(X, np.ma.masked_array([1.0, 2.0], mask=[False, True]))


@case(TypeError)
def matrix_argument():
    gs.compile(ignores_spare)(X, np.ones((2, 2)).view(np.matrix))


@case(TypeError)
def array_of_another_library():
    gs.grad(ignores_spare)(DeviceArray(), X)


@case(TypeError)
def object_array_in_a_dict():
    gs.grad(lambda params: np.sum(params["w"]))({"w": np.array([None, 1.0])})


@case(TypeError)
def object_array_from_outside():
    labels = np.array(["spam", "ham", "spam"])

    def loss(x):
        return np.sum(x[labels == "spam"])

    gs.grad(loss)(X)


# -- traced values where Python needs plain ones --------------------------------------------------


@case(TypeError)
def float_of_an_array():
    def loss(x):
        return float(x * x) * x[0]

    gs.grad(loss)(X)


@case(TypeError)
def int_of_an_array():
    def pick(x):
        i = int(np.cumsum(x))
        return x[i]

    gs.grad(pick)(X)


@case(ValueError)
def item_of_an_array():
    def loss(x):
        return x.item() * x[0]

    gs.grad(loss)(X)


# -- control flow on traced values ----------------------------------------------------------------


@case(ValueError)
def if_on_a_whole_array():
    def loss(x):
        if x > 0:
            return np.sum(x)
        return 0.0

    gs.grad(loss)(X)


@case(ValueError)
def and_of_whole_arrays():
    gs.grad(lambda x: np.sum(x * (x > 0 and x < 1)))(X)


@case(ValueError)
def max_of_whole_arrays():
    gs.grad(lambda x: np.sum(max(x, 2 * x)))(X)


@case(TypeError)
def async_function():
    async def loss(x):
        return np.sum(x)

    gs.grad(loss)(X)


@case(TypeError)
def refusal_that_is_suppressed():
    def loss(x):
        with contextlib.suppress(TypeError):
            return x * x.view(int)
        return np.sum(x)

    gs.grad(loss)(X)


@case(TypeError)
def value_in_another_thread():
    def loss(x):
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: np.sum(x)).result()

    gs.grad(loss)(X)


# -- NumPy functions and their arguments ----------------------------------------------------------


@case(TypeError)
def unsupported_argument():
    gs.grad(lambda x: np.sum(np.reshape(x, (3, 1), order="A")))(X)


@case(TypeError)
def argument_that_numpy_does_not_have():
    gs.grad(lambda x: np.sum(x, axes=0))(X)


@case(TypeError)
def too_many_arguments_for_numpy():
    gs.grad(lambda x: np.sum(np.transpose(x, None, 1)))(X)


@case(TypeError)
def own_keyword_of_numpy():
    gs.grad(lambda x: np.sum(np.sin(x, signature="d->d")))(X)


@case(RuntimeError)
def unsupported_ufunc_method():
    gs.grad(lambda x: np.sum(np.hypot.reduce(x)))(X)


@case(TypeError)
def dtype_without_arithmetic():
    gs.grad(lambda x: np.sum(x.astype(str) == "0.5"))(X)


@case(TypeError)
def operands_without_a_loop():
    gs.grad(lambda x: np.sum(x | 1))(X)


@case(TypeError)
def list_plus_a_number():
    gs.grad(lambda s: s + [1.0, 2.0])(0.5)


@case(TypeError)
def array_plus_none():
    gs.grad(lambda x, bias=None: np.sum(x + bias))(X)


@case(OverflowError)
def number_that_the_dtype_cannot_hold():
    gs.compile(lambda n: n + 300)(np.array([1, 2], np.uint8))


@case(ValueError)
def integer_to_a_negative_power():
    gs.compile(lambda n: n**-1)(N)


@case(AttributeError)
def unknown_attribute():
    gs.grad(lambda x: x.summ())(X)


@case(AttributeError)
def array_attribute_of_a_python_number():
    gs.grad(lambda s: s * s.size)(0.5)


@case(TypeError)
def values_repeated_in_flat():
    def loss(x):
        y = x * 2
        y.flat[:] = x[:2]
        return np.sum(y)

    gs.grad(loss)(X)


@case(TypeError)
def reinterpreted_memory():
    gs.grad(lambda x: np.sum(x.view(np.float32)))(X)


@case(TypeError)
def array_that_is_called():
    gs.grad(lambda x: np.sum(x(0)))(X)


@case(TypeError)
def length_of_a_number():
    gs.grad(lambda x: len(np.sum(x)) * x[0])(X)


@case(TypeError)
def loop_over_a_number():
    def loss(x):
        total = 0.0
        for part in np.sum(x):
            total = total + part
        return total

    gs.grad(loss)(X)


@case(TypeError)
def unique_rows():
    gs.grad(lambda x: np.sum(np.unique(np.outer(x, x), axis=0)))(X)


@case(ValueError)
def positions_of_a_number():
    gs.grad(lambda x: x[np.nonzero(x[0])[0]])(X)


# -- shapes and indices ---------------------------------------------------------------------------


@case(ValueError)
def shapes_that_do_not_broadcast():
    def residual(x, y):
        return np.sum((x + y) ** 2)

    gs.grad(residual)(X, np.ones(2))


@case(ValueError)
def matrices_that_do_not_align():
    gs.grad(lambda x, w: np.sum(w @ x))(X, np.ones((2, 2)))


@case(ValueError)
def product_with_a_scalar():
    gs.grad(lambda x: np.sum(x @ 2.0))(X)


@case(ValueError)
def shapes_of_different_sizes():
    gs.grad(lambda x: np.sum(x.reshape(2, 2)))(X)


@case(ValueError)
def concatenation_of_different_ranks():
    gs.grad(lambda x: np.sum(np.concatenate([x, A])))(X)


@case(ValueError)
def stack_of_different_shapes():
    gs.grad(lambda x: np.sum(np.stack([x, x[1:]])))(X)


@case(ValueError)
def wrong_einsum():
    gs.grad(lambda x: np.einsum("ij,j->i", x, x)[0])(X)


@case(ValueError)
def broadcast_to_a_smaller_shape():
    gs.grad(lambda x: np.sum(np.broadcast_to(x, (2, 2))))(X)


@case(ValueError)
def axis_out_of_range():
    gs.grad(lambda x: np.sum(np.sum(x, axis=1)))(X)


@case(IndexError)
def index_out_of_bounds():
    gs.grad(lambda x: x[3] * 2.0)(X)


@case(IndexError)
def list_of_indices_out_of_bounds():
    gs.grad(lambda x: np.sum(x[[0, 5]]))(X)


@case(IndexError)
def too_many_indices():
    gs.grad(lambda x: x[0, 0] * 2.0)(X)


@case(IndexError)
def index_of_the_wrong_type():
    gs.grad(lambda x: x[0.5] * 2.0)(X)


@case(IndexError)
def mask_of_another_length():
    gs.grad(lambda x: np.sum(x[np.array([True, False])]))(X)


@case(ValueError)
def ragged_list():
    gs.grad(lambda x: np.sum(np.array([[x[0]], [x[1], x[2]]])))(X)


@case(ValueError)
def maximum_of_nothing():
    gs.grad(lambda x: np.max(x[5:]))(X)


# -- writes ---------------------------------------------------------------------------------------


@case(TypeError)
def cast_in_place():
    def loss(x):
        counts = np.zeros(3, dtype=int)
        counts += x
        return np.sum(counts * x)

    gs.grad(loss)(X)


@case(ValueError)
def larger_result_in_place():
    def loss(x):
        y = x * 2
        y += np.ones((2, 3))
        return np.sum(y)

    gs.grad(loss)(X)


@case(ValueError)
def store_of_another_shape():
    def loss(x):
        y = np.zeros(2)
        y[:] = x
        return np.sum(y)

    gs.grad(loss)(X)


@case(TypeError)
def store_in_a_scalar():
    def loss(x):
        y = np.sum(x)
        y[...] = 0.0
        return y

    gs.grad(loss)(X)


@case(TypeError)
def complex_number_in_a_real_array():
    def loss(x):
        y = x.copy()
        y[0] = 1j
        return np.sum(y)

    gs.grad(loss)(X)


@case(ValueError)
def write_to_a_broadcast_view():
    def loss(x):
        y = np.broadcast_to(x, (2, 3))
        y[0] = 0.0
        return np.sum(y)

    gs.grad(loss)(X)


@case(TypeError)
def output_of_another_dtype():
    def loss(x):
        y = np.zeros(3, dtype=int)
        np.multiply(x, 2, out=y)
        return np.sum(y * x)

    gs.grad(loss)(X)


@case(TypeError)
def where_without_an_output():
    gs.grad(lambda x: np.sum(np.log(x, where=x > 0)))(X)


@case(TypeError)
def copy_into_an_integer_array():
    def loss(x):
        y = np.zeros(3, dtype=int)
        np.copyto(y, x)
        return np.sum(y * x)

    gs.grad(loss)(X)


@case(TypeError)
def element_of_a_generator():
    rows = (row for row in [BUFFER])

    def loss(x):
        row = next(rows)
        row[0] = x[0]
        return np.sum(row * x)

    gs.grad(loss)(X)


@case(ValueError)
def deleted_element():
    def loss(x):
        del x[0]
        return np.sum(x)

    gs.grad(loss)(X)


@case(TypeError)
def assigned_shape():
    def loss(x):
        x.shape = (3, 1)
        return np.sum(x)

    gs.grad(loss)(X)


# -- texts of traced values -----------------------------------------------------------------------


@case(TypeError)
def loops_in_too_many_loops():
    def products(x):
        total = 0.0
        for a in x:
            for b in x:
                for c in x:
                    for d in x:
                        for e in x:
                            for f in x:
                                for g in x:
                                    for h in x:
                                        for i in x:
                                            for j in x:
                                                for k in x:
                                                    total += (
                                                        a * b * c * d * e * f * g * h * i * j * k
                                                    )
        return total

    gs.grad(products)(X)


# -- several outputs -----------------------------------------------------------------------------


@case(TypeError)
def gradient_of_a_pair():
    def loss(x):
        total = np.sum(x)
        return total, x * 2

    gs.grad(loss)(X)


@case(TypeError)
def aux_with_a_pair_as_output():
    def loss(x):
        return (x[0], x[1]), x

    gs.grad(loss, has_aux=True)(X)


@case(RuntimeError)
def seeds_of_another_structure():
    def parts(x):
        return {"sum": np.sum(x), "square": x * x}

    gs.differentiable(parts).grad(X, grad_outputs={"sum": 1.0})
