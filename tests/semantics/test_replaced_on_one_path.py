"""One way of a branch puts another array in a place, the other writes to the array that is there.

The place is an entry of a dict, an element, an attribute, a variable of a function around.
"""

from __future__ import annotations

import numpy as np

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

SETS = [
    (np.array([1.5, -0.5, 2.0]),),
    (np.array([-1.0, 2.0]),),
    (np.array([2.5, 0.25, 3.0, -1.0]),),
    (np.array([1.0, 4.0]),),
]

IF = "if x[0] > 1.2:\n    {}\nelse:\n    {}\n"
PUT, WRITE = "d['a'] = x * 2", "d['a'][0] = 9"
PUT_PAIR = "d['a'] = (x * 2, 2)"
OBJECT = "class O:\n    pass\no = O()\n"


def _dict(write, rest="", replace="d['a'] = x * 2"):
    return (
        f"d = {{'a': x.copy(), 'b': x * 2}}\n{IF.format(replace, write)}{rest}return d['a'].sum()"
    )


PROGRAMS = {
    "an entry": _dict("d['a'][0] = 9"),
    "in place by an operator": _dict("d['a'][1:] += 1"),
    "filled": _dict("d['a'].fill(3)"),
    "sorted": _dict("d['a'].sort()"),
    "added at indices": _dict("np.add.at(d['a'], [0, 0], 1.0)"),
    "out": _dict("np.multiply(d['a'], 3, out=d['a'])"),
    "updated": _dict("d['a'][0] = 9", replace="d.update(a=x * 2)"),
    "taken out and set": _dict("d['a'][0] = 9", replace="d.pop('a'); d['a'] = x * 2"),
    "the other array": _dict("d['a'][0] = 9", "d['a'][1] = 4\n", "d['a'] = d['b']"),
    "exchanged": _dict("d['a'][0] = 5", "d['b'][0] = 1\n", "d['a'], d['b'] = d['b'], d['a']"),
    "the other way round": (f"d = {{'a': x.copy()}}\n{IF.format(WRITE, PUT)}return d['a'].sum()"),
    "by another name": (
        f"d = [x.copy(), x * 3]\nw = d[1]\n{IF.format('d[1] = x * 2', 'w[0] = 9')}"
        "return d[1].sum() + w.sum()"
    ),
    "through a view": (
        f"d = {{'a': x.copy()}}\nv = d['a'][1:]\n{IF.format(PUT, 'v[0] = 7')}"
        "v[0] += 1\nreturn d['a'].sum() + v.sum()"
    ),
    "a view in its place": (
        f"b = x.copy()\nd = {{'a': b[1:]}}\n{IF.format(PUT, 'b[1] = 7')}"
        "b[1] += 1\nreturn d['a'].sum() + b.sum()"
    ),
    "within tuples": (
        f"a = x.copy()\nd = {{'a': (a, 1)}}\n{IF.format(PUT_PAIR, 'a[0] = 9')}"
        "return d['a'][0].sum() + d['a'][1]"
    ),
    "an attribute": (
        f"{OBJECT}o.a = x.copy()\n{IF.format('o.a = x * 2', 'o.a[0] = 9')}"
        "o.a[0] *= 2\nreturn o.a.sum()"
    ),
    "an attribute of a class": (
        f"{OBJECT}O.a = x.copy()\n{IF.format('O.a = x * 2', 'O.a[0] = 9')}return O.a.sum()"
    ),
    "a slot": (
        "class O:\n    __slots__ = ('a',)\no = O()\no.a = x.copy()\n"
        f"{IF.format('o.a = x * 2', 'o.a[0] = 9')}return o.a.sum()"
    ),
    "a deque": (
        "from collections import deque\nq = deque([x.copy(), x * 2])\n"
        f"{IF.format('q[0] = x * 5', 'q[0][0] = 9')}return q[0].sum() + q[1].sum()"
    ),
    "a variable around": (
        "a = x.copy()\ndef put(v):\n    nonlocal a\n    a = v\n"
        f"{IF.format('put(x * 2)', 'a[0] = 9')}return a.sum()"
    ),
    "in expressions": (
        "d = {'a': x.copy()}\n"
        "def write():\n    d['a'][0] = 9\n    return 1.0\n"
        "def put():\n    d['a'] = x * 2\n    return 2.0\n"
        "k = put() if x[0] > 1.2 else write()\nreturn d['a'].sum() * k"
    ),
    "nested": (
        "d = {'a': x.copy(), 'b': x * 2}\nif x[0] > 0:\n"
        "    if x[0] > 1.2:\n        d['a'] = d['b']\n    else:\n        d['a'][0] = 9\n"
        "    d['a'][1] = 4\nreturn d['a'].sum() + d['b'].sum()"
    ),
    "after an early return": (
        "d = {'a': x.copy()}\nif x[0] < 0:\n    return d['a'][0]\n"
        f"{IF.format(PUT, WRITE)}return d['a'].sum()"
    ),
    "in a loop": (
        "g = {'s': np.zeros(3), 'n': 0}\nfor v in x:\n"
        "    if v > 1:\n        g['s'] = np.ones(3) * v\n"
        "    else:\n        g['s'][g['n'] % 3] += v\n    g['n'] += 1\n"
        "return g['s'].sum() * g['s'][0]"
    ),
}


@each("body", PROGRAMS.values(), ids=PROGRAMS)
def test_what_the_other_way_writes_is_kept(body):
    check_calls(function_of(body), *SETS)


def test_outside():
    """In a dict from outside, and in one that is an argument."""

    def stateful():
        held = {"a": np.array([1.0, 2.0])}

        def run(x, given):
            for place in (held, given):
                if x[0] > 1.2:
                    place["a"] = np.ones(2) * x[0]
                else:
                    place["a"][1] += x[0]
            return held["a"][1] * given["a"][1]

        return held, run

    (held, run), (expected, plain) = stateful(), stateful()
    compiled = gs.compile(run)
    for (x,) in SETS:
        given, other = {"a": np.array([3.0, 4.0])}, {"a": np.array([3.0, 4.0])}
        assert compiled(x, given) == plain(x, other)
        np.testing.assert_array_equal(held["a"], expected["a"])
        np.testing.assert_array_equal(given["a"], other["a"])


def test_an_object_of_a_list_outside_that_has_another_name():
    class Total:
        def __init__(self):
            self.held = 0.0

        def add(self, value):
            self.held += value

    totals = [Total()]

    def function(x):
        first = totals[0]
        if x > 1:
            totals[0] = Total()
        totals[0].add(x)
        return first.held + 10 * totals[0].held

    compiled = gs.compile(function)
    for x in (0.5, 2.0, 0.1):
        totals[:] = [Total()]
        expected = function(x), totals[0].held
        totals[:] = [Total()]
        assert (compiled(x), totals[0].held) == expected
