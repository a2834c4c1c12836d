"""Lists that `while` loops append to: nobody knows before how long they become.

The loop stays one, and the code is as long for many iterations as for few. Each program is checked
by its value to the bit, by its first and second derivatives, and by the length of its source.
"""
# ruff: noqa: PLW2901  a loop goes on from where another one begins

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import gradsmith as gs
from control.test_unrolled_loops import check, differences, lines, vector
from helpers import each
from programs.harness import same_bits

PROGRAMS = []


def program(function):
    PROGRAMS.append(function)
    return function


@program
def halves(x):
    v, found = np.sum(x), []
    while v > 0.03:
        v = 0.5 * v
        found.append(v)
    return np.sum(np.array(found) ** 2) + sum(found) * len(found)


@program
def maybe_none(x):
    v, found = x[0] - 1.0, []
    while v > 0.03:
        v = 0.5 * v
        found.append(v * v)
    return sum(found) + v**3


@program
def last_state(x):
    state, path = x * 1.0, [x]
    while np.sum(state**2) > 0.01:
        state = 0.5 * state + 0.01 * np.sin(state)
        path.append(state)
    return np.sum(path[-1]) * len(path) + np.sum(path[0] * x)


@program
def path_reads_itself(x):
    path = [x * 1.0]
    while np.sum(path[-1] ** 2) > 0.01:
        path.append(0.5 * path[-1] + 0.01 * np.sin(path[-1]))
    return np.sum(np.array(path) ** 2)


@program
def two_before_the_last(x):
    found = [x[0], x[0] * x[1]]
    while found[-1] + found[-2] > 0.003:
        found.append(0.3 * found[-1] + 0.2 * found[-2] * found[0])
    return 100 * found[2] + np.prod(np.array(found[:3]))


@program
def on_some_paths(x):
    v, found = np.sum(x), []
    while v > 0.03:
        v = v * 0.7
        if np.sin(7 * v) > 0:
            found.append(v**2)
        elif v > 0.2:
            found.append(v)
    return sum(found)


@program
def tuples_under_a_break(x):
    e, found = np.sum(x), []
    while True:
        e = e * 0.8
        if e < 0.05:
            break
        y = e
        while y > 0.1:
            y = y * 0.41
            if y > 0.35:
                continue
            found.append((y * x[0], np.cos(y)))
            if y < 0.13:
                break
    return sum(a * b for a, b in found)


@program
def filled_by_inner_loops(x):
    found = []
    for v in x:
        while v > 0.05:
            v = v * 0.6
            found.append(v * v)
    return np.sum(np.array(found) * x[0])


@program
def anew_in_each_iteration(x):
    total = 0.0
    for v in x:
        found = []
        while v > 0.05:
            v = v * 0.6
            found.append(v * v)
        total = total + np.sum(np.array(found)) * len(found)
    return total


@dataclass
class Point:
    x: float
    y: float


@program
def objects(x):
    points = [Point(x[0], x[1])]
    while True:
        p = points[-1]
        q = Point(0.5 * p.x, p.y - 0.1 * p.x)
        points.append(q)
        if q.x < 0.02:
            break
    return sum(p.x * p.y for p in points)


@program
def lists_for_plots_alone(x):
    v, t, xs, rows = x[0] + 1.0, 0.0, [], []
    while v > 0.1:
        v = v - 0.1 * np.sin(v)
        t = t + 0.01
        xs.append(v)
        rows.append([v, t])
    return v * t * x[0]


@program
def with_a_count(x):
    v, n, found = np.sum(x), 0, []
    while v > 0.1 and n < 40:
        v = v * 0.9
        n += 1
        found.append(v * v / n)
    return sum(found) * n


@program
def counted_and_on_some_paths(x):
    v, n, found = x[0] + 1.0, 0, [x[0], x[0] * 0.5]
    while v > 0.1:
        v = v * 0.7
        n += 1
        if np.sin(9 * v) > 0:
            found.append(v * n)
        else:
            v = v * 0.9
    return sum(e * e for e in found)


@program
def before_an_inner_loop(x):
    v, n, found = x[0] + 1.0, 0, []
    while v > 0.1 and n < 30:
        v = v * 0.7
        n += 1
        found.append(v * v)
        for _ in range(6):
            found.append(np.sin(v))  # noqa: PERF401
    return sum(found) * n


@program
def copies_of_what_is_written_to(x):
    state, out = x + 1.0, []
    while state[0] > 0.1:
        state[0] *= 0.5
        state[1] += state[0]
        out.append(state.copy())
    out = np.array(out)
    return np.sum(out[:, 0] * out[:, 1]) + np.sum(out[-1])


def run(start):
    found = []
    while start > 0.05:
        start = start * 0.5
        found.append(start)
    return np.array(found)


@program
def elements_of_a_type_that_settles(x):
    v, w, path, speeds, turns = float(x[0]), float(x[1]), [float(x[0])], [0], [0, 1]
    while v > 0.05:
        path.append(v)
        speeds.append(v * w)
        step = np.hypot(v, w)
        turns.append(step - v if step > 0.5 else v)
        v = v - 0.3 * step if step > 2.0 else 0.7 * v
    return sum(path) * sum(speeds) + np.sum(np.array(turns) ** 2) + speeds[0]


@program
def twice_by_a_helper(x):
    a, b = run(np.sum(x)), run(1.7 * x[0])
    return np.sum(a) * np.sum(b**2) + np.max(a) - np.mean(b) + np.sum(np.diff(a) ** 2)


@program
def read_by_another_loop(x):
    v, found, total = np.sum(x), [], 0.0
    while v > 0.05:
        v = v * 0.5
        found.append(v)
    for i in range(1, len(found)):
        total = total + (found[i] - found[i - 1]) ** 2
    return total


@program
def until_a_test_of_the_whole_list(x):
    found = [x[0]]
    while np.sum(np.array(found)) < 3.0:
        found.append(found[-1] * 0.9 + x[1])
    return np.sum(np.array(found) ** 2)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_while_loops_that_append_stay_loops(function):
    check(function, sizes=(3, 7))
    once = gs.grad(function)
    weights = np.arange(3.0)

    def along(x):
        return np.sum(once(x) * weights)

    x = vector(3)
    np.testing.assert_allclose(gs.grad(along)(x), differences(along, x), rtol=1e-4, atol=1e-6)


def test_single_precision_twice_differentiated():
    def kept(x):
        found, v = [], x
        while v > np.float32(0.1):
            v = v * np.float32(0.5)
            if v < 1.0:
                found.append((v, v * v))
        return sum(a * b for a, b in found)

    x = np.float32(2.3)
    same_bits(gs.compile(kept)(x), kept(x))
    once = gs.grad(kept)
    second = gs.grad(once)(x)
    assert once(x).dtype == second.dtype == np.float32
    cubes = sum(0.5 ** (3 * k) for k in (2, 3, 4, 5))  # 2.3 / 2**k between 0.05 and 1
    np.testing.assert_allclose(second, 6 * cubes * x, rtol=1e-5)


def test_one_code_for_any_number_of_iterations():
    value, gradient = gs.compile(halves), gs.grad(halves)
    for x in (np.full(4, 0.001), np.ones(4), np.full(4, 1e6)):
        same_bits(value(x), halves(x))
        np.testing.assert_allclose(gradient(x), differences(halves, x), rtol=1e-5, atol=1e-8)
    assert gradient.source(np.ones(4)) == gradient.source(np.full(4, 1e6))
    assert lines(halves, np.ones(4)) < 45


def test_no_value_is_specialised_on_in_the_first_iterations():
    source = gs.grad(on_some_paths).source(vector(3))
    assert "SpecialisationError" not in source


def an_array_that_is_written_to_afterwards(x):
    state, out = x + 1.0, []
    while state[0] > 0.3:
        state = state * 0.5
        out.append(state)
    state[1] = 7.0
    return np.sum(np.array(out) ** 2)


def one_array_again_and_again(x):
    state, out = x + 1.0, []
    while state[0] > 0.3:
        state *= 0.5
        out.append(state)
    return np.sum(np.array(out) ** 2)


def elements_that_are_written_to(x):
    v, found = x[0] + 1.0, []
    while v > 0.3:
        v = v * 0.5
        found.append([v, 0.0])
        if v > 0.6:
            found[-1][1] += v
    return sum(a * 2 + b for a, b in found)


def elements_that_are_removed(x):
    v, found = x[0] + 1.0, [x[1]]
    while v > 0.3:
        v = v * 0.5
        found.append(v)
        if v > 0.6:
            found.pop(0)
    return sum(found) * len(found)


def rows_of_growing_length(x):
    v, found = x[0] + 1.0, [np.ones(1)]
    while v > 0.3:
        v = v * 0.5
        found.append(np.append(found[-1], v))
    return np.sum(found[-1] ** 2)


@each(
    "function",
    [
        an_array_that_is_written_to_afterwards,
        one_array_again_and_again,
        elements_that_are_written_to,
        elements_that_are_removed,
        rows_of_growing_length,
    ],
    ids=lambda f: f.__name__,
)
def test_what_rows_cannot_hold_is_specialised(function):
    value, gradient = gs.compile(function), gs.grad(function)
    for x in (np.array([0.9, 0.5, 0.7]), np.array([4.4, 0.65, 0.2])):
        same_bits(value(x), function(x))
        np.testing.assert_allclose(gradient(x), differences(function, x), rtol=1e-6)


def test_an_index_outside_is_an_error_as_in_python():
    def outside(x):
        found = []
        while x > 0.5:
            x = 0.5 * x
            found.append(x)
        return found[2]

    compiled = gs.compile(outside)
    assert compiled(16.0) == 2.0
    with pytest.raises(IndexError):
        compiled(2.0)
