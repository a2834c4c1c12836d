import numpy as np


def ridge_grad(w, *, Y_TRAIN, X_TRAIN, STRENGTH=0.1):
    """Gradient of ridge with respect to w.

    w: float64[n]
    Y_TRAIN: float64[m]
    X_TRAIN: float64[m, n]
    STRENGTH: float

    Made by gradsmith 0.1.0.
    """
    # line 55: residual = Y_TRAIN - X_TRAIN @ w
    residual = Y_TRAIN - X_TRAIN.dot(w)
    # adjoint of line 55: residual = Y_TRAIN - X_TRAIN @ w
    g_w = STRENGTH * w - X_TRAIN.T.dot(residual)
    return g_w
