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
    e = -np.abs(z)
    np.exp(e, out=e)
    value = (np.maximum(z, 0) + np.log1p(e) - y * z).sum()
    # adjoint of line 84: return np.sum(np.logaddexp(0, z) - y * z)
    g_z = np.maximum(z >= 0, e) / (1.0 + e)
    g_z -= y
    # adjoint of line 83: z = X @ theta
    g_theta = X.T.dot(g_z)
    return value, g_theta
