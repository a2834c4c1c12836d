import numpy as np


def logistic_loss_grad(w, X, y):
    """Gradient of logistic_loss with respect to w.

    w: float64[n]
    X: float64[m, n]
    y: float64[m]

    Made by gradsmith 0.1.0.
    """
    # line 17: margin = y * (X @ w)
    margin = y * X.dot(w)
    # adjoint of line 18: return np.mean(np.log(1 + np.exp(-margin)))
    e = np.minimum(margin, 709.0)
    np.exp(e, out=e)
    e += 1.0
    g_margin = -1.0 / e / len(X)
    # adjoint of line 17: margin = y * (X @ w)
    g_w = X.T.dot(g_margin * y)
    return g_w
