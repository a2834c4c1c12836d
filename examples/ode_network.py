"""Solve ``u' = cos(t) - u``, ``u(0) = 1`` with a small network instead of a grid.

The network's ansatz ``u(t) = 1 + t N(t)`` meets the initial value; L-BFGS lowers the residual
of the equation, in which ``u'`` is itself a gradient, taken inside the loss. The exact solution
is ``(cos(t) + sin(t) + exp(-t)) / 2``.
"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import minimize

import gradsmith as gs

OUTPUT = Path(__file__).parent / "output"


def solution(params, t):
    weights, shifts, heights = np.split(params, 3)
    hidden = np.tanh(np.outer(t, weights) + shifts)
    return 1 + t * (hidden @ heights)


def loss(params, t):
    u = solution(params, t)
    (slope,) = gs.autograd.grad(u.sum(), t, create_graph=True)
    residual = slope + u - np.cos(t)
    return np.mean(residual**2)


def exact(t):
    return (np.cos(t) + np.sin(t) + np.exp(-t)) / 2


def plot(t, params, path):
    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    axes.plot(t, exact(t), label="exact")
    axes.plot(t, solution(params, t), "--", label="network")
    axes.set(xlabel="t", ylabel="u", title="u' = cos(t) - u,  u(0) = 1")
    axes.legend()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path)


def main():
    rng = np.random.default_rng(0)
    start = rng.normal(size=3 * 10)
    t = np.linspace(0, 5, 40)
    fit = minimize(
        gs.value_and_grad(loss), start, args=(t,), jac=True, method="L-BFGS-B",
        options={"maxiter": 2000, "maxfun": 4000},
    )  # fmt: skip

    fine = np.linspace(0, 5, 500)
    error = np.max(np.abs(solution(fit.x, fine) - exact(fine)))
    print(f"loss {fit.fun:.2e} after {fit.nit} steps, largest error {error:.2e}")
    plot(fine, fit.x, OUTPUT / "ode_network.png")
    assert error < 1e-2


if __name__ == "__main__":
    main()
