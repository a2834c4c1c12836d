import numpy as np


def trajectory_grad(x, rate):
    """Gradient of trajectory with respect to x and rate.

    x: float64[n]
    rate: float

    Made by gradsmith 0.1.0.
    """
    # line 173: while np.sum(x**2) > 1e-3:
    path = np.empty((16, len(x)))
    xs = []
    sin_xs = []
    trips = 0
    while (x * x).sum() > 0.001:
        xs.append(x.copy())
        # line 174: x = x - rate * np.sin(x)
        sin_x = np.sin(x)
        sin_xs.append(sin_x)
        x = x - rate * sin_x
        if len(path) == trips:
            path = np.concatenate((path, np.empty_like(path)))
        path[trips] = x
        trips += 1
    # line 176: return np.sum(np.stack(path) ** 2)
    if trips == 0:
        raise ValueError('need at least one array to stack')
    # adjoint of line 176: return np.sum(np.stack(path) ** 2)
    t = 2.0 * path[:trips]
    # adjoint of line 173: while np.sum(x**2) > 1e-3:
    g_x = np.zeros(x.shape)
    g_rate = np.float64(0.0)
    for i in reversed(range(trips)):
        # adjoint of line 174: x = x - rate * np.sin(x)
        g_x += t[i]
        g_rate -= sin_xs[i].dot(g_x)
        g_x -= rate * g_x * np.cos(xs[i])
    return g_x, g_rate
