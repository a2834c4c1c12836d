"""Samples of the functions in their stable form."""

from __future__ import annotations

import numpy as np

from ops.sample import Sample
from ops.values import unary, within

FAR = Sample((np.array([-1000.0, -40.0, -1e-9, 0.0, 40.0, 1000.0]),), smooth=False)
M = within((-3, 3), 3, 4)
A = within((-3, 3), 2, 3, 4)
EMPTY = np.full((2, 3), -np.inf)

SAMPLES: dict[str, list[Sample]] = {
    "softplus": [*unary(-3, 3), FAR],
    "sigmoid": [*unary(-3, 3), FAR],
    "sigmoid_slope": [*unary(-3, 3), FAR],
    "logsumexp": [
        Sample((M,), {"axis": (1,), "keepdims": False}),
        Sample((M,), {"axis": (0,), "keepdims": True}),
        Sample((M.astype(np.float32),), {"axis": (0, 1), "keepdims": False}),
        Sample((A,), {"axis": (0, 2), "keepdims": True}),
        Sample((A,), {"axis": (0, 2), "keepdims": False}),
        Sample((M[:, :1],), {"axis": (1,), "keepdims": False}),
        Sample((M + 1000,), {"axis": (1,), "keepdims": False}, smooth=False),
        Sample((EMPTY,), {"axis": (1,), "keepdims": False}, smooth=False),
    ],
    "softmax": [
        Sample((M,), {"axis": (1,)}),
        Sample((M,), {"axis": (0,), "zeros": True}),
        Sample((A.astype(np.float32),), {"axis": (0, 2)}),
        Sample((M + 1000,), {"axis": (1,)}, smooth=False),
    ],
    "log_softmax": [
        Sample((M,), {"axis": (1,)}),
        Sample((A.astype(np.float32),), {"axis": (0, 2)}),
        Sample((M + 1000,), {"axis": (1,)}, smooth=False),
    ],
    "masked_divide": [
        Sample((M > 0, M, M - 4)),
        Sample((A[0] > 0, A.astype(np.float32), M[:1].astype(np.float32) - 4)),
        Sample((np.True_, np.float64(2.0), np.float64(3.0))),
        Sample(
            (np.array([True, False]), np.array([1.0, 2.0]), np.array([4.0, 0.0])), smooth=False
        ),
        Sample((np.False_, np.float64(2.0), np.float64(0.0)), smooth=False),
    ],
}
