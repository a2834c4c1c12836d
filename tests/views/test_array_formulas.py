"""Formulas of functions of arrays: elements where they can be, undefined functions elsewhere."""

from __future__ import annotations

import re

import numpy as np
import sympy as sp
from numpy.testing import assert_allclose

import gradsmith as gs
from helpers import each

g, x, y = sp.symbols("g x y", real=True)
VECTOR = np.array([0.5, 1.25, -2.0])
MATRIX = np.arange(12.0).reshape(4, 3) / 7 - 0.5


def formula(function, *args, wrt=0):
    return gs.differentiable(function).formula(*args, wrt=wrt)


def test_elements():
    found = formula(lambda x, y: np.sin(x) * y, VECTOR, VECTOR, wrt=("x", "y"))
    assert found == (g * y * sp.cos(x), g * sp.sin(x))


def test_parameter_called_as_the_seed():
    found = formula(lambda g: g**2, VECTOR)
    assert found == 2 * g * sp.Symbol("grad_outputs", real=True)


def test_whole_arrays_are_undefined_functions():
    def loss(w, X):
        return np.sum(np.tanh(X @ w))

    X, w = sp.symbols("X w", real=True)
    matmul, transpose = map(sp.Function, ("matmul", "transpose"))
    expected = matmul(transpose(X), 1 - sp.tanh(matmul(X, w)) ** 2)
    assert formula(loss, VECTOR, MATRIX, wrt="w") == expected


def test_axes_are_arguments():
    total = sp.Function("sum")
    assert formula(lambda y, x: np.sum(x * y), VECTOR, MATRIX) == total(x, 0)
    assert formula(lambda y, x: np.sum(x * y), 2.0, MATRIX) == total(x)


def test_broadcasts_return_where_they_count():
    found = formula(lambda b, x: np.sum(np.exp(b) + 0 * x), VECTOR, MATRIX)
    assert re.fullmatch(r"exp\(b\)\*sum\(full\(\(.*, .*\), 1\), 0\)", str(found))


def test_conditions_inside_sums_stay_inside():
    """SymPy takes a Piecewise out of a function's argument: not right for sums of arrays."""
    found = formula(lambda b, x: b * np.sum(np.where(x > 0, x, -2 * x)), 2.0, VECTOR)
    assert not sp.piecewise_fold(found).has(sp.Piecewise)
    assert str(found) == "sum(where(x > 0, x, -2*x))"


# --- evaluated


def softmax_loss(W, X):
    logits = X @ W
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.mean(np.log(np.sum(shifted, axis=1)) + logits[:, 0])


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[0]) ** 2)


def picked(x, y):
    return np.sum(x[[0, 2, 2]] ** 2) + np.sum((x * y)[y > 0]) * x[1]


def shaped(x):
    rows = np.reshape(x, (2, 6)) ** 2
    return np.sum(rows[:, None, :] * rows[None, :, 0:1] * np.arange(6.0))


def joined(x):
    return np.sum(np.concatenate([x, x**2, np.zeros(2)]) * np.linspace(0, 1, 8) ** 2)


def spread(x, y):
    return np.sum(np.where(x > 0, x, y) * y[:, None][:, 0]) + np.var(x * y)


NAMESPACE = {
    "getitem": lambda array, index: np.asarray(array)[index],
    "array": np.array,
    "sum": np.sum,
    "max": np.max,
    "mean": np.mean,
    "concatenate": lambda *parts: np.concatenate(parts[:-1], parts[-1]),
}


def _index_set(array, value, index):
    array = np.array(array, float)
    array[index] = value
    return array


def _index_add(array, value, index):
    array = np.array(array, float)
    np.add.at(array, index, value)
    return array


NAMESPACE |= {"index_set": _index_set, "index_add": _index_add}
NAMESPACE["softmax"] = lambda u, axis, **_: np.exp(u) / np.exp(u).sum(axis, keepdims=True)


@each(
    ("function", "args"),
    [
        (softmax_loss, (VECTOR[:, None] * [1, 2], MATRIX)),
        (rosenbrock, (VECTOR,)),
        (picked, (VECTOR, VECTOR[::-1])),
        (shaped, (MATRIX,)),
        (joined, (VECTOR,)),
        (spread, (VECTOR, MATRIX[0])),
    ],
)
def test_array_formulas_evaluate_to_the_gradient(function, args):
    """Put into NumPy's functions, a formula computes what the generated source computes."""
    names = function.__code__.co_varnames[: len(args)]
    given = dict(zip(names, args, strict=True))
    (gradient,) = gs.differentiable(function).grad(*args, inputs=0)
    found = formula(function, *args)
    symbols = sorted(found.free_symbols, key=str)
    evaluate = sp.lambdify(symbols, found, modules=[NAMESPACE, "numpy"])
    value = evaluate(*[eval(symbol.name, {}, given) for symbol in symbols])
    assert_allclose(np.broadcast_to(value, gradient.shape), gradient, rtol=1e-12)
