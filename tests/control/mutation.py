"""Writes in loops: through views, by helpers, into buffers and containers."""

from __future__ import annotations

import numpy as np

from control.harness import program
from control.inputs import between, fewer, grid, scaled, signed, size

# ruff: noqa: SIM108


@program(": n n", size, static=("rounds",))
def rows_swapped(A, rounds):
    for r in range(rounds):
        i, j = r % A.shape[0], (r + 1) % A.shape[0]
        A[i], A[j] = A[j].copy(), A[i].copy()
        A[i] *= 0.5
    return A


@program(": n n")
def elements_swapped(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            A[i, j], A[j, i] = A[j, i] * 2, A[i, j]
    return A


@program(": n", fewer, static=("steps",))
def overlapping_slices(x, steps):
    for _ in range(steps):
        x[1:] += 0.5 * x[:-1]
        x[:-1] = x[1:] * x[:-1]
    return x


@program(": n m")
def views_of_views(A):
    for i in range(A.shape[0]):
        row = A[i]
        tail = row[1:]
        tail *= 1 + 0.1 * i
        inner = tail[::2]
        inner += row[0]
    return A


@program(": n m")
def transposed_view_written(A):
    B = A.T
    for j in range(B.shape[0]):
        B[j] = B[j] * B[j - 1] if j > 0 else B[j] + 1
    return A


@program(": n n")
def diagonal_and_antidiagonal(A):
    n = len(A)
    for i in range(n):
        A[i, i] = np.sin(A[i, i]) * A[i, n - 1 - i]
        A[n - 1 - i, i] += 0.5
    return A


@program(": n", ": n")
def buffer_filled_piecewise(x, y):
    n = len(x)
    out = np.empty(2 * n)
    for i in range(n):
        out[2 * i] = x[i] * y[i]
        out[2 * i + 1] = x[i] - y[n - 1 - i]
    return out


@program(lambda s, r: r.integers(0, 3, size=(s["n"], 4)), ": n 4")
def histogram_by_add_at(places, values):
    bins = np.zeros(3)
    for row, value in zip(places, values, strict=True):
        np.add.at(bins, row, value**2)
        bins *= 0.9
    return bins


@program(": n", ": n", size, static=("steps",))
def results_into_out(x, y, steps):
    work = np.empty_like(x)
    for _ in range(steps):
        np.multiply(x, y, out=work)
        np.tanh(work, out=work)
        np.add(x, work, out=x)
        np.subtract(y, 0.1, y)
    return x


@program(": n n", ": n")
def copyto_and_fill(A, x):
    row = np.zeros(len(x))
    for i in range(A.shape[0]):
        np.copyto(row, x)
        row *= A[i]
        A[i].fill(0.5)
        A[i, i] = row.sum()
    return A, row


def normalise(v):
    v /= np.sqrt(np.sum(v**2))


def axpy(a, x, y):
    y += a * x


@program(": n m", salt=1)
def helpers_that_return_nothing(A):
    for i in range(A.shape[0]):
        for j in range(i):
            axpy(-np.dot(A[i], A[j]), A[j], A[i])
        normalise(A[i])
    return A


@program(scaled(0.4, "n n"), between(0.3, 0.9))
def helper_with_a_branch_that_writes(A, a):
    def clipped(row, limit):
        if row[0] > 0:
            row[1:] *= limit
            return
        row[:] = row * 0.5 + limit

    for i in range(len(A)):
        clipped(A[i], a)
        clipped(A[:, i], a / 2)
    return A


@program(signed(0.2, 1, "n m"), "scalar: ")
def view_written_in_a_branch_in_a_loop(A, a):
    out = np.zeros_like(A)
    for i in range(A.shape[0]):
        target = out[i]
        if A[i, 0] > 0:
            target[:] = a * A[i]
        else:
            target += A[i - 1] ** 2
            target[0] = -1.0
    return out


@program(signed(0.2, 1, "n"), between(0.4, 0.8), salt=2)
def which_view_depends_on_a_branch(x, a):
    """Both arms bind the name to a part of the same array."""
    y = x * 1.0
    half = len(x) // 2
    if x[0] > 0:
        part = y[:half]
    else:
        part = y[-half:]
    part *= a
    part[0] += x[1]
    return y


@program(grid("n", 0.3), "scalar: ")
def element_stores_under_conditions(x, a):
    y = np.zeros(x.shape)
    for i in range(1, len(x)):
        if x[i] > x[i - 1]:
            y[i] = y[i - 1] + a
            x[i - 1] = 0.0
        elif i % 2 == 0:
            y[i] = x[i] * y[i - 1]
        else:
            y[i - 1] *= 0.5
            y[i] -= x[i]
    return x, y


@program(": n", "scalar: ")
def list_of_arrays_carried(x, a):
    stack = [x]
    for i in range(3):
        top = stack.pop()
        stack.append(np.sin(top) * a)
        stack.append(top + i)
    return stack[0] + stack[-1] * stack[1]


@program(": n 3", ": 3")
def dict_carried(X, w):
    state = {"sum": np.zeros(3), "count": 0, "last": w}
    for row in X:
        state["sum"] = state["sum"] + row * state["last"]
        state["count"] += 1
        state["last"] = np.tanh(row)
    return state["sum"] / state["count"], state["last"]


@program(": n", ": n")
def lists_by_comprehension(x, y):
    pairs = [(a * b, a + b) for a, b in zip(x, y, strict=True)]
    products = [p for p, _ in pairs]
    sums = np.array([s for _, s in pairs])
    table = np.array([[p * s for p in products] for s in sums])
    return table.sum(axis=0), np.stack([sums, np.array(products)])


@program(": n 3", "scalar: ")
def stacked_rows(X, a):
    rows = []
    carry = np.zeros(3)
    for i, row in enumerate(X):
        carry = 0.5 * carry + a * row
        rows.append(np.exp(-carry) * i)
    return np.vstack(rows), np.concatenate(rows)


@program(": n m", shared=False)
def reversed_and_indexed(A):
    out = np.zeros(A.shape[1])
    for i, row in reversed(list(enumerate(A))):
        out = out * 0.5 + row * (i + 1)
    for j in reversed(range(A.shape[1])):
        out[j] += A[-1, j] * out[j - 1]
    return out


@program(": n", shared=False, written_out="the array is longer after each iteration")
def concatenated_in_a_loop(x):
    y = x[:1]
    for i in range(1, len(x)):
        y = np.concatenate([y * 0.5, x[i : i + 1] * y[-1:]])
    return y


@program(": n n")
def same_array_under_two_names(A):
    B = A
    for i in range(1, len(A)):
        B[i] += 0.5 * A[i - 1]
        A[:, i] *= B[0]
    return A + B


@program(": n n", ": n")
def masked_stores(A, x):
    for i in range(len(x)):
        row = A[i]
        row[row > 5] = 0.0
        A[i] = np.where(np.arange(len(x)) <= i, row * x, 1.0)
    A[np.eye(len(x), dtype=bool)] = x
    return A


@program(": n n", lambda s, r: r.permutation(s["n"]), size, static=("rounds",))
def rows_permuted(A, order, rounds):
    for _ in range(rounds):
        A[:] = A[order] * 0.9
        A[order[0]] += 1.0
    return A


@program(": n m", lambda s, r: r.integers(0, s["n"], size=5))
def gathered_and_scattered(A, index):
    out = np.zeros_like(A)
    for k in index:
        out[k] += A[k] ** 2
        A[k - 1] *= 0.5
    return out, A[index].sum(axis=0)


@program(": n n n")
def planes_by_views(A):
    n = A.shape[0]
    for k in range(n):
        plane = A[:, k, :]
        line = plane[k]
        line -= plane.mean(axis=0)
        plane.T[k] *= 1.5
    return A


@program(": n n", ": n")
def reshaped_view_written(A, x):
    flat = A.reshape(-1)
    step = A.shape[1] + 1
    for i in range(len(x)):
        flat[i * step] += x[i]
        flat[i] = np.tanh(flat[i])
    return A


@program(": n", ": n")
def argument_kept_after_its_change(x, y):
    saved = []
    for i in range(len(x)):
        saved.append(x.copy())
        x *= y[i]
        x[i] = saved[-1][i - 1]
    return sum(saved) + x


@program(": n", salt=1)
def tuple_assignment_in_order(x):
    a, b, c = x[0], x[1], x[2]
    for i in range(len(x)):
        a, b, c = b, c, np.sin(a + b * c) + x[i]
        x[i], x[i - 1] = x[i - 1], x[i]
    return a + b * c, x * np.arange(len(x))


@program(": n n", "scalar: ")
def augmented_operators(A, a):
    for i in range(1, A.shape[0]):
        A[i] -= A[i - 1]
        A[i] *= a
        A[i] /= 2 + A[i - 1] ** 2
        A[:, i] **= 2
    return A
