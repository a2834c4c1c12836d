"""Programs of reductions: axes of all kinds, ties away, statistics as users write them."""

from __future__ import annotations

import numpy as np

from programs.harness import program


@program(": n m k")
def sums(x):
    a = np.sum(x) + np.sum(x, axis=0)[0] + np.sum(x, axis=-1, keepdims=True) * x
    b = x.sum(axis=(0, 2)) ** 2
    return a + b[:, None] + x.sum(axis=(-3, -1), keepdims=True) + np.sum(x**2, axis=(0, 1, 2))


@program(": n m k")
def means(x):
    centred = x - x.mean(axis=1, keepdims=True)
    return centred * np.mean(x, axis=(0, -1))[:, None] + np.average(x, axis=2)[..., None] ** 2


@program(": n m", "positive: n m", "positive: m")
def weighted_averages(x, w, v):
    weighted = np.average(x, axis=0, weights=w) * np.average(x, axis=1, weights=v)[0]
    return weighted + np.average(x, weights=w) ** 2


@program(": n m")
def products(x):
    return np.prod(x) * x.prod(axis=0) + np.prod(x, axis=-1, keepdims=True) * x + np.prod(x[:2])


@program("apart: n m", "apart: n m", smooth=False)
def extrema(x, y):
    a = np.max(x, axis=0) * np.min(y, axis=0) + x.max() - y.min()
    return (
        a + np.amax(y, axis=1, keepdims=True) * x + np.amin(x * y, axis=(0, 1)) + np.ptp(x, axis=0)
    )


@program(": n m", "positive: m")
def spreads(x, scale):
    standard = (x - x.mean(0)) / (np.std(x, axis=0) + scale)
    return (
        standard * np.var(x)
        + x.std(axis=1, keepdims=True, ddof=0)
        + np.var(x, axis=1, ddof=1)[:, None]
    )


@program(": n m")
def cumulative(x):
    a = np.cumsum(x) * 0.5
    b = np.cumsum(x, axis=0) * np.cumprod(x, axis=1) + x.cumsum(axis=-1)
    return a.reshape(x.shape) + b + np.diff(x, axis=1, prepend=0.0)


@program(": n m", "apart: n m", smooth=False)
def positions(x, y):
    best = np.argmax(y, axis=1)
    rows = np.arange(x.shape[0])
    return x[rows, best] * y[rows, np.argmin(y, axis=-1)] + x[np.argmax(y[:, 0])].sum() * len(x)


@program(": n m", "mask: n m")
def sums_where(x, m):
    return (
        np.sum(x, where=m, axis=0)
        + np.mean(x * m)
        + np.sum(x[m])
        + np.max(x**2, initial=0.1, where=m)
    )


@program(": n m", "int: n m", "mask: n")
def reductions_of_integers(x, i, m):
    total = i.sum(axis=0) * x + np.mean(i, axis=1)[:, None] * x
    return total + np.count_nonzero(m) * x + np.prod(i[0]) * x + np.std(i) * x + i.max() * x


@program(": n m", ": n m", rewritten=True)
def log_sum_exp_by_axis(x, y):
    a = np.log(np.sum(np.exp(x), axis=1))
    b = np.log(np.exp(y).sum(axis=0, keepdims=True))
    return a[:, None] * b + np.log(np.sum(np.exp(x - y)))


@program(": n m")
def log_sum_exp_shifted(x):
    top = np.max(x, axis=1, keepdims=True)
    return (top + np.log(np.sum(np.exp(x - top), axis=1, keepdims=True)))[:, 0]


@program(": n m", ": n m", rewritten=True)
def softmax_of_rows_and_columns(x, y):
    e = np.exp(x)
    rows = e / np.sum(e, axis=1, keepdims=True)
    f = np.exp(y)
    columns = f / f.sum(axis=0)
    return rows * columns + e / np.sum(e)


@program(": n m", ": n m")
def looks_like_softmax(x, y):
    e = np.exp(x)
    wrong_axis = (
        e / np.sum(e, axis=1, keepdims=True)
        if x.shape[0] == 0
        else e / (1 + np.sum(e, axis=1, keepdims=True))
    )
    other = np.exp(x - y) / np.sum(np.exp(x), axis=0)
    third = np.exp(x - y.max(axis=1, keepdims=True)) / np.sum(np.exp(x - y), axis=1, keepdims=True)
    return wrong_axis * other + third


@program(": n n", rewritten=True)
def softmax_divided_along_the_other_axis(x):
    """``e / e.sum(axis=1)`` without keepdims divides columns by the sums of rows."""
    e = np.exp(x)
    return e / e.sum(axis=1)


@program(": n n", rewritten=True)
def shift_of_another_axis(x):
    """The maxima of the rows are subtracted from the columns: no constant along the axis."""
    e = np.exp(x - x.max(axis=1))
    return e / e.sum(axis=1, keepdims=True) + np.log(np.sum(np.exp(x - x.max(axis=1)), axis=1))


@program(": n m", "positive: m", rewritten=True)
def log_of_weighted_exponentials(x, w):
    mixture = np.log(np.sum(w * np.exp(x), axis=1))
    return mixture + np.log(np.mean(np.exp(x), axis=1)) + np.log(2 * np.sum(np.exp(x), axis=1))


@program(": n m", rewritten=True)
def log_softmax(x):
    p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    return np.sum(p * np.log(p), axis=1)


@program(": n", rewritten=True)
def sigmoids(x):
    a = 1 / (1 + np.exp(-x))
    b = 1.0 / (np.exp(-2 * x) + 1.0)
    c = np.exp(x) / (1 + np.exp(x))
    return a * b + c * (1 - c) + 0.5 * (1 + np.tanh(x / 2)) + 3 / (1 + np.exp(x))


@program(": n", "positive: n", rewritten=True)
def looks_like_a_sigmoid(x, p):
    a = 1 / (2 + np.exp(-x)) + 1 / (1 - np.exp(-p)) + 2 / (1 + np.exp(-x)) + p / (1 + np.exp(x))
    return a + np.exp(x) / (1 + np.exp(-x)) + np.exp(x) / (1 + np.exp(p)) + 1 / (1 + np.exp(x) + p)


@program(": n", ": n", rewritten=True)
def softplus(x, y):
    a = np.log(1 + np.exp(x)) + np.log1p(np.exp(y)) + np.log(np.exp(-x) + 1)
    return a + np.log(np.exp(x) + np.exp(y)) + np.log(2 + np.exp(x)) + np.log1p(np.exp(x) + y**2)


@program("complex: n", rewritten=True)
def exponentials_of_complex(z):
    e = np.exp(z)
    return np.log(1 + e) + e / np.sum(e) + 1 / (1 + np.exp(-z)) + np.log(np.sum(e)) + np.log1p(e)


@program("int: n", ": n", rewritten=True)
def exponentials_of_integers(i, x):
    p = np.exp(i) / np.sum(np.exp(i))
    return p * x + np.log(1 + np.exp(i)) * x + np.log(np.sum(np.exp(i))) * x


@program("f4: n m", "i4: n", single=False, rewritten=True)
def float32_cross_entropy(z, labels):
    shifted = z - np.max(z, axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels % 3])


@program(": n m", "positive: m")
def norms(x, p):
    a = np.linalg.norm(x) + np.linalg.norm(x, axis=1) * np.linalg.norm(p)
    return (
        a + np.sqrt(np.sum(x**2, axis=1)) + np.linalg.norm(x, ord=1, axis=1) + np.linalg.norm(p, 3)
    )


@program(": n", ": n")
def correlation(x, y):
    a, b = x - np.mean(x), y - np.mean(y)
    return np.sum(a * b) / np.sqrt(np.sum(a**2) * np.sum(b**2) + 1e-3)


@program(": n m")
def reductions_by_reduce(x):
    return np.add.reduce(x)[0] + np.add.reduce(x, axis=-1) * np.multiply.reduce(x, axis=1)


@program(": n m", smooth=False)
def sums_without_nan(x):
    y = np.where(x > 1.0, np.nan, x)
    known = ~np.isnan(y)
    return np.sum(np.where(known, y, 0.0), axis=0) / (1 + known.sum(axis=0)) + np.nan_to_num(y) * 2


@program(": n", "positive: n")
def integrals(y, d):
    t = np.cumsum(d)
    return np.trapezoid(y, t) + np.trapezoid(y * y, dx=0.1) + np.trapezoid(y[::-1])


@program(": n m", sized=True)
def mean_by_hand(x):
    n, m = x.shape
    total = 0.0
    for i in range(n):
        for j in range(m):
            total += x[i, j] * (i + 1) / (n * m)
    return total * x / x.size + len(x) * x.ndim


@program(": n m")
def sizes_in_arithmetic(x):
    n, m = x.shape
    return x * n / m + x.size - (n - 1) ** 2 * x + n // 2 * x + n % 3 * x + max(n, m) * x + -n


@program(": n m")
def standardised_twice(x):
    z = (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + 1e-3)
    return (z - z.mean(axis=1, keepdims=True)) / np.sqrt(z.var(axis=1, keepdims=True) + 1e-3)
