"""The cube ``z = (2x)**3`` has the derivative ``24 x**2``; a seed of z's shape scales it.

A seed belongs to one output, so it has that output's shape: 2x2 for a 2x2 cube, a number for
its mean.
"""

import numpy as np

import gradsmith as gs


@gs.differentiable
def cube(x):
    y = 2 * x
    return y**3


@gs.differentiable
def mean_cube(x):
    return np.mean(cube(x))


def refusal(x, seed):
    """Return the error with which the mean refuses the seed (None if it is taken)."""
    try:
        mean_cube.grad(x, grad_outputs=seed)
    except gs.GradsmithError as error:
        return error
    return None


def main():
    for seed in (1.0, 0.1, 0.5):
        (gradient,) = cube.grad(3.0, grad_outputs=seed)
        print(f"at x = 3 with seed {seed}:", gradient)
        np.testing.assert_allclose(gradient, seed * 216, rtol=1e-14)

    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    for seed in (np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 1.0], [0.0, 0.0]])):
        (gradient,) = cube.grad(x, grad_outputs=seed)
        print("2x2 with seed", seed.tolist(), "gives", gradient.tolist())
        np.testing.assert_allclose(gradient, seed * [[24, 96], [216, 384]], rtol=1e-14)

    (gradient,) = mean_cube.grad(x)
    print("of the mean:", gradient.tolist())
    np.testing.assert_allclose(gradient, [[6, 24], [54, 96]], rtol=1e-14)

    error = refusal(x, np.ones((2, 2)))
    print("a 2x2 seed for the mean is refused:", error, sep="\n")
    assert isinstance(error, RuntimeError)
    assert "(2, 2)" in str(error)


if __name__ == "__main__":
    main()
