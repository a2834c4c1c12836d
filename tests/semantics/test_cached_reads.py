"""Functions under ``functools.cache`` outside: what they return, and what they read."""

import functools

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls
from helpers import each


class Counter:
    def __init__(self):
        self.total = 0.0


def made():
    """Functions that change what a cache holds, each with one that shows it."""

    @functools.lru_cache(None)
    def numbers():
        return [0.0]

    @functools.cache
    def settings():
        return {"rate": 2.0, "seen": [1.0]}

    @functools.cache
    def counter():
        return Counter()

    @functools.cache
    def grid(n):
        return np.linspace(0.0, 1.0, n)

    def list_item(x):
        numbers()[0] += x
        return numbers()[0]

    def nested_list(x):
        settings()["seen"].append(x)
        return settings()["rate"] * x, len(settings()["seen"])

    def attribute(x):
        counter().total += x
        return counter().total

    def array(x):
        points = grid(3)
        points[0] += x
        return grid(3).sum()

    return {
        "list": (list_item, numbers),
        "nested list": (nested_list, settings),
        "attribute": (attribute, lambda: counter().total),
        "array": (array, lambda: grid(3).tolist()),
    }


@each("name", ["list", "nested list", "attribute", "array"])
def test_what_a_cache_holds_is_from_outside(name):
    (plain, held), (function, kept) = made()[name], made()[name]
    compiled = gs.compile(function)
    for value in (1.0, 2.0, 3.0):
        assert compiled(value) == plain(value)
        assert kept() == held()


TABLE = np.arange(5.0)
RATE = 0.5


@functools.cache
def coefficient(n):
    return RATE * n + TABLE[n]


def test_constants_may_be_read():
    check_calls(lambda x, n: coefficient(n) * x, (1.0, 2), (2.0, 2), (3.0, 4))


def changed_before():
    state = [0]

    @functools.cache
    def first(n):
        return state[0] * n

    def function(x, n):
        state[0] += 1
        return first(n) * x

    return function, lambda: None


def changed_between():
    rate = 1.0

    @functools.cache
    def scaled(n):
        return rate * n

    def function(x, n):
        return scaled(n) * x

    def change():
        nonlocal rate
        rate += 1.0

    return function, change


def attribute_changed():
    counter = Counter()

    @functools.cache
    def scaled(n):
        return counter.total * n

    def function(x, n):
        counter.total += 1.0
        return scaled(n) * x

    return function, lambda: None


@each("program", [changed_before, changed_between, attribute_changed])
def test_what_changes_is_refused(program):
    function, change = program()
    compiled = gs.compile(function)

    def called():
        for _ in range(3):
            compiled(1.0, 2)
            change()

    with pytest.raises(gs.GradsmithError, match="what it reads outside of itself"):
        called()
