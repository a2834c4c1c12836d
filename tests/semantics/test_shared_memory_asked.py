"""``np.shares_memory`` answers as NumPy does, whatever the emitted code copies or keeps once."""

from __future__ import annotations

import numpy as np

import gradsmith as gs
from helpers import each


def slices(x):
    tail = x[1:]
    asked = np.shares_memory(x, tail), np.shares_memory(tail, x), np.may_share_memory(x, tail)
    return *asked, np.shares_memory(x[::2], x[1::2]), np.may_share_memory(x[::2], x[1::2])


def copies(x):
    y, z = x.copy(), x * 2
    return np.shares_memory(x, y), np.shares_memory(z, x * 2), np.shares_memory(x, x.flatten())


def after_a_store(x):
    y = x.copy()
    tail = y[1:]
    y[0] = 5.0
    return np.shares_memory(y, tail), np.shares_memory(y, x)


def matrices(x):
    m = np.outer(x, x)
    return (
        *(np.shares_memory(m[0], m[:, 0]), np.shares_memory(m[0], m[1]), np.shares_memory(m.T, m)),
        *(np.shares_memory(m, m.reshape(-1)), np.shares_memory(m, np.diag(m))),
    )


def in_a_loop(x):
    return [np.shares_memory(x, v) for v in (x[i:] for i in range(len(x)))]


def chosen_by_a_branch(x):
    y = x[1:] if x[0] > 2 else x.copy()
    if np.shares_memory(x, y):
        y = y.copy()
    y[0] = 7.0
    return x.sum(), y.sum()


FUNCTIONS = [slices, copies, after_a_store, matrices, in_a_loop, chosen_by_a_branch]


@each("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_as_numpy_answers(function):
    compiled = gs.compile(function)
    for values in ([5.0, 1.0, 1.5], [1.0, 3.0, 2.5, 0.5], [5.0, 1.5], [1.0]):
        if function is chosen_by_a_branch or len(values) > 1:
            x = np.array(values)
            assert compiled(x) == function(x)


def test_arguments():
    def asked(x, y):
        return np.shares_memory(x, y)

    x = np.arange(3.0)
    for calls in (
        [(x, x.copy()), (x, x), (x[:2], x[1:])],
        [(x, x), (x[:1], x[1:]), (x, x.copy())],
    ):
        compiled = gs.compile(asked)
        for call in calls:
            assert compiled(*call) == asked(*call)
