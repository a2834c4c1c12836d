"""Samples of the ops that read and write parts of arrays."""

from __future__ import annotations

import numpy as np

from gradsmith.ops.index_key import ELLIPSIS, NEWAXIS, Array, Index, Slice
from ops.sample import Sample

_random = np.random.default_rng(1)
V = _random.normal(size=5)
M = _random.normal(size=(3, 4))
A = _random.normal(size=(2, 3, 4))
Z = M + 1j * _random.normal(size=(3, 4))
MASK = np.array([True, False, True])
ALL = Slice(None, None)

REPEATED = np.array([2, 0, 2])
ONCE = np.array([2, 0, 1])

_BASIC = [
    (V, (), Index((2,))),
    (V, (), Index((-1,))),
    (V, (), Index((Slice(1, None, None, 4),))),
    (V, (), Index((Slice(None, None, -2, 3),))),
    (M, (), Index((ALL, 0))),
    (M, (), Index((Slice(None, -1, None, 2), NEWAXIS, Slice(1, 3, None, 2)))),
    (M, (), Index((0, 1, ELLIPSIS))),
    (A, (), Index((1, ALL, Slice(0, 4, 2, 2)))),
    (A, (np.int64(1),), Index((Array(0), Slice(1, None, None, 2)))),
    (Z, (), Index((1,))),
]
_ADVANCED = [
    (V, (REPEATED,), Index((Array(0),))),
    (V, (REPEATED[:, None] + np.arange(2),), Index((Array(0),))),
    (V, (np.array([-1, 0]),), Index((Array(0),))),
    (M, (ONCE,), Index((ALL, Array(0)))),
    (M, (np.arange(3), REPEATED), Index((Array(0), Array(1)))),
    (M, (REPEATED, REPEATED), Index((Array(0), Array(1)))),
    (A, (np.array([1, 1]), np.array([0, 2])), Index((Array(0), ALL, Array(1)))),
    (A, (np.array([0, 1]),), Index((0, NEWAXIS, Array(0)))),
    (M, (MASK,), Index((Array(0, 2),))),
    (M, (M > 0,), Index((Array(0, int(np.sum(M > 0))),))),
    (A, (MASK,), Index((ALL, Array(0, 2), 0))),
    (Z, (REPEATED,), Index((Array(0),))),
]


def _update(x: np.ndarray, arrays: tuple, index: Index) -> np.ndarray:
    key = tuple(
        arrays[item.position] if isinstance(item, Array)
        else slice(item.start, item.stop, item.step) if isinstance(item, Slice)
        else item
        for item in index.items
    )  # fmt: skip
    shape = np.shape(x[key])
    return _random.normal(size=shape).astype(x.dtype)


_WRITES = [
    Sample((x, _update(x, arrays, index), *arrays), {"index": index})
    for x, arrays, index in _BASIC + _ADVANCED
]
_BROADCAST = [
    Sample((M, np.float64(2.0)), {"index": Index((0,))}),
    Sample((M, V[:4]), {"index": Index((Slice(1, None, None, 2),))}),
    Sample((M, V[:1], REPEATED), {"index": Index((Array(0),))}),
    Sample((M, np.float64(3.0), MASK), {"index": Index((Array(0, 2),))}),
    Sample((M, np.float64(3.0)), {"index": Index(())}),
    Sample((M.astype(np.float32), V[:4].astype(np.float32)), {"index": Index((1,))}),
]

SAMPLES: dict[str, list[Sample]] = {
    "getitem": [Sample((x, *arrays), {"index": index}) for x, arrays, index in _BASIC],
    "gather": [Sample((x, *arrays), {"index": index}) for x, arrays, index in _ADVANCED],
    "index_set": _WRITES + _BROADCAST,
    "index_add": _WRITES + _BROADCAST,
    "diag": [Sample((V,), {"k": 0}), Sample((V,), {"k": 2}), Sample((V,), {"k": -1})],
    "diagonal": [
        Sample((M,), {"offset": 0, "axis1": 0, "axis2": 1}),
        Sample((M[:, :3],), {"offset": 0, "axis1": 0, "axis2": 1}),
        Sample((M[:, :3],), {"offset": -1, "axis1": 0, "axis2": 1}),
        Sample((A,), {"offset": 1, "axis1": 2, "axis2": 0}),
        Sample((A,), {"offset": 0, "axis1": 1, "axis2": 2}),
    ],
}
