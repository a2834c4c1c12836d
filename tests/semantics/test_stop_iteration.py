"""Functions that raise ``StopIteration``: for ``map`` and ``filter`` that is the end."""

import itertools

import numpy as np

from control.one_object import check_calls
from helpers import each

CALLS = [(np.array(x),) for x in ([1.3, -2.0, 3.0, 4.0], [2.1, 0.5], [1.1, 1.5, 1.9])]


def until_three(v):
    if v > 2:
        raise StopIteration
    return v


def positive_until_three(v):
    if v > 2:
        raise StopIteration
    return v > 0


def elements(x):
    return list(map(until_three, x)), tuple(map(until_three, x.tolist()))


def loop(x):
    s = 0.0
    for i, v in enumerate(map(until_three, x)):
        s += v * i
    return s


def folds(x):
    return sum(map(until_three, x)), max(map(until_three, x), default=0.0)


def zipped(x):
    return list(zip(map(until_three, x), x, strict=False))


def nested(x):
    return list(itertools.takewhile(lambda v: v < 2, map(until_three, x)))


def filtered(x):
    return list(filter(positive_until_three, x)), [
        v * 2 for v in filter(positive_until_three, x.tolist())
    ]


def starmap(x):
    return list(itertools.starmap(lambda a, b: until_three(a) + b, [(v, 2 * v) for v in x[:1]]))


@each("function", [elements, loop, folds, zipped, nested, filtered, starmap])
def test_iteration_ends(function):
    check_calls(function, *CALLS)
