"""State outside that compiled code cannot keep: refused, and left alone."""

# ruff: noqa: RUF015

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from helpers import each


class Holder:
    def __init__(self):
        self.rows = (row for row in [1.0, 2.0, 3.0])


def generated():
    yield 1.0
    yield 2.0


HOLDER, VALUES, PAIRS = Holder(), generated(), zip([1.0], generated())  # noqa: B905


def _total(x, rows):
    total = 0.0
    for row in rows:
        total += row * x
    return total


ITERATORS = {
    "next": lambda x: x * next(VALUES),
    "next of an attribute": lambda x: x * next(HOLDER.rows),
    "for": lambda x: _total(x, HOLDER.rows),
    "list": lambda x: x * list(HOLDER.rows)[0],
    "zip": lambda x: sum(x * a * b for a, b in zip(HOLDER.rows, [1.0, 2.0], strict=False)),
    "sum": lambda x: x * sum(VALUES),
    "generator expression": lambda x: sum(a * b * x for a, b in PAIRS),
    "unpacked": lambda x: x * [*HOLDER.rows][0],
    "method": lambda x: x * VALUES.send(None),
    "default": lambda x, rows=map(abs, [1.0]): x * next(rows),  # noqa: B008
}


@each("name", ITERATORS)
@each("transform", [gs.compile, gs.grad])
def test_iterators_from_outside_are_refused(name, transform):
    with pytest.raises(gs.GradsmithError, match="iterator from outside") as error:
        transform(ITERATORS[name])(2.0)
    assert error.value.span is not None
    assert next(HOLDER.rows) == 1.0
    HOLDER.rows = (row for row in [1.0, 2.0, 3.0])


def test_dict_of_an_object_from_outside_is_not_written():
    holder = Holder()

    def f(x):
        vars(holder)["k"] = x
        return x * 2

    with pytest.raises(gs.GradsmithError, match="__dict__"):
        gs.compile(f)(2.0)
    assert not hasattr(holder, "k")


def test_nothing_is_written_where_the_computation_fails():
    state = {"calls": 0}

    def f(x):
        state["calls"] += 1
        if x[0] < 0:
            raise ValueError("negative")
        return np.sum(x)

    compiled = gs.compile(f)
    compiled(np.ones(3))
    with pytest.raises(ValueError, match="negative"):
        compiled(-np.ones(3))
    assert state == {"calls": 1}
