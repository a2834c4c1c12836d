"""Arguments that programs with branches and iterations need: away from every threshold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Described = Callable[[dict[str, int], np.random.Generator], Any]


def shape_of(letters: str, sizes: dict[str, int]) -> tuple[int, ...]:
    return tuple(sizes[s] if s.isalpha() else int(s) for s in letters.split())


def between(low: float, high: float, letters: str = "") -> Described:
    """An array of that shape; a Python float where no shape is given."""

    def draw(sizes: dict[str, int], random: np.random.Generator) -> Any:
        found = random.uniform(low, high, size=shape_of(letters, sizes))
        return found if letters else float(found)

    return draw


def scaled(factor: float, letters: str) -> Described:
    return lambda sizes, random: factor * random.normal(size=shape_of(letters, sizes))


def single(factor: float, letters: str) -> Described:
    return lambda sizes, random: scaled(factor, letters)(sizes, random).astype(np.float32)


def signed(low: float, high: float, letters: str) -> Described:
    """Numbers of either sign and of some size; a Python float where no shape is given."""

    def draw(sizes: dict[str, int], random: np.random.Generator) -> Any:
        sizes_of = random.uniform(low, high, size=shape_of(letters, sizes))
        found = sizes_of * random.choice([-1.0, 1.0], size=np.shape(sizes_of))
        return found if letters else float(found)

    return draw


def grid(letters: str, spacing: float = 0.25, offset: float = 0.11) -> Described:
    """Different numbers on a grid that misses 0 and all halves, in random order."""

    def draw(sizes: dict[str, int], random: np.random.Generator) -> Any:
        shape = shape_of(letters, sizes)
        count = int(np.prod(shape))
        order = random.permutation(count) - count // 2
        jitter = random.uniform(-0.02, 0.02, size=count)
        return (spacing * order + offset + jitter).reshape(shape)

    return draw


def dominant(sizes: dict[str, int], random: np.random.Generator) -> Any:
    """A matrix with a large diagonal."""
    n = sizes["n"]
    return random.uniform(-1, 1, size=(n, n)) + (n + 1) * np.eye(n)


def definite(sizes: dict[str, int], random: np.random.Generator) -> Any:
    """A symmetric positive definite matrix."""
    n = sizes["n"]
    A = random.uniform(-1, 1, size=(n, n))
    return A @ A.T / n + 2 * np.eye(n)


def pivoted(sizes: dict[str, int], random: np.random.Generator) -> Any:
    """Rows of a dominant matrix in another order, so that elimination swaps them."""
    n = sizes["n"]
    return dominant(sizes, random)[np.roll(np.arange(n), 1)]


def size(sizes: dict[str, int], random: np.random.Generator) -> int:
    return sizes["n"]


def fewer(sizes: dict[str, int], random: np.random.Generator) -> int:
    return sizes["n"] - 2


def starts(sizes: dict[str, int], random: np.random.Generator) -> Any:
    """Where the rows of a sparse matrix with ``2 n`` entries begin; one row is empty."""
    n = sizes["n"]
    cuts = np.sort(random.integers(1, 2 * n, size=n - 2))
    return np.concatenate([[0], cuts[:1], cuts, [2 * n]])


def columns(sizes: dict[str, int], random: np.random.Generator) -> Any:
    return random.integers(0, sizes["n"], size=2 * sizes["n"])
