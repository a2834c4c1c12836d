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
    t_2 = y.copy()
    t_2[1:-1] = part + c * t
    # line 76: edge += u[:1]
    t_2[:1] += u[:1]
    # line 77: y[y > 1.0] = 1.0
    mask = t_2 > 1.0
    t_2[mask] = 1.0
    # line 78: y[-1] *= 0.5
    t_2[-1] = 0.5 * t_2[-1]
    # adjoint of line 79: return np.sum(y**2)
    t_2 *= 2
    # adjoint of line 78: y[-1] *= 0.5
    t_2[-1] = 0.5 * t_2[-1]
    # adjoint of line 77: y[y > 1.0] = 1.0
    t_2[mask] = 0
    # adjoint of line 76: edge += u[:1]
    y[:1] = t_2[:1]
    # adjoint of line 74: y[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
    part_2 = t_2[1:-1]
    g_c = part_2 @ t
    t_3 = part_2 * c
    y[:-2] += t_3
    y[2:] += t_3
    y[1:-1] += part_2 + -2 * c * part_2
    return y, g_c
