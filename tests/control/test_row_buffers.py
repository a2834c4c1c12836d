"""Lists that loops append to in branches, in inner loops, several at once, or read by index.

Each is checked by its value to the bit, its gradient by differences at two sizes through one
compiled object, and by the length of its source, which does not depend on the size.
"""
# ruff: noqa: PERF401  appending is what is tested

from __future__ import annotations

import ast

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
def every_fifth(x):
    u, kept = 1.0, []
    for i in range(len(x)):
        u = 0.9 * u + x[i]
        if i % 5 == 0:
            kept.append(u)
    return np.sum(np.array(kept) ** 2) + len(kept)


@program
def some_by_data(x):
    kept, where = [], []
    for i, v in enumerate(x):
        if v > 0.5:
            kept.append(v * v)
            where.append(i)
    return sum(kept) + np.sum(x[where] * np.arange(len(where)))


@program
def states_of_a_stencil(x):
    u, frames = x.copy(), [x * 1.0]
    for step in range(12):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        if step % 4 == 3:
            frames.append(u.copy())
    return np.sum(np.stack(frames) ** 2) + frames[-1][1]


@program
def histories_of_particles(x):
    particles, weights, means, sizes = x * 1.0, np.ones(len(x)) / len(x), [], []
    for t in range(len(x)):
        particles = 0.9 * particles + 0.1 * x[t]
        weights = weights * np.exp(-((particles - 0.5) ** 2))
        weights = weights / np.sum(weights)
        effective = 1.0 / np.sum(weights**2)
        sizes.append(effective)
        if effective < 0.99 * len(x):
            means.append(np.sum(weights * particles))
            weights = np.ones(len(x)) / len(x)
    return np.sum(np.array(means)) + np.mean(sizes)


@program
def in_inner_loops(x):
    pairs = []
    for i in range(len(x)):
        for j in range(len(x)):
            if x[i] < x[j]:
                pairs.append(x[i] * x[j] * (i - j))
    return np.sum(np.array(pairs) ** 2)


@program
def triangle(x):
    pairs = []
    for i in range(len(x)):
        for j in range(i):
            pairs.append((x[i] - x[j]) ** 2)
    return np.sum(np.array(pairs) * np.arange(len(pairs)))


@program
def all_of_inner_loops(x):
    products = []
    for i in range(len(x)):
        for j in range(len(x)):
            products.append(x[i] * x[j])
    return np.sum(np.array(products).reshape(len(x), len(x)) @ x)


@program
def two_at_once(x):
    kept = [0.25]
    for v in x:
        kept.append(v * kept[-1])
        kept.append(v + 1.0)
    return np.sum(np.array(kept) ** 2)


@program
def tuples_in_branches(x):
    kept = []
    for i, v in enumerate(x):
        if v > 0.4:
            kept.append((v, v * i))
        elif v < 0.3:
            kept.append((v * 3.0, v))
    first, second = np.array([a for a, _ in kept]), np.array([b for _, b in kept])
    return np.sum(first**2) + np.sum(second * first)


@program
def previous_ones(x):
    y = [x[0], x[1]]
    for i in range(2, len(x)):
        y.append(0.5 * y[i - 1] + 0.3 * y[-2] * x[i] + y[0] * len(y))
    return y[-1] * y[3]


@program
def counted_from_the_end(x):
    y = [x[0]]
    for i in range(1, len(x)):
        y.append(np.sin(y[i // 2 - 1]) + x[i])  # the last one first
    return np.sum(np.array(y) ** 2)


@program
def rows_of_lists(x):
    table = [[x[0], 1.0 - x[0]]]
    steps = [[0.7, 0.3], [0.4, 0.6]]
    for t in range(1, len(x)):
        row = []
        for j in range(2):
            row.append(sum(table[t - 1][i] * steps[i][j] for i in range(2)) * x[t])
        table.append(row)
    return np.log(sum(table[-1]) + 1.0)


@program
def left_early(x):
    kept, total = [], 0.0
    for v in x:
        if v > 0.4:
            kept.append(v)
        total += v
        if total > 4.0:
            break
    return sum(kept) * total


@program
def in_a_counting_while(x):
    kept, i = [], 0
    while i < len(x):
        if x[i] > 0.5:
            kept.append(np.exp(x[i]))
        i += 1
    return sum(kept)


def remember(log, value):
    if value > 0.5:
        log["values"].append(value)


@program
def by_a_helper_in_a_dict(x):
    log = {"values": []}
    other = log["values"]
    for v in x:
        remember(log, v * 1.1)
    return np.sum(np.array(other) ** 2) + len(log["values"])


@program
def read_in_many_ways(x):
    kept = []
    for v in x:
        if v > 0.3:
            kept.append(v)
    total = 0.0
    for i, v in enumerate(kept):
        total += v * i
    return total + kept[0] * kept[-1] + np.sum(np.diff(kept) ** 2)


@program
def again_in_another_loop(x):
    kept = []
    for v in x:
        if v > 0.5:
            kept.append(v)
    smaller = []
    for v in kept:
        if v < 0.75:
            smaller.append(v * v)
    return np.sum(smaller)


@program
def before_an_inner_loop(x):
    products = []
    for i in range(len(x)):
        products.append(x[i])
        if x[i] > 0.5:
            products.append(1.0)
        for j in range(6):
            products.append(x[i] * j)
        products.append(x[i] ** 2)
    return np.sum(np.array(products) ** 2) + len(products)


@program
def in_a_comprehension(x):
    kept = [v for v in x if v > 0.4]
    return np.mean(np.array(kept)) * len(kept) + kept[0] * kept[-1] + max(kept)


@program
def in_two_clauses(x):
    kept = [a * b for a in x if a > 0.3 for b in x if b < a]
    return np.sum(np.array(kept) ** 2)


@program
def pairs_and_positions(x):
    pairs = [[i, v] for i, v in enumerate(x) if v > 0.3 and i % 2 == 0]
    where = [i for i in range(len(x)) if x[i] > 0.5]
    return sum(i * v for i, v in pairs) + np.sum(x[where] ** 2) + len(where)


@program
def parts_of_either_side(x):
    low, high = [v for v in x if v < 0.5], tuple(v for v in x if v >= 0.5)
    total = 0.0
    for v in high:
        total = total + v * v
    if low:
        total = total + sum(low) / len(low)
    return total


@program
def in_inner_comprehensions(x):
    total = 0.0
    for r in x:
        kept = [v * r for v in x if v > 0.4]
        total = total + np.mean(kept) ** 2
    return total


@program
def of_several_types_at_first(x):
    v, kept = float(x[0]), [0.5]
    for w in x:
        if w > 0.4:
            kept.append(v)
        v = np.sin(v) + w
    return np.sum(np.array(kept) ** 2)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_lists_of_run_time_length_stay_loops(function):
    check(function)


def test_states_in_single_precision_twice_differentiated():
    def kept_states(x):
        u, frames = x.astype(np.float32), []
        for step in range(8):
            u = np.sin(u) + 0.1 * u
            if step % 3 == 0:
                frames.append(u)
        return np.sum(np.array(frames).astype(float) ** 2)

    x = vector(5)
    same_bits(gs.compile(kept_states)(x), kept_states(x))
    gradient = gs.grad(kept_states)
    np.testing.assert_allclose(gradient(x), differences(kept_states, x), rtol=1e-3)

    def wide(x):
        u, frames = x, []
        for step in range(8):
            u = np.sin(u) + 0.1 * u
            if step % 3 == 0:
                frames.append(u)
        return np.sum(np.array(frames) ** 2)

    once = gs.grad(wide)
    twice = gs.grad(lambda x: np.sum(once(x) * np.arange(5.0)))
    expected = differences(lambda x: np.sum(once(x) * np.arange(5.0)), x)
    np.testing.assert_allclose(twice(x), expected, rtol=1e-6)


def test_nothing_and_everything_is_appended_by_one_code():
    def kept(x):
        found = []
        for v in x:
            if v > 0.5:
                found.append(v)
        return np.sum(np.array(found) ** 2) + len(found)

    value, gradient = gs.compile(kept), gs.grad(kept)
    for x in (vector(9), np.zeros(9), np.ones(9), vector(4)):
        same_bits(value(x), kept(x))
        np.testing.assert_array_equal(gradient(x), np.where(x > 0.5, 2 * x, 0.0))


def test_an_index_outside_is_an_error_as_in_python():
    def outside(x):
        found = []
        for v in x:
            if v > 0.5:
                found.append(v)
        return found[2]

    compiled = gs.compile(outside)
    assert compiled(np.ones(5)) == 1.0
    with pytest.raises(IndexError):
        compiled(np.array([0.1, 0.9, 0.2]))

    def behind_the_last(x):
        found = []
        for i in range(len(x)):
            found.append(x[i] + (found[i] if i > 2 else 0.0))
        return found[-1]

    with pytest.raises(IndexError):
        behind_the_last(np.ones(6))
    with pytest.raises(IndexError):
        gs.compile(behind_the_last)(np.ones(6))


def kept_and_written(x):
    u, frames = x * 1.0, []
    for step in range(6):
        u = u * 1.5
        if step % 2 == 0:
            frames.append(u)
    u[0] = 7.0
    frames[0][1] = 5.0
    return np.sum(np.array(frames) ** 2)


def the_last_one_is_written(x):
    u, frames = x * 1.0, []
    for step in range(5):
        u = u * 1.5
        if step % 2 == 0:
            frames.append(u)
    u[0] = 7.0
    return np.sum(np.array(frames) ** 2)


def one_buffer_many_times(x):
    u, frames = x * 1.0, []
    for step in range(6):
        u *= 1.5
        if step % 2 == 0:
            frames.append(u)
    return np.sum(np.array(frames) ** 2)


def mutable_elements(x):
    found = []
    for v in x:
        if v > 0.3:
            found.append([v, 0.0])
        if v > 0.6:
            found[-1][1] += v
    return sum(a * 2 + b for a, b in found)


@each(
    "function",
    [kept_and_written, the_last_one_is_written, one_buffer_many_times, mutable_elements],
)
def test_what_rows_cannot_hold_is_written_out_or_specialised(function):
    value, gradient = gs.compile(function), gs.grad(function)
    for x in (np.array([0.9, 0.5, 0.7]), np.array([0.4, 0.65, 0.2])):
        same_bits(value(x), function(x))
        np.testing.assert_allclose(gradient(x), differences(function, x), rtol=1e-6)


def test_the_code_is_what_one_would_write():
    source = gs.compile(every_fifth).source(vector(9))
    assert "kept[count] = u" in source
    assert lines(every_fifth, vector(9)) < 50


def gates(W, xs):
    hs, total = [], 0.0
    for x in xs:
        n = len(W) // 2
        g, o = np.tanh(W[:n] @ x), np.tanh(W[n : 2 * n] @ x)
        hs.append(g * o)
        total = total + np.sum(g * g * o)
    return np.sum(np.array(hs) ** 2) + total


def test_sizes_and_lists_have_the_names_of_the_users_variables():
    text = gs.grad(gates).source(np.ones((6, 4)), np.ones((5, 4)))
    assert "    n = len(W) // 2\n    hs = np.empty((len(xs), n))\n" in text
    assert text.count("len(W) // 2") == 1
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    assert not {"os", "gs", "rows"} & names
