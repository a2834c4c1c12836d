"""Iterators from outside the function: elements are taken at each call, and put back by none."""

from __future__ import annotations

import copy
import itertools

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.frontend.iterator_stand_ins import can_be_copied, copied
from helpers import each

ROWS = [float(k) for k in range(1, 21)]
MAKE = {
    "list": lambda: iter(ROWS),
    "tuple": lambda: iter((*ROWS, *ROWS)),
    "range": lambda: iter(range(1, 30)),
    "reversed": lambda: reversed(ROWS),
    "dict": lambda: iter(dict.fromkeys(ROWS).keys()),
    "array": lambda: iter(np.array(ROWS)),
    "count": lambda: itertools.count(3, 0.5),
    "cycle": lambda: itertools.cycle(ROWS[:4]),
    "islice": lambda: itertools.islice(ROWS, 1, None),
}


class Holder:
    def __init__(self, rows):
        self.rows = rows


HOLDER = Holder(iter(()))


def one(x):
    return x * next(HOLDER.rows)


def several(x):
    first, rest = next(HOLDER.rows), [*itertools.islice(HOLDER.rows, 2)]
    return x * first + sum(rest)


def until_large(x):
    for row in HOLDER.rows:
        x = x + row
        if row >= 3.0:
            break
    return x


def on_one_path(x):
    if x > 1.0:
        return x * next(HOLDER.rows)
    return x


def in_a_loop(x):
    total = 0.0
    for _ in range(5):
        total = total + x * next(HOLDER.rows)
        if total > 13.0:
            break
    return total


def with_default(x):
    return x * next(HOLDER.rows, 100.0)


CALLS = [one, several, until_large, on_one_path, in_a_loop, with_default]


@each("kind", MAKE)
@each("function", CALLS)
def test_elements_are_taken_at_each_call(function, kind):
    xs = [2.0, 0.5, 2.0]
    HOLDER.rows = MAKE[kind]()
    expected = [function(x) for x in xs]
    rest = [*itertools.islice(HOLDER.rows, 3)]
    HOLDER.rows = MAKE[kind]()
    compiled = gs.compile(function)
    found = [compiled(x) for x in xs]
    assert found == expected
    assert [*map(type, found)] == [*map(type, expected)]
    assert [*itertools.islice(HOLDER.rows, 3)] == rest


@pytest.mark.filterwarnings("ignore:taking an element")
@each("function", CALLS)
def test_derivatives_take_none(function):
    HOLDER.rows = iter(ROWS)
    expected = [function(2.0 + e) for e in (1e-6, -1e-6) if HOLDER.__init__(iter(ROWS)) is None]
    slope = (expected[0] - expected[1]) / 2e-6
    HOLDER.rows = iter(ROWS)
    np.testing.assert_allclose(gs.grad(function)(2.0), slope, rtol=1e-6)
    np.testing.assert_allclose(gs.jvp(function, (2.0,), (1.0,))[1], slope, rtol=1e-6)
    assert list(HOLDER.rows) == ROWS


def test_a_derivative_warns():
    HOLDER.rows = iter(ROWS)
    with pytest.warns(gs.TraceTimeEffectWarning, match="taking an element"):
        gs.grad(one)(2.0)


def test_the_end_is_pythons_and_takes_nothing():
    HOLDER.rows = iter(ROWS[:2])
    compiled = gs.compile(one)
    assert [compiled(2.0), compiled(2.0)] == [2.0, 4.0]
    with pytest.raises(StopIteration):
        compiled(2.0)
    HOLDER.rows = iter(ROWS)
    assert compiled(2.0) == 2.0


def test_pairs_and_lists():
    HOLDER.rows = zip(ROWS, [[1.0], [2.0], [3.0]], strict=False)

    def f(x):
        a, row = next(HOLDER.rows)
        return a * x + sum(row)

    compiled = gs.compile(f)
    assert [compiled(1.0), compiled(1.0), compiled(2.0)] == [2.0, 4.0, 9.0]


def test_one_that_takes_elements_of_another_is_refused():
    inner = iter(ROWS)
    outer = enumerate(inner)

    def f(x):
        return x * next(inner) + next(outer)[1]

    with pytest.raises(gs.GradsmithError, match="of which one takes"):
        gs.compile(f)(2.0)
    assert list(inner) == ROWS


@each("kind", MAKE)
@each("before", [0, 1, 3])
def test_copies(kind, before):
    iterator, other = MAKE[kind](), MAKE[kind]()
    for one in (iterator, other):
        [*itertools.islice(one, before)]
    assert can_be_copied(iterator)
    rest = [*itertools.islice(copied(iterator), 5)]
    assert [*itertools.islice(copied(iterator), 5)] == rest
    assert [*itertools.islice(iterator, 5)] == rest == [*itertools.islice(other, 5)]


def test_not_to_be_copied():
    assert not can_be_copied(row for row in ROWS)
    assert not can_be_copied(map(abs, ROWS))
    assert not can_be_copied(itertools.chain(ROWS, ROWS))
    assert not can_be_copied(enumerate(row for row in ROWS))
    assert not can_be_copied(ROWS)


def test_copies_by_the_function_are_refused():
    HOLDER.rows = iter(ROWS)
    with pytest.raises(gs.GradsmithError, match="is copied"):
        gs.compile(lambda x: x * next(copy.copy(HOLDER.rows)))(2.0)
