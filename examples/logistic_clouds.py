"""Separate two Gaussian clouds of 100 points each by logistic regression."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import gradsmith as gs

OUTPUT = Path(__file__).parent / "output"


def loss(w, b, points, labels):
    p = 1 / (1 + np.exp(-(points @ w + b)))
    return -np.mean(labels * np.log(p) + (1 - labels) * np.log(1 - p))


def plot(points, labels, w, b, path):
    figure = Figure(figsize=(5, 5))
    axes = figure.subplots()
    axes.scatter(*points.T, c=labels, cmap="coolwarm")
    across = np.array([-3.0, 3.0])
    axes.plot(across, -(b + w[0] * across) / w[1], "k-")
    axes.set(xlabel="first feature", ylabel="second feature", ylim=(-6, 6))
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path)


def main():
    rng = np.random.default_rng(0)
    centres = np.repeat([[-2.0, -2.0], [2.0, 2.0]], 100, axis=0)
    points = centres + rng.normal(size=(200, 2))
    labels = np.repeat([0.0, 1.0], 100)

    w, b = np.zeros(2), 0.0
    value_and_grad = gs.value_and_grad(loss, argnums=(0, 1))
    for _ in range(500):
        value, (for_w, for_b) = value_and_grad(w, b, points, labels)
        w = w - 0.5 * for_w
        b = b - 0.5 * for_b

    accuracy = np.mean((points @ w + b > 0) == labels)
    print(f"loss {value:.4f}, accuracy {accuracy:.3f}")
    plot(points, labels, w, b, OUTPUT / "logistic_clouds.png")
    assert accuracy > 0.99


if __name__ == "__main__":
    main()
