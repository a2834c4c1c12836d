"""Batched seeds, `create_graph` and other options.

Rows of the table "`grad` in the manner of `torch.autograd.grad`" in docs/semantics.md.

Most rows hold for two entry points, `f.grad(...)` and `gs.autograd.grad(...)` inside a traced
function; the fixture `grad` runs a test once through each.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.entry_points import (
    line_of,
    refusal,
    square,
    two_vectors,
    vector,
    vector_and_scalar,
)
from semantics.numbers import same

HERE = Path(__file__)


# --- row: is_grads_batched

MATRIX = np.array([[0.2, -1.0, 0.5], [1.5, 0.3, -0.7], [0.1, 0.9, 0.4]])

BATCHED = {
    "elementwise": lambda x: np.sin(x) * x,
    "matmul": lambda x: MATRIX @ x,
    "softmax": lambda x: np.exp(x) / np.sum(np.exp(x)),
    "outer": lambda x: np.outer(x, x * x),
    "sum of an axis": lambda x: np.sum(np.outer(x, MATRIX[0]), axis=1),
    "mean with keepdims": lambda x: np.mean(MATRIX * x, axis=0, keepdims=True),
    "max": lambda x: np.max(MATRIX * x, axis=1),
    "slices": lambda x: x[1:] * x[:-1],
    "repeated indices": lambda x: x[np.array([0, 0, 2, 1])] ** 2,
    "boolean mask": lambda x: x[np.array([True, False, True])] ** 2,
    "concatenate": lambda x: np.concatenate([x, x * x]),
    "stack and transpose": lambda x: np.stack([x, x**3]).T,
    "reshape": lambda x: (MATRIX * x).reshape(-1),
    "broadcast": lambda x: np.broadcast_to(x, (2, 3)) * x[:, None][:2],
    "einsum": lambda x: np.einsum("ij,j,k->ik", MATRIX, x, x),
    "scalar": lambda x: np.sum(x**3),
    "where": lambda x: np.where(x > 0, x * x, -x),
    "product": lambda x: np.prod(MATRIX * x, axis=0),
}


@pytest.mark.parametrize("name", BATCHED)
@each("batch", [1, 4])
def test_batched_seeds_equal_a_loop(grad, name, batch):
    fun, x = BATCHED[name], vector()
    shape = np.shape(fun(x))
    seeds = np.random.default_rng(0).normal(size=(batch, *shape))
    (together,) = grad(fun, (x,), grad_outputs=seeds, is_grads_batched=True)
    one_by_one = np.stack([grad(fun, (x,), grad_outputs=seed)[0] for seed in seeds])
    assert together.shape == (batch, 3)
    same(together, one_by_one)


def test_batched_one_hot_seeds_give_the_jacobian(grad, torch):
    x = vector()
    tx = torch.tensor(x, requires_grad=True)
    ty = torch.exp(tx) * tx.sum()
    (expected,) = torch.autograd.grad(ty, tx, torch.eye(3).double(), is_grads_batched=True)

    def f(x):
        return np.exp(x) * np.sum(x)

    (rows,) = grad(f, (x,), grad_outputs=np.eye(3), is_grads_batched=True)
    same(rows, expected)


def test_batched_seeds_of_several_outputs(grad):
    rng = np.random.default_rng(1)
    seeds = (rng.normal(size=(4, 3)), rng.normal(size=4))
    (together,) = grad(vector_and_scalar, (vector(),), grad_outputs=seeds, is_grads_batched=True)
    expected = seeds[0] * np.cos(vector()) + seeds[1][:, None] * 2 * vector()
    same(together, expected)


def test_batched_seed_may_be_a_nested_list(grad):
    seeds = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    (rows,) = grad(square, (vector(),), grad_outputs=seeds, is_grads_batched=True)
    same(rows, np.array(seeds) * 2 * vector())


def test_batched_seeds_of_several_inputs_keep_dtypes(grad):
    def f(x, w):
        return x * w

    x, w = vector().astype(np.float32), vector(1.0, 2.0, 3.0)
    by_x, by_w = grad(f, (x, w), grad_outputs=np.eye(3), is_grads_batched=True)
    assert (by_x.dtype, by_w.dtype) == (np.float32, np.float64)
    same(by_x, np.diag(w), rtol=1e-6)
    same(by_w, np.diag(x), rtol=1e-6)


def test_batched_seeds_of_different_batch_sizes(grad):
    seeds = (np.ones((4, 3)), np.ones((5, 3)))
    message = refusal(
        ValueError, grad, two_vectors, (vector(),), grad_outputs=seeds, is_grads_batched=True
    )
    assert re.search(r"\b4\b", message)
    assert re.search(r"\b5\b", message)


def test_batched_seed_of_another_shape(grad):
    message = refusal(
        RuntimeError,
        grad,
        square,
        (vector(),),
        grad_outputs=np.ones((4, 2)),
        is_grads_batched=True,
    )
    assert "(3,)" in message


# --- row: retain_graph, only_inputs


@pytest.mark.parametrize("retain_graph", [None, True, False])
def test_retain_graph_is_accepted_and_a_second_call_works(retain_graph):
    def program(x):
        y = np.sum(x**3)
        (first,) = gs.autograd.grad(y, x, retain_graph=retain_graph)
        (second,) = gs.autograd.grad(y, x, retain_graph=retain_graph)
        return first, second

    first, second = gs.compile(program)(vector())
    same(first, 3 * vector() ** 2)
    same(second, 3 * vector() ** 2)


def test_only_inputs_true_is_accepted_silently():
    def program(x):
        return gs.autograd.grad(np.sum(x**3), x, only_inputs=True)

    same(gs.compile(program)(vector())[0], 3 * vector() ** 2)


def test_only_inputs_false_warns():
    def program(x):
        return gs.autograd.grad(np.sum(x**3), x, only_inputs=False)

    with pytest.warns(FutureWarning, match="only_inputs"):
        (g,) = gs.compile(program)(vector())
    same(g, 3 * vector() ** 2)


def test_options_may_be_positional_as_in_torch():
    def program(x):
        return gs.autograd.grad(x**3, x, np.ones(3), None, True, True, None, False, True)

    same(gs.compile(program)(vector())[0], 3 * vector() ** 2)


# --- row: create_graph


def second_derivative(x):
    (g,) = gs.autograd.grad(np.sum(x**3), x, create_graph=True)
    return gs.autograd.grad(np.sum(g), x)[0]


def without_create_graph(x):
    (g,) = gs.autograd.grad(np.sum(x**3), x)  # cut: create_graph
    return np.sum(g)


def with_create_graph(x):
    (g,) = gs.autograd.grad(np.sum(x**3), x, create_graph=True)
    return np.sum(g)


def test_create_graph_gives_the_second_derivative():
    same(gs.compile(second_derivative)(vector()), 6 * vector())


@pytest.mark.parametrize(
    "transform", [gs.grad, lambda f: lambda x: gs.differentiable(f).grad(x)[0]]
)
def test_create_graph_lets_a_transform_differentiate_it(transform):
    same(transform(with_create_graph)(vector()), 6 * vector())


def test_create_graph_false_still_gives_the_value():
    same(gs.compile(without_create_graph)(vector()), np.sum(3 * vector() ** 2))


def test_create_graph_false_is_refused_by_f_grad():
    message = refusal(RuntimeError, gs.differentiable(without_create_graph).grad, vector())
    assert "create_graph=True" in message
    assert HERE.name in message
    assert re.search(rf"\b{line_of('cut: create_graph', HERE)}\b", message)


def test_create_graph_false_is_refused_by_autograd_grad():
    def program(x):
        return gs.autograd.grad(without_create_graph(x), x)

    message = refusal(RuntimeError, gs.compile(program), vector())
    assert "create_graph=True" in message
    assert re.search(rf"\b{line_of('cut: create_graph', HERE)}\b", message)


def test_create_graph_false_is_a_constant_beside_another_path(torch):
    def penalised(x):
        y = np.sum(x**3)
        (g,) = gs.autograd.grad(y, x)
        return y * np.sum(g)

    tx = torch.tensor(vector(), requires_grad=True)
    ty = (tx**3).sum()
    (tg,) = torch.autograd.grad(ty, tx, retain_graph=True)
    (expected,) = torch.autograd.grad(ty * tg.sum(), tx)
    same(gs.differentiable(penalised).grad(vector())[0], expected)


def test_create_graph_gradient_penalty_equals_torch(torch):
    def penalised(x, w):
        y = np.sum(np.tanh(x * w) ** 2)
        (g,) = gs.autograd.grad(y, x, create_graph=True)
        return y + 0.3 * np.sum(g**2)

    x, w = vector(), vector(0.3, 0.2, 0.1)
    tx, tw = (torch.tensor(v, requires_grad=True) for v in (x, w))
    ty = (torch.tanh(tx * tw) ** 2).sum()
    (tg,) = torch.autograd.grad(ty, tx, create_graph=True)
    expected = torch.autograd.grad(ty + 0.3 * (tg**2).sum(), [tx, tw])
    for actual, wanted in zip(gs.differentiable(penalised).grad(x, w), expected, strict=True):
        same(actual, wanted)


def test_create_graph_to_the_third_order():
    def third(x):
        (first,) = gs.autograd.grad(np.sum(np.sin(x)), x, create_graph=True)
        (second,) = gs.autograd.grad(np.sum(first), x, create_graph=True)
        return gs.autograd.grad(np.sum(second), x)[0]

    same(gs.compile(third)(vector()), -np.cos(vector()))


def test_create_graph_at_an_intermediate():
    def program(x):
        h = np.sin(x)
        (at_h,) = gs.autograd.grad(np.sum(h**3), h, create_graph=True)
        return gs.autograd.grad(np.sum(at_h), [h, x])

    by_h, by_x = gs.compile(program)(vector())
    same(by_h, 6 * np.sin(vector()))
    same(by_x, 6 * np.sin(vector()) * np.cos(vector()))
