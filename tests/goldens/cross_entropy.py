import numpy as np


def cross_entropy_grad(W, X, Y):
    """Gradient of cross_entropy with respect to W.

    W: float64[n, m]
    X: float64[k, n]
    Y: float64[k, m]

    Made by gradsmith 0.1.0.
    """
    # line 39: probabilities = softmax(X @ W)
    e = X.dot(W)
    # adjoint of line 40: return -np.sum(Y * np.log(probabilities)) / len(X)
    e -= e.max(axis=1, keepdims=True)
    np.exp(e, out=e)
    # adjoint of line 39: probabilities = softmax(X @ W)
    g_W = X.T.dot(Y - Y.sum(axis=1, keepdims=True) * (e / e.sum(axis=1, keepdims=True)))
    g_W *= -1 / len(X)
    return g_W
