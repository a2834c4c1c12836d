import numpy as np


def cross_entropy_grad(W, X, Y):
    """Gradient of cross_entropy with respect to W.

    W: float64[n, m]
    X: float64[k, n]
    Y: float64[k, m]

    Made by gradsmith 0.1.0.
    """
    # line 39: probabilities = softmax(X @ W)
    t = X @ W
    # adjoint of line 40: return -np.sum(Y * np.log(probabilities)) / len(X)
    t_2 = -1 / len(X) * Y
    t -= t.max(axis=1, keepdims=True)
    np.exp(t, out=t)
    # adjoint of line 39: probabilities = softmax(X @ W)
    g_W = X.T @ (t_2 - t / t.sum(axis=1, keepdims=True) * t_2.sum(axis=1, keepdims=True))
    return g_W
