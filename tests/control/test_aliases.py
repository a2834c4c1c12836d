"""Arrays that have two names, or are elements as well, before, in and after a loop."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.test_found import check

X = np.arange(1.0, 6.0) / 4


class Grid:
    def __init__(self, values):
        self.values = values
        self.steps = 0

    def relax(self, i):
        self.values[i] = 0.5 * (self.values[i] + self.values[i - 1])
        self.steps += 1


# -- a loop changes a number of a container that holds an array, too ------------------------------


def _in_an_object(x, first):
    grid = Grid(x)
    for i in range(first, len(x)):
        grid.relax(i)
    return np.sum(grid.values * x) * grid.steps


def _in_a_dict(x, first):
    state = {"u": x, "n": 0}
    for i in range(first, len(x)):
        state["u"][i] = 0.5 * state["u"][i]
        state["n"] += 1
    return np.sum(state["u"] * x) * state["n"]


def _written_by_its_other_name(x, first):
    state = {"u": x, "n": 0, "rest": x[1:]}
    for i in range(first, len(x)):
        x[i] = 0.5 * x[i]
        state["n"] += 1
    state["rest"][0] += 1.0
    return np.sum(state["u"] * x) * state["n"]


def _in_a_list_in_a_while(x, first):
    state = {"s": 0.0, "inner": [x, 0]}
    i = first
    while state["s"] < 2.0 and i < len(x):
        state["inner"][0][i] *= 0.5
        state["inner"][1] += 1
        state["s"] += x[i]
        i += 1
    return np.sum(state["inner"][0] * x) * state["inner"][1]


def _a_view_on_one_way(x, first):
    held = [x, x[1:], 0]
    for i in range(first, len(x)):
        if held[0][i] > 0.7:
            held[2] = held[1][0] * 1.0
        held[1][i - 1] += 0.3
    return np.sum(held[1]) * held[2] * x[1]


# -- elements that trips replace and write to -----------------------------------------------------


def _written_and_then_replaced(x, first):
    state = {"u": x}
    for i in range(first, len(x)):
        state["u"][i] = 0.5 * state["u"][i]
        state["u"] = state["u"] * 1.5
    return np.sum(state["u"] * x)


def _elements_change_places(x, first):
    held = [x, x * 2]
    for i in range(first, len(x)):
        held[0], held[1] = held[1], held[0]
        x[i] = 0.5 * held[1][i]
    return np.sum(held[0] * x)


def _one_array_twice(x, first):
    held = [x * 1, x * 2]
    for i in range(first, len(x)):
        both = held[0] * 1.1
        held[0] = both
        held[1] = both
        held[0][i] += held[1][i]
    return np.sum(held[0] * held[1])


# -- written after the loop -----------------------------------------------------------------------


def _one_value_for_two(x, first):
    a, b = x * 1, x * 2
    for _ in range(first, len(x)):
        a = b = a * 1.1
    a[0] = 5.0
    return np.sum(a * b)


def _one_for_a_variable_and_an_element(x, first):
    a, held = x * 1, [x * 2]
    for _ in range(first, len(x)):
        a = a * 1.1
        held[0] = a
    a[0] = 5.0
    return np.sum(a * held[0])


def _a_name_set_in_the_trips(x, first):
    w = x * 1
    y = x
    for i in range(first, len(x)):
        y = w
        w[i] += x[i - 1]
    y[0] = 7 * x[1]
    return np.sum(w * x)


def _as_before_without_a_trip(x, first):
    a = x
    for _ in range(first, len(x)):
        a = a * 1.1
    a[0] = 5.0
    return np.sum(x) + np.sum(a * a)


def _places_exchanged(x, first):
    u, v = x * 1, x * 2
    w = u
    for _ in range(first, len(x)):
        u, v = v, u
    u[0] = 5.0
    return np.sum(w) + np.sum(v) * np.sum(u * u)


PROGRAMS = [
    _in_an_object, _in_a_dict, _written_by_its_other_name, _in_a_list_in_a_while,
    _a_view_on_one_way, _written_and_then_replaced, _elements_change_places, _one_array_twice,
    _one_value_for_two, _one_for_a_variable_and_an_element, _a_name_set_in_the_trips,
    _as_before_without_a_trip, _places_exchanged,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS)
def test_what_is_written_by_one_name_is_seen_by_the_other(function):
    compiled = gs.compile(function)
    for first in (1, 2, 4, 5):  # the last makes no trip
        left, written = X.copy(), X.copy()
        np.testing.assert_array_equal(compiled(written, first), function(left, first))
        np.testing.assert_array_equal(written, left)
        check(function, X, first)


@pytest.mark.parametrize("function", [_in_an_object, _in_a_dict])
def test_such_a_loop_stays_one(function):
    sources = {gs.grad(function).source(np.ones(n), 1) for n in (7, 30)}
    assert len(sources) == 1


# -- a variable that is a view unless a trip gives it an array of its own -------------------------


def _written_by_the_base(x, m):
    v = m[0]
    while x[0] < 0.0:
        x = x + 1.0
        v = m[1] * x[1]
    m[0, 0] = -0.7
    return v


def _written_through_the_view(x, m):
    v = m[0]
    while x[0] < 0.0:
        x = x + 1.0
        v = m[1] * x[1]
    v[0] = 9.0
    return m * 1.0


def _left_before(x, m):
    v = m[0]
    for _ in range(3):
        if x[0] > 0.0:
            break
        v = m[1] * x[1]
    m[0, 0] = -0.7
    return v


def _left_before_that_reads_it(x, m):
    v = x[1:]
    for i in range(3):
        if m[0, i] > -9.0:
            break
        v = v * 0.5
    x[1] = 9.0
    return v


def _positions_of_none(x, m):
    v = m[0]
    for j in np.flatnonzero(x[:3] > 0):
        v = m[j] * 2.0
    m[0, 0] = -0.7
    return v


def _skipped_in_each_trip(x, m):
    v = m[0]
    for i in range(3):
        if x[i] > 0:
            continue
        v = m[1] * 0.5
    m[0, 0] = -0.7
    return v


def _returned_out_of_a_helper(x, m):
    def found():
        v = m[0]
        for i in range(3):
            if x[i] > 0:
                return v
            v = m[1] * 0.5
        return v

    w = found()
    m[0, 0] = -0.7
    return w


def _another_name(x, m):
    y = np.zeros(len(x))
    best = y
    for i in range(3):
        if x[i] > 0:
            break
        best = m[i].copy()
    best[0] += x[1]
    return y


@pytest.mark.parametrize(
    "function",
    [
        _written_by_the_base,
        _written_through_the_view,
        _left_before,
        _left_before_that_reads_it,
        _skipped_in_each_trip,
        _returned_out_of_a_helper,
        _another_name,
    ],
)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_only_running_tells_is_refused(function, sign):
    """Whether the variable is still the view then: NumPy's meaning or an error, and no number."""
    m = np.arange(1.0, 26.0).reshape(5, 5)
    for transform in (gs.compile(function), gs.grad(lambda x, m: np.sum(function(x, m)), 1)):
        with pytest.raises(gs.GradsmithError, match="may or may not share memory"):
            transform(sign * X, m)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_positions_of_none_are_specialised_on(sign):
    """Their number says whether the variable is still the view: 2, 1 and 0 of them."""
    function = _positions_of_none
    compiled, gradient = gs.compile(function), gs.grad(lambda x, m: np.sum(function(x, m)), 1)
    for x in (sign * X, -sign * X, -np.abs(X), sign * X):
        m = np.arange(1.0, 26.0).reshape(5, 5)
        given, expected, written = x.copy(), m.copy(), m.copy()
        value = function(given, expected)
        np.testing.assert_array_equal(compiled(x, written), value)
        np.testing.assert_array_equal(written, expected)
        row = np.flatnonzero(x[:3] > 0)
        slope = np.zeros((5, 5))
        slope[row[-1] if row.size else 0] = 2.0 if row.size else 1.0
        slope[0, 0] *= row.size > 0  # otherwise the element is written over
        np.testing.assert_array_equal(gradient(x, m.copy()), slope)


def _replaced_in_each_trip(x, m):
    v = m[0]
    for i in range(3):
        v = m[1] * x[i]
    m[0, 0] = -0.7
    return v


def _only_read(x, m):
    v = m[0]
    for i in range(3):
        if x[i] > 2.0:
            break
        v = v * x[i]
    return v + m[0]


@pytest.mark.parametrize("function", [_replaced_in_each_trip, _only_read])
def test_what_cannot_matter_is_not_refused(function):
    check(function, X, np.arange(1.0, 26.0).reshape(5, 5) / 10)


def test_a_gradient_for_no_trips_does_not_serve_others():
    """And the other way round: whether the view is written to depends on it."""

    def function(m, n):
        v = m[0]
        for row in m[n:]:
            v = row * 2.0
        m[0, 0] = -0.7
        return m, v

    m = np.arange(9.0).reshape(3, 3)
    seed = np.zeros((3, 3)), np.ones(3)
    last = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [2.0, 2.0, 2.0]])
    none = np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    for n, expected in [(0, last), (3, none), (1, last), (3, none), (0, last)]:
        np.testing.assert_array_equal(gs.vjp(function, m, n)[1](seed)[0], expected)
