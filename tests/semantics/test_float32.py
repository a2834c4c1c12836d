"""float32 in, float32 out.

Rows of the table "Values at kinks, ties and edges" in docs/semantics.md.
"""

# A lambda around one NumPy function is what is under test here; names are easier to read in a row.
# ruff: noqa: PLW0108, SIM905

# Loops as users write them.
# ruff: noqa: PERF401, PERF402

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.numbers import differences, grad, grads, same

# --- row: float32 in, float32 out

UNARY = (
    "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh exp exp2 expm1 log log2 "
    "log10 log1p sqrt cbrt square reciprocal negative positive absolute fabs sinc deg2rad "
    "rad2deg radians degrees"
).split()
BINARY = (
    "add subtract multiply divide true_divide power maximum minimum fmax fmin hypot arctan2 "
    "logaddexp logaddexp2 remainder fmod copysign"
).split()


def unary(fun):
    return lambda x: fun(x)


def binary(fun):
    return lambda x: fun(x, x[::-1] + 1)


SINGLE = {
    **{name: unary(getattr(np, name)) for name in UNARY},
    **{name: binary(getattr(np, name)) for name in BINARY},
    "arccosh": lambda x: np.arccosh(x + 1),
    "float scalars": lambda x: 2.5 * x + 0.1 - x / 3 + 1.5**x,
    "int scalars": lambda x: 2 * x + 1 - x / 3 + x**3 + 2**x,
    "np.pi": lambda x: np.pi * x + np.e,
    "half power": lambda x: x**0.5 + x**1.5 + x**-1,
    "where": lambda x: np.where(x > 0.3, x, 0.5),
    "where of ints": lambda x: np.where(x > 0.3, x * x, 0),
    "clip": lambda x: np.clip(x, 0.3, 0.6),
    "maximum scalar": lambda x: np.maximum(x, 0.3),
    "sum": lambda x: np.sum(x),
    "mean": lambda x: np.mean(x),
    "mean of an axis": lambda x: np.outer(x, x).mean(axis=0),
    "var": lambda x: np.var(x),
    "std": lambda x: np.std(x),
    "std with ddof": lambda x: np.std(x, ddof=1),
    "max": lambda x: np.max(x),
    "min": lambda x: x.min(),
    "prod": lambda x: np.prod(x),
    "dot": lambda x: np.dot(x, x),
    "matmul": lambda x: np.outer(x, x) @ x,
    "vecdot": lambda x: np.vecdot(x, x),
    "inner": lambda x: np.inner(x, x),
    "outer": lambda x: np.outer(x, x),
    "tensordot": lambda x: np.tensordot(np.outer(x, x), x, axes=1),
    "einsum": lambda x: np.einsum("i,j->ij", x, x),
    "transpose": lambda x: np.outer(x, x[:2]).T,
    "reshape": lambda x: x.reshape(3, 1) * x,
    "ravel": lambda x: np.outer(x, x).ravel(),
    "squeeze": lambda x: x[None].squeeze() * x,
    "expand_dims": lambda x: np.expand_dims(x, 0) * x,
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 3)),
    "concatenate": lambda x: np.concatenate([x, x * x]),
    "stack": lambda x: np.stack([x, x * x]),
    "split": lambda x: np.split(x, 3)[1] * x,
    "flip": lambda x: np.flip(x) * x,
    "roll": lambda x: np.roll(x, 1) * x,
    "index": lambda x: x[1] * x[1:],
    "integer index": lambda x: x[np.array([0, 0, 2])],
    "boolean index": lambda x: x[np.array([True, False, True])],
    "array of elements": lambda x: np.array([x[0], x[1] * x[2], x[2]]),
    "zeros_like": lambda x: np.zeros_like(x) + x,
    "ones_like": lambda x: np.ones_like(x) * x,
    "full_like": lambda x: np.full_like(x, 0.5) * x,
    "store": lambda x: stored(x),
    "nested where": lambda x: np.where(x > 0.3, np.where(x > 0.6, x, 1.0), -1.0) * x,
    "softmax": lambda x: np.exp(x) / np.exp(x).sum(),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "norm": lambda x: np.sqrt(np.sum(x**2)),
}


def stored(x):
    y = np.zeros_like(x)
    y[1:] = x[:-1] * 2.0
    y[0] += 0.5
    return y * x


@each("name", SINGLE)
def test_float32_in_float32_out(name):
    fun, x = SINGLE[name], np.array([0.25, 0.75, 0.5], dtype=np.float32)
    value = gs.compile(fun)(x)
    assert value.dtype == fun(x).dtype == np.float32
    np.testing.assert_allclose(value, fun(x), rtol=1e-5)
    g = grad(fun, x)
    assert g.dtype == np.float32
    same(g, differences(fun, x.astype(np.float64)), rtol=1e-4, atol=1e-4)


@each("name", ["mean", "std", "max", "softmax", "store", "float scalars"])
def test_float32_of_a_float32_scalar_stays(name):
    g = gs.grad(lambda x: np.sum(SINGLE[name](x)) * 2.0)(np.array([0.25, 0.75, 0.5], np.float32))
    assert g.dtype == np.float32


def test_float32_beside_float64_keeps_each_dtype():
    by_x, by_w = grads(lambda x, w: np.tanh(x) * w, np.ones(3, np.float32), np.ones(3), wrt=(0, 1))
    assert (by_x.dtype, by_w.dtype) == (np.float32, np.float64)


def test_complex64_in_complex64_out():
    z = np.array([1 + 2j, -0.5 + 0.3j], dtype=np.complex64)
    g = grad(lambda z: np.abs(2.0 * z * 1j + 3) ** 2, z)
    assert g.dtype == np.complex64


def joined_in_a_loop(b, x):
    """Numbers of Python's and of float32 meet, ``a * x[0]`` is float32 where ``a`` is Python's."""
    a = b
    c = x[1]
    for e in x:
        if e > 2:
            break
        a, c = c * e, a
    return a * x[0] + c


def chosen(b, x):
    return np.maximum(b, x)[0] + np.where(x > 1, b, x).sum()


@each("function", [joined_in_a_loop, chosen])
@each("b", [0.5, np.float32(0.5)])
def test_the_gradient_of_a_number_is_a_number_of_its_dtype(function, b):
    gradient = gs.grad(function)
    for x in (np.array([0.3, 1.5, 2.5], np.float32), np.array([2.3, 1.5, 2.5], np.float32)):
        found = gradient(b, x)
        assert type(found) is (np.float64 if type(b) is float else np.float32)
        step = 2.0**-7
        double = x.astype(float)
        slope = (function(b + step, double) - function(b - step, double)) / (2 * step)
        assert found == pytest.approx(slope, rel=1e-5)


def test_float32_second_derivative_stays():
    def slope(x):
        return np.sum(gs.grad(lambda y: np.mean(np.tanh(y) ** 2))(x))

    assert gs.grad(slope)(np.ones(3, np.float32)).dtype == np.float32


# -- numbers of several precisions in one list ----------------------------------------------------


def _after_a_float(x, a):
    values = [a]
    for v in x:
        values.append(v)
    return values, [np.sin(v + 0.3) for v in values]


def _before_a_float(x, a):
    values = [v * 2 for v in x]
    for i in range(len(x)):
        values[i] = a * i
    return values, np.array(values)


def _chosen_by_a_condition(x, a):
    values = [v if v > 0.5 else a for v in x]
    return np.array(values), sum(values), [np.sin(v + 0.3) for v in values]


def _of_several_dtypes(x, a):
    values = []
    for v in x:
        values.append(np.float64(v))
    values.append(x[0])
    return [v * 1.1 for v in values]


def _in_pairs(x, a):
    pairs = []
    for v in x:
        pairs.append((v, a))
    pairs.append((a, x[0]))
    return [p * 3.3 + q for p, q in pairs]


@each(
    "function",
    [
        *(_after_a_float, _before_a_float, _chosen_by_a_condition, _of_several_dtypes),
        _in_pairs,
    ],
)
def test_lists_keep_the_precision_of_each_number(function):
    compiled = gs.compile(function)
    for values in ([1.0, 2.3, 0.7], [-1.1, 0.4], [0.3]):
        x = np.array(values, dtype=np.float32)
        assert repr(compiled(x, 0.123456789)) == repr(function(x, 0.123456789))
