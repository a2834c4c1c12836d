"""Numbers that are integers or truth values on one path and floats or NumPy's scalars on another,
where Python asks them for ``__index__``, where NumPy makes arrays of them, and where their class
has a method: with a handler around each, through one object.
"""

import itertools
import math
import operator
from collections import deque

import numpy as np

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

CALLS = [
    (np.array([1.0, 2.0, 3.0]), 1),
    (np.array([1.0, 0.0, 3.0]), 2),
    (np.array([2.5, 7.0]), 0),
]
NAMES = {"deque": deque, "itertools": itertools, "math": math, "operator": operator}

SOURCES = {
    "integer or float": "b = k if x[1] > 1 else x[0]",
    "truth values": "b = k > 0 if x[1] > 1 else x[0] > 0",
    "comparison": "s = k if x[1] > 1 else x[0]\nb = s > 0",
    "truth value or integer": "b = k\nif x[1] > 1:\n    b = True",
    "loop": "b = 0\nfor v in x[:k]:\n    b = b + (v > 1)",
    "integer of NumPy": "b = 1\nif x[1] > 1:\n    b = np.argmax(x)",
}
USES = {
    "sequences": ["[1.5, 2.5, 3.5][b]", "(1.5, 2.5, 3.5)[b]", "'abc'[b]", "[1, 2, 3][b:]"],
    "parts": ["'abcd'[:b]", "[x[0], 2.0][b > 0]", "[1, 2, 3].pop(b)", "[0, b].index(1)"],
    "repeated": ["[0.5] * b", "b * [0.5]", "'ab' * b", "(1, x[0]) * b", "'ab' * (b > 0)"],
    "counts": ["list(range(b))", "list(enumerate([5, 6], b))", "list(deque([1, 2, 3], b))"],
    "iterators": ["list(itertools.islice([1, 2, 3], b))", "operator.index(b)"],
    "texts": ["chr(b)", "bin(b)", "hex(b)", "'7'.zfill(b)", "'aaa'.replace('a', 'b', b)"],
    "whole numbers": ["math.factorial(b)", "math.gcd(b, 4)", "math.comb(5, b)", "pow(b, 2, 5)"],
    "rounded": ["round(2.345, b)", "round(x[0], b)", "round(b)"],
    "operators": ["~b", "b & 1", "b << 1", "-b", "abs(b)", "b.conjugate()"],
    "methods": ["b.is_integer()", "b.bit_length()"],
    "in arrays": [
        "np.take(x, b)",
        "np.take([5, 6.5], [b])",
        "np.linspace(0, 1, b)",
        "np.zeros(b)",
    ],
    "as arrays": ["b * np.array(b)", "[b] * np.array(1.0)", "np.sum([b, 1])", "np.array([b])[0]"],
}


def tried(expression):
    handler = "except Exception as error:\n    r.append(type(error).__name__)\n"
    return f"try:\n    r.append({expression})\n{handler}"


@each("source", SOURCES)
@each("use", USES)
def test_one_path_gives_an_integer(source, use):
    uses = "".join(map(tried, USES[use]))
    function = function_of(f"r = []\n{SOURCES[source]}\n{uses}return r", "x, k", **NAMES)
    check_calls(function, *CALLS)


@each("source", ["integer or float", "integer of NumPy"])
@each("use", ["[1.5, 2.5, 3.5][b]", "x[b]"])
def test_without_a_handler(source, use):
    check_calls(function_of(f"{SOURCES[source]}\nreturn {use}", "x, k"), *CALLS)


@each(
    "body",
    [
        "b = 2.5\nfor v in x:\n    b = b * np.array(b)\nreturn b",
        "b = 2\nfor v in x[k:]:\n    b = np.sum(b) * 2\nreturn b",
        "a = 1 if x[1] > 1 else 2.5\nreturn np.max((a, 3)), [a] + np.ones(1, np.float32)",
        "return np.take(x, x > 1), np.take(x, [True, False])",
    ],
)
def test_arrays_made_of_numbers(body):
    check_calls(function_of(body, "x, k"), *CALLS)


def test_nothing_is_checked_where_every_path_gives_an_integer():
    function = function_of("b = 1 if x[1] > 1 else k\nreturn [1.5, 2.5, 3.5][b]", "x, k")
    assert "type(" not in gs.compile(function).source(*CALLS[0])


@each(
    "body",
    [
        "return min(False, round(x[0] * 0)), max(True, int(x[0]), k), max(int(x[0]), False)",
        "m = True\nfor v in x:\n    m = min(m, int(v))\nreturn m, max([False, int(x[0])])",
        "return [min(int(v), True) for v in x]",
    ],
)
def test_truth_values_among_integers(body):
    check_calls(function_of(body, "x, k"), *CALLS)


@each(
    "body",
    [
        "i = 1 if x[1] < 1 else k > 1\ntry:\n    i -= k == x[1]\nexcept TypeError:\n    i = 5",
        "s = k if x[1] > 1 else x[0] > 1\ntry:\n    i = -s, +s\nexcept TypeError:\n    i = 5",
        "s = x[0] > 1 if k else 2\ntry:\n    i = s - (x[1] > 0)\nexcept TypeError:\n    i = 5",
    ],
)
def test_what_numpy_does_not_subtract(body):
    check_calls(function_of(f"{body}\nreturn i", "x, k"), *CALLS)


@each(
    "body",
    [
        "l = [t * 2 for t in x]\nreturn l[k > 0], l[x[0] > 5 or k > 0], l[True]",
        "l = [t * 2 for t in x]\nl[k > 0] = 7.0\nl[bool(x[0] > 1)] += 1\nreturn l",
        "l = [[t, 1] for t in x]\nl[k > 0][True] = 3.0\nreturn l, l[True:], l[k > 1][k > 1]",
        "l = [0.0] * (k + 2)\nfor i in range(k):\n    l[k > 0] += x[0]\nreturn l",
        "a = k\nl = [t * (a // 1) for t in x]\na -= l[k > 0] ** 1\nreturn a",
    ],
)
def test_truth_values_as_positions_in_lists(body):
    check_calls(function_of(body, "x, k"), *CALLS)
