import numpy as np


def mlp_loss_grad(params, x, labels):
    """Gradient of mlp_loss with respect to params.

    params['w1']: float64[n, m]
    params['b1']: float64[m]
    params['w2']: float64[m, k]
    params['b2']: float64[k]
    x: float64[p, n]
    labels: int64[p]

    Made by gradsmith 0.1.0.
    """
    w1 = params['w1']
    b1 = params['b1']
    w2 = params['w2']
    b2 = params['b2']
    # line 22: hidden = np.tanh(x @ params["w1"] + params["b1"])
    hidden = x.dot(w1) + b1
    np.tanh(hidden, out=hidden)
    # line 23: logits = hidden @ params["w2"] + params["b2"]
    logits = hidden.dot(w2) + b2
    # adjoint of line 25: log_probs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=T …
    g_logits = logits - logits.max(axis=1, keepdims=True)
    np.exp(g_logits, out=g_logits)
    g_logits /= g_logits.sum(axis=1, keepdims=True) * len(x)
    g_logits[np.arange(len(x)), labels] -= 1.0 / len(x)
    # adjoint of line 23: logits = hidden @ params["w2"] + params["b2"]
    ones = np.ones(labels.shape)
    g_b2 = ones.dot(g_logits)
    g_hidden = g_logits.dot(w2.T)
    g_w2 = hidden.T.dot(g_logits)
    # adjoint of line 22: hidden = np.tanh(x @ params["w1"] + params["b1"])
    g_hidden *= 1.0 - hidden * hidden
    g_b1 = ones.dot(g_hidden)
    g_w1 = x.T.dot(g_hidden)
    return {'w1': g_w1, 'b1': g_b1, 'w2': g_w2, 'b2': g_b2}
