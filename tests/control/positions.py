"""Programs that find positions, orders and different values while they run."""

from __future__ import annotations

import numpy as np

from control.harness import program
from control.inputs import between, fewer, grid, signed, single, size

# ruff: noqa: B905


def sparse(sizes, random):
    """A matrix of which about a half are zeros; a row is empty."""
    n = sizes["n"]
    A = random.normal(size=(n, n)) * random.integers(0, 2, size=(n, n))
    A[n // 2] = 0.0
    return A


def pattern(letters):
    """A mask with true and false elements."""

    def draw(sizes, random):
        shape = tuple(sizes[s] if s.isalpha() else int(s) for s in letters.split())
        mask = random.integers(0, 2, size=shape).astype(bool)
        mask.flat[0], mask.flat[-1] = True, False
        return mask

    return draw


def labels(sizes, random):
    return random.integers(-2, 3, size=2 * sizes["n"])


# --- positions of what is not zero


@program(pattern("n n"), grid("n n"), ": n")
def sparse_product_by_coordinates(P, A, v):
    rows, cols = np.nonzero(P)
    y = np.zeros(len(A))
    np.add.at(y, rows, A[rows, cols] * v[cols])
    return y


@program(pattern("n n"), grid("n n"), ": n")
def sparse_residual(P, A, v):
    """Of several elements in one row the last is stored, as NumPy has it."""
    rows, cols = np.nonzero(P)
    y = v * 2
    y[rows] += A[rows, cols] * v[cols]
    return np.sum(y**2) + len(rows) * v[0]


@program(grid("n"), between(0.3, 0.4))
def huber_by_positions(r, d):
    out = np.where(np.abs(r) > d)[0]
    into = np.flatnonzero(np.abs(r) <= d)
    return np.sum(0.5 * r[into] ** 2) + np.sum(d * (np.abs(r[out]) - 0.5 * d))


@program(grid("n"))
def hinge_by_positions(r):
    idx = np.where(r > 0.1)[0]
    return np.sum((r[idx] - 0.1) ** 2) + idx.size * r[0] + len(idx) / idx.shape[0]


@program(grid("n"))
def stores_at_positions(x):
    idx = np.flatnonzero(x > 0)
    y = x**2
    y[idx] = 2 * x[idx] ** 2
    y[idx] *= np.arange(len(idx))
    y[np.nonzero(x < -0.2)] -= 1.5 * x[0]
    return y


@program(grid("n"), ": n")
def mask_and_positions_together(x, w):
    m = x > 0
    y = x[m] * w[np.flatnonzero(m)] + np.arange(np.size(x[m]))
    return np.sum(y**2) + np.sum(w[m.nonzero()] ** 2)


@program(grid("n m"))
def positions_of_a_matrix(A):
    at = np.argwhere(A > 0)
    return np.sum(A[at[:, 0], at[:, 1]] ** 2 * at[:, 0]) + at.shape[0] + at.shape[1]


@program(grid("n"))
def sum_over_positions(x):
    s = 0.0
    for i in np.flatnonzero(x > 0):
        s = 0.5 * np.sin(s) + 0.1 * x[i] ** 2 * s + i * x[i]
    return s


@program(grid("n m"))
def sum_over_pairs_of_positions(A):
    s = 0.0
    for i, j in zip(*np.nonzero(A > 0)):
        s = 0.5 * np.sin(s) * A[i, j] + 0.2 * A[i, 0]
    return s


@program(grid("n m"))
def sum_over_rows_of_positions(A):
    s = 0.0
    for k, (i, j) in enumerate(np.argwhere(A > 0.3)):
        s = 0.5 * np.sin(s) * A[i, j] + 0.1 * A[0, j] * k
    return s


@program(grid("n"), ": n n", pattern("n"))
def submatrices(x, A, chosen):
    own, given = np.ix_(x > 0, x > 0), np.ix_(np.flatnonzero(chosen), chosen)
    B = A.copy()
    B[own] *= 2.0
    return np.sum(A[own] ** 2) + np.trace(A[given] @ A[given].T) + np.sum(B**2) * x[0]


@program(grid("n"), smooth=False)
def relaxed_where_it_is_large(x):
    """A constraint violation that each trip finds anew."""
    y = x.copy()
    for _ in range(6):
        bad = np.flatnonzero(np.abs(y) > 0.5)
        y[bad] = 0.7 * y[bad] + 0.01 * y[bad] ** 2
        y += 0.02 * len(bad)
    return y


@program(grid("n n"), ": n")
def neighbours_in_each_row(D, q):
    energy = 0.0
    for i in range(len(q)):
        near = np.nonzero(np.abs(D[i]) < 0.75)[0]
        energy += np.sum(q[near] * q[i] / (1 + D[i, near] ** 2)) * np.cos(energy)
    return energy


@program(grid("n n"), ": n")
def pairs_in_each_trip(D, q):
    energy = 0.0
    for k in range(5):
        i, j = np.nonzero(0.25 * k < D)
        energy = np.tanh(energy) + 0.1 * np.sum(q[i] * q[j] * D[i, j]) + 0.1 * len(i) * q[0]
    return energy


@program(grid("n"), salt=4)
def shrunk_until_few_are_large(x):
    y = x
    count = len(np.flatnonzero(np.abs(y) > 0.3))
    while count > 1:
        y = y * 0.83
        idx = np.flatnonzero(np.abs(y) > 0.3)
        y = y + 0.01 * np.sum(y[idx] ** 2)
        count = len(idx)
    return np.sum(y**2)


@program(grid("n"))
def positions_in_arms(x):
    if np.sum(x) > 0.2:
        idx = np.flatnonzero(x > 0)
        r = np.sum(x[idx] ** 2) / len(idx)
    else:
        idx = np.flatnonzero(x < 0)
        r = np.sum(x[idx] ** 2) * len(idx)
    return r * x[0]


@program(grid("n"))
def none_found(x):
    idx = np.flatnonzero(x > 1e6)
    y = x**2
    y[idx] = 0.0
    for i in idx:
        y[i] = 5.0
    return np.sum(y) + np.sum(x[idx]) + len(idx)


@program(single(1.0, "n"), smooth=False)
def positions_in_single_precision(x):
    idx = np.flatnonzero(x > 0)
    order = np.argsort(x[idx])
    return np.sum(x[idx][order] * np.arange(len(idx), dtype=np.float32)) + np.sum(np.sort(x) ** 2)


@program(grid("n m"))
def positions_returned(A):
    rows, cols = np.nonzero(A > 0)
    return A[rows, cols] ** 2 * cols, A[rows, 0] * (rows - cols), np.argwhere(A < 0) * A[0, 0]


@program(grid("n"))
def active_set_step(x):
    """Projected gradient: bounds that are active do not move."""
    for _ in range(4):
        g = 2 * (x - 0.3) + 0.1 * np.sum(x)
        (free,) = np.nonzero((x > -0.5) | (g < 0))
        x = x.copy()
        x[free] = x[free] - 0.2 * g[free]
    return np.sum(x**2)


# --- different values


@program(": n 2", labels)
def group_means(x, kinds):
    x = x.ravel()
    values, inverse = np.unique(kinds, return_inverse=True)
    sums, counts = np.zeros(len(values)), np.zeros(len(values))
    np.add.at(sums, inverse, x)
    np.add.at(counts, inverse, 1.0)
    means = sums / counts
    return np.sum((x - means[inverse]) ** 2), means


@program(": n 2", labels)
def group_means_by_counts(x, kinds):
    x = x.ravel()
    values, first, inverse, counts = np.unique(
        kinds, return_index=True, return_inverse=True, return_counts=True
    )
    sums = np.zeros(values.shape)
    np.add.at(sums, inverse, x**2)
    return sums / counts * values + x[first]


@program(grid("n m"))
def levels_of_clipped_values(A):
    """Those at a bound are one value, the gradient of which is that at the first of them."""
    levels = np.unique(np.clip(A, -0.5, 0.5))
    return np.sum(levels**2 * np.arange(levels.size)) + len(levels)


@program(grid("n m"))
def unique_and_back(A):
    values, inverse = np.unique(A, return_inverse=True)
    return (values**2)[inverse.reshape(A.shape)] * A + len(values)


@program(grid("n"), labels)
def unique_in_each_trip(x, kinds):
    s = 0.0
    for k in range(4):
        values, inverse = np.unique(kinds[k:], return_inverse=True)
        sums = np.zeros(len(values))
        np.add.at(sums, inverse, np.sin(s) + x[inverse % len(x)] * kinds[k:])
        s = 0.1 * np.sum(sums**2 * np.arange(len(values))) / len(values)
    return s


@program(grid("n"))
def levels_in_each_trip(x):
    s = 0.0
    for k in range(5):
        u = np.unique(np.maximum(x, 0.2 * k - 0.43))
        s = s + np.sum(u**2 * np.arange(len(u)) * np.cos(s)) / u.size
    return s


@program(grid("n"))
def levels_in_an_arm(x):
    if x[0] > 0:
        u = np.unique(np.maximum(x, 0.25))
        r = np.sum(u**3) / len(u)
    else:
        u, counts = np.unique(np.minimum(x, 0.25), return_counts=True)
        r = np.sum(u**2 * counts)
    return r * x[1]


@program(": n 2", labels)
def loop_over_groups(x, kinds):
    x = x.ravel()
    total = 0.0
    for kind in np.unique(kinds):
        part = x[kinds == kind]
        total = total + np.sum((part - np.mean(part)) ** 2) * np.cos(total)
    return total


# --- orders


@program(grid("n"), grid("n", 0.2, 0.04), salt=1)
def earth_movers_distance(x, y):
    return np.mean((np.sort(x) - np.sort(y)) ** 2)


@program(grid("n"), between(0.6, 0.9))
def expected_shortfall(losses, level):
    tail = np.sort(losses)[::-1]
    weights = np.exp(-np.arange(len(losses)) * level)
    return tail @ weights / np.sum(weights)


@program(grid("n"))
def trimmed_squares(r):
    kept = np.sort(r**2)[: len(r) // 2 + 1]
    return np.sum(kept) + kept[-1] * kept[0]


@program(grid("n m"), ": n")
def sorted_along_axes(A, w):
    up, flat = np.sort(A, axis=0), np.sort(A, axis=None)
    return up * w[:, None], np.sort(A) ** 2, flat * np.arange(flat.size)


@program(grid("n m"))
def ordered_by_a_column(A):
    order = np.argsort(A[:, 0])
    B = A[order]
    return np.diff(B, axis=0) ** 2, order * A[0, 0]


@program(grid("n m"))
def orders_along_an_axis(A):
    order = np.argsort(A, axis=1)
    ranks = np.argsort(order, axis=1)
    return np.take_along_axis(A, order, axis=1) * np.arange(A.shape[1]) + ranks * A


@program(grid("n"), ": n")
def concordance_by_ranks(score, y):
    order = np.argsort(-score, kind="stable")
    gains = y[order] / np.log2(np.arange(len(y)) + 2.0)
    return np.sum(gains * score[order])


@program(grid("n"))
def sorted_in_place(x):
    y = x.copy()
    y.sort()
    z = x * 2
    z[1:].sort()
    return y * np.arange(len(y)) + z**2 + y[x.argsort()]


@program(grid("n"), grid("m", 0.2, 0.03))
def interpolated_by_search(knots, at):
    knots = np.sort(knots)
    values = np.cos(knots)
    i = np.clip(np.searchsorted(knots, at), 1, len(knots) - 1)
    t = (at - knots[i - 1]) / (knots[i] - knots[i - 1])
    return values[i - 1] * (1 - t) + values[i] * t


@program(grid("n"), between(-0.1, 0.1))
def searched_in_a_loop(knots, start):
    knots = np.sort(knots)
    at = start
    for _ in range(5):
        i = np.searchsorted(knots, at, side="right")
        at = 0.5 * at + 0.3 * knots[min(i, len(knots) - 1)] ** 2
    return at


@program(grid("n"))
def sorted_in_each_trip(x):
    y = x
    for k in range(4):
        y = np.sort(y * (1 - 0.3 * k)) + 0.1 * x
    return y


@program(grid("n"))
def sorted_in_an_arm(x):
    y = np.sort(x) if x[0] > x[1] else x[np.argsort(-x)]
    return y * np.arange(len(y))


@program(signed(0.2, 1.5, "n"), size)
def cheapest_edges(w, n):
    """Kruskal's way through the edges of a ring: unions by labels."""
    order = np.argsort(np.abs(w))
    label = np.arange(n)
    total = 0.0
    for e in order:
        a, b = e, (e + 1) % n
        if label[a] != label[b]:
            total += w[e] ** 2
            label[label == label[b]] = label[a]
    return total


@program(grid("n"), fewer)
def average_of_the_largest(x, k):
    top = np.argsort(x)[-k:]
    return np.mean(x[top]), np.sum(x[np.sort(top)] * np.arange(k))
