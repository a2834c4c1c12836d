"""Which loops are written out: only those that must be, with a warning where they are long.

A program is *checked* by its value to the bit, its gradient by differences, both at two sizes
through one compiled object, and by the length of its source, which must not depend on the size.
"""
# ruff: noqa: PERF401, PLW2901  appending is what is tested, and loops as users write them

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.errors import InternalError
from gradsmith.frontend.tracer import Tracer
from helpers import each
from programs.harness import same_bits

SIZES = (13, 29)


def vector(size, seed=0):
    return np.random.default_rng([seed, *np.atleast_1d(size)]).uniform(0.2, 0.9, size)


def differences(function, x, *rest):
    """Of fourth order, one entry after the other."""
    found = np.empty(x.shape)
    for place in np.ndindex(*x.shape):
        step = np.zeros(x.shape)
        step[place] = 1e-3
        near, far = (function(x + k * step, *rest) - function(x - k * step, *rest) for k in (1, 2))
        found[place] = (8 * near - far) / 12e-3
    return found


def lines(function, *arguments):
    return gs.grad(function).source(*arguments).count("\n")


def check(function, arguments=lambda size: (vector(size),), sizes=SIZES, rtol=1e-6):
    """What the docstring says."""
    value, gradient = gs.compile(function), gs.grad(function)
    for size in sizes:
        given = arguments(size)
        before = [np.copy(a) for a in given]
        same_bits(value(*given), function(*given))
        expected = differences(function, *given)
        np.testing.assert_allclose(gradient(*given), expected, rtol=rtol, atol=1e-8)
        if size == sizes[0]:
            along = np.cos(np.arange(expected.size)).reshape(expected.shape)
            rest = [None] * (len(given) - 1)
            _, tangent = gs.jvp(function, given, (along, *rest))
            np.testing.assert_allclose(tangent, np.sum(along * expected), rtol=rtol, atol=1e-7)
        for old, new in zip(before, given, strict=True):
            np.testing.assert_array_equal(old, new)
    few, many = (lines(function, *arguments(size)) for size in sizes)
    assert few == many, (few, many)


# -- lists that loops append to, where NumPy takes an array


def made(x):
    values = []
    for i in range(len(x)):
        values.append(np.sin(x[i]) * i)
    return values


def subtracted(x):
    a = np.arange(len(x)) * 0.1
    return np.sum((made(x) - a) ** 2) + np.sum((a - made(x)) ** 3)


def multiplied(x):
    return np.sum(np.ones((2, len(x))) @ made(x)) + np.sum(x * [v * v for v in x])


def compared(x):
    return np.sum(np.where(made(x) > x, x, x * x))


def stored(x):
    out, table = np.zeros(len(x)), np.ones((2, len(x)))
    out[:] = made(x)
    table[1] = [v * 2 for v in x]
    table[0, :] += made(x)
    return np.sum(out * x) + np.sum(table**2)


def as_keyword(x):
    return np.sum(np.clip(x, a_min=None, a_max=made(x))) + np.sum(np.where(x > 0.5, made(x), 0.0))


def reshaped(x):
    values = made(x)
    column = np.reshape(values, (-1, 1))
    column[0, 0] = 7.0  # a copy: the list is not changed
    return np.sum(column) + values[0] + values[-1]


@each("function", [subtracted, multiplied, compared, stored, as_keyword, reshaped])
def test_lists_are_arrays_where_numpy_takes_one(function):
    check(function)


# -- one loop in the way


def only_one_in_the_way(x):
    total = 0.0
    for i in range(len(x)):
        total += np.sin(x[i]) * i
    parts = []
    for i in range(6):
        parts.append(x[i] * total)
    parts.sort(key=lambda v: 0)  # needs them one by one
    for i in range(len(x)):
        total = total * 0.9 + x[i]
    return total + parts[0] * parts[5]


def test_only_the_loop_in_the_way_is_written_out():
    check(only_one_in_the_way)
    assert gs.grad(only_one_in_the_way).source(vector(9)).count("for ") >= 3


WORDS = {i: f"w{i}" for i in range(200)}
WEIGHTS = {f"w{i}": 0.1 * i for i in range(200)}


def looked_up(x):
    total = 0.0
    for i in range(60):
        inner = 0.0
        for j in range(len(x)):
            inner += x[j] * j
        total += inner * len(WORDS[i])
    return total


def test_long_loops_that_are_written_out_are_warned_about():
    x = vector(7)
    expected = r"the loop in line \d+ is written out, 60 iterations: .* i"
    with pytest.warns(gs.UnrolledLoopWarning, match=expected):
        found = gs.grad(looked_up)(x)
    np.testing.assert_allclose(found, differences(looked_up, x), rtol=1e-6)


@pytest.mark.internal_error
def test_internal_errors_are_not_caught(monkeypatch):
    def broken(x):
        total = 0.0
        for i in range(len(x)):
            total += np.tanh(x[i])
        return total

    def fail(*_, **__):
        raise InternalError("broken")

    monkeypatch.setattr(Tracer, "__radd__", fail)
    monkeypatch.setattr(Tracer, "__add__", fail)
    with pytest.raises(InternalError):
        gs.grad(broken)(vector(60))


# -- states of layers in lists


def cell(x, h, c, w):
    i, f, o, g = np.split(np.concatenate([x, h]) @ w, 4)
    i, f, o = (1 / (1 + np.exp(-v)) for v in (i, f, o))
    c = f * c + i * np.tanh(g)
    return o * np.tanh(c), c


def layers_by_index(x, weights):
    hs = [np.zeros(x.shape[1])] * len(weights)
    cs = [np.zeros(x.shape[1]) for _ in weights]
    outputs = []
    for t in range(len(x)):
        v = x[t]
        for i in range(len(weights)):
            hs[i], cs[i] = cell(v, hs[i], cs[i], weights[i])
            v = hs[i]
        outputs.append(v)
    return np.sum(np.stack(outputs) ** 2) + np.sum(cs[-1])


def layers_in_tuples(x, weights):
    states = [(np.zeros(x.shape[1]), np.zeros(x.shape[1])) for _ in range(len(weights))]
    total = 0.0
    for v in x:
        made = []
        for (h, c), w in zip(states, weights, strict=True):
            h, c = cell(v, h, c, w)
            made.append((h, c))
            v = h
        states = made
        total = total + np.sum(v**2)
    return total


@pytest.mark.parametrize("layers", [2, 6])
@pytest.mark.parametrize("function", [layers_by_index, layers_in_tuples])
def test_states_of_layers_in_lists_are_variables_of_the_loop_over_time(function, layers):
    weights = [0.3 * np.random.default_rng(i).normal(size=(4, 8)) for i in range(layers)]

    def run(x):
        return function(x, weights)

    check(run, lambda size: (vector((size, 2)),), sizes=(3, 5))


# -- captured containers

TABLE = {f"k{i}": [0.1 * i, 0.5 + i, np.array([1.0, float(i)])] for i in range(32)}


def looked_up_constants(x):
    row = TABLE["k3"]
    return x[0] * row[0] + x[1] * TABLE["k4"][1] + np.sum(x[:2] * TABLE["k5"][2])


def test_only_what_is_read_of_a_table_is_an_input(monkeypatch):
    x, gradient = vector(3), gs.grad(looked_up_constants)
    np.testing.assert_allclose(gradient(x), differences(looked_up_constants, x), rtol=1e-6)
    assert gradient.source(x).count("float") < 8
    monkeypatch.setitem(TABLE, "k3", [5.0, 0, 0])
    monkeypatch.setitem(TABLE, "k9", [1.0, 2.0, np.ones(3)])
    np.testing.assert_allclose(gradient(x), differences(looked_up_constants, x), rtol=1e-6)


def kinds_of_constants(x):
    weight = 1.0 if isinstance(TABLE["k7"][0], float) else 3.0
    return x[0] * weight * (2.0 if TABLE["k7"][2].ndim == 1 else 1.0)


def test_a_kind_that_was_asked_for_is_checked(monkeypatch):
    x, gradient = vector(3), gs.grad(kinds_of_constants)
    assert gradient(x)[0] == 2.0
    for change in ([1, 0.5, np.ones(2)], [1.0, 0.5, np.ones((2, 2))]):
        monkeypatch.setitem(TABLE, "k7", change)
        np.testing.assert_allclose(gradient(x), differences(kinds_of_constants, x), rtol=1e-6)


# -- loops with conditions that are known when tracing


def rk4(x):
    def f(t, y):
        return np.array([y[1], -x[2] * np.sin(y[0]) + 0.1 * np.cos(t)])

    t, h, end = 0.0, 0.1, 2.7 if LONG else 1.0
    y = np.array([x[0], x[1]])
    while t < end:
        if t + h > end:
            h = end - t
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return np.sum(y**2)


def inwards(x):
    i, j, total = 0, (54 if LONG else 20), x[0]
    while i < j:
        total = np.sin(total + 0.02 * x[1] * i - 0.03 * x[2] * j)
        i += 1
        j -= 1
    return total


def collatz(x):
    n, total = (27 if LONG else 22), x[0]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        total = np.sin(total * x[1] + n)
    return total


def left(x):
    t, total = 0.0, x[0]
    while True:
        total = np.sin(total + x[1] * t)
        t += 0.1
        if t > (2.7 if LONG else 1.0):
            break
    return total


def in_single(x):
    t, u = 0.0, (x * 1.5).astype(np.float32)
    while t < 1.0:
        u[1:] += 0.1 * u[:-1] * t
        t += 0.125
    return np.sum(u.astype(float) * x)


LONG = False
"""A truth is part of the code, so that the numbers above are known when tracing."""


@pytest.mark.parametrize("function", [rk4, inwards, collatz, left])
def test_a_while_that_is_known_when_tracing_stays_one(function, monkeypatch):
    lengths = []
    for long in (False, True):
        monkeypatch.setitem(globals(), "LONG", long)
        check(function, sizes=(3, 4))
        lengths.append(lines(function, vector(3)))
    assert lengths[0] == lengths[1]


def test_a_known_while_in_single_precision_keeps_its_types():
    x = vector(5)
    same_bits(gs.compile(in_single)(x), in_single(x))
    near = differences(lambda x: float(in_single(x)), x)
    np.testing.assert_allclose(gs.grad(in_single)(x), near, rtol=1e-3)
    assert lines(in_single, x) < 60


SEEN = {"calls": 0}


def counted_outside(x):
    n, total = 40.0, x[0]
    while n > 1.0:
        SEEN["calls"] += 1
        total = np.sin(total * x[1]) + SEEN["calls"]
        n = n / 1.5
    return total


def taken_from_outside(x):
    numbers, n, total = iter(range(1, 100)), 20.0, x[0]
    while n > 1.0:
        total = np.sin(total * x[1]) + next(numbers)
        n = n / 1.5
    return total


def by_shape(x):
    y = np.outer(x[:1], np.ones(64))[0] * x[1]
    while len(y) > 1:
        y = y[::2] * y[1::2] + 0.1
    return y[0]


def by_list(x):
    left, total = [0.1 * i for i in range(9)], x[0]
    while left:
        total = np.sin(total * x[1] + left.pop())
    return total


def by_word(x):
    word, total = "abcdefgh", x[0]
    while word:
        total, word = np.sin(total * x[1] + len(word)), word[1:]
    return total


@each("function", [taken_from_outside, by_shape, by_list, by_word])
def test_a_while_that_python_has_to_run_is_run_by_python(function):
    check(function, sizes=(3, 4))


def test_a_trial_that_writes_to_the_world_is_no_trial(monkeypatch):
    x, compiled, expected, found = vector(3), gs.compile(counted_outside), [], []
    for run, values in ((counted_outside, expected), (compiled, found)):
        monkeypatch.setitem(SEEN, "calls", 0)
        values += [run(x), SEEN["calls"], run(x * 0.5), SEEN["calls"]]
    assert found == expected


def trajectory(x):
    def f(t, y):
        return np.array([y[1], -x[2] * np.sin(y[0]) + 0.1 * np.cos(t)])

    t, h, y = 0.0, 0.1, np.array([x[0], x[1]])
    ts, ys = [t], [y]
    while t < (2.7 if LONG else 1.0):
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        y = y + h * k2
        t += h
        ts.append(t)
        ys.append(y)
    ts, ys = np.array(ts), np.array(ys)
    return np.sum(ys[:, 0] * ts) + ys[-1, 1]


def until_it_is_long(x):
    values = []
    while len(values) < (50 if LONG else 20):
        values.append(np.sin(0.2 * x[0] * len(values)) * x[1])
    return np.sum(np.array(values) ** 2)


def histories_within_a_loop(x):
    total = 0.0
    for v in x:
        t, u, values = 0.0, v, []
        while t < (2.7 if LONG else 1.0):
            u = np.sin(u + t)
            t += 0.1
            values.append(u)
        total += np.sum(np.array(values) ** 2)
    return total


@pytest.mark.parametrize("function", [trajectory, until_it_is_long, histories_within_a_loop])
def test_a_known_while_that_appends_is_counted(function, monkeypatch):
    lengths = []
    for long in (False, True):
        monkeypatch.setitem(globals(), "LONG", long)
        check(function, sizes=(3, 4))
        lengths.append(lines(function, vector(3)))
    assert lengths[0] == lengths[1]


def steps_by_data(x):
    t, values, h = 0.0, [], 0.0
    while t < 1.0:
        h = 0.125 if x[0] > 0.5 else 0.25
        values.append(x[1] * t)
        t += h
    return np.sum(np.array(values)) + len(values)


def test_a_number_of_iterations_that_data_decide_is_right_at_each_call():
    value = gs.compile(steps_by_data)
    for x in (np.array([0.9, 0.5]), np.array([0.1, 0.5]), np.array([0.7, 0.3])):
        try:
            same_bits(value(x), steps_by_data(x))
        except gs.GradsmithError as error:
            assert "which elements" in str(error)  # noqa: PT017  refused, if not right
