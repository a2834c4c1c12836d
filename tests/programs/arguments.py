"""Arguments of programs, made for given sizes from short descriptions.

A description is ``"kind: sizes"``: ``"n m"`` is a float64 matrix, ``"f4: n"`` a float32 vector,
``"index m: n"`` are ``n`` indices into an axis of ``m``. A callable gets the sizes and the
generator, and returns any tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Sizes = dict[str, int]

FIRST: Sizes = {"n": 4, "m": 3, "k": 5, "b": 2}
SECOND: Sizes = {"n": 6, "m": 5, "k": 3, "b": 4}
ONE: Sizes = {"n": 1, "m": 3, "k": 5, "b": 2}
ALL_ONE: Sizes = {"n": 1, "m": 1, "k": 1, "b": 1}
NONE: Sizes = {"n": 0, "m": 3, "k": 5, "b": 2}

Random = np.random.Generator


def _complex(random: Random, shape: tuple[int, ...]) -> Any:
    return random.normal(size=shape) + 1j * random.normal(size=shape)


def _apart(random: Random, shape: tuple[int, ...]) -> Any:
    """Numbers that differ enough for finite differences of a maximum."""
    order = random.permutation(np.prod(shape, dtype=int))
    return (order.reshape(shape) + random.uniform(0.1, 0.9)) / 4 - 1


KINDS: dict[str, Callable[[Random, tuple[int, ...]], Any]] = {
    "": lambda r, s: r.normal(size=s),
    "positive": lambda r, s: r.uniform(0.5, 2.0, size=s),
    "unit": lambda r, s: r.uniform(-0.9, 0.9, size=s),
    "apart": lambda r, s: _apart(r, s),
    "f4": lambda r, s: r.normal(size=s).astype(np.float32),
    "f4 positive": lambda r, s: r.uniform(0.5, 2.0, size=s).astype(np.float32),
    "complex": _complex,
    "c8": lambda r, s: _complex(r, s).astype(np.complex64),
    "int": lambda r, s: r.integers(-3, 4, size=s),
    "count": lambda r, s: r.integers(1, 5, size=s),
    "i4": lambda r, s: r.integers(-3, 4, size=s).astype(np.int32),
    "mask": lambda r, s: r.random(size=s) < 0.6,
    "scalar": lambda r, s: float(r.uniform(0.5, 1.5)),
    "f8 scalar": lambda r, s: np.float64(r.uniform(0.5, 1.5)),
    "f4 scalar": lambda r, s: np.float32(r.uniform(0.5, 1.5)),
    "0-d": lambda r, s: np.array(r.uniform(0.5, 1.5)),
    "permutation": lambda r, s: r.permutation(s[0]),
}


def made(description: Any, sizes: Sizes, random: Random) -> Any:
    """The argument that is described."""
    if not isinstance(description, str):
        return description(sizes, random) if callable(description) else description
    kind, _, letters = description.rpartition(":")
    shape = tuple(sizes.get(s, 0) if s.isalpha() else int(s) for s in letters.split())
    if kind.startswith("index"):
        length = sizes[kind.split()[1]]
        return random.integers(-length, length, size=shape) if length else np.zeros(0, int)
    return KINDS[kind](random, shape)
