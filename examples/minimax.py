"""Minimise over A and B and maximise over C, with one gradient call per step.

The objective is ``d(B(A(x)), x) - d(C(A(x)), x)`` with ``d(y, x) = |y|**(x + 1)``: A and B lower
it, C raises it. The two distances are two outputs of one function, and the seeds 1 and -1 say
how they enter; one pass gives all three gradients, of which C's is followed uphill.
"""

import numpy as np

import gradsmith as gs


def d(y, x):
    return np.sum(np.abs(y) ** (x + 1))


def first(a, b, x):
    return d(b * (a * x), x)


def second(a, c, x):
    return d(c * (a * x), x)


@gs.differentiable
def distances(a, b, c, x):
    code = a * x
    return d(b * code, x), d(c * code, x)


def objective(a, b, c, x):
    return first(a, b, x) - second(a, c, x)


def main():
    x = np.array([0.5, 1.0, 2.0])
    a, b, c = 1.5, 0.8, -0.6

    for_a, for_b, for_c = distances.grad(
        a, b, c, x, inputs=("a", "b", "c"), grad_outputs=(1.0, -1.0)
    )
    print("in one pass:", for_a, for_b, for_c)

    first_a, first_b = gs.grad(first, argnums=(0, 1))(a, b, x)
    second_a, second_c = gs.grad(second, argnums=(0, 1))(a, c, x)
    print("in two:     ", first_a - second_a, first_b, -second_c)
    np.testing.assert_allclose(for_a, first_a - second_a, rtol=1e-13)
    np.testing.assert_allclose(for_b, first_b, rtol=1e-13)
    np.testing.assert_allclose(for_c, -second_c, rtol=1e-13)

    by_hand = np.sum((x + 1) * np.abs(b * a * x) ** x * np.sign(b * a * x) * a * x)
    np.testing.assert_allclose(for_b, by_hand, rtol=1e-13)

    here = objective(a, b, c, x)
    assert objective(a - 0.01 * for_a, b - 0.01 * for_b, c, x) < here
    assert objective(a, b, c + 0.01 * for_c, x) > here


if __name__ == "__main__":
    main()
