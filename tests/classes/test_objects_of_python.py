"""Dicts of classes, iterators, partials, keys of comparisons and conversions, as in Python."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import gradsmith as gs
from helpers import each


class Box:
    factor = 3.0
    count = 2

    def method(self):
        return self.factor


class Countdown:
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return self

    def __next__(self):
        if self.count <= 0:
            raise StopIteration
        self.count -= 1
        return self.count


class Halving:
    def __init__(self, value):
        self.value = value

    def __iter__(self):
        return self

    def __next__(self):
        self.value = self.value / 2
        if self.value < 0.3:
            raise StopIteration
        return self.value


class Number:
    def __init__(self, value):
        self.value = value

    def __float__(self):
        return self.value

    def __index__(self):
        return self.value


OUTSIDE = functools.partial(lambda a, b=1, c=2: a * b * c, b=3)


def dict_of_a_class(x):
    held = vars(Box)
    return Box.__dict__["factor"] * x + held["count"], "method" in held, list(held)[:2]


def dict_of_a_class_made_here(x):
    class Made:
        value = x

    Made.other = 2 * x
    names = sorted(name for name in vars(Made) if name[0] != "_")
    return Made.__dict__["value"] * vars(Made)["other"], names


def iterators_are_the_objects(x):
    held = Countdown(3)
    taken = iter(held)
    first = next(taken)
    return taken is held, first, taken.count, list(taken), taken.count, x


def iterators_with_traced_values(x):
    taken = iter(Halving(x))
    first = next(taken, -1.0)
    return first, sum(taken), [*zip(iter(Halving(x)), "abc")], taken.value  # noqa: B905


def best_by_comparison(x):
    key = functools.cmp_to_key(lambda a, b: a * a - b)
    values = [x, 1.0, 3.0, 0.25]
    return max(values, key=key), min(values, key=key)


def sorted_by_comparison(x):
    return sorted([x, 1.0, 3.0, 0.25], key=functools.cmp_to_key(lambda a, b: b - a))


def partials_of_partials(x):
    inner = functools.partial(lambda a, b: a * b, x)
    outer = functools.partial(inner, 2)
    return len(outer.args), outer.func(x, 5.0), outer()


def partials_of_partials_outside(x):
    outer = functools.partial(OUTSIDE, c=x)
    return outer(2), sorted(outer.keywords), outer.keywords["b"]


def chosen_by_a_truth(x):
    return [x, 2 * x][x > 1], (1.0, x * x)[not x > 2], [[x], [1.0, x]][x > 2]


FUNCTIONS = [
    *(dict_of_a_class, dict_of_a_class_made_here, iterators_are_the_objects),
    *(iterators_with_traced_values, best_by_comparison, sorted_by_comparison),
    *(partials_of_partials, partials_of_partials_outside, chosen_by_a_truth),
]


@each("function", FUNCTIONS)
def test_results_are_those_of_python(function):
    compiled = gs.compile(function)
    for x in (1.5, 0.5, 4.0, 0.1, 1.5):
        assert repr(compiled(x)) == repr(function(x))


def test_values_of_a_class_are_read_at_each_call():
    compiled = gs.compile(lambda x: vars(Box)["factor"] * x)
    assert compiled(2.0) == 6.0
    Box.factor = 5.0
    try:
        assert compiled(2.0) == 10.0
    finally:
        Box.factor = 3.0


def test_float_of_an_object_is_pythons():
    compiled = gs.compile(lambda x: float(Number(x)))
    assert type(compiled(np.float64(2.0))) is float


def test_objects_as_indices():
    def function(x, n):
        part = x[Number(0) : Number(n)]
        return x[Number(n)] * part.sum() + [1.0, 2.0, 3.0][Number(n)]

    compiled = gs.compile(function)
    x = np.array([1.0, 2.0, 4.0])
    for n in (1, 2, 0):
        assert compiled(x, n) == function(x, n)


@pytest.mark.parametrize("x", [1.0, np.float64(1.0), 1])
def test_numbers_have_no_matrix_product(x):
    def function(x):
        try:
            return x @ 2.0
        except TypeError as error:
            return str(error)

    assert gs.compile(function)(x) == function(x)
