"""Samples of the ops that sort, search, and find positions."""

from __future__ import annotations

import numpy as np

from gradsmith.ops.data_sizes import Count
from ops.sample import Sample

_random = np.random.default_rng(3)
V = _random.permutation(np.linspace(-1.0, 2.0, 7))
M = _random.permutation(np.linspace(-2.0, 2.0, 12)).reshape(3, 4)
Z = M + 1j * M[::-1]
TIES = np.array([0.5, -1.0, 0.5, 2.0, -1.0])
GAPS = np.array([[0.0, 1.5, 0.0], [0.0, 0.0, 0.0], [-2.0, 0.0, 3.0], [0.0, 4.0, 5.0]])
WHOLE = np.array([3, -1, 3, 0, -1, 7])
NAN = np.array([np.nan, 1.0, np.nan, -1.0])


def _ordered(*kinds):
    return [
        *(Sample((x,), {"axis": axis, "kind": kind}) for x, axis, kind in kinds),
        Sample((TIES,), {"axis": 0, "kind": "stable"}, smooth=False),
        Sample((NAN,), {"axis": 0, "kind": "stable"}, smooth=False),
        Sample((WHOLE,), {"axis": 0, "kind": "stable"}),
        Sample((M.astype(np.float32),), {"axis": 0, "kind": None}),
        Sample((np.zeros((0, 3)),), {"axis": 1, "kind": None}),
    ]


_ORDERED = _ordered((V, 0, None), (M, 1, None), (M, 0, "stable"), (M[None], 1, "heapsort"))


def _nonzero(x):
    return Sample((x,), {"count": Count(int(np.count_nonzero(x)), nonzero=True)})


_FOUND = [_nonzero(x) for x in (GAPS, GAPS > 0, GAPS[None], np.zeros((2, 3)), GAPS.astype(int))]


def _unique(x, *parts, equal_nan=True, smooth=True):
    count = Count(len(np.unique(x, equal_nan=equal_nan)), nonzero=False)
    return Sample((x,), {"parts": parts, "equal_nan": equal_nan, "count": count}, smooth=smooth)


ALL = ("values", "index", "inverse", "counts")

SAMPLES: dict[str, list[Sample]] = {
    "sort": [*_ORDERED, Sample((Z,), {"axis": 1, "kind": "stable"})],
    "argsort": _ORDERED,
    "pythons_order": [Sample((x,), smooth=False) for x in (V, TIES, NAN, V[:0])],
    "searchsorted": [
        Sample((np.sort(V), np.float64(0.3)), {"side": "left"}),
        Sample((np.sort(V), M), {"side": "right"}),
        Sample((V, M, np.argsort(V)), {"side": "left"}),
        Sample((WHOLE[:1], WHOLE), {"side": "right"}),
        Sample((np.sort(V), 0.3), {"side": "left"}),
    ],
    "nonzero": _FOUND,
    "argwhere": [*_FOUND, _nonzero(V)],
    "flatnonzero": [*_FOUND, _nonzero(V), _nonzero(np.zeros(3))],
    "unique": [
        _unique(V, *ALL),
        _unique(M, *ALL),
        _unique(M.astype(np.float32), *ALL),
        _unique(TIES, *ALL, smooth=False),
        _unique(NAN, *ALL, smooth=False),
        _unique(NAN, *ALL, equal_nan=False, smooth=False),
        _unique(WHOLE, *ALL),
        _unique(WHOLE, "values"),
        _unique(WHOLE > 0, "inverse"),
        _unique(WHOLE, "counts"),
        _unique(WHOLE, "values", "counts"),
    ],
}
