"""Objects outside that a branch or loop puts in the place of others: who else holds one has it."""

import copy

import gradsmith as gs
from helpers import each

VALUES = (0.5, -1.0, 2.0, 0.75, 3.0)


class Holder:
    def __init__(self, values):
        self.values = values


def variable():
    values = [0.0]
    first = values

    def function(x):
        nonlocal values
        if x > 1:
            values = list(values)
        return x

    return function, lambda: (values is first, values, first)


def new_dict():
    table = {"n": 0.0}
    first = table

    def function(x):
        nonlocal table
        if x > 1:
            table = {"n": x}
        return x

    return function, lambda: (table is first, table, first)


def attribute():
    holder = Holder([1.0])
    first = holder.values

    def function(x):
        if x > 1:
            holder.values = [x]
        return x

    return function, lambda: (holder.values is first, holder.values, first)


def copied_object():
    one = Holder([1.0])
    other = one

    def function(x):
        nonlocal other
        if x > 1:
            other = copy.copy(one)
        return x

    return function, lambda: (one is other, one.values is other.values)


def copied_in_a_loop():
    table = {"values": [1.0]}
    first = table

    def function(x):
        nonlocal table
        for _ in range(3):
            table = dict(table)
        table["values"].append(x)
        return x

    return function, lambda: (table is first, table["values"] is first["values"], table)


def item():
    rows = [[0.0], [1.0]]
    first = rows[0]

    def function(x):
        if x > 1:
            rows[0] = rows[1]
        rows[0].append(x)
        return x

    return function, lambda: (rows[0] is rows[1], rows[0] is first, rows, first)


def path_in_a_loop():
    values = [0.0]
    first = values

    def function(x):
        nonlocal values
        for v in (x, x + 1):
            if v > 2.5:
                values = [v]
        return x

    return function, lambda: (values is first, values)


@each(
    "program",
    [
        *(variable, new_dict, attribute, copied_object),
        *(copied_in_a_loop, item, path_in_a_loop),
    ],
)
def test_objects_stay_the_same(program):
    (plain, expected), (function, held) = program(), program()
    compiled = gs.compile(function)
    for value in VALUES:
        assert compiled(value) == plain(value)
        assert held() == expected()
