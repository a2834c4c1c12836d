import numpy as np


def newton_grad(a, x):
    """Gradient of newton with respect to a.

    a: float
    x: float

    Made by gradsmith 0.1.0.
    """
    # line 142: while abs(x**2 - a) > 1e-10:
    xs = []
    while abs(x ** 2 - a) > 1e-10:
        xs.append(x)
        # line 143: x = 0.5 * (x + a / x)
        x = 0.5 * (x + a / x)
    # adjoint of line 142: while abs(x**2 - a) > 1e-10:
    g_x = np.float64(1.0)
    g_a = np.float64(0.0)
    for x_2 in reversed(xs):
        # adjoint of line 143: x = 0.5 * (x + a / x)
        g_a += 0.5 * g_x / x_2
        g_x = (g_x - a / x_2 / x_2 * g_x) * 0.5
    return g_a
