"""Programs that read parts of arrays, and write to them, through views too."""

from __future__ import annotations

import numpy as np

from programs.harness import program


@program(": n m k")
def basic_reads(x):
    a = x[0] * x[-1] + x[:, 0].sum() + x[..., -1][1:].sum() + x[1:, :, ::2].sum()
    return a + x[::-1, :, 1][0].sum() + x[-1, 1:, -1].sum() + x[0, 0, 0] + x[:, None, 0].sum()


@program(": n")
def differences_of_slices(x):
    inner = x[2:] - 2 * x[1:-1] + x[:-2]
    return inner**2 * x[1:-1] + x[::2].sum() + x[::-2].prod() + x[-2:].sum() + x[:-1:3].sum()


@program(": n m", "index n: k", "index m: k")
def integer_reads(x, i, j):
    return (
        x[i] * 2,
        x[i, j] * x[i, 0],
        x[:, j] ** 2,
        x[i][:, j],
        x[i[0], j[0]],
        x[i, :] * x[j[0] % 2],
    )


@program(": n m", "index n: k", "index m: 2 2")
def integer_reads_of_higher_rank(x, i, j):
    return x[i[:, None], j[0]] ** 2, np.take(x, j, axis=1), x[:, j].sum(axis=0), x.take(i, axis=0)


@program(": n", pure=False)
def truths_as_positions(x):
    which = (x > 0.1).astype(int)
    y = np.zeros(3)
    y[which] += x
    y[(x[0] > 0) + 1] = x[1] * x[2]
    return x[which] ** 2, x[(x > 0.1) + 1] * x, np.sum(y**2)


@program(": n m", "mask: n m", "mask: n", pure=False)
def boolean_reads(x, m, r):
    return (
        np.sum(x[m] ** 2)
        + x[r].sum(axis=0) * 2
        + np.sum(x[x > 0])
        + x[~m].sum() * 3
        + np.exp(x[r, 0]).sum()
    )


@program(": n m k", "index n: b", "index k: b")
def mixed_indices(x, i, j):
    a = x[i, :, j] * 2
    b = x[i, 1:, j] + x[i][:, 1:, 0]
    return a.sum(axis=1) + b.sum(axis=1) + x[0, 1:, j].sum(axis=1) + x[None, i, ..., j].sum()


@program(": n m", "int: n m", ": n m", pure=False)
def gathers_by_order(x, order, y):
    order = order % len(x)
    return (
        np.take_along_axis(x, order, axis=0) * y + x[np.argmax(y, axis=0), np.arange(x.shape[1])]
    )


@program(": n", "index n: k", ": k", pure=False)
def scatter_stores(x, i, v):
    y = np.zeros(len(x))
    y[i] = v * 2
    y[i] += v
    y[0] *= 3.0
    np.add.at(y, i, v * x[i])
    return y * x


@program(": n m", ": m", ": n", pure=False)
def rows_and_columns_stored(x, u, v):
    y = x.copy()
    y[0] = u
    y[:, 1] = v
    y[1:, -1] *= v[1:]
    y[-1, :] += y[0]
    y[0, 0] = y[-1, -1] ** 2
    return y * y


@program(": n m", ": n m", pure=False)
def masked_stores(x, y):
    z = x * y
    z[z > 0] = 1.0
    z[x < 0] *= 2.0
    z[y > 0] += y[y > 0]
    z[(x > 0) & (y < 0)] = x[(x > 0) & (y < 0)] ** 2
    return z * x


@program(": n m", pure=False)
def argument_overwritten(x):
    x *= 2.0
    x[0] = 1.0
    x += x[::-1]
    x[:, 0] -= x[:, -1]
    return np.sum(x**2, axis=0)


@program(": n m", ": m", pure=False)
def writes_through_views(x, u):
    y = x.copy()
    row = y[1]
    row += u
    column = y[:, 0]
    column[1:] *= 2.0
    block = y[:2, 1:]
    block[...] = block * 3.0
    row[:] = row * u
    t = y.T
    t[0] -= 1.0
    r = y.reshape(-1)
    r[-1] = r[0] * r[1]
    return y


@program(": n", pure=False)
def overlapping_slices(x):
    y = x.copy()
    y[1:] = y[:-1] * 2
    y[:-1] += y[1:]
    y[::-1] = y * np.arange(len(y))
    y[::2] -= y[1::2].sum()
    return y * x


@program(": n m", pure=False)
def swapped_rows(x):
    y = x.copy()
    y[0], y[-1] = y[-1].copy(), y[0].copy()
    y[[0, 1]] = y[[1, 0]]
    y[:, [0, -1]] = y[:, [-1, 0]]
    return y * np.arange(y.shape[1])


@program(": n m", pure=False)
def aliased_swap(x):
    """Without copies the second store reads what the first one wrote."""
    y = x.copy()
    y[0], y[1] = y[1], y[0]
    return y * x


@program(": n", pure=False)
def names_of_one_array(x):
    y = x * 1.0
    z = y
    w = y[:]
    z += 1
    w[0] = 5.0
    v = +y
    y *= 2
    v[1] = 7.0
    return y + z * w + v


@program(": n", ": n", pure=False)
def buffer_used_again(x, y):
    b = np.zeros_like(x)
    b += x
    first = b * y
    b[:] = y
    second = b * x
    b[...] = 100.0
    return first + second * 2 + b[0]


@program(": n", ": n", pure=False)
def old_values_kept_by_copies(x, y):
    b = x.copy()
    old = b.copy()
    alias = b
    b += y
    b = b * 2
    b[0] = 0.0
    alias[1] = old[0] * 3
    return old * alias + b


@program(": n m", "index n: k", ": k m", pure=False)
def rows_stored_by_indices(x, i, v):
    y = np.ones_like(x)
    y[i] = v
    z = y.copy()
    z[i, 0] = v[:, 0] * v[:, 1]
    z[i, 1] += 1.0
    y[i] *= 2.0
    return y * z + x


@program("f4: n", ": n", pure=False, single=False)
def stores_that_cast(x, y):
    b = np.zeros(len(x), dtype=np.float32)
    b[:] = y
    b *= 2.0
    b += x
    c = np.zeros(len(x))
    c[:] = x
    c[0] = 3
    return b * x, c * y


@program(": n", "int: n", pure=False, smooth=False)
def stores_into_integers(x, i):
    i = i.copy()
    i[0] = 2
    i += 3
    b = np.zeros(len(x), dtype=int)
    b[:] = x * 3
    return x * i + b * x


@program("complex: n", ": n", pure=False)
def stores_into_complex(z, x):
    w = np.zeros(len(x), dtype=complex)
    w.real[:] = x
    w.imag[1:] = x[1:] ** 2
    w[0] += z[0]
    w *= z
    z = z.copy()
    z.imag[...] *= 2
    return w + z


@program(": n m", pure=False)
def diagonal_stores(x):
    m = x.T @ x
    i = np.arange(len(m))
    m[i, i] += 1.0
    m[np.diag_indices(len(m))] *= 2.0
    np.fill_diagonal(m, m.sum(axis=0))
    m[0, 0] = 2.0
    return m


@program(": n", ": n", pure=False)
def copied_into(x, y):
    z = np.empty_like(x)
    np.copyto(z, x)
    z.fill(2.0)
    z[:] = x
    np.copyto(z, y, where=x > 0)
    np.put(z, [0], 4.0)
    return z * y


@program(": n m", ": m", pure=False)
def buffer_filled_piecewise(x, u):
    n, m = x.shape
    out = np.empty((2 * n, m))
    out[:n] = x * u
    out[n:] = x[::-1]
    out[0, :] = 0.0
    return np.tanh(out)


@program(": n", pure=False, sized=True)
def recurrence(x):
    y = np.zeros(len(x) + 1)
    for i in range(len(x)):
        y[i + 1] = 0.5 * y[i] + np.sin(x[i])
    return y[1:] * x


@program(": n m", pure=False, sized=True)
def rows_written_in_a_loop(x):
    out = np.zeros_like(x)
    for i, row in enumerate(x):
        out[i] = row * i
        row[0] = 0.0
        out[i, 0] += row.sum()
    return out + x


@program(": 5 5", "scalar: ", pure=False)
def heat_equation(u, rate):
    u = u.copy()
    for _ in range(3):
        u[1:-1, 1:-1] += (
            rate
            * 0.1
            * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        )
        u[0] = u[1]
        u[:, -1] = 0.0
    return u


@program(": 4", ": 4 4", pure=False)
def gauss_seidel(b, a):
    x = np.zeros(4)
    for _ in range(2):
        for i in range(4):
            x[i] = (b[i] - a[i, :i] @ x[:i] - a[i, i + 1 :] @ x[i + 1 :]) / (5 + a[i, i] ** 2)
    return x


@program(": 4 4", pure=False)
def cholesky_by_loops(m):
    a = m @ m.T + 4 * np.eye(4)
    factor = np.zeros_like(a)
    for i in range(4):
        for j in range(i + 1):
            s = a[i, j] - factor[i, :j] @ factor[j, :j]
            factor[i, j] = np.sqrt(s) if i == j else s / factor[j, j]
    return factor


@program(": 4 4", ": 4", pure=False)
def elimination(a, b):
    a = a + 5 * np.eye(4)
    b = b.copy()
    for k in range(3):
        for i in range(k + 1, 4):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            b[i] -= f * b[k]
    x = np.empty(4)
    for i in reversed(range(4)):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


@program(": 6", pure=False)
def durbin(r):
    r = np.tanh(r) * 0.2
    y = np.empty_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, 6):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


@program(": 3 5", "positive: 5", pure=False)
def scratch_rows(x, w):
    scratch = np.zeros(5)
    total = np.zeros(5)
    for row in x:
        scratch[:] = row
        scratch *= w
        total += scratch**2
        scratch[1:] = total[:-1]
        total[0] += scratch[-1]
    return total


@program(": n m k", pure=False)
def nested_views(x):
    y = x * 1.0
    a = y[1:]
    b = a[:, 0]
    c = b[..., ::-1]
    c[0] *= 4.0
    y[1] += 1.0
    d = c.T
    d += b.T
    a[0] = a[-1] * 2
    return y + c.sum()


@program(": n m", pure=False)
def views_in_containers(x):
    y = x.copy()
    rows = [y[0], y[1]]
    named = {"last": y[-1]}
    rows[0] += 1.0
    rows[1][:] = rows[0] * 2
    named["last"] *= rows[1]
    rows[0] = rows[0] * 100
    return y, rows[0]


def _scaled_in_place(a, factor):
    a *= factor
    a[0] += 1.0


@program(": n m", "scalar: ", pure=False)
def helper_that_writes(x, s):
    y = x.copy()
    _scaled_in_place(y, s)
    _scaled_in_place(y[1], 2.0)
    _scaled_in_place(y.T, s)
    return y


@program(": n", pure=False)
def results_that_are_views(x):
    y = x * 2
    z = y[1:]
    y[0] = 3.0
    return y, z, y[::-1], x, x[1:]


@program(": n m", ": n m", pure=False)
def masks_stay_as_they_were(x, y):
    z = x.copy()
    positive = z > 0
    z[positive] = y[positive]
    z[positive] *= 2
    z -= y
    again = z > 0
    z[again] = z[again] ** 2
    return z


@program(": n", "index n: k", pure=False)
def indices_written_later(x, i):
    j = i.copy()
    y = x[j] * 2
    j[:] = 0
    z = x[j]
    j += 1
    w = np.zeros(len(x))
    w[j[:1]] += y[0]
    return y + z, w


@program(": n m", pure=False)
def conditions_on_what_was_written(x):
    y = x.copy()
    for i in range(2):
        y = np.where(y > 0, y * 2, y)
        y[i] = y[i - 1] * 0.5
        y -= y.mean()
    return y


@program("complex: n m", ": n m", pure=False)
def complex_and_real_views(z, x):
    w = z.copy()
    w[0] = x[0]
    w[1:] *= 1j
    view = w.T[0]
    view += 2.0
    return w * w.conj()


@program(": n m", pure=False, rewritten=True)
def in_place_operators(x):
    y = x.copy()
    y += 1
    y -= 0.5 * x
    y *= y
    y /= 2 + x * x
    y **= 2
    y[1:] **= 3
    y[:, 0] /= y[0, 0] + 1
    y @= np.eye(y.shape[1]) * 2
    return y
