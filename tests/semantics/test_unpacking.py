"""Targets that take values apart: lists that stand for rows of arrays, and nests of them."""

# Loops and calls as users write them.
# ruff: noqa: PERF401, PLC3002

from __future__ import annotations

import numpy as np

import gradsmith as gs
from helpers import each


class Doubled:
    def __init__(self, values):
        self.values = values

    def __iter__(self):
        for v in self.values:
            yield v * 2


def _lists(x):
    a, b = tuple(x)
    c, *d = sorted(x)
    (e, f) = [2 * v for v in x]
    return a, b, c, d, e, f


def _appended(x):
    values = []
    for v in x:
        values.append(v * 2)
    a, *b = values
    *c, d = tuple(values)
    return a, b, c, d


def _nested(x):
    (a, b), (c, d) = [[v, v * 2] for v in x]
    for p, q in [list(x)]:
        a += p * q
    (e, *f), g = list(x), x[0]
    return a, b, c, d, e, f, g


def _pairs_with_lists(x):
    rows = []
    for v in x:
        rows.append((v, [v * 2, v * 3]))
    total = 0.0
    for a, (b, c) in rows:
        total += a * b - c
    (p, (q, r)), *rest = rows
    return total, p, q, r, len(rest), sum(a * b for a, (b, c) in rows)


def _several_targets(x):
    w = u, v = (y, z) = list(x)
    w[0] = 9.0
    return u, v, y, z, w


def _objects_of_the_users(x):
    (a, b), c = Doubled(x), 3
    d, (e, f) = [Doubled(x), Doubled(x * 2)]
    return a, b, c, e, f, [*d]


def _from_left_to_right(x):
    i, values = 0, [0.0, 0.0, 0.0]
    i, values[i] = 1, x[0]
    values[i], (values[0], i) = x[1], (x[0] * 2, 2)
    return values, i


def _as_arguments(x):
    return (lambda p, q: p * q)(*tuple(x)), max(*list(x)), [*x, *[v * 2 for v in x]]


@each(
    "function",
    [
        *(_lists, _appended, _nested, _pairs_with_lists, _several_targets),
        *(_objects_of_the_users, _from_left_to_right, _as_arguments),
    ],
)
def test_unpacking(function):
    compiled = gs.compile(function)
    for values in ([1.0, 2.5], [4.0, 2.0]):
        x = np.array(values)
        assert repr(compiled(x)) == repr(function(x))


def _handled(x):
    try:
        (a, b), c = list(x), x[0]
    except ValueError as error:
        return str(error)
    return a * b + c


def test_other_lengths_are_pythons_error():
    compiled = gs.compile(_handled)
    for n in (2, 3, 1, 0 + 2):
        x = np.arange(1.0, n + 1)
        assert compiled(x) == _handled(x)


def test_gradient():
    def loss(x):
        (a, b), (c, d) = [[v, v * 2] for v in x]
        e, f = tuple(x)
        return a * d + b * c * e - f

    x = np.array([1.5, -0.5])
    slopes = [(loss(x + h) - loss(x - h)) / 2e-6 for h in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(gs.grad(loss)(x), slopes, rtol=1e-8)
