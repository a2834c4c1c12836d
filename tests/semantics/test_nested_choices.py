"""What several branches within each other choose may be one of the arrays, lists or objects that
were there before: what is written to it is written to that one.
"""

# Branches as users write them.
# ruff: noqa: SIM102, SIM108

from __future__ import annotations

import copy
import itertools

import numpy as np

import gradsmith as gs
from helpers import each


def chosen_in_an_inner_branch(x, y, p, q):
    a = x * 1.0
    if p > 0:
        if q > 0:
            z = a
        else:
            z = x * 3
    else:
        z = x * 2
    z += 1.0
    return z.sum() + 10 * a.sum()


def written_in_an_outer_branch(x, y, p, q):
    z = y
    if q > 0:
        if p > 0:
            z = x * 2
        z += 1.0
    return z.sum() + y.sum()


def the_last_of_a_chain(x, y, p, q):
    if p <= 0:
        z = x * 2
    elif q <= 0:
        z = x * 3
    else:
        z = y
    z *= 2
    return z.sum()


def returned_early(x, y, p, q):
    def pick():
        if p > 0:
            if q > 0:
                return y
            return x * 3
        return x * 2

    z = pick()
    z[0] = 7.0
    return z.sum() + y.sum()


def conditional_expressions(x, y, p, q):
    z = (y if q > 0 else x * 3) if p > 0 else x * 2
    z -= 2
    return z.sum() + y.sum()


def in_each_iteration(x, y, p, q):
    for v in x:
        z = y if v * p > 0 else x * 2
        z += 1
    return y.sum() + z.sum()


def one_of_two_views(x, y, p, q):
    z = x * 1
    for v in x:
        if v * p > 0:
            if v * q > 1:
                z = y
            else:
                z = y[::-1]
        z += v
    return y.sum() + z.sum()


def in_a_while(x, y, p, q):
    i, z = 0, x
    while i < 3:
        if p > 0:
            if q > 0:
                z = y
        z[0] += 1.0
        i += 1
        p = p - 0.5
    return x.sum() + y.sum() * 2 + z.sum() * 3


def views_that_may_be_copies(x, y, p, q):
    rows = np.stack([x, y])
    if p > 0:
        z = rows.T.reshape(-1) if q > 0 else np.zeros(2 * len(x))
    else:
        z = rows.ravel()
    z += 1
    return z.sum() + rows.sum()


def slices(x, y, p, q):
    a = x * 1.0
    if p > 0:
        if q > 0:
            z = a[1:]
        else:
            z = a[:-1]
    else:
        z = x[1:] * 2
    z += 1.0
    return z.sum() + 10 * (a * np.arange(len(a))).sum()


def lists(x, y, p, q):
    a, b = [x[0], y[0]], [1.0, 2.0]
    if p > 0:
        if q > 0:
            c = a
        else:
            c = b
    else:
        c = [3.0, 4.0]
    c[0] = x[1] * 2
    return a[0] * 2 + b[0] * 3 + c[0] * 5 + a[1]


def lists_in_a_branch(x, y, p, q):
    a = c = [x[0], y[0]]
    if p > 0:
        if q > 0:
            c = [3.0]
        c.append(x[1])
    return sum(a) + sum(c)


class Cell:
    def __init__(self, v):
        self.v = v


def objects(x, y, p, q):
    a, b, c = Cell(x[0]), Cell(y[0]), Cell(1.0)
    if p > 0:
        if q > 0:
            c = a
        else:
            c = b
    c.v = c.v * 2 + 1
    return a.v + b.v * 3 + c.v * 5


def tuples(x, y, p, q):
    w = (x * 1, y * 1)
    if p > 0:
        if q > 0:
            u, v = w
        else:
            v, u = w
    else:
        u = v = x * 2
    u += 1.0
    v *= 2.0
    return w[0].sum() + w[1].sum() * 3 + u.sum() * 5


FUNCTIONS = [
    chosen_in_an_inner_branch,
    written_in_an_outer_branch,
    the_last_of_a_chain,
    returned_early,
    conditional_expressions,
    in_each_iteration,
    one_of_two_views,
    in_a_while,
    views_that_may_be_copies,
    slices,
    lists,
    lists_in_a_branch,
    objects,
    tuples,
]


@each("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_values_and_gradients(function):
    compiled = gs.compile(function)
    gradient = gs.value_and_grad(
        lambda x, y, p, q: function(x, y, p, q) + 0.0 * (x.sum() + y.sum()), (0, 1)
    )
    for p, q in itertools.product((1.0, -1.0), repeat=2):
        args = np.array([1.5, -2.0, 0.7]), np.array([3.0, 5.0, 4.0]), p, q
        left, given = copy.deepcopy(args), copy.deepcopy(args)
        expected = function(*left)
        assert compiled(*given) == expected
        for one, other in zip(given, left, strict=True):
            np.testing.assert_array_equal(one, other)
        for found, place in zip(gradient(*args)[1], (0, 1), strict=True):
            np.testing.assert_allclose(found, _differences(function, args, place), atol=1e-5)


def _differences(function, args, place):
    found = []
    for k in range(3):
        ends = []
        for step in (1e-6, -1e-6):
            moved = copy.deepcopy(args)
            moved[place][k] += step
            ends.append(function(*moved))
        found.append((ends[0] - ends[1]) / 2e-6)
    return found
