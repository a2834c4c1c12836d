"""Objects of Python's own classes in containers: what a function sets is set after the call, as a
plain value, and derivatives leave them as they were.
"""

from __future__ import annotations

import argparse
import threading
import types

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

HELD = []


def empty():
    return None


OBJECTS = {
    "namespace": types.SimpleNamespace,
    "options": argparse.Namespace,
    "local": threading.local,
    "function": lambda: types.FunctionType(empty.__code__, {}),
    "module": lambda: types.ModuleType("made"),
    "class": lambda: type("Made", (), {}),
    "error": Exception,
}


UNHASHABLE = ("namespace", "options")
CONTAINERS = {
    "list": lambda o: [o],
    "tuple": lambda o: (o,),
    "tuple in a set": lambda o: {(o,)},
    "inner list": lambda o: [[o]],
    "dict": lambda o: {"held": [o]},
    "set": lambda o: {o},
    "frozen set": lambda o: frozenset({o}),
    "keys": lambda o: {"held": {o: 1.0}},
    "keys in tuples": lambda o: {"held": {(o, 2): 1.0}},
}

UNHASHED = ("list", "tuple", "inner list", "dict")


def innermost(found):
    while isinstance(found, (list, tuple, dict, set, frozenset)):
        found = found["held"] if "held" in found else next(iter(found))
    return found


def sets_attributes(x, held):
    owner = innermost(held)
    before = owner.value
    owner.value, owner.more = before + x[0] * 2, [x[1]]
    return x[0] * before


def sets_attributes_outside(x):
    return sets_attributes(x, HELD[0])


PAIRS = [(c, o) for c in CONTAINERS for o in OBJECTS if c in UNHASHED or o not in UNHASHABLE]


@each("pair", PAIRS)
@pytest.mark.parametrize("outside", [False, True])
def test_attributes_are_set_as_plain_values(outside, pair):
    x, (container, made) = np.array([1.5, 2.0]), pair
    expected, actual = OBJECTS[made](), OBJECTS[made]()
    expected.value = actual.value = 3.0
    results = []
    for owner in (expected, actual):
        HELD[:] = [CONTAINERS[container](owner)]
        function = sets_attributes_outside if outside else sets_attributes
        args = (x,) if outside else (x, HELD[0])
        if owner is actual:
            with pytest.warns(gs.TraceTimeEffectWarning):
                np.testing.assert_array_equal(gs.grad(function)(*args), [3.0, 0.0])
            assert vars(actual)["value"] == 3.0
            assert not hasattr(actual, "more")
            function = gs.compile(function)
        results.append([function(*args), function(*args)])
    assert results[0] == results[1]
    assert type(actual.value) is type(expected.value)
    assert (actual.value, actual.more) == (expected.value, expected.more)
