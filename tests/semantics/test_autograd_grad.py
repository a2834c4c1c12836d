"""What comes back.

Rows of the table "`grad` in the manner of `torch.autograd.grad`" in docs/semantics.md.

Most rows hold for two entry points, `f.grad(...)` and `gs.autograd.grad(...)` inside a traced
function; the fixture `grad` runs a test once through each.
"""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.entry_points import (
    loss,
    two_scalars,
    two_vectors,
    vector,
    weighted,
)
from semantics.numbers import same

HERE = Path(__file__)


# --- what comes back


def test_signature_is_torchs(torch):
    ours = inspect.signature(gs.autograd.grad).parameters
    theirs = inspect.signature(torch.autograd.grad).parameters
    assert [(p.name, p.default) for p in ours.values()] == [
        (p.name, p.default) for p in theirs.values()
    ]


def test_result_is_a_tuple_with_one_entry_per_input(grad):
    x, w = vector(), vector(3.0, 4.0, 5.0)
    result = grad(weighted, (x, w))
    assert type(result) is tuple
    assert len(result) == 2
    same(result[0], w / np.cosh(x) ** 2)
    same(result[1], np.tanh(x))


def test_one_input_alone_still_gives_a_tuple():
    def program(x):
        result = gs.autograd.grad(np.sum(x * x), x)
        assert type(result) is tuple
        return result

    (g,) = gs.compile(program)(vector())
    same(g, 2 * vector())


def test_dict_of_inputs_gives_a_dict():
    def program(x, w):
        h = x * w
        return gs.autograd.grad(np.sum(h * h), {"weight": w, "hidden": h})

    x, w = vector(), vector(3.0, 4.0, 5.0)
    result = gs.compile(program)(x, w)
    assert set(result) == {"weight", "hidden"}
    same(result["weight"], 2 * x * x * w)
    same(result["hidden"], 2 * x * w)


def test_several_outputs_are_summed(grad):
    (g,) = grad(two_scalars, (vector(),))
    same(g, np.exp(vector()) + 3 * vector() ** 2)


def test_several_outputs_are_summed_with_their_seeds(grad):
    seeds = (vector(1.0, 2.0, 3.0), vector(-0.1, 1.0, 0.0001))
    (g,) = grad(two_vectors, (vector(),), grad_outputs=seeds)
    same(g, seeds[0] * np.exp(vector()) + seeds[1] * 3 * vector() ** 2)


def test_an_output_given_twice_counts_twice():
    def program(x):
        y = np.sum(x * x)
        return gs.autograd.grad([y, y], [x])

    (g,) = gs.compile(program)(vector())
    same(g, 4 * vector())


def test_inputs_may_repeat():
    def program(x):
        return gs.autograd.grad(np.sum(x * x), [x, x])

    first, second = gs.compile(program)(vector())
    same(first, 2 * vector())
    same(second, 2 * vector())
    assert not np.shares_memory(first, second)


def test_inputs_of_a_whole_function_may_repeat():
    first, second = gs.differentiable(loss).grad(vector(), inputs=["x", 0])
    same(first, 2 * vector())
    same(second, 2 * vector())


def test_inputs_may_be_intermediates(torch):
    def program(x, w):
        a = x + w
        b = w + 1
        return gs.autograd.grad(a * b, [w, a, b])

    tx, tw = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (2.0, 1.0))
    ta, tb = tx + tw, tw + 1
    expected = torch.autograd.grad(ta * tb, [tw, ta, tb])
    actual = gs.compile(program)(2.0, 1.0)
    assert [float(g) for g in actual] == [float(g) for g in expected] == [5.0, 2.0, 3.0]


def test_an_intermediate_holds_back_what_bypasses_it(torch):
    def program(x):
        h = np.sin(x)
        return gs.autograd.grad(np.sum(h * h * x), [h, x])

    tx = torch.tensor(vector(), requires_grad=True)
    th = torch.sin(tx)
    expected = torch.autograd.grad((th * th * tx).sum(), [th, tx])
    for actual, wanted in zip(gs.compile(program)(vector()), expected, strict=True):
        same(actual, wanted)


def test_a_view_as_an_intermediate(torch):
    def program(x):
        row = x[1]
        return gs.autograd.grad(np.sum(row * row), [row, x])

    x = np.arange(6.0).reshape(3, 2)
    tx = torch.tensor(x, requires_grad=True)
    trow = tx[1]
    expected = torch.autograd.grad((trow * trow).sum(), [trow, tx])
    for actual, wanted in zip(gs.compile(program)(x), expected, strict=True):
        same(actual, wanted)


def test_gradient_at_an_intermediate_carried_on_by_seeding_there():
    def program(x, w):
        h = np.tanh(x * w)
        y = np.sum(h**3)
        (at_h,) = gs.autograd.grad(y, h)
        return gs.autograd.grad(h, [x, w], grad_outputs=at_h), gs.autograd.grad(y, [x, w])

    in_two_steps, at_once = gs.compile(program)(vector(), vector(0.3, 0.2, 0.1))
    for a, b in zip(in_two_steps, at_once, strict=True):
        same(a, b)


def test_nothing_is_accumulated(grad):
    x = vector()
    (first,), (second,) = grad(loss, (x,)), grad(loss, (x,))
    same(first, 2 * x)
    np.testing.assert_array_equal(first, second)
    assert not hasattr(x, "grad")


def test_nothing_is_accumulated_within_one_function():
    def program(x):
        y = np.sum(x * x)
        (first,) = gs.autograd.grad(y, x)
        (second,) = gs.autograd.grad(y, x)
        return first, second

    first, second = gs.compile(program)(vector())
    same(first, 2 * vector())
    same(second, 2 * vector())


def test_the_gradient_may_be_used_inside_the_function():
    def step(x):
        y = np.sum(x**4)
        (g,) = gs.autograd.grad(y, x)
        return x - 0.1 * g

    same(gs.compile(step)(vector()), vector() - 0.4 * vector() ** 3)


@each("inputs", ["b", ["b"], 1, [1], ("b",)])
def test_inputs_of_a_whole_function_are_names_or_positions(inputs):
    def f(a, b, c):
        return np.sum(a * b * b * c)

    a, b, c = vector(), vector(1.0, 2.0, 3.0), vector(4.0, 5.0, 6.0)
    result = gs.differentiable(f).grad(a, b, c, inputs=inputs)
    assert type(result) is tuple
    assert len(result) == 1
    same(result[0], 2 * a * b * c)


def test_inputs_come_back_in_the_order_asked():
    def f(a, b):
        return np.sum(a * b)

    a, b = vector(), vector(1.0, 2.0, 3.0)
    by_b, by_a = gs.differentiable(f).grad(a, b, inputs=["b", "a"])
    same(by_b, a)
    same(by_a, b)


@pytest.mark.parametrize("inputs", ["nosuch", ["b", "nosuch"], 7])
def test_an_unknown_input_is_refused_by_name(inputs):
    def f(a, b):
        return np.sum(a * b)

    with pytest.raises(gs.GradsmithError, match=r"nosuch|7"):
        gs.differentiable(f).grad(vector(), vector(), inputs=inputs)


def test_default_inputs_are_the_floating_and_complex_parameters():
    def f(x, n, flag, z):
        return np.sum(x) * n.sum() + np.sum(np.abs(z) ** 2) + flag.sum()

    n, flag = np.array([1, 2]), np.array([True, False])
    z = np.array([1 + 2j, 3.0])
    by_x, by_z = gs.differentiable(f).grad(vector(), n, flag, z)
    same(by_x, np.full(3, 3.0))
    same(by_z, 2 * z)


# --- the numbers, through both entry points, against torch

X = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.6]])
W = np.array([[0.5, -0.3], [0.8, 0.1], [-0.9, 0.6]])
V = np.array([0.25, 1.5, -0.75])


def as_numpy_programs():
    return {
        "affine": lambda x, w, v: np.tanh(x @ w) @ v[:2],
        "softmax": lambda x, w, v: np.exp(x * v) / np.exp(x * v).sum(axis=1, keepdims=True),
        "normalise": lambda x, w, v: (x - x.mean(axis=0)) / (x.std(axis=0) + v**2) @ w,
        "gather": lambda x, w, v: x[:, [2, 0, 0]] * v + w[1, 0],
        "reshape": lambda x, w, v: x.reshape(3, 2) * w + v[:, None],
        "reduce": lambda x, w, v: x.max(axis=1) * w.min(axis=0) + v.prod(),
        "join": lambda x, w, v: np.concatenate([x, v[None]], axis=0) @ w,
    }


def as_torch_programs(torch):
    return {
        "affine": lambda x, w, v: torch.tanh(x @ w) @ v[:2],
        "softmax": lambda x, w, v: (x * v).softmax(dim=1),
        "normalise": lambda x, w, v: (x - x.mean(dim=0)) / (x.std(dim=0, correction=0) + v**2) @ w,
        "gather": lambda x, w, v: x[:, [2, 0, 0]] * v + w[1, 0],
        "reshape": lambda x, w, v: x.reshape(3, 2) * w + v[:, None],
        "reduce": lambda x, w, v: x.amax(dim=1) * w.amin(dim=0) + v.prod(),
        "join": lambda x, w, v: torch.cat([x, v[None]], dim=0) @ w,
    }


@each("name", as_numpy_programs())
def test_numbers_equal_torchs(grad, torch, name):
    leaves = [torch.tensor(a, requires_grad=True) for a in (X, W, V)]
    output = as_torch_programs(torch)[name](*leaves)
    seed = np.random.default_rng(3).normal(size=tuple(output.shape))
    options = {"grad_outputs": torch.tensor(seed), "allow_unused": True}
    expected = torch.autograd.grad(output, leaves, **options)
    actual = grad(as_numpy_programs()[name], (X, W, V), grad_outputs=seed, allow_unused=True)
    for ours, theirs in zip(actual, expected, strict=True):
        assert (ours is None) == (theirs is None)
        same(np.nan if ours is None else ours, np.nan if theirs is None else theirs)


def test_autograd_grad_outside_a_traced_function():
    x = vector()
    with pytest.raises(gs.GradsmithError, match=r"trac|compile"):
        gs.autograd.grad(np.sum(x * x), x)
