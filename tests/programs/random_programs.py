"""Random straight-line programs: source text that reads, writes and shares memory.

A statement is drawn as text and kept if NumPy runs the program with it, at two sizes, with finite
numbers of moderate size. So all of NumPy's rules hold without being written down here.
"""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

SIZES = ((4, 3), (5, 4))
LARGEST = 30.0
HEADER = "def program(x, u, v, s):"
HELPERS = """
def scaled(a, factor):
    a *= factor
    a[..., 0] += 1.0


def mixed(a, b):
    c = a + b
    c[..., -1] = b[..., 0]
    return c * 0.5
"""

INDICES = (
    "[0]", "[-1]", "[1:]", "[:-1]", "[::2]", "[::-1]", "[1]", "[:, 0]", "[:, 1:]", "[..., -1]",
    "[:, ::-1]", "[1:, :-1]", "[None]", "[:, None]", "[...]", "[0, 1]", "[1, :2]", "[-2:]",
    "[:2, :2]", "[1::2, 0]", "[::-2]", "[..., None]", "[:, :-1]",
)  # fmt: skip
GATHERS = (
    "[[0, 2]]", "[[1, 1, 0]]", "[np.array([2, 0, 2])]", "[:, [0, 2]]", "[[0, 1], [1, 2]]",
    "[np.arange(len({a})) % 2 == 0]", "[::2][[0, 1]]", "[[[0], [2]], [1, 0]]", "[[-1, 0], 1:]",
    "[np.arange(len({a}))[::-1]]", "[{a} > 0.1]", "[..., [1, 0]]",
)  # fmt: skip
VIEWS = (
    "{a}.T", "{a}.reshape(-1)", "{a}.ravel()", "np.swapaxes({a}, 0, -1)", "{a}.reshape({a}.shape)",
    "np.expand_dims({a}, 0)", "np.squeeze({a})", "{a}[:, None].T", "{a}", "+{a}", "{a}.copy()",
    "np.asarray({a})", "np.array({a})", "{a}.transpose()", "{a}.reshape(1, -1)", "{a}.flatten()",
    "np.atleast_1d({a})", "{a}.diagonal()", "{a}.real",
)  # fmt: skip
FUNCTIONS = (
    "np.sin({a})", "np.tanh({a})", "{a} * {b}", "{a} + {b}", "{a} - 0.5 * {b}", "{a} / (2 + {b}**2)",
    "np.exp(-{a}**2)", "{a} * s", "{a}**2", "-{a}", "{a} * 0.5 + 1", "np.sqrt(1 + {a}**2)",
    "np.hypot({a}, 1 + {b}**2)", "1 / (1 + np.exp(-{a}))", "np.log(1 + np.exp({a}))",
    "np.where({a} > 0.1, {a} * {b}, {b})", "np.maximum({a}, {b})", "np.clip({a}, -0.5, 0.5)",
    "np.where({a} > 0.1, {a}, 0)", "{a} * ({b} > 0.1)", "({a} - {b}) * ({b} - {a})",
    "2 * ({a} * {b}) - {b} * {a}", "mixed({a}, {b})", "np.stack([{a}, {b}])[1] + {a}",
    "np.concatenate([{a}, {b}])", "np.flip({a}, 0)", "np.roll({a}, 1)", "np.broadcast_to({a}, {b}.shape)",
    "np.arctan2({a}, 1 + {b}**2)", "np.repeat({a}, 2, axis=0)", "np.cumsum({a}, axis=0)",
    "{a}.astype(np.float64)", "{a} * {b}.mean()", "np.cos({a})[..., ::-1]", "np.outer({a}, {b})",
)  # fmt: skip
REDUCTIONS = (
    "{a}.sum()", "{a}.sum(axis=0)", "np.sum({a}, axis=-1, keepdims=True)", "{a}.mean(axis=0)",
    "{a} @ {b}", "np.mean({a} * {b}, axis=-1)", "np.log(np.sum(np.exp({a}), axis=-1))",
    "np.exp({a}) / np.exp({a}).sum(axis=0)", "{a}.max(axis=0)", "{a}.T @ {b}", "np.dot({a}, {b})",
    "{a}.prod(axis=-1)", "np.sum({a} * {b})", "{a} - {a}.mean(axis=0)", "np.einsum('i...->...', {a})",
    "np.var({a}, axis=-1)", "np.min({a})", "{a}.sum(axis=-1)[0]", "np.linalg.norm({a})",
    "np.exp({a} - {a}.max(axis=-1, keepdims=True)) / np.sum(np.exp({a} - {a}.max(axis=-1, keepdims=True)), axis=-1, keepdims=True)",
)  # fmt: skip
CREATIONS = (
    "np.zeros_like({a})", "np.zeros({a}.shape)", "np.ones({a}.shape)", "np.full({a}.shape, 0.5)",
    "np.full_like({a}, s)", "np.empty({a}.shape) * 0", "np.zeros(({a}.shape[0], 2))", "{a}.copy()",
)  # fmt: skip
WRITES = (
    "{a}{i} = {b}", "{a}{i} += {b}", "{a}{i} *= {b}", "{a}{i} = {b}{j}", "{a}{i} -= {b}{j}",
    "{a}{i} = {a}{j}", "{a}{i} += {a}{j}", "{a}{i} *= 0.5", "{a}{i} = 0.0", "{a}{i} = {a}{i} * {b}{j}",
    "{a} += {b}", "{a} *= {b}", "{a} -= 0.5 * {b}", "{a} /= 2.0", "{a}[...] = {b}", "{a}[:] = {b}",
    "{a}{g} = {b}", "{a}{g} += {b}", "{a}{g} *= 0.5", "{a}{g} = {b}{g}", "{a}{g} += {a}{g}",
    "np.add.at({a}, [0, 1, 0], {b}[0])", "np.copyto({a}, {b})", "{a}.fill(0.25)",
    "np.multiply({a}, {b}, out={a})", "np.add({a}, {b}, out={c})", "np.tanh({a}, {a})",
    "scaled({a}, 0.5)", "scaled({a}{i}, {b})", "{a}[0], {a}[1] = {a}[1].copy(), {a}[0].copy()",
    "{a}[0], {a}[-1] = {a}[-1], {a}[0]", "{a}[[0, 1]] = {a}[[1, 0]]", "{a}[{a} > 0.1] *= 0.5",
    "{a}[{b} > 0.1] = {b}[{b} > 0.1]", "np.copyto({a}, {b}, where={a} > 0.1)", "{a} **= 2",
    "np.multiply({a}, 0.5, out={a}, where={b} > 0.1)", "{a}[1:] = {a}[:-1]", "{a}[:-1] += {a}[1:]",
    "{a}[::-1] = {a}", "{a} += {a}.T", "{a}.T[...] = {b}", "{a}{i} = s", "{a}[...] = {a}[::-1]",
)  # fmt: skip


class RefusedError(Exception):
    """The program is no good as a test."""


def arguments(sizes: tuple[int, int], seed: int) -> tuple[Any, ...]:
    n, m = sizes
    random = np.random.default_rng([seed, n])
    return (
        random.normal(size=(n, m)),
        random.normal(size=m),
        random.normal(size=n),
        float(random.uniform(0.5, 1.5)),
    )


def text(lines: Sequence[str], result: str) -> str:
    body = "\n".join(f"    {line}" for line in [*lines, f"return {result}"])
    return f"{HEADER}\n{body}\n"


def compiled(source: str, name: str, *, known: bool) -> Callable[..., Any]:
    """The function of the source; ``known`` whether its source can be had."""
    whole = f"import numpy as np\n{HELPERS}\n\n{source}"
    if known:
        linecache.cache[name] = (len(whole), None, whole.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"__name__": name}
    exec(compile(whole, name, "exec"), scope)
    return scope["program"]


def _smooth_enough(lines: Sequence[str], arrays: dict[str, Any]) -> bool:
    values = [a for a in arrays.values() if isinstance(a, (np.ndarray, float))]
    return all(np.all(np.isfinite(a)) and np.all(np.abs(a) < LARGEST) for a in values)


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.seed = seed
        self.lines: list[str] = []
        self.names = ["x", "u", "v"]

    def one(self, choices: Sequence[Any]) -> Any:
        return choices[self.random.integers(len(choices))]

    def name(self) -> str:
        """A variable, rather a recent one."""
        return self.names[-1 - min(int(self.random.exponential(2.0)), len(self.names) - 1)]

    def filled(self, pattern: str) -> str:
        a, b, c = self.name(), self.name(), self.name()
        gather = self.one(GATHERS).format(a=a)
        return pattern.format(a=a, b=b, c=c, i=self.one(INDICES), j=self.one(INDICES), g=gather)

    def statement(self) -> tuple[str, str | None]:
        kind = self.random.random()
        if kind < 0.42:
            return self.filled(self.one(WRITES)), None
        fresh = f"t{len(self.names)}"
        groups = [(0.55, VIEWS), (0.65, ("{a}{i}", "{a}{g}", "{a}{i}{j}")), (0.82, FUNCTIONS),
                  (0.94, REDUCTIONS), (1.0, CREATIONS)]  # fmt: skip
        group = next(choices for limit, choices in groups if kind < limit)
        return f"{fresh} = {self.filled(self.one(group))}", fresh

    def program(self, length: int) -> str:
        failures = 0
        while len(self.lines) < length and failures < 300:
            line, fresh = self.statement()
            if self.runs([*self.lines, line]):
                self.lines.append(line)
                if fresh is not None:
                    self.names.append(fresh)
            else:
                failures += 1
        return text(self.lines, self.result())

    def result(self) -> str:
        count = min(len(self.names), 3)
        chosen = dict.fromkeys([self.names[-1], *(self.name() for _ in range(count))])
        return "(" + ", ".join(f"{name} * 1.0" for name in chosen) + ",)"

    def runs(self, lines: Sequence[str]) -> bool:
        whole = (
            f"{HEADER}\n" + "\n".join(f"    {line}" for line in lines) + "\n    return locals()"
        )
        try:
            function = compiled(whole, "<drawn>", known=False)
            for sizes in SIZES:
                for near in (0.0, 4e-3):  # a mask that tips over is no place for differences
                    args = arguments(sizes, self.seed)
                    moved = tuple(a + near for a in args)
                    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
                        warnings.simplefilter("error")
                        found = function(*moved)
                    if not _smooth_enough(lines, found):
                        return False
        except Exception:
            return False
        return True


def drawn(seed: int) -> str:
    """The source of the program number ``seed``."""
    writer = Writer(seed)
    return writer.program(int(writer.random.integers(6, 16)))
