"""Deterministic operands of elementwise ops: shapes that broadcast, dtypes, away from kinks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops.sample import Sample

_random = np.random.default_rng(20)

Interval = tuple[float, float]


def within(interval: Interval, *shape: int) -> np.ndarray:
    """An array of that shape with elements from the interval."""
    return _random.uniform(*interval, size=shape)


def complex_within(interval: Interval, *shape: int) -> np.ndarray:
    return within(interval, *shape) + 1j * within((0.3, 0.8), *shape)


def unary(low: float, high: float, *, holomorphic: bool = False, **attrs: Any) -> list[Sample]:
    """Samples of one operand: several ranks and dtypes."""
    span = (low, high)
    operands: list[Any] = [
        within(span, 4),
        within(span, 2, 3),
        within(span, 1),
        within(span, 0, 2),
        np.array(within(span, 1)[0]),
        np.float64(within(span, 1)[0]),
        within(span, 3).astype(np.float32),
        np.float32(within(span, 1)[0]),
    ]
    if holomorphic:
        operands += [complex_within(span, 3), complex_within(span, 2).astype(np.complex64)]
    return [Sample((x,), attrs) for x in operands]


def binary(
    first: Interval, second: Interval, *, holomorphic: bool = False, python: bool = False
) -> list[Sample]:
    """Samples of two operands: shapes that broadcast in all ways, mixed dtypes and forms."""

    def pair(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[Any, Any]:
        return within(first, *left), within(second, *right)

    samples = [
        pair((3,), (3,)),
        pair((2, 1), (3,)),
        pair((3,), (2, 1)),
        pair((1,), (4,)),
        pair((2, 3), ()),
        pair((), (2,)),
        pair((0, 2), (2,)),
        (np.float64(within(first, 1)[0]), np.float64(within(second, 1)[0])),
        (within(first, 3).astype(np.float32), within(second, 3).astype(np.float32)),
        (within(first, 3).astype(np.float32), within(second, 3)),
    ]
    if python:
        samples += [
            (within(first, 3).astype(np.float32), float(within(second, 1)[0])),
            (float(within(first, 1)[0]), float(within(second, 1)[0])),
        ]
    if holomorphic:
        samples += [
            (complex_within(first, 3), complex_within(second, 2, 1)),
            (complex_within(first, 3), within(second, 3)),
        ]
    return [Sample(args) for args in samples]
