"""Lists that loops make, where they are sorted, zipped, summed and taken apart: of no elements, of
rows of several lengths, and with indices of Python's among their elements.
"""

from __future__ import annotations

import heapq

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

ARRAYS = [
    (np.array(x),)
    for x in (
        [1.0, 0.3, 2.0, 5.0, -1.0],
        [2.0, 0.1, 0.9, 4.0, 7.0, 8.0],
        [0.5, 2.0, 0.1, 1.0, 3.0],
    )
]
NUMBERS = [(9.0,), (0.5,), (1.5,), (20.0,)]


SORTED = (
    "sorted(enumerate(x), key=lambda t: t[1])",
    "[type(i).__name__ for i, v in sorted(enumerate(x), key=lambda t: t[1])]",
    "dict(sorted(enumerate(x, 2), key=lambda t: -t[1]))",
    "heapq.nsmallest(2, enumerate(x), key=lambda t: t[1])",
    "sorted(zip(range(5), x), key=lambda t: t[1])",
    "[2 ** -i for i, v in sorted(enumerate(x), key=lambda t: t[1])]",
    "[x[i] * i for i, v in sorted(enumerate(x), key=lambda t: t[1], reverse=True)]",
    "sorted(map(lambda i: (i, x[i]), range(len(x))), key=lambda t: t[1])",
    "sorted(zip(range(len(x)), range(len(x))), key=lambda t: x[t[0]])",
    "sorted(x, key=abs), sorted(zip(x, x[::-1]), key=lambda t: t[0])",
)


@each("body", SORTED)
def test_indices_in_what_is_sorted(body):
    check_calls(function_of(body, heapq=heapq), *ARRAYS)


def test_keys_are_asked_once():
    body = "calls = []\ndef key(v):\n    calls.append(v)\n    return v, 1\n"
    check_calls(function_of(f"{body}return sorted(x, key=key), calls"), *ARRAYS)


HALVED = "while v > 1:\n    L.append((v, v * v))\n    v /= 2\n"
OF_NONE = (
    f"L = []\n{HALVED}return list(zip(*L))",
    f"L = []\n{HALVED}try:\n    a, b = zip(*L)\n    return sum(a)\nexcept ValueError as error:\n"
    "    return str(error)",
    f"L = []\n{HALVED}return [max(c) for c in zip(*L)], dict(L)",
    "L, n = [], int(v)\nwhile n > 1:\n    L.append((n, n + 1))\n    n //= 2\n"
    "return [sum(q) for q in zip(*L)]",
    "L, x = [], np.array([v, v + 1])\nwhile x[0] > 1:\n    L.append(x)\n    x = x / 2\n"
    "return sum(L), type(sum(L)).__name__",
)


@each("body", OF_NONE)
def test_of_none(body):
    check_calls(function_of(body, "v"), *NUMBERS)


RAGGED = "M = [[x[j] for j in range(i + 1)] for i in range(len(x))]\nreturn "
SQUARE = "M = [[v * w for w in x] for v in x]\nreturn "
SLICES = "M = [list(x[i : i + 3]) for i in range(0, len(x), 2)]\nreturn "
APART = (
    *("[*zip(*M)], (*zip(*M),)", "sum([*zip(*M)], ())", "[a for a, *b in M]"),
    *("[b for a, *b in M]", "[(i, a, b) for i, (a, *b) in enumerate(M)]", "[b for *b, a in M]"),
    "{len(b): a for a, *b in M}",
)


@each("before", [RAGGED, SQUARE, SLICES])
@each("expression", APART)
def test_rows(before, expression):
    check_calls(function_of(before + expression), *ARRAYS)


@each(
    "body",
    [
        "k = x[0] if x[0] > 1 else 0\nreturn [1] + k",
        "M = [v if v > 1 else 0 for v in x]\nreturn [k + [1] for k in M]",
    ],
)
def test_lists_beside_numbers_of_several_classes(body):
    lines = body.replace("\n", "\n    ")
    handler = "except TypeError as error:\n    return str(error)"
    check_calls(function_of(f"try:\n    {lines}\n{handler}"), *ARRAYS)


@each(
    "body",
    [
        "k = int(v) if v > 2 else v\nr = 2 ** -k\nreturn r, type(r).__name__",
        "k = int(v) if v > 2 else v\nr = 3 ** -k\nreturn isinstance(r, np.floating)",
    ],
)
def test_classes_of_powers(body):
    check_calls(function_of(body, "v"), (np.float64(1.0),), (np.float64(5.0),), (np.float64(2.5),))


@each(
    "expression",
    [
        "np.sum(x, where=[True, False, True])",
        "x.sum(where=(True, False, True)), np.prod(x, where=[1, 0, 1])",
        "np.any(x > 1, where=[1, 0, 0]), np.all(x > 1, where=[0, 0, 1])",
        "np.max(x, where=[True, False, True], initial=-1.0)",
    ],
)
def test_masks_that_are_lists(expression):
    check_calls(function_of(expression), *((x[:3],) for (x,) in ARRAYS))
