"""``match``: each kind of pattern, on traced values, what holds them, and objects outside."""

from __future__ import annotations

import collections
import enum
from dataclasses import dataclass

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

CASES = {}
NUMBERS = [(2.0,), (-1.5,), (0.0,), (2.0,)]
ARRAYS = [([1.5, 2.0, 3.0],), ([-1.0, 0.5, 2.0, 4.0],), ([0.25],), ([1.5, 2.0, 3.0],)]


def case(arguments):
    def register(function):
        CASES[function.__name__] = function, arguments
        return function

    return register


@dataclass
class Point:
    x: float
    y: float


class Circle:
    __match_args__ = ("r",)

    def __init__(self, r):
        self.r = r


class Square:
    __match_args__ = ("side",)

    def __init__(self, side):
        self.side = side


class Kind(enum.Enum):
    UP = 1
    DOWN = 2


@case(NUMBERS)
def which_class_a_branch_has_chosen(x):
    match Circle(x) if x > 0 else Square(x):
        case Circle(r):
            return 3.0 * r * r
        case Square(side=a):
            return a * a - 1


@case(NUMBERS)
def such_an_object_within_a_tuple(x):
    shape = Circle(x) if x > 0 else Square(x)
    match shape, 2.0:
        case Circle(r), k:
            return 3.0 * r * r * k
        case Square(a), k:
            return a * k


@case([(2.0,), (-1.5,), (np.float64(3.0),), (4,), (2.0,)])
def classes_of_numbers(x):
    match x:
        case np.float64():
            y = x * 2.0
        case float(v) if v > 0:
            y = v * 3.0
        case float() | int():
            y = x * 4.0
    return y


@case(NUMBERS)
def truths_and_values(x):
    match x > 0:
        case True:
            y = x
        case False:
            y = x * 2
    match y:
        case 2.0 | 3.0:
            return y * 5
        case v if v < 0:
            return v * v
        case v:
            return v + 1


@case(NUMBERS)
def members_of_enumerations(x):
    kind = Kind.UP if x > 0 else Kind.DOWN
    match kind:
        case Kind.UP:
            return x
        case Kind.DOWN:
            return x * 3


@case(ARRAYS)
def lists_that_loops_make(x):
    xs = [v * 2 for v in x if v > 0]
    match xs:
        case [a]:
            return a
        case [a, b, c]:
            return a * b - c
        case [a, *rest]:
            return a + sum(rest)
    return 0.0


@case(ARRAYS)
def in_loops(x):
    total = 0.0
    for v in x.tolist():
        match v:
            case float(w) if w > 1:
                total += w * w
            case int():
                total -= 100.0
            case _:
                total += v
    return total


@case(NUMBERS)
def nested(x):
    match {"kind": "line", "at": [x, (1, 2.5)], "more": Point(x, 2.0)}:
        case {"kind": "disc"}:
            return x
        case {"kind": "line", "at": [a, (1 | 2 as n, float() as c)], **rest}:
            return a * n * c + rest["more"].y * len(rest)


@case(ARRAYS)
def attributes_of_arrays(x):
    match x:
        case np.ndarray(ndim=1, size=3):
            return x.sum()
        case [*_]:
            return x.sum() * 3
        case np.ndarray():
            return x.sum() * 2


@case(NUMBERS)
def other_sequences(x):
    match collections.deque([x, 1.0, 2.0]):
        case [a, *middle, b]:
            y = a * b * len(middle)
    match "text":
        case [*_]:
            return x
        case str(word):
            return y * len(word)


@case(NUMBERS)
def too_many_positions(x):
    try:
        match Point(x, 1.0):
            case Point(a, b, c):
                return a * b * c
    except TypeError as error:
        return x * len(str(error))


@each("name", CASES)
def test_what_python_does(name):
    function, calls = CASES[name]
    compiled = gs.compile(function)
    for (argument,) in calls:
        x = np.array(argument) if isinstance(argument, list) else argument
        expected, value = function(x), compiled(x)
        assert value == expected, argument
        assert type(value) is type(expected)


@each("name", CASES)
def test_derivatives(name):
    function, calls = CASES[name]
    gradient = gs.grad(function)
    for (argument,) in calls:
        if isinstance(argument, int):
            continue
        x = np.array(argument) if isinstance(argument, list) else argument
        e = 1e-6
        expected = (function(x + e) - function(x - e)) / 2e-6
        if name == "truths_and_values" and x == 2.0:
            expected = 5.0  # the value 2.0 alone
        if np.all(np.asarray(x) != 0.0):
            np.testing.assert_allclose(np.sum(gradient(x)), expected, rtol=1e-6)


def test_attributes_of_objects_from_outside_are_read_at_each_call():
    outside = Circle(3.0)
    table = {"a": 2.0}
    total = 0.0

    def f(x):
        nonlocal total
        match outside:
            case Circle(r=total):
                x = x * total
        match table:
            case {"b": b}:
                return x * b
            case {"a": a}:
                return x + a

    compiled = gs.compile(f)
    assert compiled(2.0) == f(2.0) == 8.0
    outside.r, table["a"] = 5.0, 7.0
    assert compiled(2.0) == f(2.0) == 17.0
    table["b"], total = 10.0, 0.0
    assert compiled(2.0) == 100.0
    assert total == 5.0
    with pytest.warns(gs.TraceTimeEffectWarning, match="nonlocal"):
        assert gs.grad(f)(2.0) == 50.0
    assert total == 5.0
