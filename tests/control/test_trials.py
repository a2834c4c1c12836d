"""A trip that was run to see what it does, and undone, leaves nothing behind; what objects, slices
and ranges of loops have to do with trips.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.test_found import X, check
from helpers import each

LONG = np.array([0.3, -0.2, 0.5, 0.4, 0.8, -0.6, 0.1])


def said(function, capsys, x):
    capsys.readouterr()
    try:
        function(x.copy())
    except UnboundLocalError as error:
        return capsys.readouterr().out, str(error)
    return capsys.readouterr().out, None


# -- the first trip of a `while True`, after which a traced value decides -------------------------


def _printed_until_it_is_small(x):
    if x[0] > 0:
        best = x[1] * 2
    s = x[2]
    while True:
        s = 0.5 * s
        print(best)
        if abs(s) < 0.1:
            break
    return np.sum(x) + s


def _in_a_loop_and_after_it(x):
    if x[0] > 0:
        best = x[1] * 2
    for i in range(1, len(x)):
        s = x[i]
        while True:
            s = 0.5 * s + 0.1 * best
            if abs(s) < 0.3:
                break
        x[i] = s
    print(best)
    return np.sum(x)


@pytest.mark.parametrize("function", [_printed_until_it_is_small, _in_a_loop_and_after_it])
@pytest.mark.parametrize("way", [gs.compile, gs.grad])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_check_in_an_undone_trip_is_made_again(function, way, sign, capsys):
    made = said(way(function), capsys, sign * X)
    assert made == said(function, capsys, sign * X)
    assert (made[1] is None) == (sign == 1)


# -- a first trip made by itself, after which the loop cannot stay one ----------------------------


def _grows_in_each_trip(x):
    best, y = None, x[:1]
    for i in range(len(x)):
        print("trip", i, x[i])
        best = x[i] if best is None else best + x[i]
        y = np.concatenate([y, x[:1]])
    return best + np.sum(y)


def _counts_and_grows(x):
    best, y, i = None, x[:1], 0
    total = x * 1.0
    while i < len(x):
        print("trip", i)
        total[i] *= 2
        total += x[0]
        best = x[i] if best is None else best + x[i]
        i += 1
        y = np.concatenate([y, x[:1]])
    return best + np.sum(total) + np.sum(y)


@pytest.mark.parametrize("function", [_grows_in_each_trip, _counts_and_grows])
def test_a_first_trip_that_is_undone_is_made_once(function, capsys):
    for way in (gs.compile, gs.grad):
        assert said(way(function), capsys, X) == said(function, capsys, X)
    check(function, X)


# -- objects --------------------------------------------------------------------------------------


class Tank:
    def __init__(self, level):
        self.level = level
        self.lost = 0.0

    def fill(self, amount):
        self.level = self.level + amount
        if self.level > 1.0:
            self.lost = self.lost + (self.level - 1.0) ** 2
            self.level = 1.0
        return self


def _filled_in_each_trip(x):
    tank = Tank(0.2)
    for amount in x:
        tank.fill(amount)
    return tank.level + tank.lost


def _filled_on_one_way(x):
    tank = Tank(0.2)
    if x[0] > 0.5:
        tank.fill(x[1]).fill(x[2])
    else:
        tank.level = x[3]
    return tank.level + tank.lost


@each("function", [_filled_in_each_trip, _filled_on_one_way])
@each("scale", [1.0, 3.0, -1.0])
def test_methods_of_objects_made_in_the_function(function, scale):
    check(function, scale * LONG)


def test_the_state_of_such_an_object_is_no_input():
    source = gs.compile(_filled_in_each_trip).source(LONG)
    assert "def _filled_in_each_trip(x):" in source
    assert "for i in range(len(x)):" in source


OUTER = Tank(0.2)
NUMBERS = {"total": 0.5}


def _fills_another(x):
    if x[0] > 0:
        OUTER.fill(x[1])
    return OUTER.level


def _adds_to_a_dict(x):
    if x[0] > 0:
        NUMBERS["total"] = 2.0
    return x[0] * NUMBERS["total"]


def _adds_in_a_while(x):
    while np.sum(x) > 1.0:
        NUMBERS["total"] += 1.0
        x = 0.5 * x
    return np.sum(x) * NUMBERS["total"]


@pytest.mark.parametrize("function", [_fills_another, _adds_to_a_dict, _adds_in_a_while])
@pytest.mark.filterwarnings("ignore::gradsmith.TraceTimeEffectWarning")
def test_what_one_path_writes_outside(function):
    compiled = gs.compile(function)
    for x in (LONG, -LONG):
        gs.grad(function)(x)
        assert (OUTER.level, NUMBERS) == (0.2, {"total": 0.5})
        found = []
        for run in (function, compiled):
            found.append((run(x), OUTER.level, dict(NUMBERS)))
            OUTER.level, NUMBERS["total"] = 0.2, 0.5
        assert found[0] == found[1]


# -- slices and ranges whose ends change from trip to trip ----------------------------------------


def _halves_by_steps(x):
    n = len(x) - len(x) % 2
    while n > 1:
        h = n // 2
        t = np.zeros(n)
        t[:h] = (x[0:n:2] + x[1:n:2]) / 2
        t[h:] = (x[0:n:2] - x[1:n:2]) / 2
        x[:n] = t
        n = h if h % 2 == 0 else 0
    return np.sum(x**3)


def test_slices_with_and_without_a_step_have_lengths_of_their_own():
    x = np.arange(1.0, 9.0) / 10
    check(_halves_by_steps, x)
    gradient = gs.grad(_halves_by_steps)
    check(lambda x: np.sum(gradient(x) * x), x)


def _turned_between_ends(x):
    lo, hi = 0, len(x)
    while hi - lo > 1:
        x[lo:hi] += 0.1 * x[lo:hi][::-1]
        if np.sum(x) > 0:
            lo += 1
        else:
            hi -= 1
    return np.sum(x * x)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_length_of_a_slice_that_only_its_adjoint_needs(sign):
    check(_turned_between_ends, sign * LONG)


def _window_means(x, width):
    out = np.zeros(len(x))
    for i in range(len(x)):
        low, high = max(0, i - width), min(len(x), i + width + 1)
        out[i] = np.sum(x[low:high]) / (high - low) * x[min(i + 1, len(x) - 1)]
    return np.sum(out**2)


def _window_left_early(x, width):
    for i in range(len(x)):
        x[max(0, i - width) : min(len(x), i + width + 1)] *= 0.9
        if x[i] > 0.6:
            break
    return x * i


@each("function", [_window_means, _window_left_early])
@each("width", [0, 1, 3, 9])
def test_windows_are_cut_off_at_the_ends(function, width):
    check(function, LONG, width)
    check(function, LONG[:1].copy(), width)


def test_windows_stay_loops():
    sources = {gs.grad(_window_means).source(np.ones(n), 2) for n in (7, 30)}
    assert len(sources) == 1
    assert "min(len(x), i + width + 1)" in sources.pop()
