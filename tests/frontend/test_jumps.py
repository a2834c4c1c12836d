"""Jumps that staging turns into values: functions do what they did, to the last side effect."""

# ruff: noqa: B012, F821, F841, PLW0120, RET502, RET503, RET505

from __future__ import annotations

import contextlib
import warnings

import pytest

from frontend.random_jumps import World, Writer, compiled
from frontend.recording import Recorder, outcome, recorded, written
from frontend.speculating import Decision, PureWriter, Speculator
from gradsmith.frontend.stage import is_staged, stage
from gradsmith.frontend.stage_rules import jumps
from helpers import each

pytestmark = pytest.mark.smoke


def outcomes(function, names, decisions):
    found = []
    for seed in range(decisions):
        world = World(seed)
        names.enter(world)
        if not is_staged(function):  # code that has run may name the line before as the error's
            function.__code__ = function.__code__.replace()
        result = outcome(function, seed % 5, 2)
        if result[0] == "error" and issubclass(result[1], NameError):
            # Parts of expressions are functions, in which Python has another message for it.
            result = ("unbound", result[-1])
        found.append((result, world.log))
    return found


@pytest.mark.parametrize("batch", range(4))
def test_random_functions(batch):
    for number in range(60 * batch, 60 * batch + 60):
        text = Writer(number).text()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # jumps out of `finally`
            function, names = compiled(text, number)
        expected = outcomes(function, names, decisions=6)
        actual = outcomes(stage(function, Recorder()), names, decisions=6)
        assert repr(actual) == repr(expected), text


@pytest.mark.parametrize("batch", range(3))
def test_random_functions_with_both_ways_taken(batch):
    for number in range(60 * batch, 60 * batch + 60):
        text = PureWriter(number).text()
        function, names = compiled(text, number)
        names["decide"] = Decision
        names.enter(World(0, asked=10**6))
        staged = stage(function, Speculator())
        for a in range(4):
            assert staged(a, 2) == function(a, 2), text


def test_too_long_to_be_written_twice(monkeypatch):
    """Then flags say which jump is to follow."""
    monkeypatch.setattr(jumps, "MOST_COPIED", 20)
    for number in range(1000, 1060):
        text = Writer(number).text()
        function, names = compiled(text, number)
        expected = outcomes(function, names, decisions=3)
        assert repr(outcomes(stage(function, Recorder()), names, decisions=3)) == repr(expected)


def test_many_conditions_in_a_row_do_not_explode():
    lines = [f"    if x == {i}:\n        if y:\n            return {i}" for i in range(60)]
    f = written("def f(x, y):\n" + "\n".join(lines) + "\n    return -1\n")
    staged = stage(f, Recorder())
    assert [staged(x, x % 2) for x in (-1, 0, 7, 59, 60)] == [-1, -1, 7, 59, -1]


def unreached(x):
    if x:
        return x
    else:
        return y
    y = 1


def loop_left_in_a_with(x):
    found = []
    with contextlib.nullcontext():
        for i in range(5):
            if i == x:
                break
            found.append(i)
        else:
            found.append("whole")
    return found


def loop_left_out_of_a_try(x):
    found = []
    for i in range(5):
        try:
            if i == x:
                break
            if i == 2:
                continue
            found.append(i)
        finally:
            found.append("finally")
    else:
        found.append("whole")
    return found


def left_twice(x):
    for i in range(x):
        for j in range(i):
            if i * j == 6:
                return i, j
            if j > 3:
                break
            with contextlib.nullcontext():
                if j == 1:
                    continue
        else:
            continue
        break
    else:
        return "whole"
    return "broken"


def swallowed(x):
    with contextlib.suppress(ZeroDivisionError):
        return 1 / x
    return "swallowed"


def jump_in_finally(x):
    for i in range(3):
        try:
            return i
        finally:
            if x:
                continue
    return "through"


def nothing_returned(x):
    for i in range(x):
        if i == 3:
            return
    while x:
        x -= 1
        if x == 7:
            return None
    else:
        return x


def empty_generator_inside(x):
    def nothing():
        return
        yield

    return [*nothing(), x]


PLAIN = [
    unreached,
    loop_left_in_a_with,
    loop_left_out_of_a_try,
    left_twice,
    swallowed,
    jump_in_finally,
    nothing_returned,
]


@each("program", PLAIN, ids=lambda program: program.__name__)
def test_programs(program):
    staged = stage(program, Recorder())
    for x in range(9):
        assert outcome(staged, x) == outcome(program, x)


def test_code_that_is_never_reached_still_counts():
    assert stage(empty_generator_inside, Recorder())(3) == [3]


def test_results_are_noted_where_they_are_written():
    def f(x):
        for i in range(x):
            if i > 2:
                return i
        return -1

    _, recorder = recorded(f, 5)
    assert recorder.of("result") == [(3,)]


def test_parts_of_expressions_that_need_the_frame():
    class Base:
        def value(self):
            return 4

    class Derived(Base):
        def value(self):
            return (super().value() if self else 0), self and super().value()

    assert recorded(Derived.value, Derived())[0] == (4, 4)

    def f(x):
        y = 3
        return x and eval("y"), 0 < x < eval("y + x"), x and 0 < x < (z := 5) and z

    assert recorded(f, 1)[0] == f(1) == (3, True, 5)
