import numpy as np


def normalized_grad(x, gamma, beta, target):
    """Gradient of normalized with respect to x, gamma and beta.

    x: float64[n, m]
    gamma: float64[m]
    beta: float64[m]
    target: float64[n, m]

    Made by gradsmith 0.1.0.
    """
    # line 92: mean = x.mean(axis=0)
    mean = x.mean(axis=0)
    # line 93: std = np.sqrt(np.mean((x - mean) ** 2, axis=0) + 1e-5)
    t = x - mean
    std = (t * t).mean(axis=0) + 1e-05
    np.sqrt(std, out=std)
    # line 94: y = gamma * (x - mean) / std + beta
    y = gamma * t / std + beta
    # adjoint of line 95: return np.mean((y - target) ** 2)
    g_y = 2 / x.size * (y - target)
    # adjoint of line 94: y = gamma * (x - mean) / std + beta
    ones = np.ones(len(x))
    g_beta = ones.dot(g_y)
    g_t = ones.dot(g_y * t)
    g_std = -gamma * g_t / std
    g_std /= std
    g_gamma = g_t / std
    # adjoint of line 93: std = np.sqrt(np.mean((x - mean) ** 2, axis=0) + 1e-5)
    g_std /= std
    g_x = g_y * (gamma / std) + g_std / len(x) * t
    g_mean = -ones.dot(g_x)
    # adjoint of line 92: mean = x.mean(axis=0)
    g_x += g_mean / len(x)
    return g_x, g_gamma, g_beta
