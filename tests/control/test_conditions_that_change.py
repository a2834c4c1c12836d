"""Conditions that change something when they are asked; variables that functions inside set."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control import changing
from helpers import each
from programs.harness import same_bits

X = np.array([0.5, -1.25, 2.0, 0.75, -0.5, 1.5, 3.0])


def check(function, *sets, order=1):
    """Values, what is printed, and derivatives at several arguments, by one compiled function."""
    compiled = gs.compile(function)
    for arguments in sets:
        same_bits(compiled(*arguments), function(*arguments))
    gs.check_grads(function, sets[0], order=order)


@pytest.mark.parametrize("function", changing.CONDITIONS)
def test_what_the_last_question_changes_is_kept(function):
    check(function, (0.7,), (-1.3,), (2.6,), (4.0,))


def test_second_derivatives():
    check(changing.method, (0.7,), order=2)
    check(changing.element, (0.7,), order=2)


def test_such_a_loop_stays_one():
    assert gs.compile(changing.method).source(0.7).count("+= 0.7") == 1


@pytest.mark.parametrize(
    "function", [changing.counted_or_left, changing.left_with_what_it_assigns]
)
def test_a_loop_that_break_ends_stays_one(function):
    assert gs.compile(function).source(0.7).count("\n    while") == 1


STATE = changing.Counter()


def test_objects_outside_are_changed_as_often():
    def function(x):
        while STATE.add(x * x + 0.25) < 4:
            pass
        return STATE.value * STATE.calls

    compiled = gs.compile(function)
    for x in (0.5, 1.5, 0.25):
        STATE.__init__()
        expected, state = function(x), (STATE.value, STATE.calls)
        STATE.__init__()
        assert (compiled(x), STATE.value, STATE.calls) == (expected, *state)


def test_draws_are_made_once():
    def function(x):
        total = 0.0
        while (u := np.random.rand()) < 0.75:
            total += u * x
        return total + u * 10

    compiled = gs.compile(function)
    for seed in range(5):
        np.random.seed(seed)
        expected = function(0.5), np.random.rand()
        np.random.seed(seed)
        assert (compiled(0.5), np.random.rand()) == expected


def test_printed_as_often(capsys):
    def function(x):
        c = changing.Counter(x)
        while print("asked", c.calls) or c.add(1.25) < 3:
            print("goes on")
        return c.value

    compiled = gs.compile(function)
    for x in (0.5, 4.0, -3.0):
        same_bits(compiled(x), function(x))
        out = capsys.readouterr().out
        assert out[: len(out) // 2] == out[len(out) // 2 :]


def test_the_message_of_an_assertion_that_holds_is_not_made():
    check(changing.asserting, (0.7,), (-1.3,))
    with pytest.raises(AssertionError, match="too small"):
        gs.compile(changing.asserting)(-6.0)


@each("function", changing.VARIABLES)
def test_variables_of_functions_around(function):
    check(function, (X,), (X[:3] * 2,), (-X[:2],), (X[2:],))


class _Waiting:
    def step(self, held):
        held[0] *= 2
        return _Running()


class _Running:
    def step(self, held):
        held[0] += 1
        return _Finished() if held[0] > 4 else self


class _Finished:
    pass


@pytest.mark.parametrize("stays", [isinstance, lambda state, kind: type(state) is kind])
def test_the_first_iteration_changes_the_class_of_a_state(stays):
    """It is made by itself, and undone where the others do not carry what it has made."""

    def function(x):
        held, state, steps = [x], _Waiting(), 0
        while not stays(state, _Finished) and steps < 9:
            state = state.step(held)
            steps += 1
        return held[0] * steps

    check(function, (0.7,), (-1.3,), (2.6,), (0.7,))


class _Doubling:
    def __init__(self, value):
        self.value = value

    def step(self):
        self.value = self.value * 2
        self.__class__ = _Counting


class _Counting(_Doubling):
    def step(self):
        self.value = self.value + 1
        if self.value > 4:
            self.__class__ = _Constant


class _Constant(_Doubling):
    def step(self):
        self.value = self.value * 1.5


def _steps_until_it_stays(x, y):
    held, steps = _Doubling(x), 0
    while not isinstance(held, _Constant) and steps < 9:
        held.step()
        steps += 1
    return held.value * steps * y


def _so_many_steps(x, y):
    held = _Doubling(x)
    for _ in range(6):
        held.step()
    return held.value * y


def _on_one_way(x, y):
    held = _Doubling(x)
    if y < 0:
        held.__class__ = _Constant
    held.step()
    return held.value * y


def _one_of_two(x, y):
    held = _Doubling(x)
    held.__class__ = _Counting if y < 0 else _Constant
    held.step()
    return held.value * y


@each("function", [_steps_until_it_stays, _so_many_steps, _on_one_way, _one_of_two])
def test_objects_become_of_another_class(function):
    check(function, (0.7, 1.5), (-1.3, -0.5), (2.6, 2.0), (0.7, -1.5))


def test_an_object_from_outside_does_not():
    held = _Doubling(1.0)

    def function(x):
        held.__class__ = _Constant
        return held.value * x

    with pytest.raises(gs.GradsmithError, match="gets another class"):
        gs.compile(function)(2.0)
    assert type(held) is _Doubling
