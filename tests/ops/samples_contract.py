"""Samples of the products of arrays: ranks, batches, broadcasting, dtypes, sizes 1 and 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from ops.sample import Sample

_random = np.random.default_rng(9)
Shape = tuple[int, ...]


def _real(shape: Shape) -> Any:
    return _random.normal(size=shape)


def _complex(shape: Shape) -> Any:
    return _real(shape) + 1j * _real(shape)


def real(*shapes: Shape, **attrs: Any) -> Sample:
    return Sample(tuple(map(_real, shapes)), attrs)


def complexes(*shapes: Shape, **attrs: Any) -> Sample:
    return Sample(tuple(map(_complex, shapes)), attrs)


def mixed(left: Shape, right: Shape, **attrs: Any) -> Sample:
    """A real and a complex operand."""
    return Sample((_real(left), _complex(right)), attrs)


def single(*shapes: Shape, **attrs: Any) -> Sample:
    return Sample(tuple(_real(s).astype(np.float32) for s in shapes), attrs)


def integers(*shapes: Shape, **attrs: Any) -> Sample:
    return Sample(tuple(_random.integers(-4, 5, size=s) for s in shapes), attrs)


def pairs(left: Shape, right: Shape, **attrs: Any) -> list[Sample]:
    """The same shapes in each dtype."""
    return [make(left, right, **attrs) for make in (real, complexes, mixed, single, integers)]


SAMPLES: dict[str, list[Sample]] = {
    "matmul": [
        *pairs((3, 4), (4, 2)),
        *pairs((3, 4), (4,)),
        *pairs((4,), (4, 2)),
        *pairs((4,), (4,)),
        *pairs((5, 3, 4), (4, 2)),
        *pairs((3, 4), (5, 4, 2)),
        real((5, 3, 4), (4,)),
        complexes((4,), (5, 4, 2)),
        real((2, 1, 3, 4), (5, 4, 2)),
        complexes((5, 3, 4), (5, 4, 2)),
        real((1, 3, 4), (5, 4, 2)),
        real((3, 1), (1, 2)),
        complexes((5, 3, 1), (5, 1, 2)),
        real((1, 4), (4, 1)),
        real((0, 3), (3, 2)),
        real((3, 0), (0, 2)),
    ],
    "dot": [
        real((3, 4), (4, 2)),
        real((3, 4), (4,)),
        real((4,), (4, 2)),
        real((4,), (4,)),
        single((3, 4), (4, 2)),
        real((3, 1), (1, 2)),
        real((0, 3), (3, 2)),
        real((3, 0), (0, 2)),
    ],
    "vecdot": [
        *pairs((3, 4), (3, 4)),
        complexes((2, 3, 4), (4,)),
        real((2, 1, 4), (3, 4)),
        complexes((4,), (4,)),
        real((0, 4), (4,)),
    ],
    "vdot": [*pairs((3, 4), (3, 4)), complexes((4,), (4,)), real((2, 3, 2), (2, 3, 2))],
    "outer": [*pairs((3,), (4,)), real((1,), (3,)), real((0,), (3,))],
    "tensordot": [
        *pairs((2, 3, 4), (3, 4, 5), axes=((1, 2), (0, 1))),
        complexes((2, 3, 4), (4, 5, 3), axes=((2, 1), (0, 2))),
        real((2, 3, 4), (5, 3, 2, 6), axes=((1, 0), (1, 2))),
        complexes((2, 3, 4), (5, 2, 6), axes=((0,), (1,))),
        real((2, 3), (4, 5), axes=((), ())),
        real((2, 0, 4), (0, 4, 5), axes=((1, 2), (0, 1))),
    ],
    "einsum": [
        *pairs((3, 4), (3, 4), subscripts="ij,ij->j"),
        complexes((2, 3, 4), (2, 3, 4), subscripts="bij,bij->ij"),
        real((2, 3, 4), (3, 2, 4), subscripts="bij,ibj->bi"),
        complexes((2, 3), (4, 3), subscripts="ij,kj->ik"),
        real((2, 3, 4), (4, 2), subscripts="bij,jb->ib"),
        real((3, 4), (3,), subscripts="ij,i->ij"),
    ],
    "cross": [*pairs((4, 3), (4, 3)), complexes((3,), (5, 3)), real((2, 1, 3), (4, 3))],
    "trace": [
        Sample((_real((3, 3)),), {"offset": 0}),
        Sample((_real((3, 4)),), {"offset": 1}),
        Sample((_real((4, 3)),), {"offset": -2}),
        Sample((_complex((2, 3, 3)),), {"offset": 0}),
        Sample((_real((3, 3)).astype(np.float32),), {"offset": 0}),
        Sample((_real((3, 3)),), {"offset": 0, "dtype": np.dtype(np.complex128)}),
        Sample((np.arange(9, dtype=np.int8).reshape(3, 3),), {"offset": 0}),
    ],
}
