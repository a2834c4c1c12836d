"""Arrays that objects hold, written to in an iteration of a loop and replaced in the same one."""

import warnings

import numpy as np

import gradsmith as gs
from control.one_object import check_calls
from helpers import each


class Grid:
    def __init__(self, n):
        self.a = np.zeros(n)

    def fill(self):
        self.a[0] = self.a[-2]
        self.a[-1] = self.a[1]


def euler(x, n):
    g = Grid(len(x))
    g.a[:] = x
    for _ in range(n):
        g.fill()
        s = g.a.copy()
        g.a = s + 0.1 * np.roll(s, 1)
    return g.a.sum()


def midpoint(x, n):
    g = Grid(len(x))
    g.a[:] = x
    t = 0.0
    while t < 0.1 * n:
        g.fill()
        s = g.a.copy()
        g.a = s + 0.1 * np.roll(s, 1)
        g.a = s + 0.1 * np.roll(g.a, 1)
        t += 0.1
    return g.a.sum()


def two_stages(x, n):
    g = Grid(len(x))
    g.a[:] = x
    for _ in range(n):
        g.fill()
        k1 = g.a * 0.1
        g.a = g.a + k1
        g.fill()
        g.a = g.a + 0.5 * k1
    return g.a


def written_to_after_it_is_replaced(x, n):
    g = Grid(len(x))
    g.a[:] = x
    for _ in range(n):
        g.fill()
        old = g.a
        g.a = old + 0.1
        old[0] = 5.0
    return g.a


PROGRAMS = [euler, midpoint, two_stages, written_to_after_it_is_replaced]
X = np.arange(7.0) ** 1.5


@each("function", PROGRAMS)
def test_values_and_gradients(function):
    check_calls(function, (X, 6), (X[:5], 9), (X[::-1].copy(), 7))


@each("function", PROGRAMS)
def test_the_loop_stays_one(function):
    lengths = set()
    for n in (6, 60):
        compiled = gs.compile(function)
        with warnings.catch_warnings():
            warnings.simplefilter("error", gs.UnrolledLoopWarning)
            compiled(X.copy(), n)
        lengths.add(len(compiled.source().splitlines()))
    assert len(lengths) == 1
