"""Arrays that have two names, or are elements as well, before, in and after a loop."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls
from control.test_found import check
from helpers import each

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


# -- held by a container, which gets another array on one way -------------------------------------


def _element_replaced(x):
    b = x * 1
    held = [b]
    if x[0] > 0:
        held[0] = b.copy()
    b[0] = x[1]
    return held[0][0]


def _item_written_to(x):
    b = x * 1
    held = {"a": b}
    if x[0] > 0:
        held["a"] = x[::-1] * 1
    held["a"][0] = x[1]
    return b[0]


def _attribute_replaced(x):
    held = Grid(x * 1)
    before = held.values
    if x[0] > 0:
        held.values = before * 1
    before[1] = 2 * x[0]
    return held.values[1]


def _tuples_that_hold_it(x):
    b = x * 1
    held = (b, 1.0) if x[0] > 0 else (b.copy(), 1.0)
    b[0] = x[1]
    return held[0][0]


def _replaced_in_each_row(x):
    b = np.zeros(2)
    rows = []
    for v in x:
        b[0] = v
        rows.append(b)
        if v > 1:
            rows[-1] = b.copy()
    return sum(row[0] for row in rows)


def _a_copy_in_some_rows(x):
    b = np.zeros(2)
    rows = []
    for v in x:
        b[0] = v
        rows.append(b if v < 1 else b.copy())
    return sum(row[0] for row in rows)


@each(
    "function",
    [
        *(_element_replaced, _item_written_to, _attribute_replaced, _tuples_that_hold_it),
        *(_replaced_in_each_row, _a_copy_in_some_rows),
    ],
)
def test_a_container_holds_the_array_on_one_way_only(function):
    compiled, gradient = gs.compile(function), gs.grad(function)
    for values in ([-2.0, 0.1, 3.0, 0.9], [0.5, -1.2, 2.3], [-0.3, 1.7, -0.4, 2.2, -1.1]):
        x = np.array(values)
        assert compiled(x) == function(x)
        steps = 1e-6 * np.eye(len(x))
        slopes = [(function(x + h) - function(x - h)) / 2e-6 for h in steps]
        np.testing.assert_allclose(gradient(x), slopes, atol=1e-8)


# -- two names of one array before a loop, of which the loop sets one anew -----------------------


def _named_in_the_first_iteration(x):
    a = np.zeros(2)
    b = a
    for v in x:
        a += v
        a = a * 1.0
        if v < 0:
            b = a
    return a, b


def _a_view_of_it(x):
    a = np.zeros(3)
    b = a[1:]
    for v in x:
        a[1] = 5 * v
        a = a * 1.5
        if v < 0:
            b = a[:2]
    return a, b


def _in_a_while(x):
    a = np.zeros(1)
    b = a
    while a[0] < 3.0:
        a += x[0] ** 2 + 0.6
        a = a * 1.0
        if a[0] > 2.0:
            b = a
    return a, b


def _best_so_far(x):
    best = x.copy()
    y = best
    for _ in range(3):
        y -= 0.1 * x
        y = y + 0.1
        if y[0] < best[0]:
            best = y
    return best, y


def _chosen_before(x):
    a = np.zeros(3)
    b = a if x[0] > 0 else a.copy()
    for v in x:
        b[0] += v
        a[1] += b[0]
        if v > 0.4:
            b = a
    return a, b


def _another_one_from_then_on(x):
    a, b = np.zeros(3), np.ones(3)
    for v in x:
        b[0] += v
        a[1] += b[0]
        b = a
    return a, b


def _a_view_of_another_one(x):
    a, b = np.zeros(3), np.ones(3)
    for v in x:
        b[0] += v
        b = a[::-1] if v > 0.4 else b
    return a, b


def _set_to_the_one_before(x):
    u = np.zeros(2)
    s = u
    for v in x:
        if v < 0:
            s = u
        s += v
        if v > 0.1:
            s = s.copy()
    return u, s


def _exchanged_with_a_new_one(x):
    u = np.zeros(2)
    s = u
    for v in x:
        s += v
        s, u = u, s * 1.0
    return u, s


def _replaced_with_its_view(x):
    s = np.zeros(2)
    t = s[:1]
    for v in x:
        t += v
        if v > 0:
            s = np.zeros(2)
            t = s[:1]
    return s, t


def _rows_that_one_branch_replaces(x):
    m = np.stack([x, x + 1])
    for row in m:
        r = row
        if r[0] > 0.5:
            r -= 1
        else:
            r = r + 100
        r[-1] += x[0]
    return m[0], m[1]


def _elements_of_a_dict(x):
    held = {"p": np.zeros(2), "q": np.ones(2)}
    held["q"] = held["p"]
    for v in x:
        held["p"] += v
        held["p"] = held["p"] * 1.0
        if v > 0.4:
            held["q"] = held["p"]
    return held["p"], held["q"]


def _elements_of_a_list(x):
    held = [np.zeros(2), np.ones(2)]
    held[1] = held[0]
    for v in x:
        held[0][0] += v
        if v > 0.4:
            held[1] = held[0] * 2
        else:
            held[0] = held[1] + 1
    return held[0], held[1]


def _written_between_two_branches(x):
    held = {"p": np.zeros(2), "q": np.ones(2)}
    if x[0] > 0.4:
        held["q"] = held["p"]
    held["p"] += x[1]
    held["p"] = held["p"] * 1.0
    if x[-1] > 0.4:
        held["q"] = held["p"]
    return held["p"], held["q"]


@pytest.mark.parametrize(
    "function",
    [
        *(_named_in_the_first_iteration, _a_view_of_it, _in_a_while, _best_so_far, _chosen_before),
        *(_set_to_the_one_before, _exchanged_with_a_new_one, _replaced_with_its_view),
        _rows_that_one_branch_replaces,
        *(_another_one_from_then_on, _a_view_of_another_one, _elements_of_a_dict),
        *(_elements_of_a_list, _written_between_two_branches),
    ],
)
def test_two_names_of_one_array(function):
    values = [1.0, 2.0, -1.0], [0.3], [-0.7], [-3.0, 6.0, 0.2], [0.2, 0.9, 0.1, -0.4]

    def loss(x):
        one, other = function(x)
        return np.sum(one * np.arange(1.0, len(one) + 1)) + 0.7 * np.sum(other) * one[0]

    compiled = gs.compile(function)
    for x in map(np.array, values):
        if len(x) > 1 or function is not _written_between_two_branches:
            for found, expected in zip(compiled(x), function(x), strict=True):
                np.testing.assert_array_equal(found, expected)
            check(loss, x)


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


def _found_first_in_a_trip(x, m):
    v = m[0]
    w = x * 0.0
    for i in range(3):
        if x[i] > 0:
            w = v
            break
        v = m[1] * 0.5
    m[0, 0] = -0.7
    return w


def _one_of_two_in_each_trip(x, m):
    v, u = m[0], m[1]
    for i in range(len(x)):
        w = u if x[i] > 0.4 else v
        v = w.ravel()
    m[0, 0], m[1, 0] = -0.7, -0.9
    return v


def _perhaps_another_one_before_the_end(x, m):
    v = m[0]
    for i in range(len(x)):
        r = v
        if x[i] > 0.3:
            r = m[i]
        if x[i] > 0.9:
            break
        v = m[1] * 0.5
    m[0, 0] = -0.7
    return r


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
        _found_first_in_a_trip,
        _one_of_two_in_each_trip,
        _perhaps_another_one_before_the_end,
    ],
)
def test_what_only_running_tells_is_decided_by_the_present_values(function):
    """Whether the variable is still the view: a call where it is otherwise has code of its own."""

    def program(x, m):
        value = np.sum(function(x, m) * m[2])
        return value + np.sum(x * m[1]) + np.sum(m**2)  # what was written counts

    m = np.arange(1.0, 26.0).reshape(5, 5)
    check_calls(program, *((x, m) for x in (X, -X, X * 2.0, -X * 0.3)))


# -- one of several objects, chosen by branches, and written to by its other name -----------------


class Point:
    def __init__(self, x, z, name):
        self.x, self.z, self.name = x, z, name

    def move(self, factor):
        self.x, self.z = self.x * factor, self.z + self.x


def _points(x):
    return [Point(x[i], x[i + 1], f"p-{i}") for i in range(len(x) - 1)]


def _lowest(points):
    found = points[2]
    for point in reversed(points):
        if point.z < found.z:
            found = point
    return found


def _the_chosen_object_moves(x):
    points = _points(x)
    lowest = _lowest(points)
    lowest.move(3.0)
    return sum(p.x * p.z for p in points)


def _all_objects_move(x):
    points = _points(x)
    lowest = _lowest(points)
    for point in points:
        point.move(x[0])
    return lowest.x + 3.0 * lowest.z


def _a_chosen_list_grows(x):
    odd, even = [x[0]], [x[1], x[2]]
    (odd if x[0] < x[1] else even).append(x[3])
    chosen = odd if x[1] < x[2] else even
    chosen.append(x[2] * 2.0)
    return sum(odd) * 2.0 + np.prod(even)


def _a_chosen_row_is_written(x):
    rows = [x * 1.0, x * 2.0, x * 3.0]
    best = rows[0]
    for i in range(1, 3):
        if rows[i][i] * (i - 2) > best[1] - 1.0:
            best = rows[i]
    for row in rows:
        row[:] = row * x[1]
    best[0] += 7.0
    return best[0] * best[2] + np.sum(rows[0] * rows[1])


def _a_chosen_dict_of_a_comprehension(x):
    items = [{"v": v} for v in x]
    best = items[0]
    for item in items:
        if item["v"] < best["v"]:
            best = item
    for item in items:
        item["v"] = item["v"] ** 2
    best["v"] = best["v"] * 3.0
    return sum(item["v"] for item in items)


def _the_first_that_a_loop_finds(x):
    first = Point(x[0], x[1], "first")
    last = first
    for i in range(len(x)):
        if x[i] > 0.5:
            found = last
            break
        last = Point(x[i] * 2.0, x[i], "made")
    first.move(-2.0)
    return found.x * found.z


def _returned_twice_by_a_helper(x):
    def found():
        v, other = [x[0], x[1]], [x[1], x[2]]
        for i in range(len(x)):
            if x[i] > 2.5:
                return v, v
            v = other
        return v, [x[3]]

    one, two = found()
    one[0] = 8.0 * x[2]
    return two[0] + one[1]


def _one_of_two_lists_in_each_trip(x):
    v, other = [x[0], x[1]], [x[1], x[2]]
    for i in range(len(x)):
        w = v if x[i] > 0.6 else other
        if x[i] > 2.0:
            break
        v = w
    v[0], other[0] = 9.0, 7.0 * x[1]
    return w[0] + v[0] * x[0]


def _the_least_of_those_made_in_a_loop(x):
    first = {"v": x[0]}
    best = first
    for i in range(1, len(x)):
        made = {"v": x[i]}
        best = made if made["v"] < best["v"] else best
    first["v"] = -50.0 * x[1]
    return best["v"] * x[2]


def _its_name_is_asked_for(x):
    points = _points(x)
    _, number = _lowest(points).name.split("-")
    return points[int(number)].x * float(number)


@pytest.mark.parametrize(
    "function",
    [
        _the_chosen_object_moves,
        _all_objects_move,
        _a_chosen_list_grows,
        _a_chosen_row_is_written,
        _a_chosen_dict_of_a_comprehension,
        _its_name_is_asked_for,
        _the_first_that_a_loop_finds,
        _returned_twice_by_a_helper,
        _one_of_two_lists_in_each_trip,
        _the_least_of_those_made_in_a_loop,
    ],
)
def test_which_object_is_written_is_decided_by_the_present_values(function):
    calls = np.array([[1.0, 2.0, 3.5, 0.7], [3.0, 2.0, 1.0, 0.5], [-2.0, 0.4, 3.0, 2.0]])
    check_calls(function, *((x,) for x in calls))


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
