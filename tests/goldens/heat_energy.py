import numpy as np


def heat_energy_grad(u, c):
    """Gradient of heat_energy with respect to u and c.

    u: float64[n]
    c: float

    Made by gradsmith 0.1.0.
    """
    # line 73: y = np.zeros(len(u))
    y = np.zeros(u.shape)
    # line 74: y[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
    part = u[1:-1]
    t = u[2:] - 2 * part + u[:-2]
    y[1:-1] = part + c * t
    # line 76: edge += u[:1]
    y[:1] += u[:1]
    # line 77: y[y > 1.0] = 1.0
    mask = y > 1.0
    y[mask] = 1.0
    # line 78: y[-1] *= 0.5
    y[-1] *= 0.5
    # adjoint of line 79: return np.sum(y**2)
    g_y = 2.0 * y
    # adjoint of line 78: y[-1] *= 0.5
    g_y[-1] *= 0.5
    # adjoint of line 77: y[y > 1.0] = 1.0
    g_y[mask] = 0
    # adjoint of line 76: edge += u[:1]
    g_u = np.zeros(u.shape)
    g_u[:1] = g_y[:1]
    # adjoint of line 74: y[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
    g_part = g_y[1:-1]
    g_c = g_part.dot(t)
    g_t = g_part * c
    g_u[:-2] += g_t
    g_u[2:] += g_t
    g_u[1:-1] += (1 - 2 * c) * g_part
    return g_u, g_c
