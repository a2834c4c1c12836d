"""Programs that move, join, split and make arrays."""

from __future__ import annotations

import numpy as np

from programs.harness import program


@program(": n m k")
def reshaped(x):
    n, m, k = x.shape
    y = x.reshape(n, m * k) ** 2
    z = np.reshape(x, (-1, k)) * np.arange(k)
    return y.reshape(x.shape) + z.reshape((n, m, k)) + x.ravel().reshape(x.shape) + x.flatten()[0]


@program(": n m")
def reshaped_in_fortran_order(x):
    y = x.reshape(-1, order="F") * np.arange(x.size)
    z = x.T.ravel() + x.ravel(order="F") * 2
    return (y * z).reshape(x.shape, order="F") + x.flatten("F").reshape(x.shape)


@program(": n m k")
def permuted(x):
    y = np.transpose(x, (2, 0, 1)) * 2
    z = np.swapaxes(y, 0, 1) + np.moveaxis(x, 2, 1).transpose(0, 1, 2)
    return np.rollaxis(z, 1) + x.transpose(2, 0, 1) + x.T.T.transpose([2, 0, 1])


@program(": n m")
def axes_added_and_removed(x):
    y = np.expand_dims(x, 0) * x[:, None, :] + x[None, ...]
    z = np.squeeze(np.expand_dims(x, (0, -1)), axis=(0, 3)) + np.expand_dims(x, 1).squeeze(1)
    return y * z + np.atleast_2d(x[0]) * np.atleast_1d(x.sum())


@program(": n 1", ": m", ": ")
def broadcast(a, b, c):
    x, y = np.broadcast_arrays(a, b)
    z = np.broadcast_to(b, (3, len(b))) * np.broadcast_to(c, (3, 1))
    return x * y + z.sum(axis=0) + np.broadcast_to(a, (len(a), 4)).sum(axis=1)[:, None]


@program(": n m", ": k m", ": m")
def joined(a, b, u):
    c = np.concatenate([a, b, u[None]], axis=0)
    d = np.concatenate((a, a * 2), axis=-1)
    return np.vstack([c, u]) * 2, np.hstack([d, a]), np.concatenate([a, b], axis=None) * 3


@program(": n", ": n", "scalar: ")
def stacked(x, y, s):
    z = np.stack([x, y, x * y]) + np.stack((x, y, x), axis=-1).T
    pair = np.column_stack([x, y]) * np.array([s, 2.0])
    return (
        z.sum(axis=0) * pair[:, 0] + np.dstack([x, y])[0].sum(axis=1) + np.array([s, s * 2]).sum()
    )


@program(": n m", ": m")
def split_up(x, u):
    left, right = np.split(x.repeat(2, axis=0), 2)
    parts = np.array_split(x, 2, axis=0)
    first, rest = np.split(x, [1], axis=1)
    return (
        left * right + parts[0].sum() * parts[1].sum() + first * rest.sum() + np.hsplit(u, [1])[0]
    )


@program(": n m")
def flipped_and_rolled(x):
    y = np.flip(x) + np.flip(x, 0) * np.fliplr(x) + np.flipud(x) + np.flip(x, axis=(0, 1))
    return (
        y
        + np.roll(x, 1) * np.roll(x, -1, axis=0)
        + np.roll(x, (1, 2), axis=(0, 1))
        + np.roll(x, 2, 1)
    )


@program(": n m")
def rotated_and_triangles(x):
    return np.rot90(x) @ np.tril(x) + np.rot90(x, 2).T @ np.triu(x, 1)


@program(": n", ": n m")
def repeated_and_tiled(x, y):
    a = np.repeat(x, 2) * np.tile(x, 2)
    return (
        a.reshape(2, -1) @ y + np.tile(y, (2, 1))[: len(y)].sum() + np.repeat(y, 2, axis=1).sum()
    )


@program(": n m")
def padded(x):
    y = np.pad(x, 1) + np.pad(x, ((0, 2), (1, 1)), constant_values=3.0)
    return y * np.pad(x, (1, 1), mode="edge")


@program(": n", ": m")
def grids(x, y):
    X, Y = np.meshgrid(x, y)
    I, J = np.meshgrid(x, y, indexing="ij")
    return X * Y + (I * J).T + np.add.outer(y, x) * np.multiply.outer(y, x)


@program(": n m", "scalar: ")
def creators(x, s):
    n, m = x.shape
    y = np.zeros((n, m)) + np.ones(m) * x + np.full((n, 1), s) + np.eye(n, m) * x
    y += np.zeros_like(x) + np.ones_like(x) * s + np.full_like(x, 2.0) + np.full_like(x, s)
    return (
        y
        + np.arange(m) * x
        + np.linspace(0, 1, m) * x
        + np.identity(m)[0]
        + np.empty((n, 0)).sum()
    )


@program("scalar: ", "scalar: ")
def ranges_between_scalars(a, b):
    x = np.linspace(a, b, 5)
    return (
        np.sin(x) * np.arange(5)
        + np.linspace(0, a, 5, endpoint=False)
        + np.array([a, b, 1, 2, a * b])
    )


@program("scalar: ", "scalar: ", ": n")
def arrays_of_elements(a, b, x):
    m = np.array([[a, -b], [b, a]])
    v = np.asarray([x[0], x.sum()])
    return m @ v + np.array([a, 2]) * np.array((1.0, b)) + np.array(x)[0] + np.asarray(x)[-1]


@program(": n m", "int: n")
def casts_and_copies(x, i):
    y = x.copy() * i.astype(float)[:, None] + x.astype(np.float64) + np.copy(x)
    z = np.array(x, copy=True) + np.ascontiguousarray(x.T).T + np.asarray(x, dtype=float)
    return y * z + x.astype(np.complex128).real + i[:, None].astype(bool) * x


@program(": n m", smooth=False)
def casts_that_cut(x):
    return (
        x.astype(int) * x + np.float64(x[0, 0]) * x + np.array(x, dtype=np.int32).astype(float) * x
    )


@program(": n m")
def rounded_through_float32(x):
    return x.astype(np.float32, copy=False).astype(np.float64).sum() * 0 + x * 2


@program(": n n", ": n")
def diagonals(a, u):
    return (
        np.diag(a) * u
        + np.diag(u) @ u
        + np.diagonal(a, offset=0)
        + np.diagflat(u).sum(axis=0)
        + np.trace(a)
    )


@program(": n m")
def inserted_and_deleted(x):
    y = np.insert(x, 1, 2.0, axis=0)
    return np.delete(y, 0, axis=0) * x + np.append(x, x[:1], axis=0)[1:]


@program(": n m", ": m", sized=True)
def unpacked(x, u):
    first, *rest = x
    total = first * 2
    for i, row in enumerate(rest, 1):
        total = total + row * i
    for a, b in zip(x, x[::-1], strict=True):
        total = total + a * b * u
    return total


@program(": n m k")
def reshaped_views_of_views(x):
    y = x.transpose(2, 0, 1)[::-1].reshape(x.shape[2], -1)
    return y * y.sum(axis=0) + x.swapaxes(0, 2)[:, 1].sum(axis=1)[:, None]


@program(": n", ": n")
def triangles_of_vectors(x, y):
    lower = np.tril(np.outer(x, y), k=-1)
    return lower.sum(axis=0) + np.triu(x[:, None] - y).sum(axis=1)


@program("0-d: ", ": ")
def arrays_without_axes(x, y):
    z = np.reshape(x, (1, 1)) * np.atleast_1d(y)
    return z.squeeze() + x[()] * y[()] + np.sum(x) * np.mean(y) + x.T * y.ravel()[0]


@program(": n m")
def methods(x):
    y = x.sum(0).cumsum().repeat(2).reshape(2, -1).T.flatten().take([0, 1])
    z = x.dot(x.T).trace() + x.ravel().prod() + x.mean() + x.var() + x.std() + x.max() + x.min()
    return (
        y * z
        + x.diagonal()[0]
        + x.swapaxes(0, 1).squeeze().sum()
        + x.round(0).sum()
        + x.conj().sum()
    )
