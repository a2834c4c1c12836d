"""Errors that the user's function raises are raised by its derivatives, too."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

X = np.array([1.0, 2.0, 3.0])


def twice(function):
    return gs.grad(lambda x: np.sum(gs.grad(function)(x) ** 2))


def two_asserts(x):
    assert x[0] > 0, "first"
    assert x[1] > 0, "second"
    return np.sum(x**3)


def two_loops(x):
    s = 0.0
    for v in x:
        if v == 0:
            raise ValueError("first")
        s = s + v**3
    for v in x:
        if v < 0:
            raise ValueError("second")
    return s


def nested(x):
    a = x[0] * x[0]
    if x[1] > -1:
        if x[2] == 0:
            raise ValueError("first")
        if x[1] < 0:
            raise ValueError("second")
        a = np.sin(a) * x[1]
    return a * x[2]


RAISING = {
    two_asserts: [([0.0, 1, 1], "first"), ([1.0, 0, 1], "second")],
    two_loops: [([1.0, -1, 0], "first"), ([1.0, 1, -1], "second")],
    nested: [([1.0, 1, 0], "first"), ([1.0, -0.5, 1], "second")],
}


@each("function", RAISING)
@each("transform", [gs.compile, gs.grad, twice])
def test_every_one_is_raised(function, transform):
    run = transform(function)
    run(X)
    for values, text in RAISING[function]:
        x = np.array(values)
        for one in (function, run):
            with pytest.raises((ValueError, AssertionError), match=text):
                one(x)


def test_an_error_is_asked_for_once():
    def f(x):
        s = 0.0
        for v in x:
            if v < 0:
                raise ValueError("negative")
            s = s + np.sin(v) * s + v
        return s

    assert gs.grad(f).source(X).count("raise ValueError('negative')") == 1
    assert gs.grad(f).source(X).count("    for i in ") == 2


def from_another(x):
    if x[0] > 0:
        raise ValueError("v", 1) from KeyError("k", 2)
    return x


def from_a_variable_in_a_loop(x):
    reason = KeyError("k")
    for e in x:
        if e > 1:
            raise ValueError(f"v {e}") from reason
    return x


def from_the_handled_one(x):
    try:
        if x[0] > 0:
            raise KeyError("k")
    except KeyError as error:
        raise ValueError("v") from error
    return x


def from_none(x):
    for e in x:
        if e > 1:
            raise ValueError from None
    return x


@each("function", [from_another, from_a_variable_in_a_loop, from_the_handled_one, from_none])
def test_causes_are_kept(function):
    compiled = gs.compile(function)
    assert compiled(np.zeros(2)).tolist() == [0, 0]
    x = np.array([0.5, 1.5])
    with pytest.raises(ValueError, match=r"v|^$") as expected:
        function(x)
    with pytest.raises(ValueError, match=r"v|^$") as found:
        compiled(x)
    assert found.value.args == expected.value.args
    assert repr(found.value.__cause__) == repr(expected.value.__cause__)
    assert found.value.__suppress_context__ == expected.value.__suppress_context__
