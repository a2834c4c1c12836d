"""NumPy takes subclasses of list and tuple, and other sequences, for arrays; so does the trace.

What the trace refuses there is not handled by the user's own handlers.
"""

from __future__ import annotations

import collections

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of

SETS = [(np.array(v),) for v in ([1.5, 2.5, 0.25], [1.0, -2.5], [3.0, 0.5, -1.0])]


class Box(list):
    """A list of a class of its own."""


class Pair(tuple):
    """A tuple of a class of its own."""

    __slots__ = ()


class Row:
    """A sequence, which is no list."""

    def __init__(self, *values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, place):
        return self.values[place]


NAMES = {"Box": Box, "Pair": Pair, "Row": Row, "UserList": collections.UserList}


@pytest.mark.parametrize("kind", ["Box", "Pair", "UserList"])
@pytest.mark.parametrize(
    "expression",
    [
        "np.sum({}([x[0] * x[1], 1.0]))",
        "np.array({}([x[0], 1.0]))",
        "np.stack([{0}(x), {0}(x)]), np.concatenate([{0}(x), x])",
        "np.dot({}(x), x)",
        "x[:2] * np.asarray({}([x[0], 2.0]))",
        "np.array([{0}([x[0], 1.0]), {0}([2.0, 3.0])])",
    ],
)
def test_of_a_class_of_its_own(kind, expression):
    check_calls(function_of(expression.format(kind), **NAMES), *SETS)


@pytest.mark.parametrize(
    "expression",
    ["np.array(Row(x[0], 1.0))", "np.mean(Row(*x))", "x[Box([0, 1])]", "x[Pair((0,))] * x[1]"],
)
def test_other_sequences(expression):
    check_calls(function_of(expression, **NAMES), *SETS)


def handled(x):
    try:
        return np.array(Box([x[0], 1.0]))
    except TypeError:
        return 0


def in_a_branch(x):
    box = Box(v for v in x if v > 1)
    return np.array(box) if box else None


def in_a_loop(x):
    total = 0.0
    for v in x:
        try:
            total += np.prod(Box([v, v, 2.0]))
        except TypeError:
            total -= 1.0
    return total


@pytest.mark.parametrize("function", [handled, in_a_branch, in_a_loop])
def test_handlers_see_no_refusal(function):
    check_calls(function, *SETS)


def attribute_of_a_stand_in(x):
    try:
        return x.flat.places
    except AttributeError:
        return 0


class Iterated:
    """An object that NumPy makes an array of objects of."""

    def __iter__(self):
        return iter([1.0])


def array_of_an_object(x):
    try:
        return np.array([Iterated(), x[0]])
    except (TypeError, ValueError):
        return 0


@pytest.mark.parametrize("function", [attribute_of_a_stand_in, array_of_an_object])
def test_refusals_pass_handlers_by(function):
    with pytest.raises((gs.GradsmithError, AttributeError)):
        gs.compile(function)(np.array([1.5]))


@pytest.mark.parametrize(
    "body",
    [
        "next(x.flat)",
        "it = x.flat\na = next(it)\nreturn a * next(it)",
        "it = x.flat\nnext(it)\nreturn it[1], next(it), next(it)",
        "it = x.flat\nreturn [next(it, 7.0) for _ in range(4)]",
        "return next(x.flat) if x[0] > 1.2 else x[1]",
    ],
)
def test_next_of_flat(body):
    check_calls(function_of(body), *SETS)
