"""Samples of the mathematical functions of each element."""

from __future__ import annotations

import numpy as np

from ops.sample import Sample
from ops.values import binary, unary, within

HALVES = (0.5, -0.25, 0.125)

SAMPLES: dict[str, list[Sample]] = {
    "exp": [*unary(-2, 2, holomorphic=True), Sample((0.5,))],
    "exp2": unary(-2, 2, holomorphic=True),
    "expm1": unary(-2, 2, holomorphic=True),
    "log": [*unary(0.3, 3, holomorphic=True), Sample((0.5,))],
    "log2": [*unary(0.3, 3, holomorphic=True), Sample((0.5,))],
    "log10": [*unary(0.3, 3, holomorphic=True), Sample((0.5,))],
    "log1p": [*unary(-0.5, 3, holomorphic=True), Sample((0.5,))],
    "logaddexp": binary((-3, 3), (-3, 3)),
    "logaddexp2": binary((-3, 3), (-3, 3)),
    "sqrt": [*unary(0.3, 3, holomorphic=True), Sample((0.5,))],
    "cbrt": [*unary(0.3, 3), *unary(-3, -0.3)],
    "hypot": [
        *binary((-2, 2), (0.5, 2)),
        Sample((np.array([3e200]), np.array([-4e200])), smooth=False),
    ],
    "sin": [*unary(-2, 2, holomorphic=True), Sample((0.5,))],
    "cos": unary(-2, 2, holomorphic=True),
    "tan": unary(-1.2, 1.2, holomorphic=True),
    "arcsin": unary(-0.9, 0.9, holomorphic=True),
    "arccos": unary(-0.9, 0.9, holomorphic=True),
    "arctan": unary(-3, 3, holomorphic=True),
    "arctan2": [
        *binary((-2, 2), (0.5, 2)),
        *binary((0.5, 2), (-2, -0.5)),
        Sample((np.array([3e200]), np.array([-4e200])), smooth=False),
    ],
    "deg2rad": unary(-90, 90),
    "rad2deg": unary(-2, 2),
    "sinh": unary(-2, 2, holomorphic=True),
    "cosh": unary(-2, 2, holomorphic=True),
    "tanh": unary(-2, 2, holomorphic=True),
    "arcsinh": [*unary(-3, 3, holomorphic=True), Sample((np.array([1e200]),), smooth=False)],
    "arccosh": [*unary(1.5, 4, holomorphic=True), Sample((np.array([1e200]),), smooth=False)],
    "arctanh": [*unary(-0.9, 0.9, holomorphic=True), Sample((0.5,))],
    "copysign": [*binary((0.5, 2), (-2, -1)), *binary((-2, -0.5), (-2, -1))],
    # Declared as without slope, though it is that of its first argument.
    "nextafter": binary((1.1, 1.9), (3, 4)),
    "spacing": unary(1.1, 1.9),
    "ldexp": [
        Sample((within((-2, 2), 3), np.array([1, -2, 3]))),
        Sample((within((-2, 2), 2, 1), np.array([1, -2, 3]))),
        Sample((within((-2, 2), 3).astype(np.float32), 2)),
        Sample((np.array([1e-300]), np.array([1030])), smooth=False),
    ],
    "heaviside": [
        *binary((0.5, 2), (0.2, 0.8)),
        Sample((np.array([0.0, -1.0, 2.0]), within((0.2, 0.8), 3)), smooth=False),
    ],
    "sinc": [
        *unary(0.2, 3, holomorphic=True),
        *unary(-0.1, 0.1),
        Sample((np.array([1e-8, 0.1591, -0.1592]),)),
    ],
    "i0": [*unary(-3, 3), *unary(7, 12)],
    "chebyshev": unary(-1, 1, coefficients=HALVES),
}
