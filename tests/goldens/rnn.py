import numpy as np


def rnn_grad(W, U, b, xs, target):
    """Gradient of rnn with respect to W, U and b.

    W: float64[n, n]
    U: float64[n, m]
    b: float64[n]
    xs: float64[k, m]
    target: float64[p, n]

    Made by gradsmith 0.1.0.
    """
    # adjoint of line 125: for t, x in enumerate(xs):
    g_W = np.zeros(W.shape)
    g_U = np.zeros(U.shape)
    h = np.zeros(b.shape)
    hs = np.empty((len(xs), len(W)))
    for i in range(len(xs)):
        hs[i] = h
        # line 125: for t, x in enumerate(xs):
        x = xs[i]
        # line 126: h = np.tanh(W @ h + U @ x + b)
        h = W @ h + U @ x + b
        np.tanh(h, out=h)
    # adjoint of line 125: for t, x in enumerate(xs):
    g_h = np.zeros(b.shape)
    g_b = np.zeros(b.shape)
    for i in reversed(range(len(xs))):
        h_2 = hs[i]
        # line 125: for t, x in enumerate(xs):
        x = xs[i]
        # adjoint of line 127: loss += np.sum((h - target[t]) ** 2)
        g_h += 2.0 * (h - target[i])
        # adjoint of line 126: h = np.tanh(W @ h + U @ x + b)
        g_h *= 1.0 - h * h
        g_b += g_h
        g_U += g_h[:, None] * x
        g_W += g_h[:, None] * h_2
        g_h = W.T.dot(g_h)
        h = h_2
    return g_W, g_U, g_b
