import numpy as np


def weighted_grad(a, b, c, grad_outputs):
    """Gradient of weighted with respect to a, b and c.

    a: float64[n]
    b: float64[n]
    c: float64[n]
    grad_outputs: float64[n]

    Made by gradsmith 0.1.0.
    """
    # adjoint of line 13: return 3 * a + 2 * b * b + np.log(c)
    g_c = grad_outputs / c
    g_b = 4.0 * grad_outputs * b
    g_a = 3.0 * grad_outputs
    return g_a, g_b, g_c
