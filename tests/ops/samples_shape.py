"""Samples of the ops that change shape, join and rearrange."""

from __future__ import annotations

import numpy as np

from ops.sample import Sample

_random = np.random.default_rng(0)
V = _random.normal(size=4)
M = _random.normal(size=(3, 4))
A = _random.normal(size=(2, 3, 4))
COLUMN = _random.normal(size=(3, 1))
SCALAR = np.float64(1.5)
F32 = M.astype(np.float32)
Z = M + 1j * _random.normal(size=(3, 4))

SAMPLES: dict[str, list[Sample]] = {
    "expand_dims": [
        Sample((V,), {"axis": (0,)}),
        Sample((V,), {"axis": (1,)}),
        Sample((M,), {"axis": (0, 2)}),
        Sample((A,), {"axis": (3,)}),
        Sample((SCALAR,), {"axis": (0, 1)}),
        Sample((F32,), {"axis": (1,)}),
    ],
    "squeeze": [
        Sample((COLUMN,), {"axis": (1,)}),
        Sample((M[None, :, None],), {"axis": (0, 2)}),
        Sample((np.ones((1,)),), {"axis": (0,)}),
    ],
    "broadcast_to": [
        Sample((V,), {"shape": (3, 4)}),
        Sample((COLUMN,), {"shape": (2, 3, 5)}),
        Sample((COLUMN,), {"shape": (3, 5)}),
        Sample((SCALAR,), {"shape": (2, 2)}),
        Sample((Z,), {"shape": (2, 3, 4)}),
        Sample((V,), {"shape": (4,)}),
    ],
    "sum_to": [
        Sample((M,), {"shape": (1, M.shape[1])}),
        Sample((M,), {"shape": M.shape}),
        Sample((V,), {"shape": (1,)}),
        Sample((np.zeros((0, 3)),), {"shape": (1, 3)}),
        Sample((Z,), {"shape": (1, Z.shape[1])}),
    ],
    "reshape": [
        Sample((A,), {"shape": (4, 6)}),
        Sample((A,), {"shape": (24,)}),
        Sample((V,), {"shape": (2, 1, 2)}),
        Sample((SCALAR,), {"shape": (1,)}),
        Sample((COLUMN[:1],), {"shape": ()}),
        Sample((np.zeros((0, 3)),), {"shape": (3, 0)}),
    ],
    "transpose": [
        Sample((M,), {"axes": (1, 0)}),
        Sample((A,), {"axes": (1, 2, 0)}),
        Sample((A,), {"axes": (2, 1, 0)}),
        Sample((Z,), {"axes": (1, 0)}),
    ],
    "flip": [
        Sample((V,), {"axis": (0,)}),
        Sample((M,), {"axis": (1,)}),
        Sample((A,), {"axis": (0, 2)}),
    ],
    "astype": [
        Sample((F32,), {"dtype": np.dtype(np.float64)}),
        # NOTE: the other direction rounds, so that finite differences say nothing
        Sample((M,), {"dtype": np.dtype(np.float32)}, smooth=False),
        Sample((M,), {"dtype": np.dtype(np.complex128)}),
        Sample((M,), {"dtype": np.dtype(np.int64)}, smooth=False),
        Sample((SCALAR,), {"dtype": np.dtype(np.float32)}, smooth=False),
    ],
    "copy": [Sample((M,)), Sample((SCALAR,)), Sample((M.T,))],
    "roll": [
        Sample((V,), {"shift": (1,), "axis": (0,)}),
        Sample((M,), {"shift": (-2,), "axis": (1,)}),
        Sample((M,), {"shift": (1, 2), "axis": (0, 1)}),
    ],
    "repeat": [
        Sample((V,), {"repeats": 3, "axis": 0}),
        Sample((M,), {"repeats": 2, "axis": 0}),
        Sample((M,), {"repeats": 2, "axis": 1}),
    ],
    "tile": [
        Sample((V,), {"reps": (3,)}),
        Sample((V,), {"reps": (2, 3)}),
        Sample((M,), {"reps": (2,)}),
        Sample((M,), {"reps": (2, 1, 3)}),
        Sample((SCALAR,), {"reps": (2, 2)}),
    ],
    "tril": [Sample((M,), {"k": 0}), Sample((A,), {"k": 1}), Sample((M,), {"k": -1})],
    "triu": [Sample((M,), {"k": 0}), Sample((A,), {"k": 1}), Sample((M,), {"k": -1})],
    "concatenate": [
        Sample((V, V[:2], V), {"axis": 0}),
        Sample((M, COLUMN), {"axis": 1}),
        Sample((M, F32), {"axis": 0}),
        Sample((V,), {"axis": 0}),
        Sample((V, np.arange(3)), {"axis": 0}),
    ],
    "stack": [
        Sample((V, V), {"axis": 0}),
        Sample((M, M, M), {"axis": 1}),
        Sample((M, M), {"axis": 2}),
        Sample((SCALAR, SCALAR), {"axis": 0}),
        Sample((M, Z), {"axis": 0}),
    ],
}
