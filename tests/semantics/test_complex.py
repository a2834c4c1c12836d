"""Complex gradients.

Rows of the table "Values at kinks, ties and edges" in docs/semantics.md.
"""

# A lambda around one NumPy function is what is under test here; names are easier to read in a row.
# ruff: noqa: PLW0108

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.numbers import RTOL, grad, grads, same

# --- row: complex


def test_squared_modulus_at_1_plus_2j():
    z = np.array([1 + 2j])
    assert grad(lambda z: np.abs(z) ** 2, z)[0] == pytest.approx(2 + 4j, rel=RTOL)


SQUARED_MODULUS = {
    "abs": lambda z: np.abs(z) ** 2,
    "conj": lambda z: (z * np.conj(z)).real,
    "method": lambda z: np.real(z * z.conj()),
    "parts": lambda z: z.real**2 + z.imag**2,
    "functions": lambda z: np.real(z) ** 2 + np.imag(z) ** 2,
}


@each("dtype", [np.complex64, np.complex128])
@each("name", SQUARED_MODULUS)
def test_squared_modulus_however_written(name, dtype):
    z = np.array([1 + 2j, -0.5 + 0.25j], dtype=dtype)
    g = grad(SQUARED_MODULUS[name], z)
    assert g.dtype == dtype
    same(g, 2 * z, rtol=1e-6 if dtype is np.complex64 else RTOL)


HOLOMORPHIC = ["exp", "log", "sin", "cos", "tan", "tanh", "sinh", "cosh", "sqrt", "square"]
Z = np.array([1 + 2j, -0.5 + 0.3j, 0.25 - 1.5j])


def by_torch(torch, fun, z, seed):
    leaf = torch.tensor(z, requires_grad=True)
    return torch.autograd.grad(fun(leaf), leaf, grad_outputs=torch.tensor(seed))[0]


@each("name", HOLOMORPHIC)
def test_holomorphic_functions_follow_torch(torch, name):
    fun = getattr(np, name)
    seed = np.array([0.5 - 2j, 1j, 3.0])
    same(grad(lambda z: fun(z), Z, seed=seed), by_torch(torch, getattr(torch, name), Z, seed))


def complex_programs(m):
    """The same programs for NumPy and for torch."""
    return {
        "cube": lambda z: z**3,
        "reciprocal": lambda z: 1 / z,
        "quotient": lambda z: (z + 1j) / (z - 2),
        "conjugate": lambda z: m.conj(z) * z * z,
        "rotation": lambda z: z * (0.6 + 0.8j),
        "sum": lambda z: m.sum(z * z),
        "real part": lambda z: m.real(z * z * z) + 0j,
    }


@each("name", complex_programs(np))
def test_complex_programs_follow_torch(torch, name):
    fun = complex_programs(np)[name]
    seed = (0.5 - 2j) * np.ones(np.shape(fun(Z)))
    same(grad(fun, Z, seed=seed), by_torch(torch, complex_programs(torch)[name], Z, seed))


def real_programs(m):
    return {
        "abs": lambda z: m.abs(z),
        "angle": lambda z: m.angle(z),
        "real": lambda z: m.real(z * z),
        "imag": lambda z: m.imag(z * z),
        "abs of exp": lambda z: m.abs(m.exp(z)) ** 3,
    }


@each("name", real_programs(np))
def test_real_functions_of_complex_values_follow_torch(torch, name):
    seed = np.array([0.5, -1.0, 3.0])
    expected = by_torch(torch, real_programs(torch)[name], Z, seed)
    g = grad(real_programs(np)[name], Z, seed=seed)
    assert g.dtype == np.complex128
    same(g, expected)


def test_complex_affine_layer_is_the_conjugate_transpose():
    rng = np.random.default_rng(0)
    W = rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3))
    x, seed = Z, np.array([1 - 1j, 2j])
    by_w, by_x = grads(lambda W, x: W @ x, W, x, wrt=(0, 1), seed=seed)
    same(by_x, W.conj().T @ seed)
    same(by_w, np.outer(seed, x.conj()))


def test_complex_gradient_step_descends():
    target = np.array([0.5 - 1j, 2j, 1.0])

    def loss(z):
        return np.sum(np.abs(np.exp(1j * z) - target) ** 2)

    z = Z * 0.1
    g = gs.grad(loss)(z)
    assert loss(z - 1e-3 * g) < loss(z) - 0.9e-3 * np.sum(np.abs(g) ** 2)


def test_real_argument_of_a_complex_computation_has_a_real_gradient():
    x = np.array([0.3, -1.0])
    g = grad(lambda x: np.abs(np.exp(1j * x) + 1) ** 2, x)
    assert g.dtype == np.float64
    same(g, -2 * np.sin(x))


def test_abs_of_complex_zero_is_0():
    same(grad(lambda z: np.abs(z), np.array([0j, 3 - 4j])), [0, 0.6 - 0.8j])
