"""Classes that functions make: hooks, decorators and containers of classes, as in Python."""

from __future__ import annotations

import abc
import collections
import dataclasses
import enum
import functools
import typing

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import function_of
from helpers import each

# Programs as users write them.
# ruff: noqa: RUF012

LOG, NAMED = [], {}


class Noting:
    def __init_subclass__(cls, weight=1.0, **keywords):
        super().__init_subclass__(**keywords)
        if weight > 1:
            LOG.append(weight)
        NAMED[cls.__name__] = weight
        cls.weight = weight


class WithSlots:
    __slots__ = ("value",)

    def __init_subclass__(cls, weight):
        LOG.append(weight)


class Abstract(abc.ABC):
    def __init_subclass__(cls, weight):
        LOG.append(weight)

    @abc.abstractmethod
    def value(self):
        """The value."""


class Meta(type):
    def __new__(cls, name, bases, namespace, scale=1.0):
        NAMED[name] = scale
        return super().__new__(cls, name, bases, namespace)

    def __init__(cls, name, bases, namespace, scale=1.0):
        super().__init__(name, bases, namespace)
        cls.scale = scale


class OfMeta(metaclass=Meta):
    pass


class Field:
    def __init__(self, value):
        self.value = value

    def __set_name__(self, owner, name):
        self.name = name
        LOG.append(self.value)

    def __get__(self, owner, kind):
        return self.value * len(self.name)


def registered(cls):
    LOG.append(cls.value)
    return cls


def scaled(factor):
    def decorator(function):
        LOG.append(factor)

        @functools.wraps(function)
        def wrapper(*args):
            return function(*args) * factor if factor > 1 else -function(*args)

        return wrapper

    return decorator


def keywords(x):
    class Made(Noting, weight=x):
        pass

    return Made.weight * x


def several(x):
    class First(Noting, weight=x):
        pass

    class Second(First, weight=2 * x):
        def value(self):
            return self.weight + super().weight

    return Second().value()


def by_type(x):
    made = type("Made", (Noting,), {"value": x}, weight=2 * x)
    return made.value * made.weight


def of_a_metaclass(x):
    class Made(OfMeta, scale=x):
        pass

    class Other(metaclass=Meta, scale=Made.scale * 2):
        pass

    return Other.scale


def descriptors(x):
    class Made(Noting):
        first = Field(x)
        second = Field(2 * x)

    return Made.first * Made().second


def slots(x):
    class Made(WithSlots, weight=x):
        __slots__ = ()

    held = Made()
    held.value = x
    return held.value * x


def abstract(x):
    class Made(Abstract, weight=x):
        def value(self):
            return x * 2

    return Made().value()


def decorated(x):
    @registered
    class Made:
        value = x

    @scaled(x)
    @scaled(2.0)
    def function(v):
        return v * Made.value

    return function(3.0)


def containers_of_classes(x):
    class Made:
        log, total = [], 0.0

        @classmethod
        def add(cls, value):
            if value > 1:
                cls.log.append(value)
            cls.total += value

    Made.add(x)
    Made.add(2 * x)
    return sum(Made.log) * Made.total


def containers_of_bases_in_loops(x):
    class Base:
        log = []

    class Made(Base):
        pass

    for k in range(9):
        Made().log.append(x * k)
    return Base.log


def of_the_standard_library(x):
    class Color(enum.Enum):
        RED = 1
        BLUE = 2

    @dataclasses.dataclass
    class Point:
        a: float
        b: float = 2.0

        @functools.cached_property
        def product(self):
            return self.a * self.b

        @staticmethod
        def plus(v):
            return v + 1

    class Pair(typing.NamedTuple):
        a: float
        b: float

    class Shape(abc.ABC):
        @property
        @abc.abstractmethod
        def area(self): ...

    kind = typing.TypeVar("kind")

    class Square(Shape, typing.Generic[kind]):
        area = property(lambda self: x * x)

    pair = Pair(x, Point(x).product)
    return Point.plus(pair.a) * pair.b + Square().area * Color.BLUE.value


CASES = [
    *(keywords, several, by_type, of_a_metaclass, descriptors, slots, abstract, decorated),
    *(containers_of_classes, containers_of_bases_in_loops, of_the_standard_library),
]


def outcome(function, x):
    LOG.clear()
    NAMED.clear()
    return repr(function(x)), repr(LOG), repr(NAMED)


@each("function", CASES)
def test_what_a_class_statement_calls_is_done_at_each_call(function):
    compiled = gs.compile(function)
    for x in (2.0, 0.7, 3.0):
        assert outcome(compiled, x) == outcome(function, x)


@pytest.mark.filterwarnings("ignore::gradsmith.GradsmithWarning")
@each("function", CASES)
def test_derivatives_write_nothing(function):
    LOG.clear()
    NAMED.clear()
    gs.check_grads(lambda x: np.sum(function(x)), (2.0,))
    outcome(gs.compile(function), 2.0)
    LOG.clear()
    NAMED.clear()
    gs.value_and_grad(lambda x: np.sum(function(x)))(2.0)
    assert not LOG
    assert not NAMED


@dataclasses.dataclass
class Pair:
    left: object
    right: object = 1.0


EQUALITIES = [
    *(
        "(lambda p: (p == p, p != p))(Pair(x, x[0]))",
        "Pair(x) == Pair(x)",
        "Pair(1, x) == Pair(2, x)",
    ),
    *("Pair(x, [x]) == Pair(x, [x])", "Pair(x, x[0]) == Pair(x, x[1])", "Pair(x) == 3"),
    *("Pair(x[1]) == Pair(x[1])", "(lambda v: Pair(v) == Pair(v))(x[1])", "Pair(x) == Pair(y)"),
]


@each("expression", EQUALITIES)
def test_fields_that_are_one_object_are_equal(expression):
    function = function_of(f"{expression}, x[0]", "x, y", Pair=Pair)
    compiled = gs.compile(function)
    x, z = np.array([1.0, 2.0, 3.0]), np.array([2.0, np.nan, 2.0])
    for arguments in ((x, x), (z, z), (x, x)):
        assert repr(compiled(*arguments)) == repr(function(*arguments))


# -- classes that functions of Python's make, which look for the module of their caller


class Numbered(enum.IntEnum):
    pass


MAKING = {
    "namedtuple": lambda: collections.namedtuple("Made", "x y"),
    "NamedTuple": lambda: typing.NamedTuple("Made", [("x", float)]),
    "make_dataclass": lambda: dataclasses.make_dataclass("Made", ["x"]),
    "Enum": lambda: enum.Enum("Made", "A B"),
    "IntFlag": lambda: enum.IntFlag("Made", ["A", "B"]),
    "own Enum": lambda: Numbered("Made", "A B"),
    "NewType": lambda: typing.NewType("Made", float),
    "TypedDict": lambda: typing.TypedDict("Made", {"x": float}),
    "TypeVar": lambda: typing.TypeVar("Made"),
    "ParamSpec": lambda: typing.ParamSpec("Made"),
}


@each("name", MAKING)
def test_classes_made_by_functions_are_of_the_users_module(name):
    make = MAKING[name]

    def function(x):
        return x, make().__module__

    assert gs.compile(function)(1.0) == function(1.0)
