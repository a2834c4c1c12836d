"""A loss whose path is cut: turning probabilities into 0 and 1 has no derivative.

The answer is an error that names the parameter and the line that cuts its path, not a zero
gradient that trains nothing.
"""

import numpy as np

import gradsmith as gs


@gs.differentiable
def loss(w, points, labels):
    p = 1 / (1 + np.exp(-(points @ w)))
    guesses = (p > 0.5).astype(float)
    return np.mean((guesses - labels) ** 2)


@gs.differentiable
def soft_loss(w, points, labels):
    p = 1 / (1 + np.exp(-(points @ w)))
    return np.mean((p - labels) ** 2)


def refusal(*args):
    """Return the error with which the gradient for w is refused (None if it is not)."""
    try:
        loss.grad(*args, inputs="w")
    except gs.GradsmithError as error:
        return error
    return None


def main():
    points = np.array([[1.0, 2.0], [-1.0, 0.5], [0.3, -2.0]])
    labels = np.array([1.0, 1.0, 0.0])
    w = np.array([0.5, -0.25])

    error = refusal(w, points, labels)
    print(error)
    assert isinstance(error, RuntimeError)
    assert "guesses = (p > 0.5).astype(float)" in str(error)

    (gradient,) = soft_loss.grad(w, points, labels, inputs="w")
    print("without the cut:", gradient)
    p = 1 / (1 + np.exp(-(points @ w)))
    by_hand = points.T @ (2 * (p - labels) * p * (1 - p)) / 3
    np.testing.assert_allclose(gradient, by_hand, rtol=1e-13)


if __name__ == "__main__":
    main()
