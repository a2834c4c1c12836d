"""Samples of the ops that make arrays."""

from __future__ import annotations

import numpy as np

from ops.sample import Sample

F8, F4, I8 = np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.int64)
START, STOP = np.float64(-1.0), np.float64(2.5)
V = np.array([1.0, 2.0, 5.0])

_SHAPES = [
    Sample((), {"shape": (3,), "dtype": F8}),
    Sample((), {"shape": (2, 3), "dtype": F4}),
    Sample((), {"shape": (), "dtype": F8}),
    Sample((), {"shape": (0, 2), "dtype": I8}),
]

SAMPLES: dict[str, list[Sample]] = {
    "zeros": _SHAPES,
    "ones": _SHAPES,
    "empty": _SHAPES,
    "full": [
        Sample((START,), {"shape": (2, 3)}),
        Sample((START,), {"shape": (3,), "dtype": F8}),
        Sample((np.float32(2.0),), {"shape": (), "dtype": F4}),
        Sample((3,), {"shape": (2,), "dtype": F8}),
    ],
    "eye": [
        Sample((), {"rows": 3, "columns": 3, "k": 0, "dtype": F8}),
        Sample((), {"rows": 3, "columns": 4, "k": 1, "dtype": F4}),
        Sample((), {"rows": 4, "columns": 2, "k": -1, "dtype": I8}),
    ],
    "arange": [
        Sample((), {"start": 0, "length": 4, "step": 1, "dtype": I8}),
        Sample((), {"start": 2, "length": 3, "step": 1, "dtype": I8}),
        Sample((), {"start": 5, "length": 3, "step": -2, "dtype": F8}),
        Sample((), {"start": 0, "length": 0, "step": 1, "dtype": I8}),
    ],
    "linspace": [
        Sample((START, STOP), {"num": 5, "endpoint": True}),
        Sample((START, STOP), {"num": 4, "endpoint": False}),
        Sample((START, STOP), {"num": 1, "endpoint": True}),
        Sample((V, STOP), {"num": 3, "endpoint": True}),
        Sample((np.float32(0.0), np.float32(1.0)), {"num": 3, "endpoint": True}),
        Sample((0.0, V[:, None] * V), {"num": 4, "endpoint": True}),
    ],
    "array": [
        Sample((START, STOP, 1.0), {"shape": (3,), "dtype": F8}),
        Sample((START, STOP, STOP, 0.0), {"shape": (2, 2), "dtype": F8}),
        Sample((np.float32(1.0), np.float32(2.0)), {"shape": (2, 1), "dtype": F4}),
    ],
}
