"""One truth value as an index: NumPy takes it for the mask of an axis of one element."""

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

CALLS = [
    (np.array([1.25, 2.0, 3.0]), 2),
    (np.array([2.0, 0.5, 1.5, 0.0]), 0),
    (np.array([0.0, 1.1]), 0),
    (np.array([2.5, 1.2]), 1),
]
MATRIX = "m = np.ones((2, 3)) * x[0]\n"


@each(
    "body",
    [
        "return x[True], x[False], x[True, 1:], x[1:, True], x[..., True], x[True, ..., None]",
        "return x[x[0] > 1], x[np.bool_(True)], x[np.array(True)], x[k > 0]",
        f"{MATRIX}return m[True], m[0, True], m[:, True], m[True, 1], m[0, True, 1], m[:, False]",
        f"{MATRIX}return m[..., True, 1], m[[0, 1], True, 1], m[True, [0, 1]], m[True, m > 1]",
        "a = np.array(x[0] * 2)\nreturn a[a > 2], a[True], x[0][True], x[0][x[0] > 1]",
        "r = 0.0\nfor v in x:\n    r += np.sum(x[v > 1])\nreturn r",
        "return np.sum(x[True] * x)",
    ],
)
def test_reads(body):
    check_calls(function_of(body, "x, k"), *CALLS)


@each(
    "body",
    [
        "y, z = x * 1, x * 1\ny[True] = 5.0\nz[x[0] > 1] = 7.0\nz[False] = 3.0\nreturn y, z",
        "y = x * 1\ny[True, 1:] = x[0]\nreturn np.sum(y * x)",
        "a = np.array(x[0] * 2)\na[a > 2] = 0.5\nreturn a",
        "y = x * 2\ny[k > 0] += 1\nreturn np.sum(y * y) + np.sum(x[k > 0] ** 2)",
        "y = x + 0\ntry:\n    y[x[0] > 1] = [1, 2, 3]\nexcept ValueError:\n    y = 1\nreturn y",
    ],
)
def test_writes(body):
    check_calls(function_of(body, "x, k"), *CALLS)
