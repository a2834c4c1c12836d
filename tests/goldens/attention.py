import numpy as np


def attention_grad(q, k, v):
    """Gradient of attention with respect to q, k and v.

    q: float64[n, m]
    k: float64[p, m]
    v: float64[p, r]

    Made by gradsmith 0.1.0.
    """
    # line 99: scores = np.einsum("qd,kd->qk", q, k) / np.sqrt(q.shape[1])
    root = np.sqrt(q.shape[1])
    scores = q.dot(k.T) / root
    # line 35: return e / np.sum(e, axis=-1, keepdims=True)
    weights = scores - scores.max(axis=1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=1, keepdims=True)
    # line 101: context = np.einsum("qk,ke->qe", weights, v)
    context = weights.dot(v)
    # adjoint of line 102: return np.sum(context**2)
    g_context = 2.0 * context
    # adjoint of line 101: context = np.einsum("qk,ke->qe", weights, v)
    g_weights = g_context.dot(v.T)
    g_v = weights.T.dot(g_context)
    # adjoint of line 35: return e / np.sum(e, axis=-1, keepdims=True)
    g_scores = weights * g_weights
    g_scores -= weights * g_scores.sum(axis=1, keepdims=True)
    # adjoint of line 99: scores = np.einsum("qd,kd->qk", q, k) / np.sqrt(q.shape[1])
    g_q = g_scores.dot(k) / root
    g_k = g_scores.T.dot(q) / root
    return g_q, g_k, g_v
