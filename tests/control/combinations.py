"""The hard combinations: views, branches, early exits and changing lengths, all in one loop."""

from __future__ import annotations

import numpy as np

from control.harness import program
from control.inputs import between, definite, dominant, fewer, grid, scaled, signed, single, size

# ruff: noqa: B007, PLR1716, PLR1730, PLW2901


@program(signed(0.3, 1, "n m"), "scalar: ")
def carried_array_written_through_a_view_in_a_branch(A, a):
    state = np.ones(A.shape[1])
    for i in range(A.shape[0]):
        if A[i, 0] > 0:
            head = state[: A.shape[1] // 2]
            head *= a + A[i, 1]
        else:
            tail = state[::-1][:2]
            tail += np.tanh(A[i, :2])
        state = state * 0.9 + 0.1 * A[i]
    return state


@program(single(1.0, "n"), single(0.5, "n n"), tolerance=2e-4)
def float32_recurrence(x, A):
    h = np.zeros_like(x)
    for i in range(len(x)):
        h = np.tanh(A @ h + x[i])
        if h[0] > 10:
            h = h * 2
    return h


@program(single(1.0, "n m"), lambda s, r: np.float32(r.uniform(0.5, 1)), tolerance=2e-4)
def float32_writes(A, a):
    out = np.zeros(A.shape, dtype=A.dtype)
    total = A.dtype.type(0)
    for i in range(A.shape[0]):
        out[i, : i + 1] = a * A[i, : i + 1]
        total += out[i] @ A[i - 1]
    return out, total


@program(single(1.0, "n"), ": n", tolerance=2e-4)
def float32_beside_float64(x, y):
    acc = x[0]
    for i in range(1, len(x)):
        if y[i] > 9:
            acc = acc * 2
        acc = acc + x[i] * 0.5
    return acc, acc * y


@program(": n n")
def triangle_by_growing_slices(A):
    n = A.shape[0]
    total = np.zeros(n)
    for i in range(n):
        total[:i] += A[i, :i] * np.sum(A[:i, i])
        total[i] = np.sum(total[:i]) + A[i, i]
        A[i:, i] *= 0.5
    return total


@program(lambda s, r: 0, ": n", static=("steps",))
def no_trips(steps, x):
    y = x * 2
    for t in range(steps):
        y = np.sin(y) * t
    return y


@program(": n", between(0.1, 0.5))
def while_that_never_runs(x, a):
    total = np.sum(x**2)
    while a > 1.0:
        total = total * 3
        a = a / 2
    return total * a


@program(": n", fewer, static=("stop",))
def empty_inner_ranges(x, stop):
    y = x.copy()
    for i in range(len(x)):
        for j in range(i, stop):
            y[j] += 0.1 * y[i]
        for j in range(i - 1, -1, -2):
            y[j] *= x[i]
    return y


@program(": m")
def strided_ranges(x):
    n = len(x)
    total = 0.0
    for i in range(n - 1, 0, -2):
        x[i - 1] += 0.5 * x[i]
        total += x[i - 1] ** 2
    for i in range(1, n, 3):
        total *= 1 + 0.1 * np.sin(x[i])
    for i in range(-1, -n, -1):
        total += i * x[i]
    return total


@program(": n m")
def conditions_on_the_index(A):
    n, m = A.shape
    for i in range(n):
        for j in range(m):
            if i == j:
                A[i, j] = 1.0
            elif i > j and (i + j) % 2 == 0:
                A[i, j] *= A[j, i]
            elif j == m - 1:
                A[i, j] = A[i, 0] ** 2
            elif i > 0:
                A[i, j] += 0.5 * A[i - 1, j]
    return A


@program(": n", ": n")
def index_arithmetic(x, y):
    n = len(x)
    out = np.zeros(2 * n - 1)
    for i in range(n):
        for j in range(n):
            out[i + j] += x[i] * y[j]
            out[(i * 2 + j) % (2 * n - 1)] -= 0.1 * x[(i + 1) % n]
            out[abs(i - j)] += 0.01 * y[n - 1 - j] * (i // 2)
    return out


@program(grid("n m", 0.27), between(0.3, 0.6), salt=5)
def return_out_of_nested_loops(A, a):
    total = a
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            total += A[i, j] ** 2
            if total > 4:
                return total * A[i, j], i + 0.5 * j
        total *= 0.9
    return total, 0.0


@program(grid("n", 0.3), between(0.5, 0.7), size, static=("most",))
def while_in_for_with_break_and_else(x, a, most):
    out = np.zeros_like(x)
    for i, v in enumerate(x):
        k = 0
        while k < most:
            v = a * v + 0.1
            k += 1
            if v > 0.4:
                out[i] = v * k
                break
        else:
            out[i] = -v
            continue
        out[i] += 1.0
    return out


@program(dominant, ": n", size, static=("sweeps",))
def relaxation_with_a_kept_history(A, b, sweeps):
    x = np.zeros_like(b)
    history = np.zeros((sweeps, len(b)))
    for s in range(sweeps):
        for i in range(len(b)):
            row = A[i]
            others = row[:i] @ x[:i] + row[i + 1 :] @ x[i + 1 :]
            x[i] = (b[i] - others) / row[i]
        history[s] = x
        if s > 0:
            history[s] -= 0.1 * history[s - 1]
    return history, x


@program(definite, grid("n", 0.4))
def active_set(A, b):
    """Projected coordinate descent: an element is at its bound or it is not."""
    x = np.zeros(len(b))
    at_bound = np.zeros(len(b), dtype=bool)
    for sweep in range(3):
        for i in range(len(b)):
            new = x[i] - (A[i] @ x - b[i]) / A[i, i]
            if new < 0:
                x[i] = 0.0
                at_bound[i] = True
            else:
                x[i] = new
                at_bound[i] = False
    return x, np.sum(A[0] * ~at_bound)


@program(signed(0.3, 1.2, "n 2"), scaled(0.4, "2 2"), ": 2", specialised=True)
def two_regimes(xs, W, h):
    """What is carried changes its meaning with the branch: names, views, and one early exit."""
    log = []
    regime = 0
    for t, x in enumerate(xs):
        if x[0] * x[1] > 0:
            regime = 1 - regime
        if regime == 0:
            h = np.tanh(W @ h + x)
        else:
            W = W * 0.9
            h[0] += x[1]
        if t > 0 and np.sum(h**2) > 50:
            break
        log.append(h.sum())
    return np.array(log), W


@program(grid("n n", 0.19), between(0.8, 1.2))
def game_on_a_grid(A, a):
    """A new buffer for every trip, and neighbours that may lie outside."""
    n = A.shape[0]
    for t in range(2):
        B = np.zeros_like(A)
        for i in range(n):
            for j in range(n):
                s, count = 0.0, 0
                for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                    if 0 <= i + di < n and 0 <= j + dj < n:
                        s += A[i + di, j + dj]
                        count += 1
                mean = s / count
                B[i, j] = a * mean if A[i, j] > 0 else A[i, j] - mean
        A = 0.5 * np.tanh(B) + 0.6
    return A


@program(grid("n", 0.3), "scalar: ")
def queue_in_a_ring(x, a):
    """Head and tail are counters; what is pushed depends on what is popped."""
    capacity = 2 * len(x)
    ring = np.zeros(capacity)
    head, tail = 0, 0
    for v in x:
        ring[tail % capacity] = v
        tail += 1
    total = 0.0
    while head < tail and tail < 2 * capacity:
        front = ring[head % capacity]
        head += 1
        total += front**2
        if front > 0.4:
            ring[tail % capacity] = front * 0.3 * a
            tail += 1
    return total


@program(signed(0.3, 1, "n"), between(0.2, 0.8))
def shared_buffer_between_calls(x, a):
    work = np.zeros(3)

    def step(value, out):
        work[1:] = work[:-1].copy()
        work[0] = value
        if value > 0:
            out += work * a
        else:
            out -= work

    result = np.zeros(3)
    for v in x:
        step(v, result)
    return result, work


@program(signed(0.3, 1, "n m"))
def accumulated_over_columns_then_rows(A):
    n, m = A.shape
    S = np.zeros((n + 1, m + 1))
    for i in range(n):
        for j in range(m):
            S[i + 1, j + 1] = A[i, j] + S[i, j + 1] + S[i + 1, j] - S[i, j]
    best = S[n, m]
    for i in range(n):
        inner = S[i + 1, m] - S[i, m]
        if inner > best:
            best = inner
    return best, S


@program(
    between(0.5, 1.5, "n"),
    between(0.5, 1.5, "n"),
    shared=False,
    written_out="a while loop pops the elements of a list",
)
def backwards_after_forwards(x, w):
    """A tape by hand: the list is popped in the second loop."""
    tape = []
    y = 1.0
    for a, b in zip(x, w, strict=True):
        tape.append((y, a))
        y = np.sin(a * y) + b
    slope, grads = 1.0, []
    while tape:
        before, a = tape.pop()
        grads.append(slope * np.cos(a * before) * before)
        slope = slope * np.cos(a * before) * a
    return np.array(grads[::-1]), y
