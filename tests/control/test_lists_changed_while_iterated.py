"""A loop over a list sees what its body adds to the list, as Python's iterators do."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

import gradsmith as gs


def extended(x):
    values, total = list(x), 0.0
    for i, v in enumerate(values):
        total += v
        if i == 0:
            values += [10.0 * v]
    return total


def appended_in_a_branch(x):
    values, total = [], 0.0
    for v in x:
        values.append(v)  # noqa: PERF402
    for v in values:
        if v > 2:
            values.append(v - 2)
        total += v
    return total


def appended_by_a_function(x):
    values, total = list(x), 0.0

    def more(v):
        values.append(v)

    for i, v in enumerate(values):
        total += v * i
        if i < 2:
            more(v * 0.5)
    return total


def zipped(x):
    values, total = list(x), 0.0
    for v, w in zip(values, range(8), strict=False):
        values.append(v * 0.5)
        total += v * w
    return total


def in_a_comprehension(x):
    values = list(x)
    return sum([values.append(v) or v for v in values if len(values) < 6])


def work_list(x):
    todo, total = [(i, v) for i, v in enumerate(x)], 0.0
    for i, v in todo:
        total += v * (i + 1)
        if v > 1.1:
            todo.append((i, v * 0.5))
    return total


def topological_order(x):
    order, total = [i for i in range(len(x)) if i % 2 == 0], 0.0
    for i in order:
        total += x[i]
        j = i + 3
        if j < len(x):
            order.append(j)
    return total


def emptied(x):
    values, total = list(x), 0.0
    for v in values:
        total += v
        if len(values) > 1:
            values.clear()
    return total


def in_an_inner_loop(x):
    values, total = list(x), 0.0
    for v in values:
        for _ in range(len(x)):
            if len(values) < 12:
                values.append(v * 0.5)
        total += v
    return total


def in_an_inner_loop_of_a_written_list(x):
    values, total = [x[0], x[1]], 0.0
    for v in values:
        for w in x:
            if len(values) < 9:
                values.append(v * w)
        total += v
    return total


def by_the_key(x):
    values = list(x)

    def key(v):
        if len(values) < 7:
            values.append(v * 2)
        return v * v

    return max(values, key=key)


def mapped(x):
    values = [x[0], x[1]]

    def square(v):
        for _ in range(len(x)):
            if len(values) < 8:
                values.append(v * 2)
        return v * v

    return sum(map(square, values))


def accumulated(x):
    values = [x[0], x[1]]

    def add(v, w):
        for _ in range(len(x)):
            if len(values) < 8:
                values.append(w * 2)
        return v + w

    return sum(itertools.accumulate(values, add))


def reduced(x):
    values = [x[0], x[1]]

    def add(total, v):
        for _ in range(len(x)):
            if len(values) < 8:
                values.append(v * 2)
        return total + v * v

    return functools.reduce(add, values)


def iterator_made_before(x):
    values = [x[0], x[1]]
    iterator = iter(values)
    total = next(iterator)
    for v in x:
        values.append(v * 2)  # noqa: PERF401
    for v in iterator:
        total += v * v
    return total


def pairs_made_before(x):
    values = [x[0], x[1]]
    pairs = zip(values, itertools.count(), strict=False)
    next(pairs)
    for v in x:
        values.append(v * 2)  # noqa: PERF401
    return sum(v * i for v, i in pairs)


def paired_with_a_generator(x):
    def numbers():
        yield 1
        yield 2
        yield 3

    total, values = 0, list(x)
    for _, number in zip(values, numbers(), strict=False):
        total += number
    return total * x[0]


def a_copy(x):
    values, total = list(x), 0.0
    for v in list(values):
        total += v
        values.append(v * v)
    return total * sum(values)


FUNCTIONS = [
    extended,
    appended_in_a_branch,
    appended_by_a_function,
    zipped,
    in_a_comprehension,
    work_list,
    topological_order,
    emptied,
    in_an_inner_loop,
    in_an_inner_loop_of_a_written_list,
    by_the_key,
    mapped,
    accumulated,
    reduced,
    iterator_made_before,
    pairs_made_before,
    paired_with_a_generator,
    a_copy,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_value_and_gradient(function):
    compiled, gradient = gs.compile(function), gs.grad(function)
    for values in ([1.2, 2.1, 3.3], [5.3, 1.7, 0.4, 2.6]):
        x = np.array(values)
        assert compiled(x) == function(x)
        steps = 1e-6 * np.eye(len(x))
        differences = [(function(x + h) - function(x - h)) / 2e-6 for h in steps]
        np.testing.assert_allclose(gradient(x), differences, rtol=1e-6, atol=1e-7)


def test_a_list_that_an_enclosing_loop_makes_is_gone_over_in_the_graph():
    def function(x):
        states, h, total = [], x.sum(), 0.0
        for t in range(len(x)):
            h = np.sin(h)
            states.append(h)
            for state in states:
                total = total + state * x[t]
        return total

    x = np.array([0.3, 0.5, 0.7])
    compiled = gs.compile(function)
    assert compiled(x) == function(x)
    assert compiled.source(x) == compiled.source(np.ones(7))
