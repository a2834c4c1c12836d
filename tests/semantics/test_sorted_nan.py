"""Lists with nan in them: Python's order is its own, and `min` and `max` depend on places."""

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

NAN = float("nan")
CALLS = [
    (np.array(x),) for x in ([3.0, 2.0, 1.0], [NAN, 2.0, 1.0], [2.0, NAN, 1.0], [4.0, NAN, NAN])
]


@each(
    "body",
    [
        "return sorted(x), sorted(x, reverse=True), sorted(x[:2])",
        "l = list(x)\nl.sort()\nreturn l, sorted([x[0], x[1], x[2]], key=lambda v: v * 2)",
        "return sorted(x, key=lambda v: -v), sorted(range(len(x)), key=lambda i: x[i])",
        "return sorted(x.tolist()), sorted([float(x[0]), float(x[1])], reverse=True)",
        "y = np.where(x > 1, np.nan, x)\nreturn sorted(y), min(y), max(y), min(*x)",
        "return [sorted(x[i:]) for i in range(2)]",
        "return sorted(x)[0] * 2.0",
    ],
)
def test_nan(body):
    check_calls(function_of(body), *CALLS)
