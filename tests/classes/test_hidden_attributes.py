"""Attributes that an object has or has not as a traced value decides: their AttributeError ends in
``hasattr``, in the default of ``getattr``, in ``__getattr__`` and in patterns.
"""

from __future__ import annotations

import operator

import numpy as np
import pytest

import gradsmith as gs
from helpers import each


class Hidden:
    def __init__(self, held):
        self.held = held

    @property
    def value(self):
        if self.held < 0:
            raise AttributeError("hidden")
        return self.held

    @property
    def doubled(self):
        return self.value * 2 if hasattr(self, "value") else 3.0 * self.held


class WithFallback(Hidden):
    def __getattr__(self, name):
        return -100.0 * self.held


class Dynamic:
    def __init__(self, held):
        self.held = held

    def __getattr__(self, name):
        if self.held < 0:
            raise AttributeError(name)
        return self.held * len(name)


class Intercepted:
    def __init__(self, held):
        self.held = held

    def __getattribute__(self, name):
        if name == "value" and object.__getattribute__(self, "held") < 0:
            raise AttributeError(name)
        return object.__getattribute__(self, "held" if name == "value" else name)


class InterceptedWithFallback(Intercepted):
    def __getattr__(self, name):
        return self.held * 7


class Descriptor:
    def __get__(self, owner, kind):
        if owner.held < 0:
            raise AttributeError("value")
        return owner.held


class Described:
    value = Descriptor()

    def __init__(self, held):
        self.held = held


class DescribedWithFallback(Described):
    def __getattr__(self, name):
        return self.held - 1


OUTSIDE = Hidden(1.0)
KINDS = [Hidden, WithFallback, Dynamic, Intercepted, InterceptedWithFallback]
KINDS += [Described, DescribedWithFallback]


def by_default(kind, x):
    return getattr(kind(x), "value", -5.0) * x


def by_asking(kind, x):
    held = kind(x)
    return held.value if hasattr(held, "value") else x * 2


def by_pattern(kind, x):
    match kind(x):
        case kind(value=v):
            return v * 3
    return x * 2


def by_getter(kind, x):
    try:
        return operator.attrgetter("value")(kind(x))
    except AttributeError:
        return x * 2


def in_a_loop(kind, x):
    total = 0.0
    for v in (x, -x, 2 * x):
        total += getattr(kind(v), "value", v * v)
    return total


USES = [by_default, by_asking, by_pattern, by_getter, in_a_loop]


def check(function, *args, differentiates=True):
    compiled = gs.compile(function)
    for arguments in args:
        assert repr(compiled(*arguments)) == repr(function(*arguments))
        if differentiates:
            gs.check_grads(function, arguments)


@pytest.mark.parametrize("use", USES)
@each("kind", KINDS)
def test_an_attribute_that_is_there_for_some_values(kind, use):
    check(lambda x: use(kind, x), (1.5,), (-1.5,), (2.0,))


@pytest.mark.parametrize("kind", [WithFallback, InterceptedWithFallback, DescribedWithFallback])
def test_the_fallback_is_asked_then(kind):
    check(lambda x: kind(x).value * x, (-1.5,), (1.5,), (-2.0,))


def test_a_property_that_asks_for_another():
    check(lambda x: Hidden(x).doubled, (-1.5,), (1.5,))


def test_an_object_outside():
    def function(x):
        OUTSIDE.held = x
        return getattr(OUTSIDE, "value", 3.0) * x + hasattr(OUTSIDE, "value")

    check(function, (-1.5,), (1.5,), differentiates=False)


def test_elements_of_an_array():
    def function(x):
        return sum(getattr(Hidden(v), "value", -5.0) for v in x)

    sets = [np.array([1.0, 2.0, -1.0]), np.ones(2), -np.ones(9)]
    check(function, *((x,) for x in sets), differentiates=False)
