"""Lists of the rows of an array (``list(x)``, ``a, *b = x``): written to, shared, reordered.

Value and arguments are those of plain Python at two sizes through one compiled object.
"""
# ruff: noqa: RUF005  lists are added

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from programs.harness import same_bits

PROGRAMS = []


def program(function):
    PROGRAMS.append(function)
    return function


@program
def number_is_replaced(x):
    made = list(x[:, 0])
    made[0] = 5.0
    return sum(made) + x[0, 0]


@program
def row_is_a_view(x):
    y = x * 1.0
    made = list(y)
    made[0][1] = 5.0
    return np.sum(y**2) + made[0][1]


@program
def array_is_written_to(x):
    y = x * 1.0
    made = list(y)
    y[0, 1] = 7.0
    return np.sum(made[0] ** 2)


@program
def numbers_are_copies(x):
    y = x[:, 0] * 1.0
    made = list(y)
    y[0] = 7.0
    return made[0] ** 2 + y[0]


@program
def sorted_in_place(x):
    made = list(x[:, 0])
    made.sort()
    return made[0] * 2 + made[-1]


@program
def elements_are_appended(x):
    made = list(x[:, 0])
    made.append(3.0)
    made.append(made[0])
    return sum(v * v for v in made) + len(made)


@program
def reversed_in_place(x):
    made = list(x[:, 0])
    made.reverse()
    return made[0] - made[-1] ** 2


@program
def row_is_replaced(x):
    made = list(x)
    made[0] = made[0] * 2
    return np.sum(np.array(made) ** 2)


@program
def rows_exchange_places(x):
    made = list(x)
    made[0], made[1] = made[1], made[0]
    return np.sum(np.array(made) * np.arange(len(made))[:, None])


@program
def starred_row_is_written_to(x):
    a, *b = x
    b[0][1] = 2.0
    return np.sum(x) + np.sum(a * b[-1])


@program
def starred_list_grows(x):
    a, *b, c = x[:, 0]
    b.append(a)
    return sum(b) * c


@program
def added_and_repeated(x):
    made = list(x[:, 0])
    m = made + [1.0]
    m2 = made * 2
    return sum(m) + sum(m2) + made[1:][0]


@program
def tuple_of_numbers(x):
    t = tuple(x[:, 0])
    return t[0] * t[-1] + max(t) + min(t)


@program
def element_is_deleted(x):
    made = list(x[:, 0])
    del made[0]
    return sum(made)


@program
def list_of_a_list(x):
    made = list(x[:, 0])
    m = list(made)
    m[0] = 3.0
    return sum(made) + sum(m)


@program
def element_is_looked_for(x):
    made = list(x[:, 0])
    return made.index(made[1]) * made[0] + (made[0] in made)


@program
def rows_are_written_to_in_a_loop(x):
    made = list(x)
    for r in made:
        r[0] = 0.0
    return np.sum(x**2)


@program
def rows_are_replaced_in_a_loop(x):
    made = list(x)
    for i in range(len(made)):
        made[i] = made[i] * 2
    return np.sum(made[0] ** 2) + np.sum(x)


@program
def starred_part_of_a_list(x):
    a, *b = list(x[:, 0])
    return a * len(b) + b[0]


@program
def in_a_loop(x):
    s = 0.0
    for i in range(len(x)):
        made = list(x[i])
        made[0] = s
        s = s + sum(made)
    return s


@program
def row_is_inserted(x):
    made = list(x)
    made.insert(0, x[0] * 2)
    return np.sum(made[0] * made[1])


@program
def list_under_two_names(x):
    made = list(x)
    k = made
    k[0][0] = 9.0
    made[1] = k[0]
    made[1][1] = 3.0
    return np.sum(x * np.arange(x.size).reshape(x.shape))


@program
def list_is_the_result(x):
    return list(x)


@program
def lists_in_a_list(x):
    made = [list(r) for r in x]
    made[0][0] = 4.0
    made[1][1] = made[0][0] * made[0][1]
    return sum(sum(r) for r in made)


@program
def argument_is_written_to(x):
    made = list(x)
    x[0] = 3.0
    return made[0][0] * made[1][0]


LONGER = {
    "sorted_in_place": "sorting puts the elements one by one",
    "element_is_deleted": "deleting takes elements one by one",
}
"""Programs that need the elements one by one, so that each length has its code."""


def matrix(rows):
    return np.random.default_rng(rows).normal(size=(rows, 3))


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_lists_of_rows(function):
    compiled = gs.compile(function)
    for rows in (4, 7, 4):
        given, left = matrix(rows), matrix(rows)
        same_bits(compiled(given), function(left))
        same_bits(given, left)
    if function is not list_is_the_result:
        gradients = (gs.grad(function).source(matrix(rows)) for rows in (4, 9))
        few, many = (source.count("\n") for source in gradients)
        assert (few == many) is (function.__name__ not in LONGER)


def test_too_few_rows_for_the_targets():
    def taken(x):
        a, b, *_, c = x
        return a * b * c

    compiled = gs.compile(taken)
    same_bits(compiled(np.arange(5.0)), taken(np.arange(5.0)))
    same_bits(compiled(np.arange(3.0)), taken(np.arange(3.0)))
    with pytest.raises(ValueError, match="not enough values to unpack"):
        compiled(np.arange(2.0))
