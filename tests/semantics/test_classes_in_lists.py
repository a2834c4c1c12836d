"""Numbers in lists that loops make have the classes that Python gives them, and so do results.

The first element is often Python's and the others NumPy's, branches append either, and stores put
the one in the place of the other.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import function_of
from helpers import each
from semantics.test_number_classes import check_classes

X = np.array([1.5, -0.5, 2.0, 3.0])
SETS = [(X, 3), (X, 0), (-np.ones(3), 1), (np.array([0.0, 2.0]), 2), (np.array([0.25]), 1)]

SUMS = "h = [0.0]\nfor i in range(k):\n    h.append(h[-1] + x[i % len(x)])\n"
FROM_AN_INTEGER = "h = [0]\nfor v in x:\n    h.append(h[-1] + v)\n"
POSITIVE = (
    "h = []\nfor v in x:\n    if v > 0:\n        h.append(v)\n    else:\n        h.append(0.0)\n"
)
THREE = (
    "h = []\nfor i, v in enumerate(x):\n"
    "    if v > 1:\n        h.append(v)\n"
    "    elif v > 0:\n        h.append(i)\n"
    "    else:\n        h.append(0.0)\n"
)
FILTERED = "h = [0]\nfor v in x:\n    if v > 0:\n        h.append(v)\n"
WHILE = (
    "h = [1.0]\ni = 0\n"
    "while i < len(x) and h[-1] < 5:\n    h.append(h[-1] + abs(x[i]))\n    i += 1\n"
)
STORED = "h = [0.0] * len(x)\nfor i in range(len(x) - 1):\n    h[i] = x[i] * 2\n"
INTEGERS_STORED = "h = [0] * len(x)\nfor i in range(len(x) - 1):\n    h[i + 1] = x[i] * 2\n"
READ_AND_STORED = (
    "h = [0.0] * len(x)\ns = 0.0\n"
    "for i in range(len(x)):\n    s = s + h[i - 1]\n    h[i] = x[i] if x[i] > 0 else 1.0\n"
)
LISTED = "h = list(x)\nfor i in range(len(x)):\n    if h[i] < 0:\n        h[i] = 0\n"
TABLE = (
    "n = len(x)\nt = [[0.0] * n for _ in range(n)]\n"
    "for i in range(n):\n    for j in range(i, n):\n        t[i][j] = x[j] * i\n"
)
PAIRS = "h = [(0, 0.0)]\nfor v in x:\n    i, s = h[-1]\n    h.append((i + 1, s + v))\n"
RECORDS = "h = []\nfor v in x:\n    h.append({'v': v if v > 0 else 0.0, 'w': 1})\n"
TRUTHS = "h = [True]\nfor v in x:\n    h.append(v > 0)\n"

PROGRAMS = {
    "sums": (SUMS, "h[k // 2], h[0], h[-1], max(h), min(h), sum(h), len(h)"),
    "a sum in a loop": (SUMS + "s = 0.0\nfor v in h:\n    s += v\n", "s"),
    "an index in a loop": (SUMS + "s = 0\nfor i in range(len(h)):\n    s += h[i] * i\n", "s"),
    "slices": (SUMS, "h[1:][-1] if k else h[::-1][0], h[:-1][0] if k else 1, h[::2][-1]"),
    "comparisons": (SUMS, "h[0] > 1, h[-1] == 0, h[0] == h[-1]"),
    "texts": (SUMS, "repr(h[0]), repr(h[-1]), f'{h[0]!r} {h[-1]}', str(h[k // 2])"),
    "classes": (SUMS, "[isinstance(v, np.floating) for v in h], type(h[0]) is float"),
    "an array": (SUMS, "np.array(h), np.mean(h), np.sum(h)"),
    "a quotient": (SUMS, "1 / h[0]"),
    "quotients": (SUMS + "s = 0\nfor v in h:\n    s += 1 / v\n", "s"),
    "handled quotients": (
        SUMS + "r = []\nfor v in h:\n    try:\n        r.append(1 / v)\n"
        "    except ZeroDivisionError:\n        r.append(-1)\n",
        "r[0], r[-1], sum(r)",
    ),
    "a remainder": (FROM_AN_INTEGER, "5.3 % h[k % len(h)] if h[k % len(h)] else h[0]"),
    "from an integer": (FROM_AN_INTEGER, "h[0], h[1], h[-1], np.array(h), h[k % len(h)] * 2"),
    "powers": (FROM_AN_INTEGER, "h[k % len(h)] ** 2, h[0] ** 3"),
    "rounding": (SUMS, "round(h[0]), round(h[-1]), round(h[k // 2], 1)"),
    "either": (POSITIVE, "h[0], h[-1], sum(h), max(h), np.array(h)"),
    "one of three": (THREE, "h[0], h[-1], sum(h), max(h), min(h), np.array(h)"),
    "another list": (THREE + "r = []\nfor a in h:\n    r.append(a * 2)\n", "r[0], r[-1]"),
    "filtered": (FILTERED, "h[0], h[-1], h[len(h) // 2]"),
    "filtered by a comprehension": (
        "h = [v if v > 1 else 1 for v in x if v > 0]\n",
        "np.array(h)",
    ),
    "a while": (WHILE, "h[0], h[-1], len(h), h[len(h) // 2]"),
    "stored": (STORED, "h[k % len(x)], h[-1], sum(h), np.array(h)"),
    "stored over integers": (INTEGERS_STORED, "h[0], h[-1], np.array(h), sum(h)"),
    "read before the store": (READ_AND_STORED, "s, h[0], h[-1]"),
    "stored in a copy": (STORED + "g = h[:]\ng[0] = 7\n", "g[0], h[0], g[-1]"),
    "list(x)": (LISTED, "h[0] * 2, h[-1], max(h)"),
    "a table": (TABLE, "t[k % n][k % n], t[n - 1][0], sum(t[0])"),
    "pairs": (PAIRS, "h[k % len(h)], h[0][1], h[-1][1]"),
    "records": (RECORDS, "h[0]['v'], h[-1]['v'] * h[0]['w']"),
    "truth values": (TRUTHS, "h[0], h[-1], sum(h), all(h), np.array(h)"),
    "an element repeated": (
        "h = [x[0]] * len(x)\nif k > 1:\n    h.append(0.5)\nelse:\n    h.append(0)\n",
        "repr(h[0]), h[0], max(h), h[-1]",
    ),
    "a mean if there is any": (
        "h = []\nfor v in x:\n    if v > 0:\n        h.append(max(v, 0))\n"
        "for i in range(len(h)):\n    if h[i] > 1:\n        h[i] = h[i]\n",
        "tuple(h), np.mean(h) if h else 0",
    ),
    "of an object": (
        "class S:\n    def __init__(self):\n        self.h = [0.0]\n"
        "s = S()\nfor v in x:\n    s.h.append(s.h[-1] + v)\n",
        "s.h[0], s.h[-1], s.h[k % len(s.h)]",
    ),
}


@each(("body", "result"), PROGRAMS.values(), ids=PROGRAMS)
def test_classes_are_pythons(body, result):
    check_classes(function_of(body + f"return {result}", "x, k"), *SETS)


EMPTY = {
    "integers": (
        "h = [i for i in range(len(x)) if x[i] > 0]\nreturn np.array(h), np.sum(h), sum(h)"
    ),
    "pairs": "return np.array([(v, 2 * v) for v in x if v > 0])",
    "rows": "h = []\nfor v in x:\n    if v > 0:\n        h.append(x * v)\nreturn np.array(h)",
    "truth values": "h = [v > 1 for v in x if v > 0]\nreturn np.array(h), np.sum(h)",
    "single precision": "return np.array([np.float32(v) for v in x if v > 0])",
    "a while": (
        "h = []\ni = 0\nwhile i < len(x) and x[i] > 0:\n    h.append(i)\n    i += 1\n"
        "return np.array(h)"
    ),
    "in a loop": (
        "r = []\nfor k in range(3):\n"
        "    r.append(np.sum([i for i in range(len(x)) if x[i] > k]))\n"
        "return r[0], r[1], r[2]"
    ),
    "nothing to join": "return np.concatenate([x * v for v in x if v > 0])",
}


@each("body", EMPTY.values(), ids=EMPTY)
def test_of_no_element_numpy_makes_an_array_of_floats(body):
    check_classes(function_of(body), *[(x,) for x, _ in SETS[1:]])


DERIVATIVES = {
    "quotients": SUMS
    + "s = 0.0\nfor i in range(1, len(h)):\n    s += x[0] / (h[i] + 9)\nreturn s",
    "a chain": FROM_AN_INTEGER + "return h[-1] * h[1] + h[0]",
    "either": POSITIVE
    + "s = 0.0\nfor a, b in zip(h[1:], h):\n    s += a * b + a / (b + 3)\nreturn s",
    "a table": (
        "n = len(x)\nt = [[0.0] * (n + 1) for _ in range(n + 1)]\n"
        "for i in range(1, n + 1):\n    for j in range(1, n + 1):\n"
        "        t[i][j] = max(t[i - 1][j], t[i][j - 1]) + x[i - 1] * x[j - 1]\n"
        "return t[n][n] / (1.0 + t[1][1] ** 2) + t[0][0]"
    ),
    "a while": WHILE + "return h[-1] * h[len(h) // 2]",
}


@each("body", DERIVATIVES.values(), ids=DERIVATIVES)
def test_derivatives_go_through_boxes(body):
    """Both modes, and twice, beside a value whose class is observed."""
    function = function_of(body, "x, k=3")
    for x in (
        np.array([1.5, -0.5, 2.25, 2.5]),
        np.array([0.75, 1.25]),
        np.array([2.0, -1.5, 0.5]),
    ):
        value, gradient = gs.value_and_grad(function)(x)
        steps = 1e-6 * np.eye(len(x))
        slopes = [(function(x + s) - function(x - s)) / 2e-6 for s in steps]
        assert type(value) is type(function(x))
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-7)
        along = np.linspace(1.0, 2.0, len(x))
        _, tangent = gs.jvp(gs.compile(function), (x,), (along,))
        np.testing.assert_allclose(tangent, along @ slopes, rtol=1e-6, atol=1e-7)
        slope = gs.grad(lambda x: gs.grad(function)(x) @ along)  # noqa: B023 (called here)
        second = [(gs.grad(function)(x + s) - gs.grad(function)(x - s)) @ along for s in steps]
        np.testing.assert_allclose(slope(x), np.array(second) / 2e-6, rtol=1e-5, atol=1e-6)


def test_arrays_hold_objects_only_where_classes_are_observed():
    kept = gs.compile(function_of(SUMS + "return h[k // 2]", "x, k"))
    assert "dtype=object" in kept.source(X, 3)
    array = gs.compile(function_of(SUMS + "return np.array(h)", "x, k"))
    assert "dtype=object" not in array.source(X, 3)
    gradient = gs.grad(function_of(SUMS + "return h[k // 2]", "x, k"))
    assert "dtype=object" not in gradient.source(X, 3)


@pytest.mark.parametrize("body", [SUMS + "return h[k // 2]", TABLE + "return t[0][0]"])
def test_the_source_is_as_long_for_any_length(body):
    compiled = gs.compile(function_of(body, "x, k"))
    assert compiled.source(X, 3) == compiled.source(np.ones(40), 20)
