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
    hidden = x @ w1 + b1
    np.tanh(hidden, out=hidden)
    # line 23: logits = hidden @ params["w2"] + params["b2"]
    logits = hidden @ w2 + b2
    # adjoint of line 25: log_probs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=T …
    e = logits - logits.max(axis=1, keepdims=True)
    np.exp(e, out=e)
    g_logits = e / e.sum(axis=1, keepdims=True) / len(x)
    g_logits[np.arange(len(x)), labels] -= 1.0 / len(x)
    # adjoint of line 23: logits = hidden @ params["w2"] + params["b2"]
    g_b2 = g_logits.sum(axis=0)
    g_hidden = g_logits @ w2.T
    g_w2 = hidden.T @ g_logits
    # adjoint of line 22: hidden = np.tanh(x @ params["w1"] + params["b1"])
    g_hidden *= 1 - hidden * hidden
    g_b1 = g_hidden.sum(axis=0)
    g_w1 = x.T @ g_hidden
    return {'w1': g_w1, 'b1': g_b1, 'w2': g_w2, 'b2': g_b2}
