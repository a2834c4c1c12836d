"""Lists and dicts that refer to themselves, or to each other, and are changed on one path."""

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls
from gradsmith.errors import UnsupportedError
from helpers import each

CALLS = [(np.array(x),) for x in ([1.0, 2.0], [-1.0, 2.0], [3.0, 0.5])]


def list_in_itself(x):
    a = [0.0]
    a.append(a)
    if x[0] > 0:
        a[0] = x[0]
    return (a[0], a[1][0], a[1] is a)


def dicts_in_each_other(x):
    d = {"v": 0.0}
    e = {"v": 1.0, "n": d}
    d["n"] = e
    if x[0] > 0:
        d["v"] = x[1]
    return (d["n"]["n"]["v"], e["v"])


def dict_in_itself_in_a_loop(x):
    d = {"v": 0.0}
    d["me"] = d
    for v in x:
        if v > 0.7:
            d["me"]["v"] = d["v"] + v
    return d["me"]["v"]


def lists_in_each_other(x):
    a = [x[0]]
    b = [x[1], a]
    a.append(b)
    if x[0] > 0:
        a[0], b[0] = (b[0], a[0])
    return (a[0], b[1][1][0])


def graph_of_dicts(x):
    nodes = [{"v": x[i], "nb": []} for i in range(2)]
    nodes[0]["nb"].append(nodes[1])
    nodes[1]["nb"].append(nodes[0])
    for n in nodes:
        if n["v"] > 0:
            n["nb"][0]["v"] = n["v"] * 2
    return [n["v"] for n in nodes]


def chosen_list_in_itself(x):
    a = [x[0]]
    a.append(a)
    b = a if x[0] > 0 else [x[1]]
    b[0] = 7.0
    return (a[0], b[0])


def list_in_itself_in_a_while_loop(x):
    a = [x[0]]
    a.append(a)
    s = 0.0
    while s < 5:
        a[0] = a[0] + 1
        s = s + a[1][0] * a[1][0] + 1
    return (a[0], s)


def list_in_a_tuple_in_itself(x):
    t = ([x[0]],)
    t[0].append(t)
    if x[0] > 0:
        t[0][0] = x[1]
    return t[0][1][0][0]


PROGRAMS = [
    list_in_itself,
    dicts_in_each_other,
    dict_in_itself_in_a_loop,
    lists_in_each_other,
    graph_of_dicts,
    chosen_list_in_itself,
    list_in_itself_in_a_while_loop,
    list_in_a_tuple_in_itself,
]


@each("function", PROGRAMS)
def test_containers_in_themselves(function):
    check_calls(function, *CALLS)


HELD = {"value": 1.0}
HELD["itself"] = HELD


def test_what_cannot_be_taken_apart_is_named():
    def function(x):
        if x[0] > 0:
            HELD["itself"]["value"] = x[1]
        return HELD["value"] * x[0]

    with pytest.raises(UnsupportedError, match="refers to itself"):
        gs.compile(function)(np.ones(2))


def test_arguments_that_hold_themselves_are_refused():
    values, items = [1.5], {"a": 1.5}
    values.append(values)
    items["inner"] = {"outer": items}
    for given, read in ((values, lambda v: v[0]), (items, lambda v: v["a"])):
        for transform in (gs.compile, gs.grad, gs.value_and_grad):
            with pytest.raises(gs.GradsmithError, match="holds itself"):
                transform(read)(given)


class _Node:
    def __init__(self, v):
        self.v, self.next = v, None


def test_objects_may_be_in_a_ring():
    def ring(first):
        second = first.next
        first.v += 1
        second.next.v *= 2
        return first.v + second.v, second.next is first

    def made():
        first, second = _Node(1.5), _Node(2.0)
        first.next, second.next = second, first
        return first

    plain, given = made(), made()
    assert gs.compile(ring)(given) == ring(plain)
    assert (given.v, given.next.v) == (plain.v, plain.next.v)
