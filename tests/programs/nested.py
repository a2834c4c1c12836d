"""Programs that differentiate inside, each with the same written without derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import gradsmith as gs


@dataclass(frozen=True)
class Pair:
    """A program, what it must equal, and its arguments."""

    program: Callable[..., Any]
    plain: Callable[..., Any]
    arguments: tuple[Any, ...]


X = np.array([0.4, -1.2, 0.9])
Y = np.array([1.3, 0.2, -0.8])
W = np.array([[0.3, -1.0, 0.5], [1.2, 0.1, -0.4]])
PAIRS: dict[str, Pair] = {}


def equals(plain: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Declare that the program below is ``plain`` with its derivatives worked out."""

    def register(program: Callable[..., Any]) -> Callable[..., Any]:
        PAIRS[program.__name__] = Pair(program, plain, arguments)
        return program

    return register


def energy(x):
    return np.sum(np.sin(x) ** 2) + np.prod(x)


def slope(x):
    others = np.array([x[1] * x[2], x[0] * x[2], x[0] * x[1]])
    return np.sin(2 * x) + others


@equals(lambda x: slope(x), X)
def grad_of_a_function(x):
    return gs.grad(energy)(x)


@equals(lambda x: np.sum(slope(x) ** 2), X)
def gradient_penalty(x):
    return np.sum(gs.grad(energy)(x) ** 2)


@equals(lambda x: np.sum(x**2) + 0.1 * np.sum((3 * x**2) ** 2), X)
def penalty_by_autograd(x):
    (g,) = gs.autograd.grad(np.sum(x**3), [x], create_graph=True)
    return np.sum(x**2) + 0.1 * np.sum(g**2)


@equals(lambda x: 24 * x, X)
def third_derivative(x):
    total = gs.grad(lambda x: np.sum(gs.grad(lambda x: np.sum(x**4))(x)))
    return gs.grad(lambda x: np.sum(total(x)))(x)


@equals(lambda x, y: 2 * np.cos(x * y) - x * y * np.sin(x * y) - np.cos(x * y), X, Y)
def mixed_second_derivative(x, y):
    (gx,) = gs.autograd.grad(np.sum(np.sin(x * y)), [x], create_graph=True)
    (gxy,) = gs.autograd.grad(np.sum(gx), [y], create_graph=True)
    return gxy


@equals(lambda x: (6 * x, np.sum(x**3)), X)
def hessian_by_hand(x):
    def one(i):
        return gs.grad(lambda x: gs.grad(lambda x: np.sum(x**3))(x)[i])(x)

    hessian = np.stack([one(i) for i in range(3)])
    return np.diag(hessian), x @ hessian @ x / 6 + 0 * np.sum(hessian)


@equals(lambda x, y: (np.exp(x * y), y * np.exp(x * y) * np.cos(x), x * np.exp(x * y)), X, Y)
def vjp_inside(x, y):
    value, pullback = gs.vjp(lambda x, y: np.exp(x * y), x, y)
    return value, pullback(np.cos(x))[0], pullback(np.ones(3))[1]


@equals(lambda x, y: (x * y**2, y**2 * np.sin(x) + 2 * x * y * x), X, Y)
def jvp_inside(x, y):
    return gs.jvp(lambda x, y: x * y**2, (x, y), (np.sin(x), x))


@equals(lambda w, x: 2 * (w @ x)[:, None] * x + w, W, X)
def value_and_grad_inside(w, x):
    value, g = gs.value_and_grad(lambda w: np.sum((w @ x) ** 2) + 0.5 * np.sum(w * w))(w)
    return g + 0.0 * value


@equals(lambda x: (2 * x * np.cos(x**2), np.cos(x**2), np.ones(3)), X)
def gradients_at_intermediates(x):
    square = x**2
    sine = np.sin(square)
    gx, gsquare, gsine = gs.autograd.grad(np.sum(sine), [x, square, sine], create_graph=True)
    return gx, gsquare, gsine


@equals(lambda x: (3 * x**2 * np.exp(x**3)) ** 2, X)
def seeded_at_an_intermediate(x):
    cube = x**3
    (inner,) = gs.autograd.grad(np.sum(np.exp(cube)), [cube], create_graph=True)
    (outer,) = gs.autograd.grad(cube, [x], grad_outputs=inner, create_graph=True)
    return outer**2


@equals(lambda x, v: 12 * x**2 * v, X, Y)
def hessian_vector_product(x, v):
    return gs.grad(lambda x: np.sum(gs.grad(lambda x: np.sum(x**4))(x) * v))(x)


@equals(lambda x, v: 12 * x**2 * v, X, Y)
def forward_over_reverse(x, v):
    return gs.jvp(gs.grad(lambda x: np.sum(x**4)), (x,), (v,))[1]


@equals(lambda x, y: (x - 0.1 * 2 * (x - y)) - 0.1 * 2 * (x - 0.2 * (x - y) - y), X, Y)
def two_steps_of_descent(x, y):
    for _ in range(2):
        x = x - 0.1 * gs.grad(lambda x: np.sum((x - y) ** 2))(x)
    return x


@equals(lambda x: np.sum(x**2) * 2 * x, X)
def inner_closure_over_outer_values(x):
    scale = np.sum(x**2)
    return gs.grad(lambda z: np.sum(z**2) * scale)(x)


@equals(lambda x: 2 * x * np.sum(X**2), X)
def stopped_gradient(x):
    return gs.grad(lambda z: np.sum(z**2) * gs.stop_gradient(np.sum(z**2)))(x)


@equals(lambda x: np.where(x > 0, 2 * x, 3 * x**2), X)
def written_inside(x):
    def loss(z):
        y = np.zeros(3)
        y[:] = z**3
        y[z > 0] = z[z > 0] ** 2
        z *= 0.0
        return np.sum(y)

    return gs.grad(loss)(x) + 0 * x


@equals(lambda p: {"a": 2 * p["a"], "b": p["b"] ** 0 * 3.0}, {"a": X, "b": 0.7})
def trees_inside(p):
    return gs.grad(lambda p: np.sum(p["a"] ** 2) + 3 * p["b"])(p)


@equals(lambda x, y: (y * 2.0, x * 2.0), X, Y)
def several_outputs_summed(x, y):
    outputs, seeds = [np.sum(x * y), x * y], [None, np.ones(3)]
    return gs.autograd.grad(outputs, [x, y], grad_outputs=seeds, create_graph=True)


@equals(lambda x: np.array([2 * x[0], 2 * x[1], 0.0]), X)
def views_as_inputs(x):
    part = x[:2]
    (g,) = gs.autograd.grad(np.sum(part**2), [part], create_graph=True)
    out = np.zeros(3)
    out[:2] = g
    return out


@equals(lambda x: np.sum(1 / (1 + np.exp(-x)) ** 2), X)
def softplus_inside(x):
    return np.sum(gs.grad(lambda x: np.sum(np.log(1 + np.exp(x))))(x) ** 2)


@equals(lambda x: np.exp(x) / np.sum(np.exp(x)), X)
def softmax_as_a_gradient(x):
    return gs.grad(lambda x: np.log(np.sum(np.exp(x))))(x)


@equals(lambda x: np.array([2.0, 3.0, 0.0]) + 2 * x, X)
def seed_with_repeated_stores(x):
    seed = np.zeros(3)
    seed[np.array([0, 0, 1])] = np.array([1.0, 2.0, 3.0])
    outputs, seeds = [x * 1.0, x**2], [seed, np.ones(3)]
    return gs.autograd.grad(outputs, [x], grad_outputs=seeds, create_graph=True)[0]


@equals(lambda x, m: 3 * np.broadcast_to(np.where(m > 0, x[0], 0), (2, 3)), W, Y)
def seed_masked_by_a_row(x, m):
    seed = np.where(m > 0, x[0], np.zeros((2, 3)))
    return gs.autograd.grad([x * 1.0, x * 2.0], [x], grad_outputs=[seed, seed], create_graph=True)[
        0
    ]


@equals(lambda u, t: (np.cos(u * t) * u, -np.sin(u * t) * u * u), X, Y)
def residual_of_an_equation(u, t):
    def network(t):
        return np.sin(u * t)

    (first,) = gs.autograd.grad(network(t), [t], grad_outputs=np.ones(3), create_graph=True)
    second = gs.grad(lambda t: np.sum(gs.grad(lambda t: np.sum(network(t)))(t)))(t)
    return first, second


@equals(lambda a, b: 2 * a * b[0] + np.zeros(3), X, Y)
def compiled_inside(a, b):
    inner = gs.compile(lambda a, b: np.sum(a**2) * b[0])
    return gs.grad(inner)(a, b)


@equals(lambda x: np.array([np.sum(x * Y) * 2 * Y, X * 0 + 1.0]).sum(axis=0) - 1, X)
def differentiable_inside(x):
    @gs.differentiable
    def f(x, y):
        return np.sum(x * y) ** 2

    return f.grad(x, Y)[0]
