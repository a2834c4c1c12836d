"""Samples of the functions that take complex numbers apart."""

from __future__ import annotations

import numpy as np

from ops.sample import Sample
from ops.values import complex_within, within

Z = [
    Sample((complex_within((-2, 2), 3),)),
    Sample((complex_within((-2, 2), 2, 3),)),
    Sample((complex_within((-2, 2), 2).astype(np.complex64),)),
    Sample((np.array(1.5 - 0.5j),)),
    Sample((np.complex128(-1.5 + 0.5j),)),
    Sample((complex_within((-2, 2), 0, 2),)),
]
REAL = [
    Sample((within((0.5, 2), 3),)),
    Sample((within((-2, -0.5), 2, 1),)),
    Sample((np.float32(-1.5),)),
]

WITH_PARTS = [
    Sample((complex_within((-2, 2), 3), within((0.5, 2), 3))),
    Sample((complex_within((-2, 2), 2, 3), within((-2, 2), 2, 3))),
]

SAMPLES: dict[str, list[Sample]] = {
    "real": [*Z, *REAL],
    "imag": [*Z, *REAL],
    "with_real": WITH_PARTS,
    "with_imag": WITH_PARTS,
    "conj": [*Z, *REAL],
    "complex_sign": [*Z, Sample((1.3 - 2.7j,)), Sample((np.complex64(0.5 + 1j),))],
    "scalar_absolute": [Sample((np.complex128(z),)) for z in (1.3 - 2.7j, 0.25j, -1.5)],
    "absolute": [*Z, *REAL, Sample((-1.5,)), Sample((np.array([0.0, -0.0]),), smooth=False)],
}
