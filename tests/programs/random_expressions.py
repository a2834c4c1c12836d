"""Random expressions over operands of all dtypes and shapes, as source text."""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

SIZES = (3, 5)
LARGEST = 1e3

BINARY = (
    "{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / ({b} * {b} + 2)", "{a} / {b}",
    "np.maximum({a}, {b})", "np.where({m}, {a}, {b})", "np.where({m}, {a}, 0)", "{a} * {b} + {c} * {b}",
    "{a} * {b} - {b} * {c}", "{a} @ {b}", "np.dot({a}, {b})", "{a} - {b} * {c}", "({a} + {b}) * {c}",
    "{a} * ({b} * {c})", "{a} / {b} / {c}", "{a} * ({b} / {c})", "{m} * {a} + {m} * {b}", "{a} * 2 * ({b} * 3)",
    "-({a} * {b})", "-{a} * -{b}", "{a} - -{b}", "np.outer({a}, {b})[0]", "np.sum({a} * {b})",
    "np.sum({a} * {b}, axis=0)", "{a} * np.sum({b})", "np.sum({a}) * {b} / 3", "np.hypot({a}, {b})",
)  # fmt: skip
UNARY = (
    "-{a}", "{a} ** 2", "{a} ** 3", "abs({a})", "np.sqrt({a} * {a} + 1)", "np.sin({a})",
    "np.exp(-{a} * {a})", "{a}.sum()", "{a}.mean()", "{a}.real", "np.conj({a})", "np.square({a})",
    "{a}.astype(np.float32)", "{a}.astype(complex)", "np.float64({a})", "2 * {a}", "{a} * 0.5", "{a} / 3",
    "1 - {a}", "{a} + 1", "{a} * 1j", "{a} ** 0.5", "np.mean({a}, axis=0)", "{a} * np.float32(1.5)",
    "{a} - np.mean({a})", "{a}[::-1]", "{a} / np.sum({a} * {a})", "np.log(np.sum(np.exp({a})))",
    "1 / (1 + np.exp(-{a}))", "np.exp({a}) / np.sum(np.exp({a}))", "np.log(1 + np.exp({a}))",
    "np.broadcast_to({a}, ({n}, 3, 3))[0]", "{a} * len({v})", "{a} * {v}.shape[0]", "np.var({a})",
)  # fmt: skip
MASKS = (
    "({a} > 0.3)",
    "np.isfinite({a})",
    "mask",
    "~mask",
    "({a} != {b})",
    "(mask & ({a} > 0.3))",
)

OPERANDS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "x": lambda r, n: r.uniform(-2, 2, n),
    "y": lambda r, n: r.uniform(-2, 2, n).astype(np.float32),
    "z": lambda r, n: r.uniform(-2, 2, n) + 1j * r.uniform(-2, 2, n),
    "w": lambda r, n: (r.uniform(-2, 2, n) + 1j * r.uniform(-2, 2, n)).astype(np.complex64),
    "i": lambda r, n: r.integers(-4, 5, n),
    "j": lambda r, n: r.integers(-4, 5, n).astype(np.int8),
    "u": lambda r, n: r.integers(0, 200, n).astype(np.uint8),
    "mask": lambda r, n: np.arange(n) % 2 == 0,
    "one": lambda r, n: r.uniform(-2, 2, 1),
    "s": lambda r, n: float(r.uniform(0.5, 2)),
    "t": lambda r, n: np.float32(r.uniform(0.5, 2)),
    "d": lambda r, n: np.array(r.uniform(0.5, 2)),
    "k": lambda r, n: int(r.integers(1, 4)),
    "b": lambda r, n: np.int8(r.integers(50, 120)),
}


def arguments(n: int, seed: int) -> tuple[Any, ...]:
    random = np.random.default_rng([seed, n])
    return tuple(make(random, n) for make in OPERANDS.values())


def compiled(source: str, name: str) -> Callable[..., Any]:
    whole = f"import numpy as np\n\n{source}"
    linecache.cache[name] = (len(whole), None, whole.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"__name__": name}
    exec(compile(whole, name, "exec"), scope)
    return scope["program"]


def text(lines: Sequence[str], result: str) -> str:
    body = "\n".join(f"    {line}" for line in [*lines, f"return {result}"])
    return f"def program({', '.join(OPERANDS)}):\n{body}\n"


class Writer:
    """Writes one program: each line an expression of earlier ones."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng([7, seed])
        self.seed = seed
        self.lines: list[str] = []
        self.names = list(OPERANDS)

    def one(self, choices: Sequence[str]) -> str:
        return choices[self.random.integers(len(choices))]

    def name(self) -> str:
        made = self.names[len(OPERANDS) :]
        return self.one(made[-3:]) if made and self.random.random() < 0.6 else self.one(self.names)

    def line(self) -> str:
        pattern = self.one(BINARY if self.random.random() < 0.6 else UNARY)
        a, b, c = self.name(), self.name(), self.name()
        mask = self.one(MASKS).format(a=self.name(), b=self.name())
        return pattern.format(a=a, b=b, c=c, m=mask, v="x", n=2)

    def program(self, length: int) -> str:
        failures = 0
        while len(self.lines) < length and failures < 300:
            fresh = f"v{len(self.lines)}"
            line = f"{fresh} = {self.line()}"
            if self.runs([*self.lines, line], fresh):
                self.lines.append(line)
                self.names.append(fresh)
            else:
                failures += 1
        return text(self.lines, self.names[-1])

    def runs(self, lines: Sequence[str], fresh: str) -> bool:
        try:
            function = compiled(text(lines, fresh), "<drawn expression>")
            with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
                warnings.simplefilter("error")
                found = [function(*arguments(n, self.seed)) for n in SIZES]
        except Exception:
            return False
        return all(
            np.all(np.isfinite(f)) and np.all(np.abs(f) < LARGEST) and np.ndim(f) < 3
            for f in found
        )


def drawn(seed: int) -> str:
    """The source of the program number ``seed``."""
    writer = Writer(seed)
    return writer.program(int(writer.random.integers(2, 8)))
