"""Random loops that write an array in place: what is taken from its final values must last."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff.build import chooses, loops
from autodiff.deriving import difference, gradient, inner, like, values
from autodiff.programs import array
from gradsmith.ir.graph import Node
from gradsmith.ops.compare import greater
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.elementwise import sin
from gradsmith.ops.index import read, write

SIZE = 6


class Kernel:
    """A nest of loops over one array, drawn at random; the same at every call."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(self, x: Node) -> list[Node]:
        self.random = np.random.default_rng(self.seed)
        return self.nest([], x * 1.0, x, int(self.random.integers(1, 3)))

    def nest(self, indices: list[Any], a: Node, x: Node, depth: int) -> list[Node]:
        step = int(self.random.choice([1, 1, 1, 2, -1]))
        start, stop = self.bounds(indices, step)
        reverse = bool(self.random.integers(4) == 0)

        def body(i: Any, a: Node) -> list[Node]:
            known = [*indices, i]
            for _ in range(int(self.random.integers(1, 3))):
                if depth > 1 and self.random.integers(2):
                    (a,) = self.nest(known, a, x, depth - 1)
                else:
                    a = self.statement(known, a, x)
            return [a]

        return loops(body, [a], stop, start=start, step=step, reverse=reverse)

    def bounds(self, indices: list[Any], step: int) -> tuple[Any, Any]:
        low, high = int(self.random.integers(0, 3)), int(self.random.integers(3, SIZE))
        if indices and self.random.integers(2):
            if self.random.integers(2):
                high = indices[-1]
            else:
                low = indices[-1]
        return (low, high) if step > 0 else (high, low)

    def statement(self, indices: list[Any], a: Node, x: Node) -> Node:
        if self.random.integers(5) == 0:
            place, other = self.place(indices), self.place(indices)
            condition = greater(read(x, other), 0)
            return chooses(
                condition, lambda: [write(a, place, sin(read(a, other)) * 1.5)], lambda: [a]
            )[0]
        value = sin(self.part(indices, a)) * self.part(indices, a) + self.part(indices, x) * 0.5
        if self.random.integers(4) == 0:
            return write(a, slice(0, indices[0]), value * 0.3)
        place = self.place(indices)
        if self.random.integers(3) == 0:
            value = value + read(a, place)
        return write(a, place, value)

    def place(self, indices: list[Any]) -> Any:
        kind = self.random.integers(5)
        if kind == 0:
            return int(self.random.integers(-2, SIZE))
        index = indices[int(self.random.integers(len(indices)))]
        if kind == 1:
            return (index + int(self.random.integers(4))) % SIZE
        return index + int(self.random.choice([-1, 0, 0, 0]))

    def part(self, indices: list[Any], array: Node) -> Node:
        if self.random.integers(3):
            return read(array, self.place(indices))
        index = indices[int(self.random.integers(len(indices)))]
        pieces = [slice(0, index), slice(index, None), slice(index + 1, None)]
        return FUNCTIONS[np.sum](read(array, pieces[int(self.random.integers(3))]))


@pytest.mark.parametrize("seed", range(120))
def test_gradients_of_random_writes(seed: int) -> None:
    kernel, args = Kernel(seed), (array(SIZE, seed=seed),)
    random = np.random.default_rng(seed)
    (along,) = [like(random, a) for a in args]
    expected = difference(kernel, args, [along], 1e-6)  # no threshold is that near
    seeds = [like(random, v) for v in values(kernel, args)]
    found = values(gradient(kernel, 1), [*args, *seeds])
    scale = 1 + max(np.abs(e).max() for e in expected)
    assert inner(found, [along]) == pytest.approx(
        inner(seeds, expected), rel=1e-5, abs=1e-6 * scale
    )
