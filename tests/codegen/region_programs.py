"""Random functions of nested loops and branches that write, record, swap and view arrays."""

from __future__ import annotations

import random
from typing import Any

from codegen.region_building import Trip, choose, named, repeat
from gradsmith.ir.graph import Node
from gradsmith.ops.index import read, write, write_added
from ops.differences import gnp as np_

LAST, REST, BACK = slice(None, -1), slice(1, None), slice(None, None, -1)
NAMES = "abcdefuvw"


class Maker:
    """Makes a function of an array and a number of trips, by chance."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(self, x: Node, n: Any) -> list[Node]:
        self.chance = random.Random(self.seed)
        self.loops = 0
        self.n = n
        pool = [x, np_.sum(x), named("y", np_.tanh(x))]
        self.grow(pool, self.chance.randint(3, 7), 0)
        return [self.pick(pool, kind) for kind in self.kinds(3)]

    def kinds(self, most: int) -> list[int]:
        """Whether arrays (1) or numbers (0)."""
        return [int(self.chance.random() < 0.8) for _ in range(self.chance.randint(1, most))]

    def pick(self, pool: list[Node], ndim: int = 1) -> Node:
        """One of the last few, mostly."""
        found = [x for x in pool if x.ndim == ndim]
        if not found:
            return np_.sum(self.pick(pool))
        return self.chance.choice(found[-4:] if self.chance.random() < 0.8 else found)

    def grow(self, pool: list[Node], count: int, depth: int) -> None:
        for _ in range(count):
            kinds = [self.plain, self.plain, self.written, self.written]
            if depth < 3:
                kinds += [self.loop, self.branch]
            pool += self.chance.choice(kinds)(pool, depth)

    def plain(self, pool: list[Node], depth: int) -> list[Node]:
        x, y, s = self.pick(pool), self.pick(pool), self.pick(pool, 0)
        made = self.chance.choice(
            [
                lambda: s * x,
                lambda: np_.tanh(s) - 0.5 * np_.sum(x),
                lambda: 0.5 * s,
                lambda: np_.tanh(x),
                lambda: 0.5 * (x + y),
                lambda: 0.5 * x,
                lambda: x - y,
                lambda: read(x, BACK),
                lambda: np_.tanh(x) + read(y, BACK),
                lambda: x * np_.tanh(np_.sum(read(y, REST))),
            ]
        )()
        return [self.called(made)]

    def called(self, node: Node) -> Node:
        return named(self.chance.choice(NAMES), node) if self.chance.random() < 0.4 else node

    def written(self, pool: list[Node], depth: int) -> list[Node]:
        x, y = self.pick(pool), self.pick(pool)
        key = self.chance.choice([REST, LAST, slice(0, 2)])
        made = self.chance.choice(
            [
                lambda: write(x, key, read(y, key)),
                lambda: write(x, REST, read(y, LAST)),
                lambda: write_added(x, key, 0.25),
                lambda: write_added(x, REST, read(y, LAST)),
                lambda: write(x, 0, np_.tanh(np_.sum(y))),
            ]
        )()
        return [self.called(made)]

    def loop(self, pool: list[Node], depth: int) -> list[Node]:
        self.loops += 1
        number, carried = self.loops, self.kinds(3)
        names = self.chance.sample(NAMES, 6)
        kind = self.chance.choice(["range", "range", "while", "leaves"])
        records = self.kinds(2) if self.chance.random() < 0.7 else []
        trips = self.chance.choice([self.n, 2, 1])
        taken: list[Node] = []

        def body(i: Any, *state: Node) -> Trip:
            inner = [*(self.pick(pool) for _ in range(2)), *state]
            self.grow(inner, self.chance.randint(0, 4), depth + 1)
            results = [self.pick(inner, k) for k in carried]
            if self.chance.random() < 0.2:
                results[0] = np_.tanh(results[0])
            leave = np_.greater(np_.sum(self.pick(inner)), 1.0) if kind == "leaves" else None
            return Trip(results, leave, [self.pick(inner, k) for k in records])

        test = (lambda i, *state: np_.less(i, 3)) if kind == "while" else None
        start = [self.pick(pool, k) for k in carried]
        end = None if kind == "while" else trips
        made = repeat(
            " ".join(names[: len(carried)]),
            start,
            body,
            over=(0, end, 1),
            test=test,
            index=f"i_{number}",
            number=number,
        )
        length = trips if made.symbols[-1] is None else made.symbols[-1]
        taken += made.carried
        for tape in made.tapes:
            taken += self.backwards(pool, depth, tape, length, names)
        return taken

    def backwards(
        self, pool: list[Node], depth: int, tape: Node, length: Any, names: list[str]
    ) -> list[Node]:
        self.loops += 1

        def body(i: Any, g: Node, h: Node) -> list[Node]:
            inner = [self.pick(pool), g, h, 0.5 * (g + h)]
            self.grow(inner, self.chance.randint(0, 2), depth + 1)
            return [self.pick(inner, g.ndim)]

        called = f"{names[4]} {names[5]}"
        reverse = self.chance.random() < 0.7
        made = repeat(
            called,
            [self.pick(pool, int(self.chance.random() < 0.8))],
            body,
            over=(0, length, 1),
            tapes=[tape],
            reverse=reverse,
            index=f"i_{self.loops}",
        )
        return made.carried

    def branch(self, pool: list[Node], depth: int) -> list[Node]:
        kinds = self.kinds(2)

        def arm() -> list[Node]:
            inner = [self.pick(pool) for _ in range(2)]
            self.grow(inner, self.chance.randint(0, 3), depth + 1)
            return [self.pick(inner, kind) for kind in kinds]

        condition = np_.greater(read(self.pick(pool), 1), 0.1)
        names = (
            " ".join(self.chance.sample(NAMES, len(kinds))) if self.chance.random() < 0.7 else ""
        )
        return choose(condition, arm, arm, names)
