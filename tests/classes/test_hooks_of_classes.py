"""Hooks of the user's classes run where Python runs them: `gradsmith` asks objects for nothing."""

from __future__ import annotations

import functools

import pytest

from control.one_object import check_calls


def slots(x):
    log = []

    class Slotted:
        __slots__ = ("a", "b")

        def __getattr__(self, name):
            log.append(name)
            return 5

    s = Slotted()
    s.a = x
    s.b = s.a
    del s.a
    s.a += s.b
    return log, s.a, s.missing, log


def unset_slots(x):
    class Strict:
        __slots__ = ("a", "b")

        def __getattr__(self, name):
            raise ValueError(name)

    s = Strict()
    s.a = x
    s.a += 1
    try:
        s.b  # noqa: B018
    except ValueError as error:
        return s.a, str(error)
    return s.a, ""


def swizzles(x):
    class Vector:
        __slots__ = ("x", "y")

        def __init__(self, first):
            self.x = first
            self.y = first * 2

        def __getattr__(self, names):
            return tuple(getattr(self, name) for name in names)

    v = Vector(x)
    return v.xy, v.yx, v.x


def called_objects(x):
    log = []

    class Doubling:
        def __getattr__(self, name):
            log.append(name)
            raise AttributeError(name)

        def __call__(self, a):
            return a * 2

    double = Doubling()
    total = functools.reduce(lambda a, b: double(a) + b, [1, x])
    return double(x), list(map(double, [x, 1])), sorted([2, 1], key=double), total, log


def property_that_adds(x):
    class Tenfold(property):
        def __get__(self, owner, cls=None):
            return 10 * super().__get__(owner, cls)

    class Model:
        v = Tenfold(lambda self: x)

    return Model().v


def property_that_stores(x):
    class Doubled(property):
        def __set__(self, owner, value):
            super().__set__(owner, value * 2)

    class Model:
        def _read(self):
            return self.held

        def _write(self, value):
            self.held = value

        v = Doubled(_read, _write)

    model = Model()
    model.v = x
    return model.v


def property_that_deletes(x):
    class Logged(property):
        def __delete__(self, owner):
            owner.log.append("deleted")

    class Model:
        def __init__(self):
            self.log = []

        @Logged
        def v(self):
            return x

        @v.setter
        def v(self, value):
            self.log.append(value)

    model = Model()
    model.v = 3
    del model.v
    return model.v, model.log


def cached(x):
    class Tenfold(functools.cached_property):
        def __get__(self, owner, cls=None):
            return 10 * super().__get__(owner, cls)

    class Model:
        @Tenfold
        def v(self):
            return x

    model = Model()
    return model.v, model.v


class OfClass(property):
    def __get__(self, owner, cls=None):
        return self.fget(cls)


class Named:
    count = 3

    @OfClass
    def name(cls):  # noqa: N805
        return cls.__name__

    @OfClass
    def double(cls):  # noqa: N805
        return cls.count * 2


def properties_of_the_class(x):
    return Named().name, Named.name, Named.double * x, Named().double + x


@pytest.mark.parametrize(
    "function",
    [
        *(slots, unset_slots, swizzles, called_objects, property_that_adds),
        *(property_that_stores, property_that_deletes, cached, properties_of_the_class),
    ],
)
def test_hooks(function):
    check_calls(function, (1.5,), (2,), (-0.5,))
