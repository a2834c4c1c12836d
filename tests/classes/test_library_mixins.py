"""Containers of classes that Python's library has written in Python, and of classes with its
mixins, in loops and branches.
"""

from __future__ import annotations

import collections
from collections.abc import MutableMapping, MutableSequence

import numpy as np
import pytest

import gradsmith as gs
from helpers import each


class Doubling(MutableMapping):
    def __init__(self):
        self.held = {}

    def __getitem__(self, key):
        return self.held[key]

    def __setitem__(self, key, value):
        self.held[key] = value * 2 if value > 0 else value

    def __delitem__(self, key):
        del self.held[key]

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)


class Positive(MutableSequence):
    def __init__(self):
        self.held = []

    def __getitem__(self, place):
        return self.held[place]

    def __setitem__(self, place, value):
        self.held[place] = value

    def __delitem__(self, place):
        del self.held[place]

    def __len__(self):
        return len(self.held)

    def insert(self, place, value):
        if value > 0:
            self.held.insert(place, value)
        else:
            self.held.insert(place, -2 * value)


MADE = {
    "UserList": (collections.UserList, lambda held, v: held.append(v), list),
    "UserDict": (collections.UserDict, lambda held, v: held.update({len(held): v}), dict),
    "UserDict, item": (
        collections.UserDict,
        lambda held, v: held.__setitem__(len(held), v),
        dict,
    ),
    "ChainMap": (collections.ChainMap, lambda held, v: held.update({len(held): v}), dict),
    "mapping": (Doubling, lambda held, v: held.update({len(held): v}), dict),
    "sequence": (Positive, lambda held, v: held.append(v), list),
}


def in_a_loop(x, make, add, result):
    held = make()
    for v in x:
        add(held, v)
    return result(held)


def in_a_branch(x, make, add, result):
    held = make()
    add(held, x[0])
    if x[0] > 0:
        add(held, x[1])
    return result(held)


def taken_in_a_branch(x, make, add, result):
    held = make()
    add(held, x[0])
    add(held, x[1])
    if x[0] > 0:
        held.pop(0)
    return result(held)


def with_integers(x, make, add, result):
    held = make()
    for k in range(len(x)):
        add(held, k)
    return result(held), x


@each("name", MADE)
@each("use", [in_a_loop, in_a_branch, taken_in_a_branch, with_integers])
def test_they_hold_what_python_puts_there(use, name):
    def function(x):
        return use(x, *MADE[name])

    compiled = gs.compile(function)
    for values in ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [-1.0, 2.0], [1.5] * 9):
        x = np.array(values)
        assert repr(compiled(x)) == repr(function(x))


def methods_of_a_mapping(x):
    held = Doubling()
    held.update({"a": x, "b": -x})
    held.setdefault("c", x)
    popped = held.pop("b")
    return dict(held), held.get("a"), popped, "a" in held, list(held.items())


def methods_of_a_sequence(x):
    held = Positive()
    held.extend([x, -x])
    held += [x]
    held.reverse()
    return list(held), held.index(held[0]), held.pop(), held.count(x)


@pytest.mark.parametrize("function", [methods_of_a_mapping, methods_of_a_sequence])
def test_methods_of_mixins_are_staged(function):
    compiled = gs.compile(function)
    for x in (2.0, -1.0, 0.5):
        assert repr(compiled(x)) == repr(function(x))


# -- views of a mapping, which call its methods


class Plain(MutableMapping):
    def __init__(self, **held):
        self.held = held

    def __getitem__(self, key):
        return self.held[key]

    def __setitem__(self, key, value):
        self.held[key] = value

    def __delitem__(self, key):
        del self.held[key]

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)


def named(**given):
    return given


VIEWS = {
    "sum of values": lambda m: sum(m.values()),
    "items in a loop": lambda m: [2 * v for k, v in m.items()],
    "list of items": lambda m: list(m.items()),
    "keys": lambda m: (list(m.keys()), len(m.keys()), "b" in m.keys()),  # noqa: SIM118
    "values in": lambda m: 2.0 in m.values(),
    "items in": lambda m: ("a", 2.0) in m.items(),
    "equal": lambda m: m == {"a": 2.0},
    "items equal": lambda m: m.items() == {("a", 2.0)},
    "operators of keys": lambda m: (sorted(m.keys() & {"a", "z"}), sorted(m.keys() | {"z"})),
    "greatest": lambda m: (max(m, key=lambda k: m[k]), max(m.values())),
    "sorted": lambda m: sorted(m.items(), key=lambda pair: -pair[1]),
    "zip": lambda m: list(zip(m.keys(), m.values(), strict=True)),
    "in braces": lambda m: {"z": 1.0, **m, "y": 2.0},
    "in a call": lambda m: named(z=1.0, **m),
    "dict": dict,
}


@each("use", VIEWS)
def test_views_of_a_mapping_show_what_it_holds(use):
    def run(compiled):
        m = Plain(a=0.0)

        def written(x):
            m["a"] = x
            return VIEWS[use](m)

        read = compiled(lambda x: (x, VIEWS[use](m)))
        write = compiled(written)
        found = [write(1.0), write(2.0), read(1.0)]
        m["a"] = 4.0
        found.append(read(1.0))
        m["b"] = 3.0
        return [*found, read(1.0), write(7.0)]

    assert repr(run(gs.compile)) == repr(run(lambda f: f))


def test_views_outside_show_what_the_mapping_holds():
    def run(compiled):
        m = Plain(a=1.0)
        values, items, keys = m.values(), m.items(), m.keys()
        c = compiled(lambda x: (sum(values) * x, [v * x for _, v in items], list(keys), len(keys)))
        found = [c(2.0)]
        m["b"] = 3.0
        return [*found, c(2.0)]

    assert repr(run(gs.compile)) == repr(run(lambda f: f))
