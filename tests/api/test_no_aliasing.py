"""Gradients share memory with nothing: argument, seed, closure, each other, a later call."""

# ruff: noqa: PLW0108

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

CAPTURED = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
INDEX = np.array([2, 0, 1])

# Linear and nearly trivial functions: their gradients are seeds, arguments or constants.
FUNCTIONS = {
    "identity": lambda x, w: x,
    "both": lambda x, w: x + w,
    "difference": lambda x, w: w - x,
    "transpose": lambda x, w: x.T + w,
    "reshape": lambda x, w: x.reshape(9) + w.reshape(-1),
    "ravel": lambda x, w: x.ravel() * 1.0 + w.ravel(),
    "flip": lambda x, w: x[::-1] + w[:, ::-1],
    "full slice": lambda x, w: x[:] + w[...],
    "part": lambda x, w: x[:1] + w[1:2],
    "expand": lambda x, w: x[None] + w[:, None],
    "squeeze": lambda x, w: x[None].squeeze() + w,
    "broadcast": lambda x, w: np.broadcast_to(x, (2, 3, 3)) + w,
    "sum": lambda x, w: np.sum(x) + np.sum(w),
    "sum of an axis": lambda x, w: np.sum(x, axis=0) + np.sum(w, axis=1),
    "mean": lambda x, w: np.mean(x + w),
    "product": lambda x, w: np.sum(x * w),
    "matmul": lambda x, w: x @ w,
    "dot with a vector": lambda x, w: x @ w[0],
    "captured": lambda x, w: np.sum(CAPTURED * x) + np.sum(CAPTURED * w),
    "captured rows": lambda x, w: np.sum(CAPTURED[0] * x) + np.sum(w * CAPTURED.T),
    "concatenate": lambda x, w: np.concatenate([x, w]),
    "stack": lambda x, w: np.stack([x, w]),
    "gather": lambda x, w: x[INDEX] + w[:, INDEX],
    "where": lambda x, w: np.where(CAPTURED > 4, x, w),
    "store": lambda x, w: stored(x, w),
    "scaled": lambda x, w: 2.0 * x + w * 1.0,
    "negated": lambda x, w: -x + +w,
    "copy": lambda x, w: x.copy() + w.astype(np.float64),
    "real": lambda x, w: np.real(x) + w.real,
    "diagonal blocks": lambda x, w: np.tensordot(x, w, axes=2),
    "several": lambda x, w: (x + w, x.T, np.sum(w)),
}


def stored(x, w):
    y = np.zeros((3, 3))
    y[:] = x
    y[1:] += w[1:]
    y[0] = w[0]
    return y


def arguments():
    rng = np.random.default_rng(0)
    return rng.normal(size=(3, 3)), rng.normal(size=(3, 3))


def seeds_for(fun):
    out = fun(*arguments())
    if isinstance(out, tuple):
        return tuple(np.full(np.shape(o), 1.5) for o in out)
    return np.full(np.shape(out), 1.5)


def by_grad(fun, args, seed):
    return gs.grad(fun, argnums=(0, 1))(*args, grad_outputs=seed)


def by_f_grad(fun, args, seed):
    options = {"grad_outputs": seed, "materialize_grads": True}
    return gs.differentiable(fun).grad(*args, **options)


def by_vjp(fun, args, seed):
    return gs.vjp(fun, *args)[1](seed)


CALLS = [by_grad, by_f_grad, by_vjp]


def flat(tree):
    return list(tree) if isinstance(tree, tuple) else [tree]


@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
@each("call", CALLS)
@each("name", FUNCTIONS)
def test_gradients_share_memory_with_nothing(name, call):
    fun, args = FUNCTIONS[name], arguments()
    seed = seeds_for(fun)
    gradients = call(fun, args, seed)
    for g in gradients:
        assert isinstance(g, np.ndarray)
        assert g.flags.writeable
        for other in (*args, *flat(seed), CAPTURED, INDEX):
            assert not np.shares_memory(g, other)
    assert not np.shares_memory(*gradients)


@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
@each("name", FUNCTIONS)
def test_gradients_survive_later_calls(name):
    fun, args, seed = FUNCTIONS[name], arguments(), seeds_for(FUNCTIONS[name])
    call = gs.grad(fun, argnums=(0, 1))
    first = call(*args, grad_outputs=seed)
    kept = [g.copy() for g in first]
    second = call(*(a + 1 for a in args), grad_outputs=seed)
    third = call(*args, grad_outputs=seed)
    for g, before in zip(first, kept, strict=True):
        np.testing.assert_array_equal(g, before)
    everything = [*first, *second, *third]
    assert not any(np.shares_memory(a, b) for a, b in itertools.combinations(everything, 2))


@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
@each("name", FUNCTIONS)
def test_writing_to_a_gradient_spoils_no_later_call(name):
    fun, args, seed = FUNCTIONS[name], arguments(), seeds_for(FUNCTIONS[name])
    call = gs.grad(fun, argnums=(0, 1))
    expected = [g.copy() for g in call(*args, grad_outputs=seed)]
    for _ in range(2):
        gradients = call(*args, grad_outputs=seed)
        for g, wanted in zip(gradients, expected, strict=True):
            np.testing.assert_array_equal(g, wanted)
            g[...] = np.nan
    assert np.isfinite(CAPTURED).all()
    assert all(np.isfinite(a).all() for a in args)


def test_the_gradient_is_not_the_value():
    value, g = gs.value_and_grad(lambda x: np.sum(np.exp(x)))(np.ones(3))
    assert not np.shares_memory(np.asarray(value), g)
    (out, pullback), x = gs.vjp(lambda x: np.exp(x), np.ones(3)), np.ones(3)
    (g,) = pullback(x)
    assert not np.shares_memory(out, g)
    assert not np.shares_memory(x, g)


def test_pullbacks_share_nothing_between_their_calls():
    _, pullback = gs.vjp(lambda x: x * 1.0 + x, np.ones(3))
    first, second = pullback(np.ones(3))[0], pullback(np.ones(3))[0]
    assert not np.shares_memory(first, second)
    first[:] = 9.0
    np.testing.assert_array_equal(second, [2, 2, 2])


def test_batched_gradients_share_nothing():
    seeds = np.eye(3)
    f = gs.differentiable(lambda x, w: x + w)
    gradients = f.grad(np.ones(3), np.ones(3), grad_outputs=seeds, is_grads_batched=True)
    assert not np.shares_memory(*gradients)
    assert not any(np.shares_memory(g, seeds) for g in gradients)


def test_gradients_inside_a_compiled_function_share_nothing():
    def program(x, w):
        return gs.autograd.grad(x + w, [x, w, x], grad_outputs=np.ones(3))

    gradients = gs.compile(program)(np.ones(3), np.ones(3))
    assert not any(np.shares_memory(a, b) for a, b in itertools.combinations(gradients, 2))


def test_gradients_of_the_leaves_of_a_tree_share_nothing():
    g = gs.grad(lambda p: np.sum(p["a"] + p["b"][0] + p["b"][1]))(
        {"a": np.ones(3), "b": [np.ones(3), np.ones(3)]}
    )
    leaves = [g["a"], *g["b"]]
    assert not any(np.shares_memory(a, b) for a, b in itertools.combinations(leaves, 2))


def test_materialized_zeros_share_nothing():
    f = gs.differentiable(lambda x, w, v: np.sum(x))
    gradients = f.grad(np.ones(3), np.ones(3), np.ones(3), materialize_grads=True)
    assert all(g.flags.writeable for g in gradients)
    assert not any(np.shares_memory(a, b) for a, b in itertools.combinations(gradients, 2))
