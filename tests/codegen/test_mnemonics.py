"""Names of variables in emitted code: the user's, ``g_`` for adjoints, else by the op."""

from __future__ import annotations

import numpy as np

import gradsmith as gs
from golden_functions import normalized

X = np.array([0.5, -1.25, 2.0])


def code(call, *args, **options):
    lines = call.source(*args, **options).split('"""')[2].splitlines()
    return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]


def assigned(lines):
    return [line.split(" ")[0] for line in lines if " = " in line]


def test_functions_are_called_after_their_operand():
    lines = code(gs.grad(lambda phi: np.sum(np.sin(phi) * np.cos(phi) * phi)), X)
    assert {"cos_phi", "sin_phi"} <= set(assigned(lines))


def test_a_chain_in_place_is_called_by_what_it_is_in_the_end():
    lines = code(gs.compile(lambda x: np.exp(-np.abs(x))), X)
    assert lines[:2] == ["e = -np.abs(x)", "np.exp(e, out=e)"]


def test_a_name_of_the_users_wins():
    def f(x):
        decay = np.exp(-np.abs(x))
        return decay * decay

    assert code(gs.compile(f), X)[:2] == ["decay = -np.abs(x)", "np.exp(decay, out=decay)"]


def test_steps_between_gradients_are_called_so():
    def f(x, c):
        y = np.zeros(len(x))
        y[1:] = c * x[:-1]
        y[:-1] += c * x[1:]
        return np.sum(y**3)

    lines = code(gs.grad(f, argnums=(0, 1)), X, 0.5)
    assert "g_part" in assigned(lines)
    assert not {"part", "t"} & set(assigned(lines[lines.index("g_y = 3.0 * y * y") :]))


def test_seeds_are_called_after_their_outputs():
    def f(r, phi):
        x = r * np.cos(phi)
        return x, r * np.sin(phi)

    lines = code(gs.differentiable(f).grad, X, X, grad_outputs=(X, X))
    assert lines[:2] == ["g_x = grad_outputs[0]", "grad_outputs_1 = grad_outputs[1]"]


def test_values_of_the_function_are_never_called_gradients():
    def f(x):
        squared = x * x
        kernel = np.exp(-0.5 * squared)
        return np.sum(kernel / (1 + kernel))

    def is_gradient_of_nothing(name, lines):
        first = next(line for line in lines if line.startswith(f"{name} ="))
        return name.startswith("g_") and "np.exp" in first

    lines = code(gs.grad(f), X)
    assert not any(is_gradient_of_nothing(name, lines) for name in assigned(lines))


def test_sums_of_adjoints_grow_in_place():
    x, row = np.arange(6.0).reshape(3, 2) ** 2, np.ones(2)
    lines = code(gs.grad(normalized), x, row, row, x)
    assert any(line.startswith("g_x += ") for line in lines)
