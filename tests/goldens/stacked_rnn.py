import numpy as np


def stacked_rnn_grad(W, xs):
    """Gradient of stacked_rnn with respect to W and xs.

    W: float64[n, m, m]
    xs: float64[k, m]

    Made by gradsmith 0.1.0.
    """
    m = W.shape[1]
    rows = np.empty((len(W), m))
    # line 160: hs = [np.zeros(m) for _ in W]
    for i in range(len(W)):
        rows[i] = np.zeros(m)
    # adjoint of line 162: for x in xs:
    g_rows = np.zeros(rows.shape)
    g_xs = np.zeros(xs.shape)
    g_W = np.zeros(W.shape)
    hs = np.empty((len(xs), m))
    ts = []
    ts_2 = []
    for i in range(len(xs)):
        # line 162: for x in xs:
        x = xs[i]
        # line 164: for i in range(len(W)):
        h = x
        parts = np.empty((len(W), m))
        hs_2 = np.empty((len(W), m))
        for i_2 in range(len(W)):
            # line 165: hs[i] = np.tanh(W[i] @ hs[i] + h)
            part = rows[i_2]
            parts[i_2] = part
            h = W[i_2] @ part + h
            np.tanh(h, out=h)
            hs_2[i_2] = h
            rows[i_2] = h
        # line 164: for i in range(len(W)):
        hs[i] = h
        ts.append(parts)
        ts_2.append(hs_2)
    # adjoint of line 162: for x in xs:
    for i in reversed(range(len(xs))):
        t = ts[i]
        t_2 = ts_2[i]
        # adjoint of line 167: loss += np.sum(h**2)
        g_h = 2.0 * hs[i]
        # adjoint of line 164: for i in range(len(W)):
        for i_2 in reversed(range(len(W))):
            # adjoint of line 165: hs[i] = np.tanh(W[i] @ hs[i] + h)
            g_h += g_rows[i_2]
            g_h *= 1.0 - t_2[i_2] ** 2
            g_rows[i_2] = W[i_2].T.dot(g_h)
            g_W[i_2] += g_h[:, None] * t[i_2]
        # adjoint of line 162: for x in xs:
        g_xs[i] = g_h
    return g_W, g_xs
