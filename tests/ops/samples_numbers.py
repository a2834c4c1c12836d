"""Samples of what Python does with numbers: its math module, conversions, rounding, extremes."""

from __future__ import annotations

import math

import numpy as np

from ops.sample import Sample

EVERYWHERE = (0.5, -1.25, np.float64(0.75), np.float32(-0.5), np.array(0.25))
POSITIVE = (0.5, 2.25, np.float64(0.75), np.float32(1.5), np.array(1.25))
PAIRS = [Sample((0.5, -1.25)), Sample((-0.5, 1.25)), Sample((np.float64(2), np.float64(1)))]
INSIDE = (0.5, -0.25, np.float64(0.75), np.float32(-0.5))


def each(values: tuple, *, smooth: bool = True) -> list[Sample]:
    return [Sample((value,), smooth=smooth) for value in values]


def pairs(first: tuple, second: tuple) -> list[Sample]:
    return [Sample(pair) for pair in zip(first, second, strict=False)]


_MATH: dict[str, list[Sample]] = {
    "exp": each(EVERYWHERE),
    "exp2": each(EVERYWHERE),
    "expm1": each(EVERYWHERE),
    "log": [*each(POSITIVE), *pairs(POSITIVE, (2.0, 3.0, np.float64(0.5)))],
    "log2": each(POSITIVE),
    "log10": each(POSITIVE),
    "log1p": each(INSIDE),
    "sqrt": [*each(POSITIVE), Sample((0.0,), smooth=False)],
    "cbrt": each(EVERYWHERE),
    "pow": [*pairs(POSITIVE, EVERYWHERE), Sample((0.0, 1.5), smooth=False)],
    "sin": each(EVERYWHERE),
    "cos": each(EVERYWHERE),
    "tan": each(EVERYWHERE),
    "asin": [*each(INSIDE), Sample((1.0,), smooth=False)],
    "acos": each(INSIDE),
    "atan": each(EVERYWHERE),
    "sinh": each(EVERYWHERE),
    "cosh": each(EVERYWHERE),
    "tanh": each(EVERYWHERE),
    "asinh": each(EVERYWHERE),
    "acosh": each((1.5, 2.25, np.float64(3.0))),
    "atanh": each(INSIDE),
    "degrees": each(EVERYWHERE),
    "radians": each(EVERYWHERE),
    "atan2": [*pairs(EVERYWHERE, POSITIVE), Sample((0.0, 0.0), smooth=False)],
    "hypot": [
        *pairs(EVERYWHERE, POSITIVE),
        Sample((0.5,)),
        Sample((3.0, np.float64(4.0), 12.0)),
        Sample((0.0, 0.0), smooth=False),
    ],
    "fabs": each(EVERYWHERE),
    "copysign": pairs(EVERYWHERE, INSIDE),
    "fmod": pairs((5.5, -7.25, np.float64(3.75)), (2.0, 1.5, 0.5 + 1 / 3)),
    "remainder": pairs((5.5, -7.25, np.float64(3.75)), (2.0, 1.75, 0.9)),
    "ldexp": [Sample((0.75, 3)), Sample((np.float64(1.5), -2))],
    "nextafter": [Sample((1.5, 3.0))],
    "ulp": [Sample((1.5,), smooth=False)],
    "erf": each(EVERYWHERE),
    "erfc": each(EVERYWHERE),
    "gamma": [Sample((1,))],
    "lgamma": [Sample((3,))],
    "isnan": [*each(EVERYWHERE), Sample((math.nan,))],
    "isinf": each(EVERYWHERE),
    "isfinite": [*each(EVERYWHERE), Sample((math.inf,))],
    "isclose": [*pairs(EVERYWHERE, INSIDE), Sample((0.5, 0.6), {"rel_tol": 0.5})],
    "fsum": [Sample((0.1, 0.2, np.float64(0.3)))],
    "fma": [Sample((0.5, 1.5, 2.5))],
}

VECTORS = [
    Sample((np.array(values),), {"axis": (0,), "keepdims": False}, smooth=smooth)
    for values, smooth in (
        ((0.5, -1.5, 2.5), True),
        ((1.0, math.nan, 2.0), False),
        ((-0.0, 0.0, -0.0), False),
        ((0.0, -0.0), False),
    )
]

SAMPLES: dict[str, list[Sample]] = {
    **{f"math_{name}": samples for name, samples in _MATH.items() if hasattr(math, name)},
    "math_fsum_of_array": [Sample((np.array([0.1, 0.2, 0.3]),))],
    "math_modf_0": each(EVERYWHERE),
    "math_modf_1": each(EVERYWHERE, smooth=False),
    "python_float": [Sample((np.float64(1.5),)), Sample((np.array(1.5, dtype=np.float32),))],
    "python_complex": [*each(EVERYWHERE), Sample((np.complex64(1 - 2j),))],
    "complex_of_parts": [Sample((0.5, -1.5)), Sample((np.float64(0.5), np.float32(2)))],
    "python_bool": [*each(EVERYWHERE), Sample((np.bool_(True),)), Sample((0,))],
    "python_round": [
        Sample((2.675,), {"digits": 2}, smooth=False),
        Sample((np.float64(2.675),), {"digits": 2}, smooth=False),
        Sample((np.float32(271.25),), {"digits": -1}, smooth=False),
    ],
    "python_max": [*PAIRS, Sample((1.0, 1.0), smooth=False)],
    "python_min": [*PAIRS, Sample((1.0, math.nan), smooth=False)],
    "python_max_element": VECTORS,
    "python_min_element": VECTORS,
    "is_integer": [*each(EVERYWHERE[:4]), Sample((2.0,))],
    "has_class": [Sample((1.5,), {"cls": float}), Sample((np.float64(1.5),), {"cls": float})],
    "of_dtype": [Sample((value,), {"dtype": np.dtype(float)}) for value in (1.5, np.float64(2.5))],
    "widened": [Sample((1.5,), {"dtype": np.dtype(float), "scalar": False})],
    "conditional": [
        Sample((True, 0.5, 1.5)),
        Sample((np.bool_(False), np.float32(0.5), np.float32(1.5))),
    ],
    "not": [Sample((True,)), Sample((np.float64(0.0),))],
    "real_power": [
        *pairs((0.5, 2.25, 1.5), (0.75, -1.5, 2.0)),
        Sample((0.0, 0.5), smooth=False),
        Sample((-2.0, 0.5), smooth=False),
    ],
    "log_of_base": [*each((0.5, 2.25)), Sample((0.0,), smooth=False)],
}
"""Pythons without a function of `math` have its op, but no samples."""
