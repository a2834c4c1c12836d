"""Networks by loops: recurrent, convolutional, and their training."""

from __future__ import annotations

import numpy as np

from control.harness import program
from control.inputs import between, fewer, grid, scaled, size

# ruff: noqa: B905, PLR1730, RUF007


@program(": n 3", scaled(0.5, "4 3"), scaled(0.5, "4 4"), ": 4")
def recurrent_states(xs, wx, wh, b):
    h = np.zeros(4)
    states = []
    for x in xs:
        h = np.tanh(wx @ x + wh @ h + b)
        states.append(h)
    return np.stack(states)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


@program(": n 3", scaled(0.5, "3 16"), scaled(0.5, "4 16"), ": 16")
def lstm(xs, W, U, b):
    h, c = np.zeros(4), np.zeros(4)
    for t in range(xs.shape[0]):
        z = xs[t] @ W + h @ U + b
        i, f, o, g = z[:4], z[4:8], z[8:12], z[12:]
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h, c


@program(
    ": n 2 3",
    lambda s, r: {k: 0.5 * r.normal(size=(3, 4)) for k in ("z", "r", "h")},
    lambda s, r: {k: 0.5 * r.normal(size=(4, 4)) for k in ("z", "r", "h")},
    rewritten=True,
)
def gru_with_dicts(xs, W, U):
    h = np.zeros((xs.shape[1], 4))
    outputs = np.empty((len(xs), xs.shape[1], 4))
    for t, x in enumerate(xs):
        z = sigmoid(x @ W["z"] + h @ U["z"])
        r = sigmoid(x @ W["r"] + h @ U["r"])
        candidate = np.tanh(x @ W["h"] + (r * h) @ U["h"])
        h = (1 - z) * h + z * candidate
        outputs[t] = h
    return outputs


def conv2d(input, weights):
    K = weights.shape[0]
    N = input.shape[0]
    H_out = input.shape[1] - K + 1
    W_out = input.shape[2] - K + 1
    output = np.empty((N, H_out, W_out, weights.shape[3]), dtype=input.dtype)
    for i in range(H_out):
        for j in range(W_out):
            output[:, i, j, :] = np.sum(
                input[:, i : i + K, j : j + K, :, np.newaxis] * weights[np.newaxis, :, :, :],
                axis=(1, 2, 3),
            )
    return output


def maxpool2d(x):
    output = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            output[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return output


def relu(x):
    return np.maximum(x, 0)


@program(": 2 n n 2", ": 2 2 2 3", ": 3")
def convolution(input, weights, bias):
    return conv2d(input, weights) + bias


@program(grid("2 n n 2", 0.1))
def pooling(x):
    return maxpool2d(x) ** 2


@program(
    "unit: 2 n n 1", "unit: 3 3 1 2", between(0.1, 0.4, "2"), scaled(0.4, "2 3"), ": 3",
    sizes=(6, 8), salt=1,
)  # fmt: skip
def lenet_style(x, kernel, bias, dense, offset):
    x = relu(conv2d(x, kernel) + bias)
    x = maxpool2d(x)
    total = np.zeros((x.shape[0], x.shape[3]))
    for i in range(x.shape[1]):
        for j in range(x.shape[2]):
            total += x[:, i, j, :] * (i + 1) / (j + 1)
    return relu(total @ dense + offset)


@program(": 2 n n 2", scaled(0.5, "1 1 2 3"), scaled(0.5, "3 3 3 2"), salt=1)
def residual_block(x, first, second):
    inner = conv2d(x, first)
    mean, std = np.mean(inner, axis=0, keepdims=True), np.std(inner, axis=0, keepdims=True)
    inner = np.tanh((inner - mean) / np.sqrt(std + 0.1))
    padded = np.zeros((x.shape[0], x.shape[1] + 2, x.shape[2] + 2, 3))
    padded[:, 1:-1, 1:-1, :] = inner
    return np.tanh(conv2d(padded, second) + x)


@program(grid("n", 0.3), ": n m")
def softmax_by_loops(x, W):
    largest = x[0]
    for i in range(1, len(x)):
        if x[i] > largest:
            largest = x[i]
    total = 0.0
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = np.exp(x[i] - largest)
        total += out[i]
    out /= total
    return out @ W


@program(grid("n m", 0.15))
def online_softmax_rows(S):
    out = np.empty_like(S)
    for row, target in zip(S, out):
        top, total = row[0], 1.0
        for value in row[1:]:
            new = max(top, value)
            total = total * np.exp(top - new) + np.exp(value - new)
            top = new
        target[:] = np.exp(row - top) / total
    return out


@program(": n 3", scaled(0.5, "3 3"), scaled(0.5, "3 3"), scaled(0.5, "3 3"))
def causal_attention_by_rows(x, Wq, Wk, Wv):
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    out = np.zeros_like(x)
    for i in range(len(x)):
        scores = k[: i + 1] @ q[i] / np.sqrt(3.0)
        weights = np.exp(scores - scores.max())
        out[i] = weights @ v[: i + 1] / weights.sum()
    return out


@program(
    lambda s, r: [0.5 * r.normal(size=(3, 3)) for _ in range(3)],
    lambda s, r: [r.normal(size=3) for _ in range(3)],
    ": n 3",
)
def layers_from_lists(weights, biases, x):
    for i, (W, b) in enumerate(zip(weights, biases, strict=True)):
        x = x @ W + b
        if i < len(weights) - 1:
            x = np.tanh(x)
    return x


@program(scaled(0.5, "3"), ": n 3", ": n", "scalar: ", size, static=("steps",))
def gradient_descent(w, X, y, rate, steps):
    for _ in range(steps):
        residual = X @ w - y
        w = w - 0.1 * rate * X.T @ residual / len(y)
    return np.sum((X @ w - y) ** 2)


@program(scaled(0.5, "3"), ": n 3", ": n", between(0.3, 0.9), size, static=("steps",))
def gradient_descent_with_momentum(w, X, y, mu, steps):
    velocity = np.zeros_like(w)
    losses = []
    for _ in range(steps):
        residual = np.tanh(X @ w) - y
        velocity = mu * velocity - 0.1 * X.T @ (residual * (1 - np.tanh(X @ w) ** 2))
        w += velocity
        losses.append(np.mean(residual**2))
    return w, losses[-1]


def adam_step(state, gradient, rate):
    state["t"] += 1
    for name in ("w", "b"):
        state["m"][name] = 0.9 * state["m"][name] + 0.1 * gradient[name]
        state["v"][name] = 0.99 * state["v"][name] + 0.01 * gradient[name] ** 2
        m = state["m"][name] / (1 - 0.9 ** state["t"])
        v = state["v"][name] / (1 - 0.99 ** state["t"])
        state[name] = state[name] - rate * m / (np.sqrt(v) + 1e-2)


@program(between(0.01, 0.1), ": 3", "scalar: ", ": n 3", ": n", fewer, static=("steps",), salt=6)
def adam_on_a_dict(rate, w, b, X, y, steps):
    state = {"w": w, "b": b, "t": 0, "m": {"w": 0 * w, "b": 0.0}, "v": {"w": 0 * w, "b": 0.0}}
    for _ in range(steps):
        residual = X @ state["w"] + state["b"] - y
        adam_step(state, {"w": X.T @ residual, "b": residual.sum()}, rate)
    return state["w"], state["b"]


@program(scaled(0.5, "3 4"), scaled(0.5, "4"), ": n 3", ": n")
def perceptron_trained_sample_by_sample(W, u, X, y):
    for x, target in zip(X, y, strict=True):
        h = np.tanh(x @ W)
        error = h @ u - target
        back = error * u * (1 - h**2)
        u -= 0.1 * error * h
        W -= 0.1 * np.outer(x, back)
    return W, u


@program(grid("n m", 0.11, 0.04), ": m", salt=1)
def perceptron_rule(X, w):
    """Corrects only where the margin is small."""
    mistakes = 0
    for x in X:
        if x @ w < 0.25:
            w = w + 0.5 * x
            mistakes += 1
        elif x @ w > 2:
            continue
        else:
            w = 0.99 * w
    return w, mistakes * 1.0


@program(": n 4", "scalar: ", ": 4")
def layer_norm_rows(x, gain, bias):
    out = np.empty(x.shape)
    for i, row in enumerate(x):
        mean = sum(row) / len(row)
        var = sum([(value - mean) ** 2 for value in row]) / len(row)
        out[i] = gain * (row - mean) / (var + 1e-3) ** 0.5 + bias
    return out


@program(lambda s, r: r.integers(0, 5, size=s["n"]), ": 5 3", scaled(0.5, "3 3"))
def embedded_tokens(tokens, table, W):
    h = np.zeros(3)
    loss = 0.0
    for here, following in zip(tokens[:-1], tokens[1:], strict=True):
        h = np.tanh(table[here] + W @ h)
        scores = table @ h
        loss -= scores[following] - np.log(np.sum(np.exp(scores)))
    return loss / (len(tokens) - 1)
