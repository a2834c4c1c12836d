import numpy as np


def softplus_loss_value_and_grad(theta, X, y):
    """Value and gradient of softplus_loss with respect to theta.

    theta: float64[n]
    X: float64[m, n]
    y: float64[m]

    Made by gradsmith 0.1.0.
    """
    # line 83: z = X @ theta
    z = X @ theta
    # line 84: return np.sum(np.logaddexp(0, z) - y * z)
    t = np.logaddexp(0, z)
    value = (t - y * z).sum()
    # adjoint of line 84: return np.sum(np.logaddexp(0, z) - y * z)
    g_z = z - np.where(np.isinf(z), 0, t)
    np.minimum(g_z, 0, out=g_z)
    np.exp(g_z, out=g_z)
    g_z -= y
    # adjoint of line 83: z = X @ theta
    g_theta = X.T @ g_z
    return value, g_theta
