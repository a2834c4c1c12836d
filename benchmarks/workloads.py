"""Four functions as a user writes them, the gradients an expert writes, and torch's versions.

Every function is a scalar of its first argument, which is what all differentiate. HIPS autograd
and JAX run the very same body with their namespace in place of `np`; torch has its own, with
its fused losses. The hand-written gradients are the fastest of several variants measured
(NumPy 2.4, AVX-512) and are pure: they keep no buffers between calls. What the variants taught:

- `.dot` costs a third of `@` on small arrays (0.3 against 1 µs), a ufunc with a 0-d array two
  thirds of one with a Python number (0.3 against 0.5 µs), a column sum as `ones.dot(a)` between
  a fifth and a half of `a.sum(0)`;
- from 128 samples on, reductions over ten classes are 3 to 19 times as fast when the classes are
  the leading axis.
"""

import types
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

ONE, TWO, MINUS_HALF, TWO_HUNDRED = map(np.array, (1.0, 2.0, -0.5, 200.0))
EXP_LIMIT = np.array(700.0)  # exp overflows at 709.8
BLOCK = 32_768


# --- logistic loss ------------------------------------------------------------------------


def logistic(w, X, y):
    return np.mean(np.log1p(np.exp(-y * (X @ w))))


def logistic_hand(w, X, y):
    m = X.dot(w)
    m *= y
    np.minimum(m, EXP_LIMIT, out=m)
    np.exp(m, m)
    m += ONE
    np.divide(y, m, m)
    g = m.dot(X)
    g *= -1.0 / len(y)
    return g


def logistic_blocked(w, X, y):
    n, d = X.shape
    if n * d <= BLOCK:
        return logistic_hand(w, X, y)
    step = max(1, BLOCK // d)
    g = np.zeros(d)
    for i in range(0, n, step):
        rows, signs = X[i : i + step], y[i : i + step]
        g += logistic_hand(w, rows, signs) * len(signs)
    g /= n
    return g


def logistic_torch(w, X, y):
    from torch.nn import functional

    return functional.softplus(-y * (X @ w)).mean()


def logistic_data(rng, n, d):
    y = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    return rng.standard_normal(d) / np.sqrt(d), rng.standard_normal((n, d)), y


# --- two-layer perceptron, softmax cross-entropy ------------------------------------------


def mlp(params, X, labels):
    hidden = np.tanh(X @ params["W1"] + params["b1"])
    logits = hidden @ params["W2"] + params["b2"]
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


def mlp_hand(params, X, labels):
    n, W2 = len(X), params["W2"]
    h = X.dot(params["W1"])
    h += params["b1"]
    np.tanh(h, h)
    s = W2.T.dot(h.T)
    s += params["b2"][:, None]
    s -= np.maximum.reduce(s, 0)
    np.exp(s, s)
    norm = np.add.reduce(s, 0)
    norm *= n
    s /= norm
    s[labels, np.arange(n)] -= 1.0 / n
    g_W2 = h.T.dot(s.T)
    g_h = s.T.dot(W2.T)
    h *= h
    np.subtract(ONE, h, h)
    g_h *= h
    ones = np.empty(n)
    ones.fill(1.0)
    return {"W1": X.T.dot(g_h), "b1": ones.dot(g_h), "W2": g_W2, "b2": s.dot(ones)}


def mlp_torch(params, X, labels):
    import torch
    from torch.nn import functional

    hidden = torch.tanh(torch.addmm(params["b1"], X, params["W1"]))
    return functional.cross_entropy(torch.addmm(params["b2"], hidden, params["W2"]), labels)


def mlp_data(rng, n, d, hidden, classes):
    params = {
        "W1": rng.standard_normal((d, hidden)) / np.sqrt(d),
        "b1": 0.1 * rng.standard_normal(hidden),
        "W2": rng.standard_normal((hidden, classes)) / np.sqrt(hidden),
        "b2": 0.1 * rng.standard_normal(classes),
    }
    return params, rng.standard_normal((n, d)), rng.integers(0, classes, n)


# --- Rosenbrock ---------------------------------------------------------------------------


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_hand(x):
    a = x[:-1]
    t = a * a
    t -= x[1:]
    t *= TWO_HUNDRED
    g = np.empty(len(x))
    g[-1] = 0.0
    left, right = g[:-1], g[1:]
    np.add(t, ONE, left)
    left *= a
    left -= ONE
    left *= TWO
    right -= t
    return g


def rosenbrock_blocked(x):
    n = len(x) - 1
    if n <= BLOCK:
        return rosenbrock_hand(x)
    g = np.empty(n + 1)
    g[0] = 0.0
    buffer = np.empty(BLOCK)
    for i in range(0, n, BLOCK):
        j = min(i + BLOCK, n)
        a, t, left, right = x[i:j], buffer[: j - i], g[i:j], g[i + 1 : j + 1]
        carried = left[0]
        np.multiply(a, a, t)
        t -= x[i + 1 : j + 1]
        t *= TWO_HUNDRED
        np.add(t, ONE, left)
        left *= a
        left -= ONE
        left *= TWO
        left[0] += carried
        right[-1] = 0.0
        right -= t
    return g


def rosenbrock_torch(x):
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


def vector_data(rng, n):
    return (rng.standard_normal(n),)


# --- elementwise chain --------------------------------------------------------------------


def chain(x):
    a = np.tanh(x)
    b = np.exp(-0.5 * x * x)
    c = np.log1p(b * b)
    d = np.sqrt(1.0 + a * a)
    return np.sum(x * (a * b + c * d))


def chain_hand(x):
    a = np.tanh(x)
    s = x * x
    b = s * MINUS_HALF
    np.exp(b, b)
    q = b * b
    c = np.log1p(q)
    d = a * a
    w = ONE - d
    d += ONE
    np.sqrt(d, d)
    g = c * a  # x (1 - a²) (b + c a / d), by way of a
    g /= d
    g += b
    g *= x
    g *= w
    a *= b
    c *= d
    c += a
    g += c  # a b + c d, by way of the factor x
    d *= q  # x² (a b + 2 d q / (1 + q)), by way of b
    q += ONE
    d /= q
    d += d
    d += a
    d *= s
    g -= d
    return g


def chain_blocked(x):
    if len(x) <= BLOCK:
        return chain_hand(x)
    g = np.empty(len(x))
    for i in range(0, len(x), BLOCK):
        g[i : i + BLOCK] = chain_hand(x[i : i + BLOCK])
    return g


def chain_torch(x):
    import torch

    a = torch.tanh(x)
    b = torch.exp(-0.5 * x * x)
    c = torch.log1p(b * b)
    d = torch.sqrt(1.0 + a * a)
    return (x * (a * b + c * d)).sum()


@dataclass(frozen=True)
class Workload:
    """`primal(x, *rest)` is a scalar; `hand` and `blocked` are its gradient with respect to `x`.

    `blocked` works through more than `BLOCK` elements in blocks that stay in the cache.
    """

    primal: Callable
    hand: Callable
    blocked: Callable
    torch: Callable
    data: Callable
    sizes: dict[str, tuple[int, ...]]

    def arguments(self, size):
        return self.data(np.random.default_rng(2024), *self.sizes[size])

    def primal_in(self, namespace):
        """The primal with the name `np` meaning `namespace`."""
        return types.FunctionType(self.primal.__code__, {"np": namespace}, self.primal.__name__)


SIZES = ("small", "medium", "large")


def by_size(*shapes):
    return dict(zip(SIZES, shapes, strict=True))


VECTORS = by_size((10,), (10_000,), (1_000_000,))
WORKLOADS = {
    "logistic": Workload(
        logistic,
        logistic_hand,
        logistic_blocked,
        logistic_torch,
        logistic_data,
        by_size((20, 3), (1_000, 20), (100_000, 50)),
    ),
    "mlp": Workload(
        mlp,
        mlp_hand,
        mlp_hand,  # bound by its matrix products, which BLAS blocks
        mlp_torch,
        mlp_data,
        by_size((8, 4, 8, 3), (128, 32, 64, 10), (1_024, 256, 512, 10)),
    ),
    "rosenbrock": Workload(
        rosenbrock, rosenbrock_hand, rosenbrock_blocked, rosenbrock_torch, vector_data, VECTORS
    ),
    "chain": Workload(chain, chain_hand, chain_blocked, chain_torch, vector_data, VECTORS),
}
