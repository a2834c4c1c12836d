"""Iterations that are made before it is known that the others are a loop of the graph stay made
once.
"""

import numpy as np

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

LIMITS = [(limit,) for limit in (9.0, 1.2, 0.5, 2.5, -1.0)]
HEADS = ("range(4)", "range(1, 8, 2)", "reversed(range(4))", "range(int(abs(x)) + 2)")
ENDS = ("if j > x: break", "if x < j: return made", "if j == x: break")
STEPS = (
    *("if j != 1: r.append(j)", "if 1 == j: continue\n    r.append(j * x)"),
    *("if j % 2: r.append(x)", "if j < 2: r.append(7)\n    else: r.append(x)"),
    *("if j != 1: d.setdefault('a', []).append(j)", "if j != 1: r.append([j, x])"),
    *("if j != 1: d['n'] = d.get('n', 0) + 1; r.append(0)", "if j != 1: n += 1; r.append(n)"),
    *("if j != 2: o.log.append(j * x); o.n += 1", "if j: t += (j,); r.append(t)"),
)


class Record:
    def __init__(self):
        self.log, self.n = [], 0


BEFORE = "r = []; d = {}; o = Record(); t = (); n = 0; made = r"
RESULT = "return r, d, o.log, o.n, t, n"


@each("step", STEPS)
def test_each_is_made_once(step):
    for head in HEADS:
        for end in ENDS:
            body = f"{BEFORE}\nfor j in {head}:\n    {end}\n    {step}\n{RESULT}"
            check_calls(function_of(body, Record=Record), *LIMITS)


def _sum_of_squares(x):
    r = []
    for j in range(3):
        if j > x:
            break
        if j != 1:
            r.append(x * x)
    return sum(r)


def test_the_gradient():
    check_calls(_sum_of_squares, *LIMITS)
    assert gs.grad(_sum_of_squares)(9.0) == 36.0


def test_lists_of_others():
    class Kept:
        history = []  # noqa: RUF012  of the class

    def function(x, limit):
        for j in range(4):
            if j > limit:
                break
            if j != 1:
                x.append(float(j))
                Kept.history.append(j * limit)
        return len(Kept.history)

    for limit in (1.2, 0.5, 9.0, -1.0):
        found = []
        for call in (function, gs.compile(function)):
            Kept.history, x = [], [0.5]
            found.append((call(x, limit), list(Kept.history), x))
        np.testing.assert_equal(found[0], found[1])
