"""Samples of comparisons and logic."""

from __future__ import annotations

import numpy as np

from ops.sample import Sample

X = np.array([1.0, 2.0, np.nan, -np.inf])
Y = np.array([[1.0], [-0.0]])
F32 = np.array([0.5, 1.0, 2.0, np.inf], dtype=np.float32)
N = np.array([1, 2, 5, 12])
M = np.array([True, False, True, True])
Z = np.array([1 + 1j, 2, 1j, np.nan])

NUMBERS = [
    Sample((X, F32), smooth=False),
    Sample((X, Y), smooth=False),
    Sample((np.float64(1.5), X), smooth=False),
    Sample((np.array(1.5), np.float64(2)), smooth=False),
    Sample((N, M), smooth=False),
]
BOOLEANS = [
    Sample((M, M[::-1].copy())),
    Sample((M, Y[:, :1] > 0)),
    Sample((M, np.bool_(True))),
    Sample((np.array(True), np.bool_(False))),
]
INTEGERS = [Sample((N, N[::-1].copy())), Sample((N[:, None], np.int8(3)))]
SINGLES = [Sample((a,), smooth=False) for a in (X, F32, N, M, np.float64(-1.5), np.array(np.inf))]
NEAR = [
    Sample((X, X + 1e-9), smooth=False),
    Sample((X, Y), smooth=False),
    Sample((X, X), {"equal_nan": True}, smooth=False),
    Sample((F32, np.float64(1.0)), {"rtol": 0.1, "atol": 0.5}, smooth=False),
]

SAMPLES: dict[str, list[Sample]] = {
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal"), NUMBERS),
    **dict.fromkeys(("equal", "not_equal"), NUMBERS),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), BOOLEANS + NUMBERS),
    "logical_not": [Sample((M,)), Sample((np.bool_(True),)), *SINGLES],
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), INTEGERS),
    "invert": [Sample((N,)), Sample((np.int8(5),))],
    "left_shift": INTEGERS,
    "right_shift": INTEGERS,
    **dict.fromkeys(("isnan", "isinf", "isfinite", "isneginf", "isposinf"), SINGLES),
    "signbit": SINGLES[:3],
    "isreal": [*SINGLES, Sample((Z,), smooth=False)],
    "iscomplex": [*SINGLES, Sample((Z,), smooth=False)],
    "isclose": NEAR,
    "allclose": NEAR,
    "array_equal": [
        Sample((X, X), smooth=False),
        Sample((X, X), {"equal_nan": True}, smooth=False),
        Sample((X, N[:3]), smooth=False),
    ],
}
