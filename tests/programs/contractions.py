"""Programs of products and contractions, and of models built from them."""

from __future__ import annotations

import numpy as np

from programs.harness import program


@program(": n m", ": m k", ": m", ": n")
def matrix_products(a, b, u, v):
    c = a @ b
    return c.T @ v + np.dot(u, b) + a.dot(u) @ c + np.matmul(v, c) * (u @ u) + v @ a @ b


@program(": b n m", ": m k", ": b k n", ": m", ": n")
def stacked_products(a, b, c, u, v):
    x = a @ b
    y = np.matmul(x, c)
    return y + (v @ a @ u * y.sum())[:, None, None] + (a @ u)[:, None, :] * y[0, 0] + y @ x @ c


@program(": b 1 n m", ": k m n")
def broadcast_products(a, b):
    return np.matmul(a, b) + np.swapaxes(a @ b, -1, -2)


@program(": n m", ": k m", ": m", ": n")
def dots_of_all_ranks(a, b, u, s):
    x = np.inner(a, b) * np.outer(s, np.dot(b, u))
    return x + np.vdot(u, u) + np.dot(2.0, a).sum() + np.dot(u[0], s)[:, None] + np.inner(s, s)


@program(": b n m", ": m k", rewritten=True)
def dot_of_higher_ranks(a, b):
    return np.dot(a, b) + np.inner(a, b.T) * 0.5 + np.tensordot(a, b, axes=1)


@program(": n m k", ": m k b", ": k n", rewritten=True)
def tensordots(a, b, c):
    x = np.tensordot(a, b, axes=2)
    y = np.tensordot(a, c, axes=([2, 0], [0, 1]))
    return x * y.sum() + np.tensordot(c, x, axes=(1, 0)).sum() + np.tensordot(y, y, axes=0).sum()


@program(": n m", ": m k", ": n", ": b n m", rewritten=True)
def einsums(a, b, u, t):
    x = np.einsum("ij,jk->ik", a, b) + np.einsum("i,ij,jk->ik", u, a, b)
    y = np.einsum("bij,jk->b", t, b)[:, None, None] * np.einsum("i,k->ik", u, b[0])
    return x * y + np.einsum("ij->", a) + np.einsum("bij,bij->ij", t, t) @ b


@program(": n n", ": n n", ": n", rewritten=True)
def einsums_of_diagonals(a, b, u):
    trace = np.einsum("ii->", a @ b)
    return trace * np.einsum("ii->i", a) + np.einsum("ij,ji->i", a, b) + np.einsum("ii,i->", b, u)


@program(": b n m", ": b m k", rewritten=True)
def einsums_with_ellipsis(a, b):
    x = np.einsum("...ij,...jk->...ik", a, b)
    return x + np.einsum("...i->...", a)[..., None] + np.einsum("b...,b...->...", a, a).sum()


@program("complex: n m", "complex: m", ": n")
def complex_products(w, z, x):
    y = w @ z
    return np.vdot(y, y) + np.vdot(x, y) + np.conj(y) @ w + np.linalg.vecdot(w, z).sum() + x @ w


@program(": n m", ": n m", "complex: n m")
def vecdots(a, b, z):
    return np.linalg.vecdot(a, b) + np.linalg.vecdot(a, b, axis=0).sum() + np.vecdot(z, b, axis=-1)


@program("f4: n m", "f4: m", "f4: n", single=False, rewritten=True)
def float32_products(w, x, y):
    squares = (w @ x - y) @ (w @ x - y) / len(y) + np.float32(0.5) * np.sum(w * w)
    return squares + np.einsum("ij,j->", w, x)


@program("int: n m", ": m", "mask: n m", rewritten=True)
def products_with_integers(i, x, m):
    return i @ x + m @ x + np.dot(i, x) * np.einsum("ij,j->i", i, x) + (i.T @ i @ x).sum()


@program(": n m", ": n n", ": m")
def matrix_chain(a, s, u):
    gram = a.T @ a
    return u @ gram @ u + np.trace(s) * np.sum(s @ a) + np.trace(gram @ gram) + np.sum(a.T @ s @ a)


@program(": n m", ": m", "scalar: ")
def ridge_regression(X, y_scale, strength):
    w = y_scale
    residual = X @ w - np.sin(X[:, 0])
    return 0.5 * residual @ residual + 0.5 * strength * w @ w


@program(": n", ": n m", "int: n", rewritten=True)
def logistic_regression(y, X, i):
    w = X.T @ y
    labels = np.where(i > 0, 1.0, -1.0)
    return np.mean(np.log1p(np.exp(-labels * (X @ w)))) + 0.1 * np.dot(w, w)


def _layers(sizes, random):
    m, k = sizes["m"], sizes["k"]
    return [
        {"w": random.normal(size=(m, k)), "b": random.normal(size=k)},
        {"w": random.normal(size=(k, m)), "b": random.normal(size=m)},
    ]


@program(_layers, ": n m")
def network_of_layers(layers, x):
    for layer in layers[:-1]:
        x = np.tanh(x @ layer["w"] + layer["b"])
    return np.sum((x @ layers[-1]["w"] + layers[-1]["b"]) ** 2)


@program(": n m", ": m k", ": k", rewritten=True)
def attention(q, w, v):
    keys = q @ w
    scores = keys @ keys.T / np.sqrt(keys.shape[1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ (keys * v)


@program(": n m", "positive: m", ": m")
def layer_norm(x, gamma, beta):
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + 1e-2) + beta


@program(": n m", ": n m", "scalar: ")
def kernel_matrix(x, y, width):
    d2 = np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
    return np.exp(-0.5 * d2 / width**2) @ y


@program(": n m")
def covariance_matrix(data):
    centred = data - np.mean(data, axis=0)
    cov = centred.T @ centred / (data.shape[0] + 1.0)
    return cov + np.outer(cov[0], cov[0]) / np.sqrt(1 + np.diag(cov))


@program(": n 3", ": n 3")
def crossings(a, b):
    return np.cross(a, b) + np.linalg.norm(np.cross(a, b[0]), axis=1)[:, None]


@program(": n m", ": k b")
def kronecker(a, b):
    return np.kron(a, b) + 0.5


@program(": n", ": k", sized=True)
def convolved_by_shifts(x, h):
    out = np.zeros(len(x) + len(h) - 1)
    for i in range(len(h)):
        out[i : i + len(x)] += h[i] * x
    return out


@program(": n", ": 3", ": n n")
def polynomials(x, c, v):
    powers = np.stack([x**2, x, np.ones_like(x)], axis=1)
    return powers @ c + np.sum(np.tril(v) * np.triu(v, -1)) + np.diag(v)
