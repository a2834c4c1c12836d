import numpy as np


def damped_grad(t):
    """Gradient of damped with respect to t.

    t: float

    Made by gradsmith 0.1.0.
    """
    # line 88: return np.exp(-0.3 * t) * np.sin(2 * t)
    e = np.exp(-0.3 * t)
    t_2 = 2 * t
    t_3 = np.sin(t_2)
    # adjoint of line 88: return np.exp(-0.3 * t) * np.sin(2 * t)
    t_4 = np.cos(t_2)
    g_t = 2 * (-2.0 * (t_3 * e) - 0.3 * (t_4 * e)) - 0.3 * ((2.0 * t_4 - 0.3 * t_3) * e)
    return g_t
