"""Default values of the compiled function's own parameters: they live on between its calls."""

# Functions with mutable defaults, as users write them.
# ruff: noqa: B006, B008

from __future__ import annotations

import copy

import numpy as np
import pytest

import gradsmith as gs


def appended(x, log=[]):
    log.append(1)
    return x * len(log)


def appended_by_keyword(x, *, log=[]):
    log.append(x)
    return sum(log)


def memoised(x, memo={}):
    if x not in memo:
        memo[x] = x * len(memo)
    return memo[x]


def collected(x, seen=set()):
    seen.add(int(x))
    return x * len(seen)


def counted(x, k=1.0, state={"n": 0}, total=[0.0]):
    state["n"] += 1
    total[0] += x * k
    return total[0] * state["n"]


class State:
    def __init__(self):
        self.hist = []


def kept(x, state=State()):
    state.hist.append(x)
    return sum(state.hist) * len(state.hist)


def held(function):
    found = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    return [vars(value) if isinstance(value, State) else value for value in found]


FUNCTIONS = [appended, appended_by_keyword, memoised, collected, counted, kept]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_is_left_in_them_is_there_in_the_next_call(function):
    given = copy.deepcopy((function.__defaults__, function.__kwdefaults__))
    outcomes = []
    for called in (function, gs.compile(function)):
        function.__defaults__, function.__kwdefaults__ = copy.deepcopy(given)
        values = [called(x) for x in (2.0, 3.0, 2.0, 4.5, 2.0)]
        outcomes.append(repr((values, held(function))))
    function.__defaults__, function.__kwdefaults__ = given
    assert outcomes[0] == outcomes[1]


def test_derivatives_read_them_and_leave_them_alone():
    def function(x, weights=[1.0]):
        return sum(w * x**2 for w in weights)

    gradient = gs.grad(function)
    assert gradient(3.0) == 6.0
    function.__defaults__[0].append(2.0)
    assert gradient(3.0) == 18.0
    assert function.__defaults__ == ([1.0, 2.0],)


@pytest.mark.parametrize("new", [5, 2.5, [1.0, 2.0], np.arange(3.0)])
def test_users_set_other_ones(new):
    def function(x, k=3, *, n=1):
        return np.sum(x * np.asarray(k)) * n

    compiled = gs.compile(function)
    assert compiled(2.0) == function(2.0)
    function.__defaults__ = (new,)
    assert repr(compiled(2.0)) == repr(function(2.0))
    function.__kwdefaults__ = {"n": 7}
    assert repr(compiled(2.0)) == repr(function(2.0))
    assert repr(compiled(2.0, 3, n=1)) == repr(function(2.0, 3, n=1))
