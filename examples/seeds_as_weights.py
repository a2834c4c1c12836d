"""A seed weighs the outputs: the gradient of ``(seed * y).sum()``, without the sum being written.

For ``y = 3a + 2b**2 + log(c)`` the Jacobians are diagonal, so every gradient is the seed times
3, 4b or 1/c. A scalar output needs no seed, and does not take one of another shape.
"""

import numpy as np

import gradsmith as gs


@gs.differentiable
def f(a, b, c):
    return 3 * a + 2 * b**2 + np.log(c)


def refusal(*args, seed):
    """Return the error with which the seed is refused (None if it is taken)."""
    try:
        f.grad(*args, grad_outputs=seed)
    except gs.GradsmithError as error:
        return error
    return None


def main():
    a = np.array([1.0, 2.0, 3.0])
    b = np.array([3.0, 4.0, 5.0])
    c = np.array([6.0, 7.0, 8.0])
    seed = np.array([0.1, 1.0, 0.0001])

    print(f.grad.source(a, b, c))
    for_a, for_b, for_c = f.grad(a, b, c, grad_outputs=seed)
    print("for a:", for_a)
    print("for b:", for_b)
    print("for c:", for_c)
    np.testing.assert_allclose(for_a, [0.3, 3.0, 3e-4], rtol=1e-12)
    np.testing.assert_allclose(for_b, [1.2, 16.0, 2e-3], rtol=1e-12)
    np.testing.assert_allclose(for_c, [1.6667e-2, 1.4286e-1, 1.25e-5], rtol=1e-4)
    np.testing.assert_allclose(for_c, seed / c, rtol=1e-12)

    scalars = f.grad(0.1, 1.0, 0.1)
    print("scalars, no seed:", scalars)
    np.testing.assert_allclose(scalars, [3.0, 4.0, 10.0], rtol=1e-12)

    error = refusal(0.1, 1.0, 0.1, seed=seed)
    print("a seed of three for one output is refused:", error, sep="\n")
    assert isinstance(error, RuntimeError)
    assert "(3,)" in str(error)


if __name__ == "__main__":
    main()
