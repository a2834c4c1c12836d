"""Objects of which a branch chooses one are those objects, with attributes, class and identity."""

from __future__ import annotations

import enum
import math

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from programs.harness import same_bits


class Mode:
    """Its attributes are called as those of what gradsmith keeps for a value not yet known."""

    def __init__(self, name, why, loop):
        self.name, self.why, self.loop = name, why, loop
        self.site = self.shown = self.stacked = self.value = self.present = 2.0


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


class Part(enum.Enum):
    LEFT = 1
    RIGHT = 2


class Degrees(float):
    def radians(self):
        return math.radians(self)


FAST, SLOW = Mode("fast", 2.0, 1), Mode("slow", 0.5, 2)


def attributes_in_comprehensions(x):
    chosen = [FAST if v > 1 else SLOW for v in x]
    print([mode.name for mode in chosen])
    return sum(mode.why * v * mode.loop for mode, v in zip(chosen, x, strict=True))


def attributes_after_branches(x):
    total = 0.0
    for v in x:
        mode = FAST if v > 1 else SLOW
        total += mode.why * v * mode.loop + mode.site * mode.shown + mode.stacked
        total += mode.value * mode.present + getattr(mode, "why", 7.0) * v
    return total


def attributes_that_are_set(x):
    first, second = Mode("a", 1.0, 1), Mode("b", 2.0, 2)
    chosen = first if x[-1] > 1 else second
    chosen.name, chosen.why = "z", x[0]
    print(first.name, second.name)
    return first.why + 2 * second.why


def members_of_integers(x):
    count, level = 0, Level.LOW
    for v in x:
        if level is Level.LOW and v > 1:
            level = Level.HIGH
        elif level is Level.HIGH:
            level, count = Level.LOW, count + 1
    print(level, repr(level), level.name, isinstance(level, Level), count)
    return x.sum() * level


def members_in_lists(x):
    levels = [Level.LOW if v < 1 else Level.HIGH for v in x]
    print(levels, [level.name for level in levels], levels.count(Level.HIGH))
    return sum(level * v for level, v in zip(levels, x, strict=True)) + max(levels)


def members_as_keys(x):
    part = Part.LEFT if x[0] > 0.4 else Part.RIGHT
    level = Level.HIGH if x[0] > 0.4 else Level.LOW
    print(part.name, part.value, {Level.LOW: "l", Level.HIGH: "h"}[level])
    return x.sum() * {Part.LEFT: 2.0, Part.RIGHT: 3.0}[part]


def numbers_with_methods(x):
    angle = Degrees(30.0) if x[0] > 1 else Degrees(60.0)
    return angle.radians() * x.sum()


FUNCTIONS = [
    attributes_in_comprehensions,
    attributes_after_branches,
    attributes_that_are_set,
    members_of_integers,
    members_in_lists,
    members_as_keys,
    numbers_with_methods,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_they_are_the_objects(function, capsys):
    compiled, gradient = gs.compile(function), gs.grad(function)
    for values in ([0.5], [1.5, 0.7], [0.2, 0.3, 3.0], [0.5]):
        x = np.array(values)
        expected = function(x)
        printed = capsys.readouterr().out
        same_bits(compiled(x), expected)
        assert capsys.readouterr().out == printed
        slope = gradient(x)
        assert capsys.readouterr().out == printed
        step = np.full(len(x), 1e-6)
        difference = (function(x + step) - function(x - step)) / 2e-6
        capsys.readouterr()
        assert slope.sum() == pytest.approx(difference, rel=1e-6)


class ScaledError(ValueError):
    def __init__(self, scale):
        super().__init__(f"scaled by {scale}")
        self.scale = scale


GIVEN = KeyError("given")


def error_of_a_variable(x):
    error = ValueError("a") if x > 0 else KeyError("k")
    raise error


def error_of_an_expression(x):
    raise (ValueError("a") if x > 2 else GIVEN) if x > 0 else KeyError("k")


def error_on_one_path(x):
    if x > -2:
        raise ValueError("a") if x > 0 else KeyError("k")
    return x


def error_of_a_function(x):
    def made():
        if x > 0:
            return ValueError(f"{x} is large")
        return ZeroDivisionError("small")

    raise made()


def error_with_a_cause(x):
    cause = ValueError("c") if x > 0 else None
    raise KeyError("k") from cause


def error_that_is_handled(x):
    try:
        raise ScaledError(x) if x > 0 else KeyError("k")
    except ScaledError as error:
        return error.scale * x
    except LookupError:
        return -x


ERRORS = [
    error_of_a_variable,
    error_of_an_expression,
    error_on_one_path,
    error_of_a_function,
    error_with_a_cause,
    error_that_is_handled,
]


def _ending(function, x):
    try:
        return repr(function(x))
    except Exception as error:
        return repr(error)


@each("function", ERRORS, ids=lambda function: function.__name__)
def test_errors_are_raised(function):
    compiled = gs.compile(function)
    for x in (1.5, -1.5, 3.0, -3.0, 1.5):
        assert _ending(compiled, x) == _ending(function, x)
