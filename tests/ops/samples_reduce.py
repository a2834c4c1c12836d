"""Samples of reductions, cumulative ops and norms: axes, dtypes, ties, zeros, nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops.sample import Sample

_random = np.random.default_rng(5)
V = _random.normal(size=5)
M = _random.normal(size=(3, 4))
A = _random.normal(size=(2, 3, 4))
COLUMN = _random.normal(size=(3, 1))
ONE = np.array([[1.5]])
SCALAR = np.float64(-2.5)
SINGLE = M.astype(np.float32)
Z = M + 1j * _random.normal(size=(3, 4))
Z_SINGLE = Z.astype(np.complex64)
INTEGERS = np.arange(-4, 8, dtype=np.int32).reshape(3, 4)
TRUTHS = M > 0
TIED = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [0.0, -1.0, 4.0]])
ZEROS = M * np.array([[1, 0, 1, 1], [0, 0, 1, 1], [1, 1, 1, 1]])
EMPTY = np.zeros((0, 3))


def over(x: Any, *axis: int, keepdims: bool = False, smooth: bool = True, **attrs: Any) -> Sample:
    return Sample((x,), {"axis": axis, "keepdims": keepdims, **attrs}, smooth)


def everywhere(*, complex_too: bool = True) -> list[Sample]:
    """Every way to choose axes, and most dtypes."""
    samples = [
        over(V, 0),
        over(V, 0, keepdims=True),
        over(M, 0),
        over(M, 1),
        over(M, 1, keepdims=True),
        over(M, 0, 1),
        over(M, 0, 1, keepdims=True),
        over(M),
        over(A, 0, 2),
        over(A, 1),
        over(A, 1, 2, keepdims=True),
        over(A.T, 0),
        over(SCALAR),
        over(SINGLE, 1),
        over(SINGLE, 0, 1),
        over(INTEGERS, 0),
        over(np.zeros((3, 0)), 0),
    ]
    return samples + ([over(Z, 0), over(Z, 0, 1), over(Z_SINGLE, 1)] if complex_too else [])


NOTHING = [over(EMPTY, 0), over(EMPTY, 0, 1), over(np.zeros(0), 0, keepdims=True)]
ALONE = [over(COLUMN, 1), over(ONE, 0, 1)]


def spread(*, smooth_alone: bool) -> list[Sample]:
    """Samples of variances and standard deviations; that of one element has a kink everywhere."""
    of_many = [s for s in everywhere() if s.attrs["axis"] and np.size(s.args[0])]
    of_one = [over(M, smooth=smooth_alone), over(COLUMN, 1, smooth=smooth_alone)]
    return [
        *of_many,
        *of_one,
        over(SCALAR, smooth=smooth_alone),
        over(np.zeros((3, 0)), 0),
        over(M, 0, ddof=1),
        over(M, 0, 1, ddof=0.5),
        over(Z, 1, keepdims=True, ddof=1),
        over(SINGLE, 0, dtype=np.dtype(np.float64)),
        over(np.full((4, 2), 0.1), 0, smooth=False),
        over(np.zeros(3), 0, smooth=False),
    ]


TYPED = [
    over(SINGLE, 1, dtype=np.dtype(np.float64)),
    over(INTEGERS, 0, dtype=np.dtype(np.float32)),
    over(TRUTHS, 0, 1),
]
EXTREMA = [
    *everywhere(complex_too=False),
    *ALONE,
    over(TRUTHS, 0),
    over(TIED, 0, smooth=False),
    over(TIED, 1, keepdims=True, smooth=False),
    over(TIED, 0, 1, smooth=False),
    over(TIED.astype(np.float32), 1, smooth=False),
    over(np.array([np.inf, -np.inf, np.inf]), 0, smooth=False),
]


def positions(x: Any, axis: int | None, keepdims: bool = False) -> Sample:
    return Sample((x,), {"axis": axis, "keepdims": keepdims})


POSITIONS = [
    positions(V, 0),
    positions(M, None),
    positions(M, 1),
    positions(M, 0, keepdims=True),
    positions(M, None, keepdims=True),
    positions(TIED, 1),
    positions(INTEGERS, 0),
    positions(SCALAR, None),
]


def along(
    x: Any, axis: int, *, reverse: bool = False, smooth: bool = True, **attrs: Any
) -> Sample:
    return Sample((x,), {"axis": axis, "reverse": reverse, **attrs}, smooth)


CUMULATIVE = [
    along(V, 0),
    along(V, 0, reverse=True),
    along(M, 0),
    along(M, 1, reverse=True),
    along(A, 1),
    along(COLUMN, 1),
    along(Z, 0),
    along(Z, 1, reverse=True),
    along(SINGLE, 1),
    along(INTEGERS, 0),
    along(TRUTHS, 1),
    along(SINGLE, 0, dtype=np.dtype(np.float64)),
    along(EMPTY, 0),
]


def norm_of(
    x: Any, axis: Any, order: Any = None, *, keepdims: bool = False, smooth: bool = True
) -> Sample:
    return Sample((x,), {"axis": axis, "keepdims": keepdims, "order": order}, smooth)


def _jacobian_product(x: Any, v: Any, *, axis: int, transposed: bool) -> Sample:
    """The first operand is a function of the others: differences would move it by itself."""
    step = 1e-20j  # the derivative by a complex step, exact for polynomials
    if transposed:
        value = np.zeros_like(x)
        for place in np.ndindex(x.shape):
            unit = np.zeros_like(x)
            unit[place] = 1
            value[place] = np.sum(v * np.cumprod(x + step * unit, axis).imag) / 1e-20
    else:
        value = np.cumprod(x + step * v, axis).imag / 1e-20
    attrs = {"axis": axis, "reverse": False, "transposed": transposed}
    return Sample((value, v, x), attrs, smooth=False)


SAMPLES: dict[str, list[Sample]] = {
    "reduce_sum": [*everywhere(), *NOTHING, *ALONE, *TYPED],
    "reduce_mean": [
        *[s for s in everywhere() if np.size(s.args[0])],
        *ALONE,
        *TYPED,
    ],
    "reduce_prod": [
        *everywhere(),
        *NOTHING,
        *ALONE,
        *TYPED,
        over(ZEROS, 0),
        over(ZEROS, 1),
        over(ZEROS[:1], 0, 1),
        over(ZEROS * Z, 1, keepdims=True),
    ],
    "reduce_max": EXTREMA,
    "reduce_min": EXTREMA,
    "reduce_var": spread(smooth_alone=True),
    "reduce_std": spread(smooth_alone=False),
    "reduce_any": [*everywhere(), *NOTHING, over(TRUTHS, 1)],
    "reduce_all": [*everywhere(), *NOTHING, over(TRUTHS, 1)],
    "count_nonzero": [*everywhere(), *NOTHING, over(TRUTHS, 1), over(ZEROS, 0, 1)],
    "argmax": POSITIONS,
    "argmin": POSITIONS,
    "cumsum": CUMULATIVE,
    "cumprod": [
        *CUMULATIVE,
        along(ZEROS, 0),
        along(ZEROS, 1, reverse=True),
        along(ZEROS * Z, 1),
        along(np.zeros(3), 0),
    ],
    "cumprod_product": [
        _jacobian_product(M, _random.normal(size=(3, 4)), axis=1, transposed=False),
        _jacobian_product(M, _random.normal(size=(3, 4)), axis=0, transposed=True),
        _jacobian_product(ZEROS, _random.normal(size=(3, 4)), axis=1, transposed=True),
    ],
    "norm": [
        norm_of(V, None),
        norm_of(V, (0,)),
        norm_of(V, (0,), 3),
        norm_of(V, (0,), 1.5),
        norm_of(M, None),
        norm_of(M, None, keepdims=True),
        norm_of(M, (1,)),
        norm_of(M, (0,), 3, keepdims=True),
        norm_of(A, (0, 2)),
        norm_of(A, None),
        norm_of(Z, None),
        norm_of(Z, (0,)),
        norm_of(Z, (1,), 2.5),
        norm_of(SINGLE, (1,)),
        norm_of(Z_SINGLE, None),
        norm_of(np.zeros(3), None, smooth=False),
        norm_of(np.zeros((2, 3)), (1,), 3, smooth=False),
        norm_of(EMPTY, (0,)),
    ],
}
