"""The functions behind tests/goldens, written as users write them.

The goldens quote these lines by number: after a change here run
``python tests/test_goldens.py --update``.
"""

from __future__ import annotations

import numpy as np


def weighted(a, b, c):
    return 3 * a + 2 * b * b + np.log(c)


def logistic_loss(w, X, y):
    margin = y * (X @ w)
    return np.mean(np.log(1 + np.exp(-margin)))


def mlp_loss(params, x, labels):
    hidden = np.tanh(x @ params["w1"] + params["b1"])
    logits = hidden @ params["w2"] + params["b2"]
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_probs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(log_probs[np.arange(len(labels)), labels])


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def softmax(z):
    e = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def cross_entropy(W, X, Y):
    probabilities = softmax(X @ W)
    return -np.sum(Y * np.log(probabilities)) / len(X)


def polar(r, phi):
    x = r * np.cos(phi)
    y = r * np.sin(phi)
    return x, y


X_TRAIN = np.array([[1.0, 0.5], [-0.3, 2.0], [0.7, -1.1], [0.2, 0.4]])
Y_TRAIN = np.array([1.2, -0.7, 0.3, 0.9])
STRENGTH = 0.1


def ridge(w):
    residual = Y_TRAIN - X_TRAIN @ w
    return 0.5 * residual @ residual + 0.5 * STRENGTH * np.sum(w**2)


def log_density(x, centers, width):
    n, d = centers.shape
    offsets = (x[:, None, :] - centers[None, :, :]) / width
    squared = np.sum(offsets**2, axis=2)
    kernel = np.exp(-0.5 * squared) / (np.sqrt(2 * np.pi) * width) ** d
    return np.sum(np.log(np.sum(kernel, axis=1) / n))


def affine(W, z, b):
    out = W @ z + b
    return np.sum(np.abs(out) ** 2)


def heat_energy(u, c):
    y = np.zeros(len(u))
    y[1:-1] = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
    edge = y[:1]
    edge += u[:1]
    y[y > 1.0] = 1.0
    y[-1] *= 0.5
    return np.sum(y**2)


def softplus_loss(theta, X, y):
    z = X @ theta
    return np.sum(np.logaddexp(0, z) - y * z)


def damped(t):
    return np.exp(-0.3 * t) * np.sin(2 * t)


def normalized(x, gamma, beta, target):
    mean = x.mean(axis=0)
    std = np.sqrt(np.mean((x - mean) ** 2, axis=0) + 1e-5)
    y = gamma * (x - mean) / std + beta
    return np.mean((y - target) ** 2)


def attention(q, k, v):
    scores = np.einsum("qd,kd->qk", q, k) / np.sqrt(q.shape[1])
    weights = softmax(scores)
    context = np.einsum("qk,ke->qe", weights, v)
    return np.sum(context**2)


def jacobi_2d(steps, A, B):
    for _ in range(1, steps):
        B[1:-1, 1:-1] = 0.2 * (
            A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        )
        A[1:-1, 1:-1] = 0.2 * (
            B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
        )
    return np.sum(A**2)


def heat(u, k, steps):
    for _ in range(steps):
        u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.mean(u**2)


def rnn(W, U, b, xs, target):
    h = np.zeros(len(b))
    loss = 0.0
    for t, x in enumerate(xs):
        h = np.tanh(W @ h + U @ x + b)
        loss += np.sum((h - target[t]) ** 2)
    return loss


def cholesky(A):
    n = len(A)
    L = np.zeros_like(A)
    for i in range(n):
        for j in range(i):
            L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
        L[i, i] = np.sqrt(A[i, i] - L[i, :i] @ L[i, :i])
    return L


def newton(a, x):
    while abs(x**2 - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x


def huber(w, X, y, delta):
    loss = 0.0
    for x, target in zip(X, y, strict=True):
        residual = abs(x @ w - target)
        if residual <= delta:
            loss += 0.5 * residual**2
        else:
            loss += delta * (residual - 0.5 * delta)
    return loss


def stacked_rnn(W, xs):
    m = xs.shape[1]
    hs = [np.zeros(m) for _ in W]
    loss = 0.0
    for x in xs:
        h = x
        for i in range(len(W)):
            hs[i] = np.tanh(W[i] @ hs[i] + h)
            h = hs[i]
        loss += np.sum(h**2)
    return loss


def trajectory(x, rate):
    path = []
    while np.sum(x**2) > 1e-3:
        x = x - rate * np.sin(x)
        path.append(x)
    return np.sum(np.stack(path) ** 2)
