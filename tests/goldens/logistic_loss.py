import numpy as np


def logistic_loss_grad(w, X, y):
    """Gradient of logistic_loss with respect to w.

    w: float64[n]
    X: float64[m, n]
    y: float64[m]

    Made by gradsmith 0.1.0.
    """
    # line 17: margin = y * (X @ w)
    margin = y * (X @ w)
    # adjoint of line 18: return np.mean(np.log(1 + np.exp(-margin)))
    t = -np.abs(margin)
    np.exp(t, out=t)
    g_margin = -(np.maximum(-margin >= 0, t) / (1 + t) / len(y))
    # adjoint of line 17: margin = y * (X @ w)
    g_w = X.T @ (g_margin * y)
    return g_w
