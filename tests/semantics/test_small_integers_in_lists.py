"""Arrays of small integers: numbers of lists and scalars that they cannot hold, and bounds."""

from __future__ import annotations

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

WHOLE = [(np.array(x),) for x in ([1, 2, 1], [3, 1, 2], [1, -5, 2, 1, 1], [0, 1, 2, 1, 1, 0])]
FLOATS = [(np.array(x),) for x in ([1.0, 2.0, 1.0], [3.0, 1.0, 2.0], [1.0, -5.0, 2.0, 1.0, 1.0])]
FROM_LISTS = (
    "np.array([int(v) * 100 for v in x], dtype=np.uint8)",
    "np.array(x.tolist(), dtype=np.uint8)",
    "np.array([v for v in x], dtype=np.int8)",
    "np.array([(int(v) * 100, int(v)) for v in x], dtype=np.int8)",
)


@each("expression", FROM_LISTS)
@each("calls", [WHOLE, FLOATS])
def test_lists(expression, calls):
    check_calls(function_of(expression), *calls)
    handled = (
        f"try:\n    return {expression}\nexcept OverflowError as error:\n    return str(error)"
    )
    check_calls(function_of(handled), *calls)


@each(
    "body",
    [
        "L = []\nfor v in x: L.append(int(v) * 100)\nreturn np.asarray(L, np.uint8)",
        "y = np.zeros(len(x), np.uint8)\ny[:] = [int(v) * 100 for v in x]\nreturn y",
        "y = np.zeros(len(x), np.int8)\nfor i in range(len(x)):\n    try: y[i] = x[i] * 100\n"
        "    except OverflowError: y[i] = -1\nreturn y",
    ],
)
def test_stores(body):
    check_calls(function_of(body), *WHOLE)


@each(
    "expression",
    ["np.clip(a, k, None)", "np.clip(a, None, k)", "a.clip(k)", "a.clip(-1), a.clip(max=300)"],
)
def test_bounds_beyond_the_dtype(expression):
    calls = [("uint8", -1), ("uint8", 300), ("int8", -200), ("int8", 5), ("int64", 5)]
    sets = [(np.array([1, 2, 100], dtype), k) for dtype, k in calls]
    check_calls(function_of(expression, "a, k"), *sets)


MIXED = "1 if v > 1 else 2.0"


@each(
    "expression",
    [
        "np.array([(1, 2) if v > 1 else (1, 2.0) for v in x])",
        f"np.array([[{MIXED}] for v in x]), np.array([{MIXED} for v in x])",
        "np.concatenate([[int(v)] if v > 1 else [v] for v in x])",
        "np.array([[int(v), 1] if v > 1 else [v, 2] for v in x]).tolist()",
    ],
)
def test_dtypes_of_nested_lists(expression):
    calls = ([2.0, 3.0], [2.0, 0.5, 1.0], [0.5, 0.2, 0.1, 0.7, 0.9], [3.0, 2.0, 5.0, 6.0, 7.0])
    check_calls(function_of(expression), *((np.array(x),) for x in calls))
