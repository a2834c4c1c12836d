"""What one path of a branch does to keys, and to Python's objects without traced values."""

from __future__ import annotations

import array
import re

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls
from gradsmith.errors import UnsupportedError
from helpers import each

CALLS = [(np.array(x),) for x in ([1.0, 2.0], [-1.0, 2.0], [3.0, 0.5])]
OUTSIDE = bytearray(b"abc")


class Slotted:
    __slots__ = ("a", "b")


class Plain:
    pass


def moved_to_another_key(x):
    m = {"a": x[1]}
    if x[0] > 0:
        m["b"] = m.pop("a")
    return list(m), m.get("a", 0.0) * 2


def moved_to_the_end(x):
    m = {"a": 1.0, "b": x[1]}
    if x[0] > 0:
        m["a"] = m.pop("a")
    return list(m), m["b"]


def moved_to_another_attribute(x):
    o = Plain()
    o.a = x[1]
    if x[0] > 0:
        o.b = o.a
        del o.a
    return list(vars(o)), hasattr(o, "a")


def moved_to_another_slot(x):
    o = Slotted()
    o.a = x[1]
    if x[0] > 0:
        o.b = o.a
        del o.a
    return hasattr(o, "a"), hasattr(o, "b")


def bytes_changed(x):
    b, c = bytearray(2), array.array("d", [1.0])
    if x[0] > 0:
        b[0], c[0] = 1, 2.0
    return b[0], c[0], x[1]


def defaults_changed(x):
    f = lambda k=1.0: k  # noqa: E731
    if x[0] > 0:
        f.__defaults__ = (2.0,)
    return f() * x[1]


def arguments_of_an_error_changed(x):
    error = ValueError("a")
    if x[0] > 0:
        error.args = ("b",)
    return error.args, x[1]


PROGRAMS = [moved_to_another_key, moved_to_the_end, moved_to_another_attribute]
PROGRAMS += [moved_to_another_slot, bytes_changed, defaults_changed]
PROGRAMS += [arguments_of_an_error_changed]


@each("function", PROGRAMS)
def test_what_one_path_changes(function):
    check_calls(function, *CALLS)


def test_bytearrays_from_outside_are_not_changed():
    def function(x):
        OUTSIDE[0] = 100
        return OUTSIDE[0] * x[0]

    with pytest.raises(UnsupportedError, match=re.escape("a bytearray from outside")):
        gs.compile(function)(np.ones(2))
    assert OUTSIDE == b"abc"
