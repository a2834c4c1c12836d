"""Fit a line to 20 noisy points of ``2x + 5`` by gradient descent."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import gradsmith as gs

OUTPUT = Path(__file__).parent / "output"


def loss(params, x, y):
    predicted = params["slope"] * x + params["offset"]
    return np.mean((predicted - y) ** 2)


def plot(x, y, params, path):
    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    axes.plot(x, y, "o", label="points")
    axes.plot(x, params["slope"] * x + params["offset"], label="fit")
    axes.set(xlabel="x", ylabel="y", title="{slope:.2f} x + {offset:.2f}".format(**params))
    axes.legend()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path)


def main():
    rng = np.random.default_rng(0)
    x = np.linspace(0, 3, 20)
    y = 2 * x + 5 + rng.normal(scale=0.3, size=20)

    params = {"slope": 0.0, "offset": 0.0}
    gradient_of = gs.grad(loss)
    for _ in range(1000):
        gradient = gradient_of(params, x, y)
        params = {name: params[name] - 0.1 * gradient[name] for name in params}

    print("slope {slope:.4f}, offset {offset:.4f}".format(**params))
    plot(x, y, params, OUTPUT / "linear_regression.png")
    least_squares = np.polyfit(x, y, 1)
    np.testing.assert_allclose([params["slope"], params["offset"]], least_squares, rtol=1e-8)
    np.testing.assert_allclose(least_squares, [2, 5], atol=0.3)


if __name__ == "__main__":
    main()
