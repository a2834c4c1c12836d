"""Samples of arithmetic, powers and rounding."""

from __future__ import annotations

import numpy as np

from ops.sample import Sample
from ops.values import binary, complex_within, unary, within

I8 = np.array([3, -2, 1], dtype=np.int8)
N = np.array([4, 6, 9])

SAMPLES: dict[str, list[Sample]] = {
    "add": [
        *binary((-2, 2), (-2, 2), holomorphic=True, python=True),
        Sample((within((-1, 1), 3), I8)),
    ],
    "subtract": binary((-2, 2), (-2, 2), holomorphic=True, python=True),
    "multiply": [
        *binary((-2, 2), (-2, 2), holomorphic=True, python=True),
        Sample((within((-1, 1), 3), I8)),
    ],
    "divide": [
        *binary((-2, 2), (0.5, 2), holomorphic=True, python=True),
        Sample((within((-1, 1), 3), I8)),
        Sample((I8, within((0.5, 2), 3))),
    ],
    "negative": [*unary(-2, 2, holomorphic=True), Sample((1.5,))],
    "positive": [*unary(-2, 2, holomorphic=True), Sample((1.5,))],
    "reciprocal": [*unary(0.5, 2, holomorphic=True), Sample((1.5,))],
    # Quotients between 1.1 and 1.9, or their negatives: away from whole numbers.
    "floor_divide": binary((2.2, 2.8), (1.5, 1.9), python=True),
    "remainder": [
        *binary((2.2, 2.8), (1.5, 1.9), python=True),
        *binary((-2.8, -2.2), (1.5, 1.9)),
        *binary((2.2, 2.8), (-1.9, -1.5)),
    ],
    "fmod": [*binary((2.2, 2.8), (1.5, 1.9)), *binary((-2.8, -2.2), (1.5, 1.9))],
    "gcd": [Sample((N, N[::-1].copy())), Sample((N[:, None], N))],
    "lcm": [Sample((N, N[::-1].copy())), Sample((N[:, None], N))],
    "sign": [*unary(0.5, 2), *unary(-2, -0.5)],
    "fabs": [*unary(0.5, 2), *unary(-2, -0.5)],
    "integer_power": [
        *unary(-2, -0.5, n=2),
        *unary(0.5, 2, n=3, holomorphic=True),
        *unary(0.5, 2, n=-2, holomorphic=True),
        Sample((within((-2, 2), 3),), {"n": 1}),
        Sample((within((-2, 2), 3),), {"n": 0}),
        Sample((complex_within((-2, 2), 3),), {"n": 2}),
        Sample((within((-2, 2), 3),), {"n": 17}),
        Sample((I8,), {"n": 2}),
        Sample((I8 > 0,), {"n": 2}),
        Sample((1.5,), {"n": 3}),
    ],
    "square": [*unary(-2, 2, holomorphic=True), Sample((I8,)), Sample((I8 > 0,))],
    "power": [
        *binary((0.5, 2), (-2, 2), holomorphic=True, python=True),
        Sample((within((0.5, 2), 3), I8)),
        Sample((I8 + 3, within((-2, 2), 3))),
        Sample((within((-2, -0.5), 3), np.array([2.0, -1.0, 3.0])), smooth=False),
    ],
    "float_power": [
        *binary((0.5, 2), (-2, 2), holomorphic=True),
        Sample((I8 + 3, within((-2, 2), 3))),
    ],
    "floor": unary(0.2, 0.8),
    "ceil": unary(0.2, 0.8),
    "trunc": [*unary(0.2, 0.8), *unary(-1.8, -1.2)],
    "rint": unary(0.6, 0.9),
    "round": [
        Sample((np.array([0.121, 4.567]),), {"decimals": 1}),
        Sample((np.array([[12.1, 45.6]], np.float32),), {"decimals": -1}),
        Sample((I8,), {"decimals": 0}),
        Sample((np.float64(1.27),), {"decimals": 1}),
        Sample((np.array([12.34 + 5.67j]),), {"decimals": 1}),
    ],
}
