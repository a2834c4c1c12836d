"""Containers that belong to classes made in the function change in loops and branches."""

# ruff: noqa: RUF012  these are what the tests are about
from __future__ import annotations

from collections import defaultdict, deque

import numpy as np

import gradsmith as gs
from helpers import each


def list_of_a_class(x):
    class Registry:
        held = []

    for v in x:
        Registry.held.append(v * v)
    return Registry.held


def dict_of_a_class(x):
    class Registry:
        held = {}

    for v in x:
        Registry.held[len(Registry.held)] = v * v
    return list(Registry.held.values())


def list_in_a_method(x):
    class Registry:
        held = []

        def add(self, value):
            self.held.append(value)

    one, other = Registry(), Registry()
    for v in x:
        (one if v > 2 else other).add(v * v)
    return Registry.held


def list_in_a_branch(x):
    class Registry:
        held = []

    if x[0] > 2:
        Registry.held.append(x[1])
    return Registry.held


def number_in_a_list(x):
    class Account:
        totals = [0.0, 1.0]

        @classmethod
        def add(cls, value):
            cls.totals[0] += value

    for v in x:
        Account.add(v * v)
    return Account.totals


def list_of_a_base(x):
    class Base:
        held = []

    class Registry(Base):
        pass

    for v in x:
        Registry.held.append(v * v)
    return Base.held


def list_of_a_metaclass(x):
    class Meta(type):
        held = []

        def __call__(cls, value):
            Meta.held.append(value)
            return super().__call__(value)

    class Point(metaclass=Meta):
        def __init__(self, value):
            self.value = value

    return [Point(v).value * v for v in x] + Meta.held


def deques_and_defaults(x):
    class Registry:
        queue = deque()
        groups = defaultdict(list)

    for v in x:
        Registry.queue.append(v)
        Registry.groups["k"].append(v * v)
    return [*Registry.queue, *Registry.groups["k"]]


def default_of_a_method(x):
    class Registry:
        def add(self, value, held=[]):  # noqa: B006
            held.append(value)
            return held

    registry = Registry()
    for v in x:
        held = registry.add(v * v)
    return held


def class_by_a_call(x):
    registry = type("Registry", (), {"held": []})
    for v in x:
        registry.held.append(v * v)
    assert registry.__module__ == __name__
    return registry.held


def cache(x):
    class Squares:
        known = {}

        def get(self, i):
            if i not in self.known:
                self.known[i] = x[i] ** 2
            return self.known[i]

    squares = Squares()
    return [squares.get(i) + squares.get(0) for i in range(len(x))] + [len(Squares.known)]


FUNCTIONS = [
    list_of_a_class,
    dict_of_a_class,
    list_in_a_method,
    list_in_a_branch,
    number_in_a_list,
    list_of_a_base,
    list_of_a_metaclass,
    deques_and_defaults,
    default_of_a_method,
    class_by_a_call,
    cache,
]


@each("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_value_and_gradient(function):
    def weighted(x):
        return sum(v * (i + 1) for i, v in enumerate(function(x))) + 0.0 * x[0]

    compiled, gradient = gs.compile(function), gs.grad(weighted)
    for values in ([5.0, 1.0, 1.5], [1.0, 3.0, 2.5, 0.5]):
        x = np.array(values)
        assert compiled(x) == function(x)
        steps = 1e-6 * np.eye(len(x))
        differences = [(weighted(x + h) - weighted(x - h)) / 2e-6 for h in steps]
        np.testing.assert_allclose(gradient(x), differences, rtol=1e-6, atol=1e-7)
