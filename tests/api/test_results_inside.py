"""Results of transformed functions that others call share memory with nothing, as from outside."""

from __future__ import annotations

import dataclasses

import numpy as np

import gradsmith as gs
from helpers import each


@dataclasses.dataclass
class Pair:
    a: object
    b: object


same = gs.compile(lambda value: value)
first = gs.compile(lambda a: a[:1])
nested = gs.compile(lambda a: (a, {"k": a, "m": [a * 2]}))
beside = gs.value_and_grad(lambda v, other: (np.sum(v * v), other), has_aux=True)


def array(a):
    b = same(a)
    b[0] = 50.0
    return a, b


def view(a):
    b = first(a)
    b[0] = 50.0
    return a, b


def results(a):
    b, c = nested(a)
    b[0], c["k"][1] = 50.0, 7.0
    return a, b, c["k"], c["m"][0]


def container(a):
    values = [a, a * 2]
    made = same(values)
    made.append(a)
    made[0][0] = 9.0
    return a, values[0], made[0], len(values), len(made)


def record(a):
    p = Pair(a, a * 2)
    q = same(p)
    q.a = q.a * 2
    q.b[0] = 9.0
    return p.a, p.b, q.a, q.b


def in_a_loop(a):
    p, total = Pair(a, a * 2), 0.0
    for v in a:
        q = same(p)
        q.a = q.a * v
        q.b[0] += 1.0
        total = total + np.sum(q.a) + q.b[0]
    return total, p.a, p.b


def chosen(a):
    b = same(a) if a[0] > 0 else a
    if a[1] > 0:
        c = same(b)
        c[0] = 3.0
    return a, b


def gradient_and_aux(a):
    values = [a, 1.0]
    (y, aux), g = beside(a, values)
    aux.append(3.0)
    aux[0][1], g[0] = 7.0, 8.0
    return a, y, aux[0], len(values), g


def pullback(a):
    y, pull = gs.vjp(lambda u, v: u + v, a, a * 2)
    one, other = pull(a)
    one[0], other[1], y[0] = 50.0, 7.0, 8.0
    return a, one, other, y


CASES = [*(array, view, results, container, record, in_a_loop, chosen, gradient_and_aux, pullback)]


@each("function", CASES)
def test_writes_to_results_are_seen_by_no_other(function):
    compiled = gs.compile(function)
    for a in (np.array([1.0, 2.0]), np.array([1.0, -2.0])):
        assert repr(compiled(a.copy())) == repr(function(a.copy()))


def test_derivatives_of_what_is_written_to_results():
    def function(a):
        b = same(a)
        b[0] = b[0] * 3
        return np.sum(a * b)

    np.testing.assert_array_equal(gs.grad(function)(np.array([1.0, 2.0])), [6.0, 4.0])
