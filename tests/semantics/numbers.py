"""Comparing numbers with NumPy, finite differences and each other."""

from __future__ import annotations

import copy

import numpy as np

import gradsmith as gs

RTOL = 1e-10


def same(actual, expected, rtol=RTOL, atol=1e-14):
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=rtol, atol=atol)


def grads(fun, *args, wrt=(0,), seed=None):
    """Gradients of the sum (or of the seeded sum) of what `fun` returns."""
    if seed is None:
        seed = np.ones_like(fun(*args))
    return gs.grad(fun, argnums=tuple(wrt))(*args, grad_outputs=seed)


def grad(fun, *args, seed=None):
    return grads(fun, *args, seed=seed)[0]


def differences(fun, x, *others, step=1e-6):
    """Central differences by the first argument; `fun` may write to what it is given."""
    result = np.zeros(np.shape(x))
    for index in np.ndindex(*np.shape(x)):
        shift = np.zeros(np.shape(x))
        shift[index] = step
        high, low = (fun(x + s, *copy.deepcopy(others)) for s in (shift, -shift))
        result[index] = (np.sum(high) - np.sum(low)) / (2 * step)
    return result


def check(fun, *args):
    """Value and gradient are those of the user's function, whose arguments stay as they were."""
    kept = copy.deepcopy(args)
    expected = fun(*copy.deepcopy(args))
    value = gs.compile(fun)(*copy.deepcopy(args))
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    g = gs.grad(fun)(*args, grad_outputs=np.ones(np.shape(expected)))
    same(g, differences(fun, kept[0], *kept[1:]), rtol=1e-6, atol=1e-8)
    for now, before in zip(args, kept, strict=True):
        np.testing.assert_array_equal(now, before)
