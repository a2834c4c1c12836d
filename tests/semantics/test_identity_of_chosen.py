"""``is``, ``id``, `object.__eq__` and keys know which object a branch, loop or list has chosen."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

Pair = namedtuple("Pair", "a b")


class Cell:
    pass


def lists_of_a_branch(x):
    a, b = [x[0]], [x[1]]
    c = a if x[0] > 2 else b
    return c is a, c is b, c is not a


def objects_of_a_branch(x):
    a, b = Cell(), Cell()
    c = a if x[0] > 2 else b
    return c is a, c == a, c != b, c in (a, a), id(c) == id(b)


def objects_as_keys(x):
    a, b = Cell(), Cell()
    held = {a: 1.0, b: 2.0}
    c = a if x[0] > 2 else b
    held[c] = x[1]
    return held[a], held[b], len(held)


def objects_looked_up(x):
    a, b = Cell(), Cell()
    c = a if x[0] > 2 else b
    return {a: 1, b: 2}[c], c in {a: 1}, {a: 1}.get(c)


def objects_in_lists(x):
    a, b = Cell(), Cell()
    c = a if x[0] > 2 else b
    return [a, b].index(c), [a, a].count(c)


def the_greatest(x):
    cells = [Cell() for _ in x]
    for cell, v in zip(cells, x, strict=True):
        cell.v = v
    best = max(cells, key=lambda cell: cell.v)
    return [cell is best for cell in cells], cells.index(best)


def lists_exchanged(x):
    a, b = [x[0]], [x[1]]
    first = a
    for _ in x:
        a, b = b, a
    return first is a, first is b, a is b


def arrays_of_a_branch(x):
    a, b = x[1:], x[:-1]
    c = a if x[0] > 2 else b
    return c is a, c is b, a is b


def arrays_exchanged(x):
    a, b = x.copy(), x * 2
    first = a
    for _ in x:
        a, b = b, a
    return first is a, first is b, a is b


def tuples_of_a_branch(x):
    a, b = (x[0], 1.0), (x[1], 2.0)
    c = a if x[0] > 2 else b
    return c is a, c is b


def tuples_of_a_loop(x):
    best = first = (x[0], 0)
    for i, v in enumerate(x):
        if v > best[0]:
            best = (v, i)
    return best is first


def tuples_in_a_list(x):
    p = (x[0],)
    history = [p]
    for i in range(len(x)):
        p = (x[i],)
        history.append(p)
    return history[-1] is p, history[0] is p, [q is history[0] for q in history]


def named_tuples_in_a_list(x):
    p = Pair(x[0], 1.0)
    history = [p]
    for i in range(len(x)):
        p = Pair(x[i], 2.0)
        history.append(p)
    return history[-1] is p, history[0] is p


def others_than_the_greatest(x):
    points = [(v, v * v) for v in x]
    best = max(points, key=lambda p: p[1])
    return [p for p in points if p is not best]


def tuples_within(x):
    pair = (x[0], (x[1], 1.0))
    inner = pair[1]
    for v in x:
        if v > 2:
            pair = (v, pair[1])
    return pair[1] is inner


def the_least_of_three(x):
    cells = [Cell(), Cell(), Cell()]
    for cell, v in zip(cells, (x[0], x[1], x[-1]), strict=True):
        cell.v = v
    least, first = min(cells, key=lambda cell: cell.v), sorted(cells, key=lambda cell: cell.v)[0]
    least.v = 9.0
    return least is first, [cell is least for cell in cells], [cell.v for cell in cells]


def containers_compared(x):
    a, b = Cell(), Cell()
    c = a if x[0] > 2 else b
    return [c] == [a], (a, 2) != (c, 2), {"k": c} == {"k": a}


def sets_of_objects(x):
    a, b = Cell(), Cell()
    c = a if x[0] > 2 else b
    return (
        len({a, b, c}),
        {a, b} - {c} == {a},
        len(dict.fromkeys([a, b, c])),
        len({(v, 1) for v in (a, c)}),
    )


def equal_to_the_greatest(x):
    cells = [Cell(), Cell(), Cell()]
    for cell, v in zip(cells, (x[0], x[1], x[-1]), strict=True):
        cell.v = v
    return cells[2] == max(cells, key=lambda cell: cell.v)


def numbers_of_builtins(x):
    a, b, c = float(x[0]), x[1], x[-1]
    great, least = max(a, b, c), min(b, c)
    return great is a, least is c, sorted([c, b])[0] is b, +a is a, float(a) is a, +b is b


def numbers_of_a_branch(x):
    a, b = x[0], x[1]
    c, pair = (a, [a, b]) if a > b else (b, [b, a])
    return c is a, c is b, pair[0] is a, (a or b) is a, c is None, a * 1 is a


def numbers_of_a_loop(x):
    most = first = x[0]
    for v in x[1:]:
        if v * 2 > most + most:
            most = v
    doubled = [2 * v for v in x]
    return most is first, doubled[0] is doubled[0], [v is doubled[1] for v in doubled]


def views_of_all(x):
    views = [x[:], x[...], x.reshape(x.shape), x.T, np.transpose(x), x.ravel(), x.view()]
    shared = [np.shares_memory(x, view) for view in views]
    same = [np.asarray(x), x.squeeze(), np.atleast_1d(x), np.ascontiguousarray(x)]
    return [view is x for view in views], [view is x for view in same], shared


FUNCTIONS = [
    lists_of_a_branch,
    objects_of_a_branch,
    objects_as_keys,
    objects_looked_up,
    objects_in_lists,
    the_greatest,
    lists_exchanged,
    arrays_of_a_branch,
    arrays_exchanged,
    tuples_of_a_branch,
    tuples_of_a_loop,
    tuples_in_a_list,
    named_tuples_in_a_list,
    others_than_the_greatest,
    tuples_within,
    the_least_of_three,
    containers_compared,
    sets_of_objects,
    equal_to_the_greatest,
    numbers_of_builtins,
    numbers_of_a_branch,
    numbers_of_a_loop,
    views_of_all,
]


@each("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_identity(function):
    compiled = gs.compile(function)
    for values in ([5.0, 1.0, 1.5], [1.0, 3.0, 2.5, 0.5], [1.0, 1.5]):
        x = np.array(values)
        assert compiled(x) == function(x)


LARGE = [int("1000"), int("1000")]
INTEGERS = [(5, 5), (5, 6), (-5, -5), (-6, int("-6")), (256, 256), (257, int("257")), (1, True)]
INTEGERS += [(LARGE[0], LARGE[0]), (LARGE[0], LARGE[1]), (True, True), (3, 7)]
IDENTITIES = {
    "operator": "return x[0] * (a is b), a is b, a is not b",
    "branch": "return x[0] if a is b else x[1]",
    "elements": "t = [a, b, 3]\nreturn t[0] is t[1], t[2] is t[0], x[0]",
    "made": "return (a + 1) is (b + 1), (a * 1) is b, a is a, (a + 0) is a, x[0]",
    "length": "return a is len(x), len(x) is b, x[0]",
    "of data": "k = int(x[0])\nreturn a is k, k is (int(x[0]) + 0), x[1]",
    "in a loop": "k = 0\nfor i in range(9):\n    k += 1 if i is a else 0\nreturn k, x[0]",
    "numbers": "return id(a) == id(5), x[0]",
}


@each("name", IDENTITIES)
def test_small_integers_are_one_object(name):
    function = function_of(IDENTITIES[name], "x, a, b")
    check_calls(function, *((np.array([5.0, 2.0, 1.0]), *pair) for pair in INTEGERS))
