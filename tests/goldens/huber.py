import numpy as np


def huber_grad(w, X, y, delta):
    """Gradient of huber with respect to w.

    w: float64[n]
    X: float64[m, n]
    y: float64[m]
    delta: float

    Made by gradsmith 0.1.0.
    """
    # adjoint of line 149: for x, target in zip(X, y, strict=True):
    g_w = np.zeros(w.shape)
    ts = np.empty(len(X))
    for i in range(len(X)):
        # line 149: for x, target in zip(X, y, strict=True):
        x = X[i]
        target = y[i]
        # line 150: residual = abs(x @ w - target)
        ts[i] = x @ w - target
    # adjoint of line 149: for x, target in zip(X, y, strict=True):
    for i in reversed(range(len(X))):
        t = ts[i]
        # line 149: for x, target in zip(X, y, strict=True):
        x = X[i]
        # line 150: residual = abs(x @ w - target)
        residual = abs(t)
        # adjoint of line 151: if residual <= delta:
        g_residual = residual if residual <= delta else np.float64(delta)
        # adjoint of line 150: residual = abs(x @ w - target)
        g_w += g_residual * np.sign(t) * x
    return g_w
