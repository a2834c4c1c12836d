import numpy as np


def heat_grad(u, k, steps):
    """Gradient of heat with respect to u and k.

    u: float64[n]
    k: float
    steps: int

    Only for steps >= 0.

    Made by gradsmith 0.1.0.
    """
    # line 117: for _ in range(steps):
    u = u.copy()
    ts = np.empty((steps, len(u) - 2))
    for i in range(steps):
        # line 118: u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
        t = u[2:] - 2 * u[1:-1] + u[:-2]
        ts[i] = t
        u[1:-1] += k * t
    # adjoint of line 119: return np.mean(u**2)
    g_u = 2 / len(u) * u
    # adjoint of line 117: for _ in range(steps):
    g_k = np.float64(0.0)
    for i in reversed(range(steps)):
        # adjoint of line 118: u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
        g_part = g_u[1:-1]
        g_k += g_part.dot(ts[i])
        g_t = g_part * k
        g_u[:-2] += g_t
        g_u[2:] += g_t
        g_u[1:-1] -= 2.0 * g_t
    return g_u, g_k
