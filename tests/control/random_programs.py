"""Random structured programs: loops, branches, views, writes and helpers, nested in each other.

A program is drawn as text by a seeded generator, and drawn again where NumPy does not run it at
every size with finite numbers of moderate size.
"""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from control.random_text import FACTORS, THRESHOLDS, Expressions, Scope

SIZES = (4, 6)
LARGEST = 60.0
DEEPEST = 3
"""Of blocks in blocks."""
RANGES = (
    "range(3)", "range(n)", "range(1, n)", "range(n - 1, -1, -1)", "range(0, n, 2)", "range(2, 2)",
    "range(n // 2)", "range(n - 1, 0, -2)", "reversed(range(n))", "range(len(x))", "range(n - 1)",
)  # fmt: skip
RESULT = "return s, x * 1.0, y + 0.0, A * 1.0"
HELPERS = """
def damp(v, factor):
    v *= 0.8
    v[0] += 0.1 * factor


def bump(v, level):
    if v[-1] > level:
        v[-1] = 0.5 * level
        return
    v[:-1] += 0.1 * np.tanh(v[1:])


def smooth(v, w):
    for i in range(1, len(v) - 1):
        v[i] = 0.3 * (v[i - 1] + v[i] + v[i + 1]) + 0.1 * w[i]


def until(v, level):
    k = 0
    while np.sum(v**2) > 2 + level**2 and k < 3:
        v *= 0.7
        k += 1


def chosen(u, v, level):
    if level > 0.34:
        return np.sin(u)
    return 0.5 * v
"""


class Writer(Expressions):
    """Writes one program."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.fresh = 0
        self.lines: list[str] = []

    def name(self, letter: str) -> str:
        self.fresh += 1
        return f"{letter}{self.fresh}"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * (depth + 1) + text)

    # --- statements of one line

    def new_scalar(self, depth: int, scope: Scope) -> None:
        expression = f"{self.scalar(scope)}"
        if self.chance(0.5):
            target = self.recent([t for t in scope.scalars if t not in ("a", "b")])
            self.line(depth, f"{target} = {expression}")
            return
        target = self.name("s")
        self.line(depth, f"{target} = {expression}")
        scope.scalars.append(target)

    def new_vector(self, depth: int, scope: Scope) -> None:
        made = [t for t in scope.vectors if t[0] == "t"]
        kind = self.random.random()
        value = self.vector(scope)
        if kind < 0.2:
            v = self.recent(scope.vectors)
            value = self.one([f"{v}.copy()", "np.zeros(n)", f"np.zeros_like({v})", f"0.5 * {v}"])
        elif kind < 0.35:
            u, v = self.recent(scope.vectors), self.recent(scope.vectors)
            value = f"chosen({u}, {v}, {self.scalar(scope, 1)})"
        if made and self.chance(0.4):
            self.line(depth, f"{self.recent(made)} = {value}")
            return
        target = self.name("t")
        self.line(depth, f"{target} = {value}")
        scope.vectors.append(target)

    def write_element(self, depth: int, scope: Scope) -> None:
        target, value = self.element(scope), self.scalar(scope, 1)
        self.line(depth, self.one([
            f"{target} = np.tanh({value})", f"{target} += 0.2 * np.sin({value})",
            f"{target} *= {self.one(FACTORS)}", f"{target} -= 0.1 * np.tanh({value})",
        ]))  # fmt: skip

    def write_slice(self, depth: int, scope: Scope) -> None:
        v, A = self.recent(scope.vectors), self.recent(scope.matrices)
        s, k = self.scalar(scope, 1), self.index(scope)
        patterns = [
            f"{v}[1:] = {self.one(FACTORS)} * {v}[:-1]", f"{v}[::2] *= {self.one(FACTORS)}",
            f"{v}[::-1] = {self.vector(scope, 1)}", f"{v}[:-1] += 0.2 * {v}[1:]",
            f"{v}[:] = {self.vector(scope, 1)}", f"{v}[1:3] = np.tanh({s})", f"{v} *= 0.8",
            f"{A}[{k}] *= 0.7", f"{A}[:, {k}] = {self.vector(scope, 1)}", f"{A}[1:, 1:] *= 0.9",
            f"{A}[{k}, 1:] = 0.5 * {self.vector(scope, 1)}", f"{A} += 0.1 * np.sin({s})",
            f"{A}.T[{k}] += 0.2 * np.tanh({v})", f"np.tanh({v}, out={v})", f"{v}.fill({s})",
            f"np.copyto({v}, {self.vector(scope, 1)})", f"{v}[{v} > 0.57] = 0.5",
            f"{v}[0], {v}[-1] = {v}[-1], {v}[0]",
            f"{A}[0], {A}[{k}] = {A}[{k}].copy(), {A}[0].copy()",
        ]  # fmt: skip
        if scope.indices:
            i = self.recent(scope.indices)
            patterns += [f"{v}[{i}:] = {v}[{i}:] * {self.one(FACTORS)}", f"{v}[:{i}] += 0.1 * {s}",
                         f"{A}[{i}, :{i}] = np.sin({s})", f"{v}[{i}:] *= {v}[{i}]",
                         f"{v}[:{i}] = 0.5 * {v}[:{i}][::-1]"]  # fmt: skip
        self.line(depth, self.one(patterns))

    def new_view(self, depth: int, scope: Scope) -> None:
        v, A, k = self.recent(scope.vectors), self.recent(scope.matrices), self.index(scope)
        target = self.name("w")
        views = [f"{v}[1:]", f"{v}[:-1]", f"{v}[::2]", f"{A}[{k}]", f"{A}[{k}, 1:]", f"{v}[-2:]",
                 f"{A}[:-1, {k}]", f"{A}.T[{k}][1:]", f"{A}.reshape(-1)"]  # fmt: skip
        self.line(depth, f"{target} = {self.one(views)}")
        scope.parts.append(target)
        if self.chance(0.3):
            part = self.name("w")
            self.line(depth, f"{part} = {target}[{self.one(['::-1', '::2', ':2'])}]")
            scope.parts.append(part)

    def write_view(self, depth: int, scope: Scope) -> None:
        if not scope.parts:
            self.new_view(depth, scope)
        w, s = self.recent(scope.parts), self.scalar(scope, 1)
        self.line(depth, self.one([
            f"{w} *= {self.one(FACTORS)}", f"{w} += 0.2 * np.sin({s})", f"{w}[0] = np.tanh({s})",
            f"{w}[:] = np.sin({w})", f"{w}[-1] += 0.1 * {w}[0]", f"{w}[::-1] = 0.8 * {w}",
        ]))  # fmt: skip

    def call_helper(self, depth: int, scope: Scope) -> None:
        v, s = self.recent(scope.vectors), self.scalar(scope, 1)
        row = f"{self.recent(scope.matrices)}[{self.index(scope)}]"
        target = self.one([v, v, row, f"{v}[::-1]", *scope.parts[-1:]])
        calls = [f"damp({target}, np.tanh({s}))", f"smooth({v}, {self.recent(scope.vectors)})",
                 f"bump({self.one([v, row])}, {self.one(THRESHOLDS)})", f"until({target}, {s})",
                 f"damp({target}, {s})"]  # fmt: skip
        self.line(depth, self.one(calls))

    def count(self, depth: int, scope: Scope) -> None:
        self.line(depth, "count += 1")
        if self.chance(0.3):
            self.line(depth, f"s = 0.9 * s + 0.05 * count * {self.scalar(scope, 0)}")

    # --- statements of several lines

    def branch(self, depth: int, scope: Scope, loop: bool) -> None:
        self.line(depth, f"if {self.condition(scope)}:")
        self.block(depth + 1, scope.inner(), loop, self.random.randint(1, 2))
        if self.chance(0.3):
            self.line(depth, f"elif {self.condition(scope)}:")
            self.block(depth + 1, scope.inner(), loop, self.random.randint(1, 2))
        if self.chance(0.5):
            self.line(depth, "else:")
            self.block(depth + 1, scope.inner(), loop, self.random.randint(1, 2))

    def leave(self, depth: int, scope: Scope) -> None:
        """Out of a loop, or on to its next trip."""
        self.line(depth, f"if {self.condition(scope)}:")
        if self.chance(0.3):
            self.write_element(depth + 1, scope)
        self.line(depth + 1, self.one(["break", "continue", "break", "continue", RESULT]))

    def for_loop(self, depth: int, scope: Scope) -> None:
        inner, i, e = scope.inner(), self.name("i"), self.name("s")
        v, A = self.recent(scope.vectors), self.recent(scope.matrices)
        ranges = [*RANGES]
        if scope.indices:
            j = self.recent(scope.indices)
            ranges += [f"range({j})", f"range({j}, n)", f"range({j} + 1, n)"]
        kind = self.random.random()
        if kind < 0.65:
            self.line(depth, f"for {i} in {self.one(ranges)}:")
        elif kind < 0.8:
            self.line(depth, f"for {i}, {e} in enumerate({v}):")
            inner.scalars.append(e)
        elif kind < 0.9:
            row = self.name("w")
            self.line(depth, f"for {i}, {row} in enumerate({A}):")
            inner.parts.append(row)
        else:
            self.line(depth, f"for {e}, {i} in zip({v}, range(n)):")
            inner.scalars.append(e)
        inner.indices.append(i)
        self.body(depth, inner)
        if self.chance(0.15):
            self.line(depth, "else:")
            self.write_element(depth + 1, scope)

    def while_loop(self, depth: int, scope: Scope) -> None:
        k, most = self.name("k"), self.one(["3", "4", "n - 1", "n"])
        self.line(depth, f"{k} = 0")
        if self.chance(0.3):
            self.line(depth, "while True:")
            self.line(depth + 1, f"if {k} >= {most} or {self.condition(scope, 0)}:")
            self.line(depth + 2, "break")
        else:
            self.line(depth, f"while {k} < {most} and {self.condition(scope, 0)}:")
        self.line(depth + 1, f"{k} += 1")
        inner = scope.inner()
        inner.numbers.append(k)
        self.body(depth, inner)

    def list_loop(self, depth: int, scope: Scope) -> None:
        found, i, inner = self.name("l"), self.name("i"), scope.inner()
        self.line(depth, f"{found} = []")
        self.line(depth, f"for {i} in range(n):")
        inner.indices.append(i)
        if self.chance(0.5):
            self.statement(depth + 1, inner, loop=False)
        self.line(depth + 1, f"{found}.append({self.scalar(inner, 1)})")
        target = self.name("t")
        self.line(depth, f"{target} = np.{self.one(['array', 'stack'])}({found})")
        scope.vectors.append(target)

    def body(self, depth: int, inner: Scope) -> None:
        if self.chance(0.35):
            self.leave(depth + 1, inner)
        self.block(depth + 1, inner, True, self.random.randint(1, 3))
        if self.chance(0.2):
            self.leave(depth + 1, inner)

    # --- blocks

    def statement(self, depth: int, scope: Scope, loop: bool) -> None:
        kind = self.random.random()
        if depth < DEEPEST and kind < 0.34:
            if kind < 0.14:
                self.branch(depth, scope, loop)
            elif kind < 0.25:
                self.for_loop(depth, scope)
            elif kind < 0.31:
                self.while_loop(depth, scope)
            else:
                self.list_loop(depth, scope)
            return
        simple = (self.new_scalar, self.new_vector, self.write_element, self.write_slice,
                  self.new_view, self.write_view, self.call_helper, self.count)  # fmt: skip
        self.random.choices(simple, (3, 3, 4, 4, 1, 3, 2, 1))[0](depth, scope)
        if loop and self.chance(0.05):
            self.leave(depth, scope)

    def block(self, depth: int, scope: Scope, loop: bool, length: int) -> None:
        known = {*scope.scalars, *scope.vectors}
        for _ in range(length):
            self.statement(depth, scope, loop)
        fresh = [name for name in (*scope.scalars, *scope.vectors) if name not in known]
        if fresh and (depth == 0 or self.chance(0.5)):
            self.use(depth, scope, fresh)

    def use(self, depth: int, scope: Scope, fresh: list[str]) -> None:
        """So that results depend on what was made."""
        for name in fresh[-2:]:
            value = f"np.sum(np.tanh({name})) / n" if name in scope.vectors else f"np.sin({name})"
            target = self.one(["s", "s", f"{self.one(['x', 'y'])}[{self.index(scope)}]"])
            self.line(depth, f"{target} = 0.7 * {target} + 0.3 * {value}")

    def program(self) -> str:
        scope = Scope(["b", "a", "s"], ["y", "x"], ["A"], numbers=["count"])
        for text in ("n = len(x)", "count = 0", self.one(["s = a", "s = 0.0", "s = a * b"])):
            self.line(0, text)
        first = self.random.choice((self.branch, self.for_loop, self.while_loop))
        first(0, scope, False) if first == self.branch else first(0, scope)
        self.block(0, scope, False, self.random.randint(2, 7))
        return "\n".join(["def program(x, y, A, a, b):", *self.lines, f"    {RESULT}", ""])


def arguments(size: int, seed: int) -> tuple[Any, ...]:
    random = np.random.default_rng([seed, size])
    arrays = (random.uniform(-1, 1, size=shape) for shape in (size, size, (size, size + 1)))
    return (*arrays, float(random.uniform(0.2, 0.9)), float(random.uniform(-0.9, -0.2)))


def compiled(source: str, name: str) -> Callable[..., Any]:
    """The function of the source, which ``linecache`` has."""
    whole = f"import numpy as np\n{HELPERS}\n\n{source}"
    linecache.cache[name] = (len(whole), None, whole.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"__name__": name}
    exec(compile(whole, name, "exec"), scope)
    return scope["program"]


def is_good(source: str, seed: int) -> bool:
    """Whether it runs at all sizes with numbers of moderate size."""
    function = compiled(source, "<drawn>")
    try:
        for size in SIZES:
            for which in (seed, seed + 1):
                with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
                    warnings.simplefilter("error")
                    found = function(*arguments(size, which))
                if not all(np.all(np.abs(part) < LARGEST) for part in found):
                    return False
    except (ArithmeticError, LookupError, ValueError, UnboundLocalError):
        return False
    return True


def drawn(seed: int) -> str:
    """The source of the program number ``seed``."""
    attempts = (Writer(f"{seed}/{attempt}").program() for attempt in range(1000))
    return next(source for source in attempts if is_good(source, seed))


def program_of(seed: int) -> Callable[..., Any]:
    return compiled(drawn(seed), f"<random control program {seed}>")
