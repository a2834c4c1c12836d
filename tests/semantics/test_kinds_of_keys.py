"""What one compiled object takes for the same kind of call: keys that are equal are not one key
where their classes differ, and two names for one container are not two containers.
"""

# Programs as users write them.
# ruff: noqa: PLW0603

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import function_of

HELD = {}
MEMBERS = set()
first = second = None

KEYS = [
    ({1: 3.0}, {1.0: 3.0}, {True: 3.0}, {np.int64(1): 3.0}, {1: 4.0}),
    ({0.0: 2.0}, {-0.0: 2.0}, {0: 2.0}, {False: 2.0}),
    ({(1, 2): 1.0}, {(1.0, 2): 1.0}, {(1, True + 1): 1.0}),
    ({"a": {1: 2.0}}, {"a": {1.0: 2.0}}, {"a": {1: 3.0}}),
]


def scaled(d, x):
    return [
        (k, [(i, w * x) for i, w in v.items()] if isinstance(v, dict) else v * x)
        for k, v in d.items()
    ]


def scaled_held(x):
    return scaled(HELD, x)


def members(x):
    return [(m, type(m).__name__, x) for m in MEMBERS]


@pytest.mark.parametrize("dicts", KEYS)
def test_keys_of_arguments(dicts):
    compiled = gs.compile(scaled)
    for d in (*dicts, *dicts):
        assert repr(compiled(d, 2.0)) == repr(scaled(d, 2.0))


@pytest.mark.parametrize("dicts", KEYS)
def test_keys_of_dicts_outside(dicts):
    compiled = gs.compile(scaled_held)
    for d in (*dicts, *dicts):
        HELD.clear()
        HELD.update(d)
        assert repr(compiled(2.0)) == repr(scaled_held(2.0))


def test_members_of_sets_outside():
    compiled = gs.compile(members)
    for member in (1, 1.0, True, (1, 2), (1, 2.0), 1, True):
        MEMBERS.clear()
        MEMBERS.add(member)
        assert repr(compiled(2.0)) == repr(members(2.0))


def written(x):
    first[0] += x
    return second[0], first is second


def read(x):
    return first[0] * x, first is second


@pytest.mark.parametrize("function", [written, read])
@pytest.mark.parametrize("make", [lambda: [1.0], lambda: {0: 1.0}])
def test_two_names_outside_for_one_container_or_two(function, make):
    global first, second
    compiled = gs.compile(function)
    for one in (True, False, True, True, False):
        outcomes = []
        for called in (function, compiled):
            first = make()
            second = first if one else make()
            outcomes.append(repr((called(2.0), first, second)))
        assert outcomes[0] == outcomes[1]


WORKLIST = """
found, work = {}, [x[0]]
while work:
    v = work.pop()
    KEPT
    if v < 2:
        work.append(v + 1)
"""
LOOP = """
found = {}
for v in x:
    KEPT
"""
KEPT = {
    "integer": "found[int(x[0])] = v",
    "in a tuple": "found[int(x[0]), 'a'] = v",
    "text": "found[f'a{int(x[0])}'] = v",
    "floating-point": "found[float(x[0])] = v",
    "counted": "found[int(x[0])] = found.get(int(x[0]), 0) + 1",
    "in a set": "found.setdefault('s', set()).add(int(x[0]))",
    "in a frozen set": "found[frozenset({int(x[0])})] = v",
    "set by a class": "found.setdefault('c', Items())[int(x[0])] = v",
}
READ = "return [(k, k * 2, w) for k, w in found.items()]"
READ_PARTS = "return [list(w) if hasattr(w, '__iter__') else w for w in found.values()]"


class Items(dict):
    pass


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("loop", [WORKLIST, LOOP], ids=["worklist", "loop"])
@pytest.mark.parametrize("number", ["x[0]", "v"])
def test_keys_that_loops_make_are_plain_after_them(loop, number, kept):
    text = loop.replace("KEPT", KEPT[kept].replace("x[0]", number))
    read = READ_PARTS if "set" in kept else READ
    function = function_of(text + read, Items=Items)
    compiled = gs.compile(function)
    for x in ([1.0, 2.0, 3.0], [0.5, 0.25], [2.5, 0.5, 1.5, 7.0]):
        assert repr(compiled(np.array(x))) == repr(function(np.array(x)))


class Named:
    """Equal to another of its name, whatever else they hold."""

    def __init__(self, name, scale):
        self.name, self.scale = name, scale

    def __eq__(self, other):
        return self.name == other.name

    def __hash__(self):
        return hash(self.name)


@pytest.mark.parametrize("held", [lambda k: {k: 1.0}, lambda k: {(k, 1): 1.0}, lambda k: {k}])
def test_equal_keys_that_are_other_objects_are_other_keys(held):
    def function(x, d):
        keys = [k[0] if isinstance(k, tuple) else k for k in d]
        return [k.scale * x for k in keys], x * (keys[0] is keys[-1])

    compiled = gs.compile(function)
    for scale in (2.0, 3.0, 2.0, 5.0):
        key = held(Named("a", scale))
        assert compiled(1.5, key) == function(1.5, key)
