"""Recurrences along a sequence, filters, and tables of dynamic programming."""

from __future__ import annotations

import numpy as np

from control.harness import program
from control.inputs import between, definite, grid, scaled, size

# ruff: noqa: B905, PLR1730, SIM108


@program(between(0.5, 2, "3 3"), between(0.5, 2, "3 4"), lambda s, r: r.integers(0, 4, s["n"]))
def hidden_markov_likelihood(transition, emission, observed):
    transition /= transition.sum(axis=1, keepdims=True)
    alpha = emission[:, observed[0]] / 3
    logs = 0.0
    for o in observed[1:]:
        alpha = (alpha @ transition) * emission[:, o]
        scale = alpha.sum()
        alpha /= scale
        logs += np.log(scale)
    return logs, alpha


@program(": 3 3", ": n 3", rewritten=True)
def hidden_markov_in_logs(scores, emission):
    table = np.empty(emission.shape)
    table[0] = emission[0]
    for t in range(1, emission.shape[0]):
        for j in range(3):
            terms = table[t - 1] + scores[:, j]
            top = np.max(terms)
            table[t, j] = emission[t, j] + top + np.log(np.sum(np.exp(terms - top)))
    return table


@program(scaled(0.3, "2 2"), ": 2", between(0.5, 1, "1 2"), ": n", between(0.2, 0.6))
def kalman_filter_steps(F, x, H, observed, noise):
    F = F + np.eye(2)
    P = np.eye(2)
    path = []
    for z in observed:
        x = F @ x
        P = F @ P @ F.T + 0.1 * np.eye(2)
        S = (H @ P @ H.T)[0, 0] + noise
        K = P @ H[0] / S
        x = x + K * (z - H[0] @ x)
        P = (np.eye(2) - np.outer(K, H[0])) @ P
        path.append(x)
    return np.array(path), P


@program(grid("3 3", 0.3), grid("n 3", 0.37, 0.05), salt=1)
def viterbi_scores(transition, emission):
    """The best score and its path: comparisons decide, nothing is argmaxed."""
    n, k = emission.shape
    best = emission[0].copy()
    for t in range(1, n):
        new = np.empty(k)
        for j in range(k):
            top = best[0] + transition[0, j]
            for i in range(1, k):
                score = best[i] + transition[i, j]
                if score > top:
                    top = score
            new[j] = top + emission[t, j]
        best = new
    return np.max(best), best


@program(grid("n 3", 0.37, 0.05), grid("3 3", 0.3), salt=1)
def viterbi_with_backtracking(emission, transition):
    n, k = emission.shape
    score = np.zeros((n, k))
    came_from = np.zeros((n, k), dtype=int)
    score[0] = emission[0]
    for t in range(1, n):
        for j in range(k):
            through = score[t - 1] + transition[:, j]
            came_from[t, j] = np.argmax(through)
            score[t, j] = through[came_from[t, j]] + emission[t, j]
    state = np.argmax(score[n - 1])
    total = emission[n - 1, state] ** 2
    for t in range(n - 1, 0, -1):
        state = came_from[t, state]
        total += emission[t - 1, state] ** 2
    return total, score[n - 1]


@program(between(0.2, 1.0), ": 3 n")
def deriche_rows(alpha, image):
    e = np.exp(-alpha)
    k = (1.0 - e) ** 2 / (1.0 + alpha * e - 0.1 * np.exp(-2.0 * alpha))
    a1, a2, b1, b2 = k, k * e * (alpha - 1.0), 2.0**-alpha, -0.5 * np.exp(-2.0 * alpha)
    y1 = np.empty_like(image)
    y1[:, 0] = a1 * image[:, 0]
    y1[:, 1] = a1 * image[:, 1] + a2 * image[:, 0] + b1 * y1[:, 0]
    for j in range(2, image.shape[1]):
        y1[:, j] = a1 * image[:, j] + a2 * image[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
    y2 = np.empty_like(image)
    y2[:, -1] = 0.0
    y2[:, -2] = a2 * image[:, -1]
    for j in range(image.shape[1] - 3, -1, -1):
        y2[:, j] = (
            a1 * image[:, j + 1] + a2 * image[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
        )
    return k * (y1 + y2)


@program(": n")
def prefix_sums(x):
    total = 0
    out = np.zeros_like(x)
    for i, value in enumerate(x):
        total += value**2
        out[i] = total
    return out


@program(": n", "unit: ")
def horner(coefficients, x):
    value = 0.0
    slope = 0.0
    for c in coefficients[::-1]:
        slope = slope * x + value
        value = value * x + c
    return value, slope


@program(between(1, 2, "n"), between(0.5, 1.5, "n"))
def continued_fraction(a, b):
    value = a[-1]
    for i in range(len(a) - 2, -1, -1):
        value = a[i] + b[i] / value
    return value


@program(size, "unit: 3", static=("degree",))
def chebyshev(degree, x):
    before, now = np.ones_like(x), x
    for _ in range(1, degree):
        before, now = now, 2 * x * now - before
    return now


@program(lambda s, r: s["n"], "unit: 3", static=("degree",))
def legendre_table(degree, x):
    P = np.empty((degree + 1, x.size))
    P[0] = 1.0
    P[1] = x
    for k in range(1, degree):
        P[k + 1] = ((2 * k + 1) * x * P[k] - k * P[k - 1]) / (k + 1)
    return P


def soft_minimum(a, b, c, temperature):
    low = min(a, b, c)
    e = np.exp(-(np.array([a, b, c]) - low) / temperature)
    return low - temperature * np.log(e.sum())


@program(grid("n", 0.4), grid("m", 0.3), between(0.5, 1.0), sizes=(3, 4))
def soft_alignment(x, y, temperature):
    """Dynamic time warping with a soft minimum."""
    R = np.full((len(x) + 1, len(y) + 1), 10.0)
    R[0, 0] = 0.0
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            cost = (x[i - 1] - y[j - 1]) ** 2
            R[i, j] = cost + soft_minimum(R[i - 1, j], R[i, j - 1], R[i - 1, j - 1], temperature)
    return R[-1, -1]


@program(grid("n", 0.37), grid("n", 0.29), between(0.9, 1.1, "3"), sizes=(4, 5), salt=1)
def edit_distance(x, y, costs):
    D = np.zeros((len(x) + 1, len(y) + 1))
    D[:, 0] = np.arange(len(x) + 1) * costs[0]
    D[0, :] = np.arange(len(y) + 1) * costs[1]
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            change = D[i - 1, j - 1] + costs[2] * abs(x[i - 1] - y[j - 1])
            D[i, j] = min(D[i - 1, j] + costs[0], D[i, j - 1] + costs[1], change)
    return D[len(x), len(y)]


@program(lambda s, r: r.integers(1, 4, s["n"]), between(0.5, 3, "n"))
def knapsack(weights, values):
    best = np.zeros(7)
    for w, v in zip(weights, values):
        for room in range(6, w - 1, -1):
            best[room] = max(best[room], best[room - w] + v)
    return best


@program(": 4", ": n 4")
def ring_buffer_of_four(history, inputs):
    history = history.copy()
    outputs = np.zeros(len(inputs))
    for i, row in enumerate(inputs):
        history[i % 4] = 0.5 * row @ history
        outputs[i] = history[(i + 1) % 4] * history[i % 4 - 1]
    return outputs, history


@program(": n", between(0.2, 0.8))
def running_mean(x, weight):
    smoothed = [x[0]]
    for value in x[1:]:
        smoothed.append(weight * value + (1 - weight) * smoothed[-1])
    return np.array(smoothed)


@program(grid("n", 0.3))
def running_maximum(x):
    out = np.empty(len(x))
    top = x[0]
    for i in range(len(x)):
        if x[i] > top:
            top = x[i]
        out[i] = top * x[i]
    return out


@program(scaled(0.3, "n"), between(0.1, 0.2, "3"))
def conditional_variance(returns, p):
    variance = 0.5
    likelihood = 0.0
    for r in returns:
        variance = p[0] + p[1] * r**2 + 4 * p[2] * variance
        likelihood -= 0.5 * (np.log(variance) + r**2 / variance)
    return likelihood


@program(grid("n", 0.7), "scalar: ", salt=1)
def random_walk_with_walls(noise, start):
    position = start
    path = np.zeros(noise.shape[0] + 1)
    path[0] = start
    for t in range(noise.shape[0]):
        position += noise[t]
        if position > 1.0:
            position = 2.0 - position
        elif position < -1.0:
            position = -2.0 - position
        path[t + 1] = position
    return path


@program(grid("n", 0.31), between(0.5, 0.9), salt=1)
def longest_drop(prices, decay):
    """Peak and largest loss from it."""
    peak, worst = prices[0], 0.0
    for price in prices[1:]:
        peak = max(peak, price) * decay
        loss = peak - price
        worst = loss if loss > worst else worst
    return worst, peak


@program(": n", ": 3", ": 2")
def recursive_filter(x, b, a):
    y = np.zeros_like(x)
    for i in range(len(x)):
        acc = 0.0
        for k in range(len(b)):
            if i - k >= 0:
                acc += b[k] * x[i - k]
        for k in range(1, len(a) + 1):
            if i - k >= 0:
                acc -= 0.3 * a[k - 1] * y[i - k]
        y[i] = acc
    return y


@program(between(1, 2, "n"))
def aitken(x):
    """Extrapolates partial sums of an alternating series."""
    partial = np.empty(len(x))
    total, sign = 0.0, 1.0
    for i in range(len(x)):
        total += sign * x[i] / (i + 1)
        sign = -sign
        partial[i] = total
    better = []
    for i in range(len(x) - 2):
        first = partial[i + 1] - partial[i]
        second = partial[i + 2] - partial[i + 1]
        better.append(partial[i] - first**2 / (second - first))
    return np.array(better)


@program(grid("n", 0.33), grid("n", 0.41), salt=1)
def divided_differences(nodes, values):
    """Newton's interpolation: the table is overwritten column by column."""
    c = values.copy()
    n = len(nodes)
    for j in range(1, n):
        for i in range(n - 1, j - 1, -1):
            c[i] = (c[i] - c[i - 1]) / (nodes[i] - nodes[i - j])
    value = c[n - 1]
    for i in range(n - 2, -1, -1):
        value = value * (0.05 - nodes[i]) + c[i]
    return value, c


@program(": n", "scalar: ")
def de_casteljau(points, t):
    p = points.copy()
    t = 0.4 * t
    for r in range(1, len(p)):
        p[:-r] = (1 - t) * p[:-r] + t * p[1 : len(p) - r + 1]
    return p[0], p


@program(definite, ": n m")
def matrix_chain_of_states(A, X):
    """A tuple is carried and every other column is weighed otherwise."""
    state = (np.zeros(len(A)), 0.0)
    for j in range(X.shape[1]):
        h, energy = state
        h = np.tanh(0.2 * A @ h + X[:, j])
        if j % 2 == 0:
            energy = energy + h @ h
        else:
            energy = energy - 0.5 * np.sum(h)
        state = (h, energy)
    return state
