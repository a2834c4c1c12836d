"""Kernels of science at the points where textbook derivatives are no numbers.

Distances are zero, gates saturated, spreads and masses nothing, and each value is finite.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import gradsmith as gs

random = np.random.default_rng(7)

KERNELS: dict[str, tuple[Callable[..., Any], list[tuple[Any, ...]]]] = {}
"""The function, and arguments of two sizes; the first one is differentiated."""


def kernel(*cases: Callable[[int], tuple[Any, ...]]) -> Callable[..., Any]:
    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        make = cases[0]
        KERNELS[function.__name__] = function, [make(4), make(5)]
        return function

    return declare


def points(n: int, d: int = 3) -> np.ndarray:
    """The first two coincide."""
    x = random.normal(size=(n, d))
    x[1] = x[0]
    return x


def apart(n: int, d: int = 3) -> tuple[np.ndarray]:
    return (random.normal(size=(n, d)),)


def together(n: int) -> tuple[np.ndarray]:
    return (points(n),)


def saturated(n: int) -> tuple[np.ndarray]:
    x = random.normal(size=n)
    x[0], x[-1] = -1000.0, 1000.0
    return (x,)


# -- particles -----------------------------------------------------------------------------------


@kernel(apart)
def gravity_triu(x):
    r = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    return -np.sum(np.triu(1.0 / r, 1))


@kernel(apart)
def gravity_pairs(x):
    i, j = np.triu_indices(len(x), 1)
    r = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    return -np.sum(1.0 / r[i, j])


@kernel(apart)
def gravity_mask(x):
    dx = x[:, None, 0] - x[None, :, 0]
    dy = x[:, None, 1] - x[None, :, 1]
    dz = x[:, None, 2] - x[None, :, 2]
    inv = np.sqrt(dx**2 + dy**2 + dz**2)
    inside = inv > 0
    inv[inside] = 1.0 / inv[inside]
    return -0.5 * np.sum(inv)


@kernel(lambda n: (random.normal(size=(n, 3)), random.uniform(1, 2, n)))
def nbody_energy(pos, mass):
    """As in NPBench."""
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r = np.sqrt(dx**2 + dy**2 + dz**2)
    inv_r[inv_r > 0] = 1.0 / inv_r[inv_r > 0]
    return np.sum(np.sum(np.triu(-(mass[:, None] * mass) * inv_r, 1)))


@kernel(lambda n: (random.normal(size=(n, 3)), random.uniform(1, 2, n)))
def nbody_acceleration(pos, mass):
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r3 = dx**2 + dy**2 + dz**2
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
    return np.sum(((dx * inv_r3) @ mass) ** 2 + ((dy * inv_r3) @ mass) * ((dz * inv_r3) @ mass))


@kernel(apart)
def nbody_loops(x):
    energy = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            r = np.sqrt(np.sum((x[i] - x[j]) ** 2))
            if r > 0:
                energy += 1.0 / r
    return energy


@kernel(apart)
def nbody_reads(x):
    r = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    inverse = 1.0 / r
    energy = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            energy += inverse[i, j]
    return energy


@kernel(apart)
def lennard_jones_fill(x):
    r = np.linalg.norm(x[:, None] - x[None], axis=-1)
    np.fill_diagonal(r, 1.0)
    inv6 = 1.0 / r**6
    return 0.5 * np.sum(4.0 * (inv6**2 - inv6))


@kernel(apart)
def lennard_jones_infinite(x):
    r = np.linalg.norm(x[:, None] - x[None], axis=-1)
    np.fill_diagonal(r, np.inf)
    inv6 = (1.0 / r) ** 6
    return 0.5 * np.sum(4.0 * (inv6**2 - inv6))


@kernel(apart)
def lennard_jones_cutoff(x):
    s = np.sum((x[:, None] - x[None]) ** 2, axis=-1)
    near = (s < 9.0) & (s > 0)
    inv6 = np.where(near, s, 1.0) ** -3
    return np.sum(np.where(near, 4.0 * (inv6**2 - inv6), 0.0))


@kernel(apart)
def lennard_jones_wheres(x):
    s = np.sum((x[:, None] - x[None]) ** 2, axis=-1)
    r = np.sqrt(s)
    return np.sum(np.where(s > 0, np.where(r < 3.0, 1.0 / r**12 - 1.0 / r**6, 0.0), 0.0))


@kernel(apart)
def coulomb_zeroed(x):
    inverse = 1.0 / np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    np.fill_diagonal(inverse, 0.0)
    return np.sum(inverse**2)


@kernel(apart)
def coulomb_zeroed_in_a_loop(x):
    inverse = 1.0 / np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    for i in range(len(x)):
        inverse[i, i] = 0.0
    return np.sum(inverse)


@kernel(apart)
def coulomb_eye(x):
    r = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1)) + np.eye(len(x))
    return np.sum((1.0 - np.eye(len(x))) / r)


@kernel(apart)
def morse(x):
    r = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    return np.sum((1.0 - np.exp(-1.3 * (r - 1.0))) ** 2)


@kernel(together)
def springs(x):
    i = np.arange(len(x) - 1)
    r = np.linalg.norm(x[i + 1] - x[i], axis=1)
    return 0.5 * np.sum((r - 1.0) ** 2)


@kernel(together)
def sph_density(x):
    r = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    q = r / 0.8
    w = np.where(q < 1, 1 - 1.5 * q**2 + 0.75 * q**3, np.where(q < 2, 0.25 * (2 - q) ** 3, 0.0))
    return np.sum(np.sum(w, axis=1) ** 2)


@kernel(together)
def sph_wendland(x):
    q = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1)) / 2.0
    return np.sum(np.maximum(1.0 - q, 0.0) ** 4 * (4.0 * q + 1.0))


@kernel(apart)
def sph_gradient(x):
    d = x[:, None] - x[None]
    r = np.sqrt(np.sum(d**2, axis=-1))
    slope = np.where(r > 0, np.exp(-r) / r, 0.0)
    return np.sum(np.sum(slope[..., None] * d, axis=1) ** 2)


@kernel(apart)
def axilrod_bonds(x):
    total = 0.0
    for i in range(len(x)):
        s = 0.0
        for k in range(3):
            s += (x[i, k] - x[0, k]) ** 2
        total += np.sqrt(s)
    return total


@kernel(apart)
def gyration(x):
    return np.sqrt(np.mean(np.sum((x - x.mean(axis=0)) ** 2, axis=1)))


@kernel(lambda n: (random.normal(size=(n, 3)), random.uniform(1, 2, n)))
def dipole(x, q):
    return np.linalg.norm(q @ (x - x))


# -- kernels of Gaussian processes, embeddings, clusters -----------------------------------------


@kernel(together)
def rbf(x):
    r = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    return np.sum(np.exp(-(r**2) / 2) * np.arange(len(x)))


@kernel(together)
def rbf_exponent(x):
    s = np.sum((x[:, None] - x[None]) ** 2, axis=-1)
    return np.sum(np.exp(-(np.sqrt(s) ** 2)))


@kernel(together)
def matern_12(x):
    return np.sum(np.exp(-np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))))


@kernel(together)
def matern_32(x):
    a = np.sqrt(3.0) * np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    return np.sum((1.0 + a) * np.exp(-a))


@kernel(together)
def matern_52(x):
    a = np.sqrt(5.0) * np.linalg.norm(x[:, None] - x[None], axis=-1)
    return np.sum((1.0 + a + a**2 / 3.0) * np.exp(-a))


@kernel(together)
def rational_quadratic(x):
    r = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    return np.sum((1.0 + r**2 / 3.0) ** -1.5)


@kernel(together)
def multiquadric(x):
    r = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    return np.sum(np.sqrt(1.0 + (2.0 * r) ** 2))


@kernel(together)
def thin_plate(x):
    r = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    return np.sum(np.where(r > 0, r**2 * np.log(np.where(r > 0, r, 1.0)), 0.0))


@kernel(together)
def thin_plate_mask(x):
    s = np.sum((x[:, None] - x[None]) ** 2, axis=-1)
    out = np.zeros_like(s)
    some = s > 0
    out[some] = 0.5 * s[some] * np.log(s[some])
    return np.sum(out)


@kernel(lambda n: (points(n),))
def expanded_distance(x):
    square = np.sum(x * x, axis=1)
    s = np.maximum(square[:, None] + square[None] - 2.0 * x @ x.T, 0.0)
    np.fill_diagonal(s, 0.0)
    return np.sum(np.sqrt(s)[np.triu_indices(len(x), 2)]) + np.sum(np.diag(np.sqrt(s)))


@kernel(together)
def einsum_distance(x):
    d = x[:, None] - x[None]
    return np.sum(np.sqrt(np.einsum("ijk,ijk->ij", d, d)))


@kernel(lambda n: (points(n), points(n)[:2] * 1.0))
def kmeans(x, centres):
    d = np.sqrt(((x[:, None] - x[None, :2]) ** 2).sum(axis=-1))
    return np.sum(np.min(d, axis=1))


@kernel(together)
def mds_stress(x):
    d = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    return np.sum((d - 1.0 + np.eye(len(x))) ** 2)


@kernel(together)
def sammon(x):
    d = np.linalg.norm(x[:, None] - x[None], axis=-1)
    return np.sum(np.triu((d - 2.0) ** 2 / 2.0, 1))


@kernel(together)
def tsne(y):
    s = np.sum((y[:, None] - y[None]) ** 2, axis=-1)
    q = 1.0 / (1.0 + s)
    np.fill_diagonal(q, 0.0)
    q = q / np.sum(q)
    p = (1.0 - np.eye(len(y))) / (len(y) * (len(y) - 1.0))
    return np.sum(np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0) / np.maximum(q, 1e-12)), 0))


@kernel(together)
def contrastive(x):
    d = np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))
    return np.sum(np.maximum(0.5 - d, 0.0) ** 2) + np.sum(d)


@kernel(lambda n: (np.vstack([np.zeros(3), random.normal(size=(n, 3))]),))
def cosine_similarity(x):
    length = np.linalg.norm(x, axis=1, keepdims=True)
    unit = x / np.where(length == 0, 1.0, length)
    return np.sum((unit @ unit.T) ** 2)


@kernel(lambda n: (np.vstack([np.zeros(3), random.normal(size=(n, 3))]),))
def cosine_where(x):
    length = np.sqrt(np.sum(x * x, axis=1))
    return np.sum(np.where(length[:, None] > 0, x / length[:, None], 0.0)[:, 0])


@kernel(lambda n: (np.zeros(n),))
def unit_vector(v):
    length = np.sqrt(v @ v)
    u = v / length
    if length > 0:
        return np.sum(u)
    return 3.0 * np.sum(v)


@kernel(lambda n: (np.vstack([np.full(4, 2.0), random.normal(size=(n, 4))]),))
def row_spread(x):
    return np.sum(np.std(x, axis=1)) + np.sum(np.sqrt(np.var(x, axis=1)))


@kernel(lambda n: (np.full(n, 0.1),))
def spread_by_hand(x):
    return np.sqrt(np.mean((x - x.mean()) ** 2)) + np.mean((x - x[0]) ** 2) ** 0.5


# -- images, fluids, pipes -----------------------------------------------------------------------


@kernel(lambda n: (np.zeros((n, n)),))
def total_variation(u):
    dx, dy = np.diff(u, axis=0)[:, :-1], np.diff(u, axis=1)[:-1]
    return np.sum(np.sqrt(dx**2 + dy**2))


@kernel(lambda n: (np.outer(np.arange(n) > 1, np.ones(n)), random.normal(size=(n, n))))
def denoising(u, noisy):
    dx, dy = np.zeros(u.shape), np.zeros(u.shape)
    dx[:-1], dy[:, :-1] = u[1:] - u[:-1], u[:, 1:] - u[:, :-1]
    return 0.5 * np.sum((u - noisy) ** 2) + 0.3 * np.sum(np.hypot(dx, dy))


@kernel(lambda n: (np.where(np.arange(n) > 1, 2.0, 0.0),))
def huber_variation(u):
    d = np.sqrt(np.diff(u) ** 2)
    return np.sum(np.where(d < 0.5, d**2, d - 0.25))


@kernel(lambda n: (np.linspace(-1, 1, n) * (np.arange(n) > 0),))
def hardy_cross(q):
    return np.sum(2.0 * q * np.abs(q) ** 0.852)


@kernel(lambda n: (np.arange(n) * 1.0,))
def manning(h):
    return np.sum(np.where(h > 0, h ** (5.0 / 3.0) / np.sqrt(np.where(h > 0, h, 1.0)), 0.0))


@kernel(lambda n: (np.arange(n) * 1.0,))
def weir(h):
    return np.sum(np.maximum(h - 0.5, 0.0) ** 1.5) + np.sum(np.sqrt(h)[1:])


@kernel(lambda n: (np.zeros((2, n)),))
def wind_direction(uv):
    u, v = uv
    return np.sum(np.arctan2(v, u)) + np.sum(np.hypot(u, v))


@kernel(lambda n: (np.arange(n) * 1.0, (np.arange(n) > 0) * 1.0))
def masked_root(x, mask):
    return np.sum(mask * np.sqrt(x)) + np.sum(mask * np.cbrt(x)) + np.sum(mask * x**0.3)


# -- likelihoods ---------------------------------------------------------------------------------


@kernel(lambda n: (np.arange(n) / n,))
def entropy(p):
    return -np.sum(np.where(p > 0, p * np.log(p), 0.0))


@kernel(lambda n: (np.arange(n) / n,))
def entropy_mask(p):
    some = p > 0
    terms = np.zeros_like(p)
    terms[some] = p[some] * np.log(p[some])
    return -np.sum(terms)


@kernel(lambda n: (np.arange(n) * 1.0, np.arange(n)))
def poisson(rate, counts):
    return np.sum(rate - np.where(counts > 0, counts * np.log(rate), 0.0))


@kernel(saturated)
def logistic_regression(z):
    p = 1.0 / (1.0 + np.exp(-z))
    y = (np.arange(len(z)) % 2) * 1.0
    return -np.sum(y * np.log(p) + (1.0 - y) * np.log(1.0 - p))


@kernel(saturated)
def survival_logistic(z):
    hazard = 1.0 / (1.0 + np.exp(-z))
    return np.sum(hazard) - np.sum(np.log(1.0 - hazard[1:-1]))


@kernel(lambda n: (np.linspace(0, 3, n), np.arange(n) % 2))
def weibull_survival(t, event):
    log_hazard = np.where(t > 0, np.log(1.5) + 0.5 * np.log(np.where(t > 0, t, 1.0)), 0.0)
    return np.sum(event * log_hazard - t**1.5)


@kernel(lambda n: (np.array([1000.0, -1000.0, *random.normal(size=n)]),))
def cox(eta):
    total = 0.0
    for i in range(len(eta)):
        total += eta[i] - np.log(np.sum(np.exp(eta[i:])))
    return total


@kernel(lambda n: (random.normal(size=n), np.array([-30.0, 0.5, 60.0])))
def mixture(x, means):
    logs = -0.5 * (x[:, None] - means) ** 2 - np.log(3.0)
    return np.sum(np.log(np.sum(np.exp(logs), axis=1)))


@kernel(lambda n: (np.array([-60.0, 0.5, 60.0]), random.normal(size=n)))
def mixture_responsibilities(means, x):
    logs = -0.5 * (x[:, None] - means) ** 2
    shares = np.exp(logs) / np.sum(np.exp(logs), axis=1, keepdims=True)
    return np.sum(shares * logs)


@kernel(lambda n: (random.normal(size=(n, 3)) * 400.0, random.normal(size=(3, 3)) * 400.0))
def crf_forward(emission, transition):
    alpha = emission[0]
    for t in range(1, len(emission)):
        alpha = emission[t] + np.log(np.sum(np.exp(alpha[:, None] + transition), axis=0))
    return np.log(np.sum(np.exp(alpha)))


@kernel(lambda n: (random.normal(size=(n, 3)) * 400.0,))
def hmm_shifted(scores):
    alpha = np.zeros(3)
    for t in range(len(scores)):
        alpha = alpha + scores[t]
        top = np.max(alpha)
        alpha = alpha - (top + np.log(np.sum(np.exp(alpha - top))))
    return np.sum(alpha * np.arange(3.0))


# -- networks ------------------------------------------------------------------------------------


@kernel(lambda n: (random.normal(size=(n, 3)) * 1000.0, random.normal(size=(n, 3))))
def attention(q, v):
    scores = np.exp(q @ q.T)
    return np.sum((scores / np.sum(scores, axis=1, keepdims=True) @ v) ** 2)


@kernel(lambda n: (random.normal(size=(n, 3)) * 1000.0, random.normal(size=(n, 3))))
def attention_rows(q, v):
    total = 0.0
    for i in range(len(q)):
        weights = np.exp(q @ q[i])
        total += np.sum((weights / np.sum(weights)) @ v)
    return total


@kernel(lambda n: (random.normal(size=n), random.normal(size=(8, 3)) * 1000.0))
def lstm(x, weights):
    h, c = np.zeros(2), np.zeros(2)
    for t in range(len(x)):
        z = weights @ np.concatenate([h, x[t : t + 1]])
        gates = 1.0 / (1.0 + np.exp(-z[:6]))
        c = gates[2:4] * c + gates[:2] * np.tanh(z[6:])
        h = gates[4:6] * np.tanh(c)
    return np.sum(h)


@kernel(lambda n: (random.normal(size=n), random.normal(size=(6, 3)) * 1000.0))
def gru(x, weights):
    h = np.zeros(2)
    for t in range(len(x)):
        z = weights @ np.concatenate([h, x[t : t + 1]])
        update, reset = np.exp(z[:2]) / (1.0 + np.exp(z[:2])), 1.0 / (1.0 + np.exp(-z[2:4]))
        h = update * h + (1.0 - update) * np.tanh(z[4:] + reset * h)
    return np.sum(h**2)


@kernel(lambda n: (random.normal(size=n), random.normal(size=(8, 3)) * 1000.0))
def lstm_checkpointed(x, weights):
    @gs.checkpoint
    def cell(h, c, value):
        z = weights @ np.concatenate([h, value])
        gates = 1.0 / (1.0 + np.exp(-z[:6]))
        c = gates[2:4] * c + gates[:2] * np.tanh(z[6:])
        return gates[4:6] * np.tanh(c), c

    h, c = np.zeros(2), np.zeros(2)
    for t in range(len(x)):
        h, c = cell(h, c, x[t : t + 1])
    return np.sum(h)


@kernel(saturated)
def fermi_dirac(e):
    return np.sum(2.0 / (np.exp((e - 0.3) / 0.5) + 1.0))


@kernel(saturated)
def planck(u):
    w = np.abs(u) + 1.0
    return np.sum(w**3 / (np.exp(w) - 1.0))


@kernel(saturated)
def swish(x):
    return np.sum(x / (1.0 + np.exp(-x)))


@kernel(saturated)
def elu(x):
    return np.sum(np.where(x > 0, x, np.exp(x) - 1.0))


@kernel(saturated)
def boltzmann_curve(v):
    total = 0.0
    for i in range(len(v)):
        total += -3.0 + 5.0 / (1.0 + np.exp((v[i] - 0.5) / 0.7))
    return total
