import numpy as np


def rosenbrock_grad(x):
    """Gradient of rosenbrock with respect to x.

    x: float64[n]

    Made by gradsmith 0.1.0.
    """
    # line 30: return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    part = x[:-1]
    t = x[1:] - part * part
    # adjoint of line 30: return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    t *= 200.0
    t_2 = 1 - part + part * t
    g_x = np.zeros(x.shape)
    np.multiply(-2.0, t_2, out=g_x[:-1])
    g_x[1:] += t
    return g_x
