"""Samples of choosing between values."""

from __future__ import annotations

import numpy as np

from ops.sample import Sample
from ops.values import binary, complex_within, unary, within

M = np.array([True, False, True])
PAIRS = [*binary((-2, 2), (-2, 2)), Sample((within((-2, 2), 4), 0.25))]
TIES = Sample((np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])), smooth=False)
HOLES = Sample((np.array([1.0, np.nan, 3.0]), np.array([2.0, 3.0, np.nan])), smooth=False)
UNEVEN = np.array([1.5, np.nan, np.inf, -np.inf])

SAMPLES: dict[str, list[Sample]] = {
    "where": [
        Sample((M, within((-2, 2), 3), within((-2, 2), 3))),
        Sample((M, within((-2, 2), 2, 1), within((-2, 2), 3))),
        Sample((M, within((-2, 2), 3), 0.0)),
        Sample((M, 1, within((-2, 2), 3).astype(np.float32))),
        Sample((np.array(True), np.float64(1.5), np.array(2.5))),
        Sample((M[:1], within((-2, 2), 2, 3), within((-2, 2), 3))),
        Sample((M, complex_within((-2, 2), 3), within((-2, 2), 3))),
    ],
    "maximum": [*PAIRS, TIES],
    "minimum": [*PAIRS, TIES],
    "fmax": [*PAIRS, TIES, HOLES],
    "fmin": [*PAIRS, TIES, HOLES],
    "clip": [
        Sample((np.array([-2.0, -0.5, 0.5, 2.0]), -1.0, 1.0)),
        Sample((np.array([-2.0, -0.5, 0.5, 2.0]), np.float64(-1), np.full((2, 4), 1.5))),
        Sample((np.array([[-2.0], [0.5], [2.0]]), np.array([-1.0, 0.1]), np.array([1.0, 1.5]))),
        Sample((np.array([0.5, 2.5], dtype=np.float32), 0, 1)),
        Sample((np.float64(2.5), -1.0, 1.0)),
        Sample((np.array(0.5), np.array([-1.0, 0.6]), 1.0)),
        Sample((np.array([-1.0, 0.0, 1.0]), -1.0, 1.0), smooth=False),
        Sample((np.array([-3.0, 0.0, 3.0]), 1.0, -1.0), smooth=False),
    ],
    "clip_below": [*PAIRS, TIES],
    "clip_above": [*PAIRS, TIES],
    "nan_to_num": [
        *unary(-2, 2),
        Sample((UNEVEN,), smooth=False),
        Sample((UNEVEN.astype(np.float32),), {"nan": 3.0, "posinf": 9.0}, smooth=False),
        Sample((np.float64(np.nan),), smooth=False),
    ],
}
