"""Subclasses of lists, tuples and dicts whose own methods Python calls, or passes by."""

from __future__ import annotations

import numpy as np

import gradsmith as gs
from helpers import each


class List(list):
    def __getitem__(self, key):
        return super().__getitem__(key) * 2


class Tuple(tuple):
    __slots__ = ()

    def __getitem__(self, key):
        return super().__getitem__(key) * 2


class Dict(dict):
    def __getitem__(self, key):
        return super().__getitem__(key) * 2


OUTSIDE = List([1.0, 3.0])


def looped(cls, x):
    total = 0.0
    for v in cls([x, 3 * x]):
        total = total + v
    return total


def consumed(cls, x):
    values = cls([x, 3 * x])
    return (
        sum(values),
        max(values),
        list(values),
        sorted(values),
        list(zip(values, values, strict=True)),
    )


def comprehended(cls, x):
    values = cls([x, 3 * x])
    return [v * v for v in values], [*values], x in values, values[0], list(reversed(values))


def unpacked(cls, x):
    first, second = cls([x, 3 * x])
    head, *rest = cls([x, 2 * x, 3 * x])
    return first * second, head, rest, next(iter(cls([x])))


def from_outside(cls, x):
    total = 0.0
    for v in OUTSIDE:
        total = total + v * x
    return total, sum(OUTSIDE), OUTSIDE[1]


@each("cls", [List, Tuple])
@each("function", [looped, consumed, comprehended, unpacked, from_outside])
def test_iteration_goes_past_getitem(function, cls):
    def bound(x):
        return function(cls, x)

    compiled = gs.compile(bound)
    for x in (1.5, -2.0):
        assert repr(compiled(x)) == repr(bound(x))


def test_iteration_over_a_dict_gives_its_keys():
    def function(x):
        d = Dict(a=x, b=2 * x)
        return list(d), [2 * k for k in d], dict(d), {**d}, "a" in d, sorted(d), d["a"], d.get("b")

    assert repr(gs.compile(function)(1.5)) == repr(function(1.5))


def test_gradient_of_a_sum_over_such_a_list():
    assert gs.grad(lambda x: sum(List([x, 3 * x])))(1.5) == 4.0


# -- operators that replace an item or attribute read it once ------------------------------------


class Missing(dict):
    def __missing__(self, key):
        self[key] = 2.0
        return 1.0


class Counting(dict):
    reads = 0

    def __getitem__(self, key):
        self.reads += 1
        return dict.__getitem__(self, key) * self.reads


class CountingList(list):
    reads = 0

    def __getitem__(self, key):
        self.reads += 1
        return list.__getitem__(self, key)


class Property:
    reads = 0

    @property
    def value(self):
        self.reads += 1
        return self.reads

    @value.setter
    def value(self, value):
        self.held = value


class Lists(dict):
    def __missing__(self, key):
        self[key] = made = []
        return made


def missing(x):
    d = Missing()
    d["c"] += x
    d["c"] *= x
    return d["c"]


def counted(x):
    d = Counting(a=x)
    d["a"] += x
    d["a"] *= 2
    return d["a"], d.reads


def counted_list(x):
    d = CountingList([x, [x]])
    d[0] += x
    d[1] += [x]
    return d[0], d[1], d.reads


def counted_property(x):
    made = Property()
    made.value += x
    return made.held, made.reads


def counted_in_a_loop(x):
    d = Counting(a=x)
    for _ in range(3):
        d["a"] -= x
    return d["a"], d.reads


def extended_in_a_branch(x):
    d = Lists()
    d["a"] += [x]
    if x > 2.0:
        d["a"] += [2 * x]
    else:
        d["b"] += [3 * x]
    return dict(d)


AUGMENTED = [
    *(missing, counted, counted_list, counted_property, counted_in_a_loop, extended_in_a_branch)
]


@each("function", AUGMENTED)
def test_augmented_assignments_read_once(function):
    compiled = gs.compile(function)
    for x in (1.5, 3.0, np.float64(2.5)):
        assert repr(compiled(x)) == repr(function(x))
