"""Networks and relaxations with states in lists, which loops read and store by index."""

from __future__ import annotations

import numpy as np

WIDTH = 3


def squashed(z):
    return 0.5 + 0.5 * np.tanh(0.5 * z)


def lstm_cell(w, x, h, c):
    i, f, o, g = np.split(w @ np.concatenate([x, h]), 4)
    c = squashed(f) * c + squashed(i) * np.tanh(g)
    return squashed(o) * np.tanh(c), c


def lstm(w, x, n):
    hs = [np.zeros(WIDTH, x.dtype) for _ in range(n)]
    cs = [np.zeros(WIDTH, x.dtype) for _ in range(n)]
    s = 0.0
    for t in range(len(x)):
        inp = x[t]
        for i in range(n):
            hs[i], cs[i] = lstm_cell(w[i], inp, hs[i], cs[i])
            inp = hs[i]
        s = s + np.sum(inp**2)
    return s


def lstm_of_pairs(w, x, n):
    states = [(np.zeros(WIDTH, x.dtype), np.zeros(WIDTH, x.dtype)) for _ in range(n)]
    s = 0.0
    for step in x:
        inp = step
        for i in range(n):
            h, c = states[i]
            h, c = lstm_cell(w[i], inp, h, c)
            states[i] = (h, c)
            inp = h
        s = s + np.sum(inp**2)
    return s


def lstm_by_sizes(w, x, n):
    hs, cs = [np.zeros(WIDTH, x.dtype)] * w.shape[0], [np.ones(WIDTH, x.dtype)] * w.shape[0]
    for t in range(len(x)):
        inp = x[t]
        for i, layer in enumerate(w):
            hs[i], cs[i] = lstm_cell(layer, inp, hs[i], cs[i])
            inp = hs[i]
    return np.sum(np.stack(hs)) + np.sum(hs[-1] * cs[0])


def gru(w, x, n):
    hs = [x[0] * k for k in range(n)]
    for t in range(len(x)):
        inp = x[t]
        for i in range(n):
            z, r, u, _ = np.split(w[i] @ np.concatenate([inp, hs[i]]), 4)
            new = np.tanh(u + squashed(r) * hs[i])
            hs[i] = (1 - squashed(z)) * hs[i] + squashed(z) * new
            inp = hs[i] + inp
    return [hs[0], np.sum(hs[n - 1] ** 2)]


def rnn_of_batches(w, x, n):
    hs = [np.zeros((2, WIDTH), x.dtype) for _ in range(n)]
    outputs = []
    for t in range(len(x)):
        inp = np.stack([x[t], 2.0 * x[t]])
        for i in range(n):
            hs[i] = np.tanh(inp @ w[i, :3, :3] + hs[i] @ w[i, 3:6, :3])
            inp = hs[i]
        outputs.append(inp[1])
    return np.stack(outputs)


def bidirectional(w, x, n):
    forward = [np.zeros(WIDTH, x.dtype) for _ in range(n)]
    backward = [np.zeros(WIDTH, x.dtype) for _ in range(n)]
    for t in range(len(x)):
        a, b = x[t], x[len(x) - 1 - t]
        for i in range(n):
            forward[i] = np.tanh(w[i, :3, :3] @ a + w[i, 3:6, :3] @ forward[i])
            backward[i] = np.tanh(w[i, 6:9, :3] @ b + w[i, 3:6, 3:] @ backward[i])
            a, b = forward[i] + backward[i], backward[i]
    return np.concatenate([forward[n - 1], backward[n - 1]])


def rnn_with_gates(w, x, n):
    hs = [np.ones(WIDTH, x.dtype) for _ in range(n)]
    for t in range(len(x)):
        for i in range(n):
            if np.sum(hs[i]) + x[t, 0] > 0.1:
                hs[i] = np.tanh(w[i, :3, :3] @ hs[i] + x[t])
            elif i > 0:
                hs[i] = 0.5 * hs[i - 1]
    return hs[n - 1] + hs[0]


def relaxation(w, x, n):
    rods = [x[0] * k for k in range(n + 2)]
    for _ in range(5):
        for i in range(1, n + 1):
            rods[i] = 0.5 * (rods[i - 1] + rods[i + 1]) + w[i - 1, :3, 0]
    return np.sum(rods[1] ** 2) + np.sum(rods[n])


def jacobi(w, x, n):
    rods = [x[0] * k for k in range(n + 2)]
    for _ in range(5):
        old = [rod.copy() for rod in rods]
        for i in range(1, n + 1):
            rods[i] = 0.5 * (old[i - 1] + old[i + 1]) + w[i - 1, :3, 0]
    return np.sum(rods[1] ** 2) + np.sum(rods[n])


def jacobi_of_two_lists(w, x, n):
    rods = [x[0] * k for k in range(n + 2)]
    for _ in range(5):
        new = [0.5 * (rods[i] + rods[i + 2]) + w[i, :3, 0] for i in range(n)]
        for i in range(n):
            rods[i + 1] = new[i]
    return np.sum(rods[1] ** 2) + np.sum(rods[n])


def waves(w, x, n):
    old = [x[0] * 0.0 for _ in range(n)]
    now = [x[0] * k for k in range(n)]
    for _ in range(4):
        for i in range(n):
            old[i], now[i] = now[i], 2.0 * now[i] - old[i] + w[i, 0, 0] * now[i - 1]
    return np.stack(now) + np.stack(old)


def momentum(w, x, n):
    positions = [x[0] * k for k in range(n)]
    velocities = [x[1] * k for k in range(n)]
    while np.sum(positions[n - 1] ** 2) < 20.0:
        for i in range(n):
            velocities[i] = velocities[i] * 0.9 + 0.1 * (w[i, :3, 0] + x[2])
            positions[i] = positions[i] + velocities[i] + 0.5
    return np.sum(positions[0]) + np.sum(velocities[n - 1])


PROGRAMS = (
    *(lstm, lstm_of_pairs, lstm_by_sizes, gru, rnn_of_batches, bidirectional, rnn_with_gates),
    *(relaxation, jacobi, jacobi_of_two_lists, waves, momentum),
)
