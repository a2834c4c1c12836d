"""Variables that are no number before a loop, and are set to one by each trip, if there is any."""

from __future__ import annotations

import numpy as np

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

FLOATS = [(4.5,), (0.5,), (1.5,), (9.5,)]
ARRAYS = [
    (np.array([1.25, -2.0, 3.0]),),
    (np.array([-1.0]),),
    (np.array([2.5, 0.75]),),
    (np.array([]),),
    (np.array([3.0]),),
]

HALVED = "while x > 1:\n    r = x\n    x = x / 2\n"

OF_NUMBERS = {
    "none": f"r = None\n{HALVED}return r",
    "a text": f"r = 'none'\n{HALVED}return r",
    "an empty list": "r = []\nwhile x > 1:\n    r = [x]\n    x = x / 2\nreturn r",
    "a tuple": "r = None\nwhile x > 1:\n    r = (x, 1)\n    x = x / 2\nreturn r",
    "an empty tuple": "r = ()\nwhile x > 1:\n    r = (x, 2.0)\n    x = x / 2\nreturn r",
    "an object": f"k = r = object()\n{HALVED}return 1.0 if r is k else r",
    "asked for": f"y = x\nr = None\n{HALVED}return y * 3 if r is None else r",
    "used": f"r = None\n{HALVED}return r + 1",
    "printed": f"r = None\n{HALVED}print(r)\nreturn x",
    "with an else": f"r = None\n{HALVED}else:\n    x = 7.0\nreturn r, x",
    "ended by break": (
        "r = None\nwhile True:\n    if x < 1:\n        break\n    r = x\n    x = x / 2\nreturn r"
    ),
    "as many trips as a number says": (
        "r = None\nfor i in range(int(x)):\n    r = x * i\nreturn r"
    ),
    "the least": (
        "best = None\nwhile x > 1:\n    if best is None or x < best:\n        best = x\n"
        "    x = x / 2\nreturn best"
    ),
    "an attribute": (
        "class O:\n    pass\no = O()\no.r = None\nwhile x > 1:\n    o.r = x\n    x = x / 2\n"
        "return o.r"
    ),
}

OF_ARRAYS = {
    "elements of a mask": "r = None\nfor v in x[x > 0]:\n    r = v\nreturn r",
    "positions": "r = None\nfor i in np.flatnonzero(x > 0):\n    r = i\nreturn r",
    "an array": "r = None\nwhile x.size and x[0] > 1:\n    r = x * 2\n    x = x / 2\nreturn r",
    "an inner loop": (
        "s = []\nfor v in x:\n    r = None\n    while v > 1:\n        r = v\n        v = v / 2\n"
        "    s.append(-1.0 if r is None else r)\nreturn sum(s)"
    ),
    "an inner loop alone": (
        "r = None\nfor v in x:\n    while v > 1:\n        r = v\n        v = v / 2\nreturn r"
    ),
    "ended by break": "r = None\nfor v in x:\n    if v > 2:\n        break\n    r = v\nreturn r",
    "the one before": (
        "p = None\nfor v in x[x > 0]:\n    if p is not None:\n        x = x + v * p\n    p = v\n"
        "return x.sum(), p"
    ),
    "a pair": "r = None\nfor a, b in zip(x, x[1:]):\n    r = a * b\nreturn r",
    "the index": "i = None\nfor i, v in enumerate(x[x > 0]):\n    pass\nreturn i",
    "on some paths": "r = 'a'\nfor v in x:\n    r = v if v > 0 else r\nreturn r",
}


@each("body", OF_NUMBERS.values(), ids=OF_NUMBERS)
def test_numbers(body):
    check_calls(function_of(body), *FLOATS, messages=False)


@each("body", OF_ARRAYS.values(), ids=OF_ARRAYS)
def test_arrays(body):
    check_calls(function_of(body), *ARRAYS)


def test_the_loop_stays_one():
    """The first iteration is made by itself: a thousand are no more code."""
    compiled = gs.compile(
        function_of("r = None\nwhile x > 1e-300:\n    r = x\n    x *= 0.5\nreturn r")
    )
    assert compiled(1.0) > 0
    assert compiled.source(1.0) == compiled.source(8.0)
    assert len(compiled.source(1.0).splitlines()) < 30


def test_a_number_of_trips():
    compiled = gs.compile(
        function_of("r = None\nfor i in range(n):\n    r = x * i\nreturn r", "x, n")
    )
    assert [compiled(2.0, 3), compiled(2.0, 0), compiled(2.0, 1)] == [4.0, None, 0.0]


NESTED = """
r = None
for i in range(len(x)):
    for j in range(i + 1, len(x)):
        d = abs(x[i] - x[j])
        if r is None or d < r:
            r = d
return r
"""


def test_nested_loops_stay_loops():
    check_calls(function_of(NESTED), *ARRAYS)
    compiled = gs.compile(function_of(NESTED))
    short, long = (compiled.source(np.arange(n) ** 1.5) for n in (5, 30))
    assert len(short.splitlines()) == len(long.splitlines()) < 40
