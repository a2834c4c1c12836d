"""Arrays and lists stored into one element: NumPy converts them as numbers, or refuses."""

from __future__ import annotations

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

X = np.arange(3.0)
VALUES = [
    np.array([0.7]),
    np.array(0.5),
    np.array([[2.0]]),
    np.array([3]),
    np.array([True]),
    np.array([0.7, 0.8]),
    np.zeros((1, 0)),
]
"""Those with axes NumPy takes for numbers only before 2.4, and where the array holds truths."""

CAUGHT = """try:
    {}
except Exception as e:
    return type(e).__name__, str(e), str(e.__cause__), x
return x"""
WRITES = [
    "x[0] = w",
    "x[0] = w * 2",
    "x[0] += w",
    "x[0] *= w",
    "x[0] = x[0] + w",
    "x[np.argmax(x)] = w",
    "x[np.array(0)] = w",
    "x[x.size - 1] = w",
    "x[0:1][0] = w",
    "x[0] = [w]",
    "x[0] = (0.5,)",
    "x[0] = w.sum(keepdims=True)",
    "m[0, 1] = w",
    "m[0][1] = w",
    "m[0, 1] -= w",
    "m[0] = w",
    "x[:1] = w",
    "x[[0]] = w",
    "x[0, ...] = w",
    "x[...] = w",
    "x[x > 0] = w",
    "np.put(x, 0, w[..., :1] if w.size else 0.0)",
    "np.add.at(x, 0, w)",
    "np.subtract.at(x, [0, 1], w)",
    "for i in range(2):\n        x[i] = w * x[i]",
    "if x[1] > 0:\n        x[0] = w",
    "if x[1] > 9:\n        x[0] = w",
]


@each("write", WRITES)
def test_the_value_of_an_element_is_a_number(write):
    """Nothing is broadcast into an element; views of it, and slices, take arrays."""
    setup = "x, m = x.copy(), np.ones((2, 2))\n"
    function = function_of(setup + CAUGHT.format(write), "x, w")
    check_calls(function, *[(X, w) for w in VALUES])


@each("dtype", ["bool", "np.uint8", "int", "np.float32", "float", "complex"])
def test_the_dtype_decides_which_values_an_element_takes(dtype):
    """Errors have NumPy's class and text, which differ between dtypes."""
    for write in ("y[0] = w", "y[0] = [w, w]", "y[0] = (1.0,)", "y[0] = []"):
        body = f"y = np.zeros(3, {dtype})\n" + CAUGHT.format(write).replace(", x", ", y")
        function = function_of(body.replace("return x", "return y"), "x, w")
        check_calls(function, *[(X, w) for w in VALUES])


@each(
    "body",
    [
        "out = np.zeros(2)\nfor i in range(2):\n    out[i] = w @ a[:, i:i + 1]\nreturn out",
        "out = np.zeros(2)\nfor i in range(2):\n    out[i] = w @ a[:, i]\nreturn out",
        "out = np.zeros(2)\nout[:1] = w @ a[:, :1]\nreturn out",
    ],
)
def test_products_of_one_column_are_no_numbers(body):
    """A slice of one column leaves an array of one element."""
    check_calls(
        function_of(body, "w, a"),
        (np.ones(3), np.ones((3, 2))),
        (np.arange(2.0), np.ones((2, 2))),
        messages=False,
    )
