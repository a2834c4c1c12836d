"""Unused, integer and missing inputs.

Rows of the table "`grad` in the manner of `torch.autograd.grad`" in docs/semantics.md.

Most rows hold for two entry points, `f.grad(...)` and `gs.autograd.grad(...)` inside a traced
function; the fixture `grad` runs a test once through each.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np

import gradsmith as gs
from helpers import each
from semantics.entry_points import (
    by_trace,
    line_of,
    loss,
    refusal,
    vector,
)
from semantics.numbers import same

HERE = Path(__file__)


# --- row: unused input


def leaves_out(x, spare):
    return np.sum(x * x)


def cut_by_comparison(x, t):
    mask = (t > 0.5).astype(np.float64)  # cut: comparison
    return np.sum(x * mask)


def cut_by_argmax(x, t):
    best = np.argmax(t)  # cut: argmax
    return np.sum(x * best)


def cut_by_stop_gradient(x, t):
    frozen = gs.stop_gradient(np.exp(t))  # cut: stop_gradient
    return np.sum(x * frozen)


def cut_by_integers(x, t):
    steps = (10 * t).astype(np.int64)  # cut: astype
    return np.sum(x * steps)


def cut_in_a_helper(x, t):
    return np.sum(x * binarise(t))


def binarise(p):
    return 1.0 * (p >= 0.5)  # cut: helper


CUTS = {
    "comparison": (cut_by_comparison, r"t > 0\.5|greater|comparison"),
    "argmax": (cut_by_argmax, "argmax"),
    "stop_gradient": (cut_by_stop_gradient, "stop_gradient"),
    "astype": (cut_by_integers, "astype"),
    "helper": (cut_in_a_helper, r"p >= 0\.5|greater_equal|comparison"),
}


def test_unused_input_is_named(grad):
    message = refusal(RuntimeError, grad, leaves_out, (vector(), vector()))
    assert re.search(r"\bspare\b", message) or grad is by_trace
    assert re.search("not used|never used|unused|does not (use|depend)|not depend", message)
    assert "allow_unused" in message


def test_unused_input_is_named_by_autograd_grad():
    def program(x, spare):
        return gs.autograd.grad(np.sum(x * x), [x, spare])

    message = refusal(RuntimeError, gs.compile(program), vector(), vector())
    assert re.search(r"\bspare\b", message)


@each("cut", CUTS)
def test_unused_input_says_which_step_cuts_it_off(grad, cut):
    fun, step = CUTS[cut]
    message = refusal(RuntimeError, grad, fun, (vector(), vector()))
    assert re.search(step, message)
    assert HERE.name in message
    assert re.search(rf"\b{line_of('cut: ' + cut, HERE)}\b", message)


@each("cut", CUTS)
def test_unused_input_cut_off_is_named(cut):
    message = refusal(RuntimeError, gs.differentiable(CUTS[cut][0]).grad, vector(), vector())
    assert re.search(r"\bt\b", message)


def test_unused_input_not_asked_for_is_no_error(grad):
    (g,) = grad(leaves_out, (vector(), vector()), wrt=(0,))
    same(g, 2 * vector())


@each("fun", [leaves_out, *(fun for fun, _ in CUTS.values())])
def test_unused_input_allowed_gives_none(grad, fun):
    by_x, by_other = grad(fun, (vector(), vector()), allow_unused=True)
    assert by_x.shape == (3,)
    assert by_other is None


def test_unused_intermediate():
    def program(x):
        h = np.exp(x)
        return gs.autograd.grad(np.sum(x * x), [h], allow_unused=True)

    assert gs.compile(program)(vector()) == (None,)


def test_a_later_value_is_no_input_of_an_earlier_one():
    def program(x):
        y = np.sum(x * x)
        z = np.exp(y)
        return gs.autograd.grad(y, z)

    refusal(RuntimeError, gs.compile(program), vector())


def test_the_output_itself_as_input():
    def program(x):
        y = np.sum(x * x)
        return gs.autograd.grad(y, [y])

    (g,) = gs.compile(program)(vector())
    same(g, 1.0)


def test_a_numerically_zero_gradient_is_not_unused(grad):
    def f(x, w):
        return np.sum(x) + 0.0 * np.sum(w)

    by_x, by_w = grad(f, (vector(), vector()))
    same(by_x, np.ones(3))
    same(by_w, np.zeros(3))


# --- row: materialize_grads


@each("dtype", [np.float32, np.float64, np.complex128])
def test_materialize_grads_gives_zeros(grad, dtype):
    spare = np.ones((2, 4), dtype=dtype)
    by_x, by_spare = grad(leaves_out, (vector(), spare), materialize_grads=True)
    same(by_x, 2 * vector())
    assert by_spare.dtype == dtype
    np.testing.assert_array_equal(by_spare, np.zeros((2, 4)))


def test_materialize_grads_with_allow_unused_true(grad):
    options = {"materialize_grads": True, "allow_unused": True}
    by_spare = grad(leaves_out, (vector(), vector()), **options)[1]
    np.testing.assert_array_equal(by_spare, np.zeros(3))


def test_materialize_grads_with_explicit_allow_unused_false(grad):
    options = {"materialize_grads": True, "allow_unused": False}
    message = refusal(ValueError, grad, leaves_out, (vector(), vector()), **options)
    assert "allow_unused" in message
    assert "materialize_grads" in message


def test_materialize_grads_zeros_carry_the_batch_dimension(grad):
    def f(x, spare):
        return x * x

    options = {"materialize_grads": True, "is_grads_batched": True}
    seeds = np.ones((5, 3))
    by_x, by_spare = grad(f, (vector(), np.ones((2, 4))), grad_outputs=seeds, **options)
    assert by_x.shape == (5, 3)
    assert by_spare.shape == (5, 2, 4)
    assert not by_spare.any()


# --- row: integers and booleans


@each(
    "other",
    [np.array([1, 2, 3]), np.array([True, False, True]), np.ones(3, dtype=np.uint8), 3, True],
    ids=["int64", "bool", "uint8", "int", "Python bool"],
)
def test_integer_or_boolean_input_asked_for(grad, other):
    def f(x, k):
        return np.sum(x * k)

    message = refusal(TypeError, grad, f, (vector(), other), wrt=(0, 1))
    assert re.search("int|bool", message)
    assert re.search(r"\bk\b", message) or grad is by_trace


@each("value", [3, np.array([1, 2, 3]), True], ids=["int", "array", "bool"])
@each("transform", [gs.grad, gs.value_and_grad])
def test_integer_or_boolean_argument_of_a_transform(transform, value):
    refusal(TypeError, transform(loss), value)


def position_of_the_largest(x):
    return np.argmax(x)


@each(
    "fun",
    [
        position_of_the_largest,
        lambda x: np.sum(x) > 0,
        lambda x: np.sum(x > 0),
        lambda x: np.all(x == 1),
        lambda x: np.sum(x).astype(np.int64),
    ],
    ids=["argmax", "comparison", "count", "all", "astype"],
)
def test_integer_or_boolean_output(grad, fun):
    message = refusal(RuntimeError, grad, fun, (vector(),))
    assert re.search("int|bool", message)


def test_integer_output_with_a_seed(grad):
    def signs(x):
        return x > 0

    refusal(RuntimeError, grad, signs, (vector(),), grad_outputs=np.ones(3))


# --- row: empty inputs


def test_empty_inputs(grad):
    refusal(ValueError, grad, loss, (vector(),), wrt=())


def test_empty_dict_of_inputs():
    def program(x):
        return gs.autograd.grad(np.sum(x * x), {})

    refusal(ValueError, gs.compile(program), vector())


# --- row: function transforms and an argument the output does not depend on


def recorded(call, *args):
    """Result of the call and the UnusedInputWarnings it gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call(*args)
    return result, [str(w.message) for w in caught if w.category is gs.UnusedInputWarning]


def vjp_gradients(fun):
    return lambda *args: gs.vjp(fun, *args)[1](1.0)


TRANSFORMS = {
    "grad": lambda fun: gs.grad(fun, argnums=(0, 1)),
    "value_and_grad": lambda fun: lambda *args: gs.value_and_grad(fun, argnums=(0, 1))(*args)[1],
    "vjp": vjp_gradients,
}


@each("transform", TRANSFORMS.values(), ids=TRANSFORMS)
@each("fun", [leaves_out, *(fun for fun, _ in CUTS.values())])
def test_transforms_give_zeros_and_warn_where_nothing_depends(transform, fun):
    (by_x, by_other), messages = recorded(transform(fun), vector(), vector())
    assert by_x.any()
    assert by_other.shape == (3,)
    assert not by_other.any()
    assert len(messages) == 1


def test_transforms_name_the_unused_parameter():
    _, (message,) = recorded(gs.grad(leaves_out, argnums=1), vector(), vector())
    assert re.search(r"\bspare\b", message)


@each("cut", CUTS)
def test_transforms_say_why_nothing_depends(cut):
    fun, step = CUTS[cut]
    _, (message,) = recorded(gs.grad(fun, argnums=1), vector(), vector())
    assert re.search(r"\bt\b", message)
    assert re.search(step, message)
    assert re.search(rf"\b{line_of('cut: ' + cut, HERE)}\b", message)


def test_transforms_warn_once_per_compilation():
    g = gs.grad(leaves_out, argnums=1)
    counts = [len(recorded(g, vector(), vector())[1]) for _ in range(3)]
    assert counts == [1, 0, 0]
    single = vector().astype(np.float32)
    counts = [len(recorded(g, single, single)[1]) for _ in range(2)]
    assert counts == [1, 0]


def test_transforms_keep_quiet_about_arguments_not_asked_for():
    g, messages = recorded(gs.grad(leaves_out, argnums=0), vector(), vector())
    same(g, 2 * vector())
    assert messages == []


def test_unused_input_warning_is_a_warning():
    assert issubclass(gs.UnusedInputWarning, Warning)


def test_transforms_keep_the_dtype_of_zeros():
    spare = np.ones((2, 1), dtype=np.float32)
    g, _ = recorded(gs.grad(leaves_out, argnums=1), vector(), spare)
    assert g.dtype == np.float32
    assert g.shape == (2, 1)
