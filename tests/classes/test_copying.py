"""`copy.copy` and `copy.deepcopy`: cycles, shared parts, and what classes say of being copied."""

# Functions and classes are written here as users write them, not as a linter would have them.

from __future__ import annotations

import collections
import copy
from dataclasses import dataclass

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls
from gradsmith.errors import UnsupportedError
from helpers import each

LOG = []


class Node:
    def __init__(self, value):
        self.value = value
        self.children = []
        self.parent = None
        self.double = self.doubled

    def doubled(self):
        self.value = self.value * 2
        return self.value


class Hooked:
    def __init__(self, value):
        self.value = value
        self.copies = 0

    def __deepcopy__(self, memo):
        LOG.append("deep")
        made = Hooked(copy.deepcopy(self.value, memo))
        made.copies = self.copies + 1
        return made

    def __copy__(self):
        LOG.append("shallow")
        return Hooked(self.value * 3 if self.value > 1 else self.value)


class Reduced:
    def __init__(self, value, number):
        self.value = value
        self.number = number

    def __reduce__(self):
        return (Reduced, (self.value * 2, self.number + 1), {"state": self.value})


class Stateful:
    def __new__(cls, value=1.0):
        LOG.append("new")
        return object.__new__(cls)

    def __init__(self, value):
        self.value = value
        self.cache = value * 5

    def __getstate__(self):
        return {"value": self.value}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.cache = self.value * 7


@dataclass(frozen=True, slots=True)
class Frozen:
    value: float
    items: list


class Table(dict):
    def __init__(self, *args):
        super().__init__(*args)
        self.tag = 1


ROOT = Node(2.0)
ROOT.children.append(ROOT)


def cycles(x):
    a, b = Node(x), Node(x * 2)
    a.children.append(b)
    b.parent = a
    c = copy.deepcopy(a)
    c.children[0].parent.value = x * 3
    c.double()
    d = copy.deepcopy(ROOT)
    d.value *= x
    same = c.children[0].parent is c, d.children[0] is d, c is a
    return same, c.value, a.value, c.children[0].value, d.children[0].value, ROOT.value


def shared_parts(x):
    array, inner = np.array([x, 1.0]), [x]
    held = {"a": inner, "b": (inner, 1), "u": array, "v": array, "n": Node(inner)}
    made = copy.deepcopy(held)
    made["a"].append(2.0)
    made["u"][1] = 5.0
    same = made["a"] is made["b"][0], made["u"] is made["v"], made["n"].value is made["a"]
    return same, len(made["n"].value), inner, array, made["v"], made["a"][0] * x


def hooks(x):
    inner = [x]
    one, pair = Hooked(inner), Hooked(x)
    made = copy.deepcopy([inner, one, one])
    made[0].append(1.0)
    shallow = copy.copy(pair)
    return len(made[1].value), made[1] is made[2], made[2].copies, shallow.value, made[0][0]


def reductions(x):
    r = Reduced(x, 1)
    shallow, deep = copy.copy(r), copy.deepcopy((r, [r]))
    s = copy.deepcopy(Stateful(x))
    f = Frozen(x, [x])
    g, h = copy.deepcopy(f), copy.copy(f)
    g.items.append(1.0)
    parts = shallow.value, shallow.number, shallow.state, deep[0].value, deep[0] is deep[1][0]
    return parts, s.cache, s.value, f.items, g.items, h.items is f.items, type(g) is Frozen


def containers(x):
    t = Table({"a": [x]})
    u, v = copy.copy(t), copy.deepcopy(t)
    v["a"].append(1.0)
    u.tag = 5
    q = collections.deque([x, [x]], maxlen=3)
    p = copy.deepcopy(q)
    p[1].append(x)
    p.extend([1.0, 2.0])
    d = collections.defaultdict(list, k=[x])
    e = copy.deepcopy(d)
    e["k"].append(2.0)
    e["z"].append(x)
    kinds = type(u) is Table, u["a"] is t["a"], t.tag, u.tag, v.tag, len(v["a"]), len(t["a"])
    return kinds, len(q), len(q[1]), p.maxlen, p[0], d["k"], e["k"], len(e)


@each("fun", [cycles, shared_parts, hooks, reductions, containers])
def test_copies_are_those_of_python(fun):
    compiled = gs.compile(fun)
    for x in (2.0, 0.5, 2.0):
        found = []
        for function in (fun, compiled):
            LOG.clear()
            found.append((repr(function(x)), list(LOG)))
        assert found[0] == found[1]
    slope = gs.grad(lambda x: fun(x)[-1] if fun is shared_parts else x)(2.0)
    assert slope == (4.0 if fun is shared_parts else 1.0)


@each("made", [iter, enumerate, reversed, lambda x: map(abs, x)])
def test_iterators_over_arrays_are_not_copied(made):
    """Whether the copy goes on by itself depends on what is below it."""

    def function(x):
        values = made(x)
        next(values)
        return list(copy.copy(values))

    with pytest.raises(UnsupportedError, match="an iterator is copied"):
        gs.compile(function)(np.ones(3))


class Recorder:
    """It has every attribute."""

    def __getattr__(self, name):
        return lambda *args: (name, args)


class Telling:
    def __getattr__(self, name):
        LOG.append(name)
        raise AttributeError(name)


class Doubling:
    def __init__(self, value):
        self.value = value

    def __getattr__(self, name):
        if name == "__deepcopy__":
            return lambda memo: Doubling(self.value * 2)
        if name == "__setstate__":
            return lambda state: self.__dict__.update(state, restored=True)
        raise AttributeError(name)


def test_hooks_that_an_object_finds():
    def recorded(x):
        owner = Recorder()
        owner.a = x
        return vars(copy.copy(owner)), "a" in vars(copy.copy(owner))

    def told(x):
        LOG.clear()
        owner = Telling()
        owner.a = x
        return copy.copy(owner).a, copy.deepcopy(owner).a, list(LOG)

    def doubled(x):
        owner = Doubling(x)
        one, other = copy.copy(owner), copy.deepcopy(owner)
        return one.value, one.restored, other.value, vars(other)

    def of_the_object(x):
        owner = Doubling([x])
        owner.__deepcopy__ = lambda memo: "deep"
        return copy.deepcopy(owner), copy.copy(owner).value is owner.value

    for function in (recorded, told, doubled, of_the_object):
        check_calls(function, (1.5,), (2,))
