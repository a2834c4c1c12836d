"""nan equals nothing: dicts, sets and lists find it by the object that it is."""

import numpy as np

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

NAN = float("nan")
CALLS = [(np.array(x),) for x in ([NAN, 1.0], [1.0, 2.0], [NAN, NAN, 3.0])]
OTHER = float("nan")
TABLE = {NAN: 3.0, 1.0: 4.0}
ROW = [NAN, 1.0]
MEMBERS = {NAN}


@each(
    "body",
    [
        "l = list(x)\nd = {}\nfor u in l:\n    d[u] = 1\nreturn d.get(l[0], 0), len(d)",
        "l = x.tolist()\nd = {u: i for i, u in enumerate(l)}\nreturn d[l[0]], d[l[1]]",
        "l = list(x)\ns = set()\nfor u in l + l:\n    s.add(u)\nreturn len(s)",
        "l = list(x)\nreturn len({u: 0 for u in l * 2}), l[0] in {u: 0 for u in l}",
        "return len({x[0], x[0]}), len({x[0]: 1, x[0]: 2})",
        "u = x[0]\nd = {u: 1}\nreturn d[u], u in d, u in {u}, u == u, [k == u for k in d]",
        "z = complex(x[0], x[-1])\nw = +z\nreturn z in {z: 1}, {z: 1}[z], {z: 2}.get(w)",
        "d = {x[0]: 1}\nu = x[0]\nu in d\nreturn u == u, u != u, [k == u for k in d], [u] == [u]",
        "z = x[0] * 1j\nd = {}\nd[z] = 2\nd[z] = 3\nreturn d.get(z, 5), len(d), str(z)",
    ],
)
def test_keys(body):
    check_calls(function_of(body), *CALLS)


def outside(x):
    return TABLE[NAN], NAN in MEMBERS, ROW[0] in MEMBERS, OTHER in MEMBERS, OTHER in TABLE, x[0]


def in_lists(x):
    return ROW.count(ROW[0]), ROW.index(NAN), NAN in ROW, OTHER in ROW, ROW == [NAN, 1.0], x[0]


def one_object(x):
    return ROW[0] is NAN, ROW[0] is ROW[0], OTHER is NAN, {ROW[0]: 1}.get(NAN), ROW[0] == NAN, x[0]


@each("function", [outside, in_lists, one_object])
def test_outside(function):
    check_calls(function, *CALLS)


def test_outside_variables_that_are_nan_anew():
    table, key = {NAN: 3.0, 1.0: 4.0}, NAN

    def looked_up(x):
        return x[0] * table.get(key, 0.0)

    compiled, x = gs.compile(looked_up), np.array([2.0])
    assert compiled(x) == 6.0
    key = OTHER
    assert compiled(x) == 0.0
    key = 1.0
    assert compiled(x) == 8.0
