"""Quotients that nothing reads, of numbers that the path decides to be Python's: 0 is an error."""

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

CALLS = [
    (np.array([1.0, 2.0, 3.0]), 1, 2.5),
    (np.array([-1.0, 0.5]), 2, -1.0),
    (np.array([0.0, 3.0, -2.0]), 0, 1.0),
    (np.array([2.0, 1.0]), 0, 1.0),
    (np.array([2.0, 1.0]), 0, -1.0),
]

LOOP = "s = 0.5\nfor v in x:\n"


@each(
    "body",
    [
        "d = k\nfor v in x:\n    d = np.sum(x)\nif y > 0:\n    d = min(d, 0.5) / k\n",
        "d = x[0] if y > 0 else 2.5\nd = min(d, 0.5) / k\n",
        "if y > 0:\n    d = min(x[0], 0.5) // k\n",
        f"{LOOP}    if v > 0.9:\n        s = v if s > 3 else 1.5\n        t = s / k\n",
        f"{LOOP}    for w in x[:2]:\n        s = x[0] if v > 1 else s\n        s % k\n",
    ],
)
def test_unread_quotients(body):
    check_calls(function_of(f"{body}return k, y", "x, k, y"), *CALLS, messages=False)


@each("body", ["~min(x[1] > 1, True), ~max(k, True)", "~min(x[1] > 1, k == 1)"])
def test_inverted_truth_values(body):
    check_calls(function_of(body, "x, k, y"), *CALLS)
