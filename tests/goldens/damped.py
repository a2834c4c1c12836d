import numpy as np


def damped_grad(t):
    """Gradient of damped with respect to t.

    t: float

    Made by gradsmith 0.1.0.
    """
    # line 88: return np.exp(-0.3 * t) * np.sin(2 * t)
    t_2 = 2 * t
    sin = np.sin(t_2)
    # adjoint of line 88: return np.exp(-0.3 * t) * np.sin(2 * t)
    cos = np.cos(t_2)
    t_3 = 2 * (-2.0 * sin - 0.3 * cos) - 0.3 * (2.0 * cos - 0.3 * sin)
    g_t = t_3 * np.exp(-0.3 * t)
    return g_t
