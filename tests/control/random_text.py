"""Expressions of random programs: text over the names that a place of the program can see."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

THRESHOLDS = ("-0.83", "-0.47", "-0.21", "0.13", "0.34", "0.57", "0.91")
FACTORS = ("0.3", "0.45", "0.6", "0.75", "-0.4", "0.9")


@dataclass
class Scope:
    """Names by what they hold; vectors have ``n`` elements, rows are as long as a row of A."""

    scalars: list[str] = field(default_factory=list)
    vectors: list[str] = field(default_factory=list)
    matrices: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    """Vectors of another length, at least 1: views of the above."""
    indices: list[str] = field(default_factory=list)
    """Loop variables from 0 to n - 1."""
    numbers: list[str] = field(default_factory=list)
    """Integers that are counted."""

    def inner(self) -> Scope:
        """What a block sees; what it adds is not seen outside."""
        lists = (self.scalars, self.vectors, self.matrices, self.parts, self.indices)
        return Scope(*map(list, lists), list(self.numbers))


class Expressions:
    """Draws expressions whose values stay of moderate size."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def one(self, choices: Sequence[str]) -> str:
        return self.random.choice(choices)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def recent(self, names: Sequence[str]) -> str:
        """One of the names, rather a late one."""
        return names[-1 - min(int(self.random.expovariate(0.6)), len(names) - 1)]

    def index(self, scope: Scope) -> str:
        if not scope.indices or self.chance(0.25):
            return self.one(["0", "1", "-1", "n - 1", "n // 2", "-2"])
        i = self.recent(scope.indices)
        return self.one([i, i, i, f"{i} - 1", f"-{i} - 1", f"n - 1 - {i}", f"({i} + 1) % n",
                         f"{i} // 2", f"(2 * {i}) % n"])  # fmt: skip

    def element(self, scope: Scope) -> str:
        if scope.matrices and self.chance(0.3):
            A = self.recent(scope.matrices)
            return f"{A}[{self.index(scope)}, {self.index(scope)}]"
        if scope.parts and self.chance(0.2):
            return f"{self.recent(scope.parts)}[{self.one(['0', '-1'])}]"
        return f"{self.recent(scope.vectors)}[{self.index(scope)}]"

    def scalar(self, scope: Scope, depth: int = 2) -> str:
        """A traced number."""
        if depth == 0 or self.chance(0.3):
            return self.element(scope) if self.chance(0.5) else self.recent(scope.scalars)
        left, right = self.scalar(scope, depth - 1), self.scalar(scope, depth - 1)
        v, A = self.recent(scope.vectors), self.recent(scope.matrices)
        f = self.one(FACTORS)
        patterns = [
            f"np.sin({left} + {right})", f"np.tanh({left} * {right})",
            f"({f} * {left} + {right}) / 2", f"{f} * {left} + np.mean({A})",
            f"np.sum({v}) / n", f"{v} @ {self.recent(scope.vectors)} / n", f"np.cos({left})",
            f"{left} / (2 + {right} ** 2)", f"abs({left} - 3)",
            f"({left} if {right} > {self.one(THRESHOLDS)} else {f} * {right})",
            f"max({left}, {right})", f"np.max({v}) * {f}", f"np.exp(-({left}) ** 2)",
        ]  # fmt: skip
        if scope.parts:
            patterns += [f"np.sum(np.tanh({self.recent(scope.parts)})) * 0.2"]
        if scope.indices:
            i = self.recent(scope.indices)
            patterns += [f"np.sum({v}[:{i}]) / n", f"{left} / ({i} + 2)", f"np.sum({v}[{i}:]) / n"]
        if scope.numbers:
            patterns += [f"{f} * {left} + 0.1 * {self.recent(scope.numbers)}"]
        return self.one(patterns)

    def vector(self, scope: Scope, depth: int = 2) -> str:
        """An array of n elements; a view only at depth 0."""
        if depth == 0:
            v = self.recent(scope.vectors)
            column = f"{self.recent(scope.matrices)}[:, {self.index(scope)}]"
            return self.one([v, v, v, f"{v}[::-1]", column])
        left, right = self.vector(scope, depth - 1), self.vector(scope, depth - 1)
        s, f = self.scalar(scope, 1), self.one(FACTORS)
        limit = self.one(THRESHOLDS)
        return self.one([
            f"np.sin({left})", f"np.tanh({left} + {s})", f"{f} * {left} + 0.4 * {right}",
            f"np.where({left} > {limit}, {right}, {f} * {left})", f"np.roll({left}, 1) * {f}",
            f"{left} / (2 + {right} ** 2)", f"np.cumsum({left}) / n", f"np.tanh({left} * {right})",
            f"np.tanh({self.recent(scope.matrices)} @ np.ones(n + 1) * {f})",
            f"np.array([{f} * e for e in {left}])", f"np.maximum({left}, {right})",
            f"np.tanh({s}) * {left}",
        ])  # fmt: skip

    def condition(self, scope: Scope, depth: int = 2) -> str:
        """A truth value, mostly of traced numbers."""
        if scope.indices and self.chance(0.2):
            i = self.recent(scope.indices)
            return self.one([f"{i} % 2 == 0", f"{i} > 0", f"{i} == n - 1", f"{i} < 2"])
        kind = self.random.random()
        s = self.scalar(scope, 1)
        if depth and kind < 0.15:
            joined = self.one(["and", "or"])
            return f"{self.condition(scope, 0)} {joined} {self.condition(scope, depth - 1)}"
        if kind < 0.25:
            return f"-0.47 < {s} < {self.one(THRESHOLDS[3:])}"
        if kind < 0.32:
            return f"not {s} > {self.one(THRESHOLDS)}"
        if kind < 0.45:
            return f"{s} {self.one(['<', '>'])} {self.scalar(scope, 1)}"
        return f"{s} {self.one(['>', '<', '>=', '<='])} {self.one(THRESHOLDS)}"
