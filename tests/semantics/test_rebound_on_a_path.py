"""Objects outside that a branch or loop puts in the place of others: who else holds one has it."""

import copy

import numpy as np

import gradsmith as gs
from frontend.recording import written
from helpers import each
from programs.harness import same_bits

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


@each(
    "body",
    [
        "if x[0] > 1:\n    L[1] = L[0]",
        "if x[0] > 1:\n    L[1] = L[0]\nL[0] += 1",
        "if x[0] > 1:\n    L[0], L[1] = L[1], L[0]",
        "if x[0] > 1:\n    L.append(L[0])\nL[-1][0] = 9.0",
        "if x[0] > 1:\n    V['H'] = V['B']",
        "if x[0] > 1:\n    V['H'] = V['A'].copy()",
        "for v in x:\n    V['H'] = V['B'] if v > 1 else V['A']",
        "for v in x:\n    if v > 1:\n        V['H'] = V['B']\n    V['H'] += v",
        "for v in x:\n    L[1] = L[0]",
        "for v in x:\n    L[0] = L[0] * v",
        "V['A'] += x[:2]\nif x[1] > 1:\n    V['A'] = V['A'] * 2",
        "i = 0\nwhile i < 3:\n    if x[0] > 1:\n        V['H'] = V['B']\n    i += 1",
        "V['H'] = V['A'] if x[0] > 1 else V['B']\nV['H'][0] = 5.0",
        "if x[0] > 1:\n    V['H'] = x\nelse:\n    V['H'] = V['B']",
    ],
)
def test_arrays_stay_the_same(body):
    lines = "".join(f"    {line}\n" for line in [*body.split("\n"), "return x[0] * 2"])
    programs = []
    for _ in range(2):
        first, second = np.ones(2), np.zeros(2)
        held = {"L": [first, second], "V": {"A": first, "B": second, "H": first}}
        programs.append((written(f"def f(x):\n{lines}", np=np, **held), held))
    (plain, expected), (function, actual) = programs
    compiled = gs.compile(function)
    for values in ([0.5, -2.0, 3.0], [2.0, 0.5], [0.25, 2.5, 2.0]):
        x, y = np.array(values), np.array(values)
        assert compiled(y) == plain(x)
        assert places(actual, y) == places(expected, x)
        same_bits(actual, expected)


def places(held, x):
    """Which of the arrays are one object."""
    arrays = [*held["L"], *held["V"].values(), x]
    return [[one is other for other in arrays] for one in arrays]


class Total:
    total = 0.0

    def add(self, value):
        self.total += value


OBJECTS = (
    "global A\nA.add(x)\nif x > 1: A = Total()\nreturn A.total",
    "global A\nA.total += x\nif x > 1: A = Total()\nreturn A.total",
    "global A\nold = A\nif x > 1: A = Total()\nA.add(x)\nreturn A.total, old.total",
    "H.total.add(x)\nif x > 1: H.total = Total()\nreturn H.total.total",
    "t = A if x > 1 else B\nt.add(x)\nreturn t.total, A.total, B.total",
    "L[0].add(x)\nif x > 1: L[0], L[1] = L[1], L[0]\nreturn L[0].total, L[1].total",
)


@each("body", OBJECTS)
def test_what_was_written_to_the_other_object(body):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))

    def made():
        holder = Total()
        holder.total = Total()
        names = {"A": Total(), "B": Total(), "H": holder, "L": [Total(), Total()]}
        return written(f"def f(x):\n{lines}", Total=Total, **names)

    plain, compiled = made(), gs.compile(made())
    for value in VALUES:
        same_bits(compiled(value), plain(value))
