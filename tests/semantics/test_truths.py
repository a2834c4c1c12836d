"""Truth values are Python's where Python makes one; errors write themselves as Python's do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import gradsmith as gs
from helpers import each


class Above:
    def __init__(self, level):
        self.level = level

    def __contains__(self, value):
        return value > self.level


@dataclass
class Point:
    x: float
    y: float = 0.0


def _contained(x):
    return x in Above(1.0), x not in Above(1.0)


def _of_elements(x):
    v = np.array([x, x - 1])
    return all(v > 0), any(v > 0), not v[0]


def _containers_compared(x):
    one, other = Point(x), Point(x + 1)
    return one == other, one == Point(x), (x,) == (x + 1,), [x, x] != [x, 1], {"a": x} == {"a": x}


def _is_true(x):
    high = float(x) > 1.0
    return high is True, high is not True, high is False, high is not False


def _in_branches(x):
    if all(np.array([x, x * 2]) > 1) and x in Above(0.5):
        return x * 2
    return x


@each("function", [_contained, _of_elements, _containers_compared, _is_true, _in_branches])
def test_truths(function):
    compiled = gs.compile(function)
    for x in (2.0, 0.5, np.float64(2.0), np.float64(-0.5), np.float64(1.0)):
        assert repr(compiled(x)) == repr(function(x))


# -- errors --------------------------------------------------------------------------------------


def _written(x):
    try:
        if x > 1:
            raise KeyError(x)
        raise ValueError(x, "low")
    except (KeyError, ValueError) as error:
        print(repr(error), error, [error], error.args)
    return x


def _of_a_number(x):
    try:
        if x < 1:
            raise ValueError(x)
        return 1.0
    except ValueError:
        return 2.0


def _of_no_number(x):
    try:
        return int(x), round(x)
    except OverflowError:
        return "infinite"
    except ValueError:
        return "nan"


@pytest.mark.parametrize("function", [_written, _of_a_number, _of_no_number])
def test_errors_that_are_handled(function, capsys):
    compiled = gs.compile(function)
    for x in (2.5, 0.5, np.float64(np.inf), np.float64(np.nan), np.float64(2.5), np.inf):
        found, expected = compiled(x), capsys.readouterr().out
        assert repr(found) == repr(function(x))
        assert expected == capsys.readouterr().out


# -- iterators of the user's that end by an error -------------------------------------------------


class Halves:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return self

    def __next__(self):
        self.x = self.x / 2
        if self.x < 0.3:
            raise StopIteration
        return self.x


class Multiples:
    def __init__(self, x):
        self.x = x

    def __getitem__(self, place):
        if place * self.x > 3:
            raise IndexError
        return self.x * place


def _in_a_loop(x):
    total = 0.0
    for v in Halves(x):
        total += v * v
    return total


def _first(x):
    return next(Halves(x), 7.0 * x)


def _in_a_list(x):
    return sum([v * x for v in Halves(x)], 0.0)


def _by_index(x):
    return sum(Multiples(x), 0.0)


@each("function", [_in_a_loop, _first, _in_a_list, _by_index])
def test_iterators_end_where_python_says(function):
    compiled, gradient = gs.compile(function), gs.grad(function)
    for x in (2.1, 5.3, 0.7, 2.1):
        assert compiled(x) == function(x)
        slope = (function(x + 1e-6) - function(x - 1e-6)) / 2e-6
        np.testing.assert_allclose(gradient(x), slope, rtol=1e-7)


def test_scalars_cast_to_their_own_dtype_stay_scalars():
    def function(x, n):
        return x.astype(x.dtype), n.astype(n.dtype), x.astype(np.float32)

    found = gs.compile(function)(np.float64(2.5), np.int64(2))
    assert repr(found) == repr(function(np.float64(2.5), np.int64(2)))
