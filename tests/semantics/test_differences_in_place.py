"""``x[part] -= k``: what is taken away may have no negative, or be 0, of which floats have two."""

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

PAIRS = [
    (np.array([1.0, 2.0, 3.0]), np.uint8(3)),
    (np.array([1, 2, 3], dtype=np.uint8), 3),
    (np.array([-0.0, -0.0, -0.0]), 0),
    (np.array([1.0, 2.0, 3.0]), np.int8(-128)),
    (np.array([1, 2, 3]), np.int64(-(2**63))),
    (np.array([1.0, 2.0, 3.0], dtype=np.float32), 2.5),
    (np.array([1 + 1j, 2, -0.0 - 0j]), 0j),
    (np.array([1.0, 2.0, 3.0]), True),
    (np.array([1, 2, 3], dtype=np.int8), np.int8(-128)),
    (np.array([-0.0, 1.0, -0.0]), 0.0),
    (np.array([-0.0, 1.0, -0.0]), -0.0),
]


@each("part", ["1:", "x > -5", "[0, 1]", "::2"])
def test_values_and_signs(part):
    function = function_of(f"x[{part}] -= k\nreturn x, np.signbit(np.real(x))", "x, k")
    for pair in PAIRS:
        check_calls(function, pair)


def test_gradients():
    body = "y = x * 1.0\ny[1:] -= k\nreturn np.sum(y * y)"
    check_calls(function_of(body, "x, k"), (np.array([1.0, 2.0, 3.0]), np.uint8(3)))
