"""Random programs that mix constructs: objects, lists, branches, draws, conversions, loops.

A program is drawn by a seeded generator from the tables of `mixed_grammar`, and drawn again where
Python does not run it with all arguments, or gives numbers that are not of moderate size.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import io
import linecache
import random
import re
import warnings
from typing import Any

import numpy as np

from programs import mixed_grammar as grammar
from programs.harness import copied

HOLE = re.compile(r"<([+=*]?)([a-zA-Z])(\d?)(?::(\w))?>")
KINDS = "svAlrdqogin"
LARGEST = 40.0
SETS = ((4, 2), (6, 3), (4, 5))
"""The size of arrays, and the integer argument."""
SINGLE = 0.15
"""How many programs have arguments in single precision."""
DEPTHS = (0, 1, 1, 1, 2)
"""Of expressions within expressions."""
OPENING = ("new list", "new rows", "dict", "deque", "object", "closure")
RESULTS = (
    "<s>", "<s>", "<v> * 1.0", "<=v>", "<=l>", "<=r>", "<=d>", "list(<=q>)", "<i>", "<c>", "(<s>, n)",
    "<=o>.history", "<=o>.level", "<A> * 0.5", "[<s>, <s>]", "{'u': <s>, 'v': <v>}", "len(<=l>)",
)  # fmt: skip

Scope = dict[str, list[str]]


class MissingError(Exception):
    """A hole asks for a name of which there is none."""


OPERATORS = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda, ast.UnaryOp)


def bracketed(text: str) -> str:
    """The expression as it can stand within any other."""
    return f"({text})" if isinstance(ast.parse(text, mode="eval").body, OPERATORS) else text


class Writer:
    """Writes one program."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        self.made = 0
        self.used: collections.Counter[str] = collections.Counter()
        self.by_kind: dict[str, list[str]] = collections.defaultdict(list)
        for family, (kind, *_) in grammar.EXPRESSIONS.items():
            self.by_kind[kind].append(family)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # --- expressions

    def name(self, kind: str, scope: Scope) -> str:
        """A name of that kind that can be seen, rather a late one."""
        names = scope.get(kind)
        if not names:
            raise MissingError(kind)
        return names[-1 - min(int(self.random.expovariate(0.5)), len(names) - 1)]

    def expression(self, kind: str, scope: Scope, depth: int) -> str:
        if kind == "h":
            return self.random.choice(grammar.THRESHOLDS)
        if kind == "w":
            return self.random.choice(grammar.FACTORS)
        for _ in range(20):
            with contextlib.suppress(MissingError):
                return self.drawn(kind, scope, depth)
        raise MissingError(kind)

    def drawn(self, kind: str, scope: Scope, depth: int) -> str:
        families = self.by_kind[kind]
        if depth <= 0 or not families or self.chance(0.15):
            return self.filled(self.random.choice(grammar.ATOMS[kind]), scope, depth - 1, {})
        family = self.random.choice(families)
        text = self.random.choice(grammar.EXPRESSIONS[family][1:])
        found = self.filled(text, scope, depth - 1, {})
        self.used[family] += 1
        return found

    def filled(self, text: str, scope: Scope, depth: int, known: dict[str, str]) -> str:
        """The text with its holes filled; ``known`` are the numbered ones."""

        def fill(match: re.Match[str]) -> str:
            sort, kind, number, variable = match.groups()
            if number and kind + number in known:
                return known[kind + number]
            if sort in ("+", "*"):
                self.made += 1
                found = f"{kind}{self.made}"
            elif sort == "=":
                found = self.name(kind, scope)
            else:
                inner = {**scope, "s": [*scope.get("s", ()), variable]} if variable else scope
                found = self.expression(kind, inner, depth)
                found = bracketed(found)
            if number:
                known[kind + number] = found
            return found

        return HOLE.sub(fill, text)

    # --- statements

    def statement(self, scope: Scope, indent: int, depth: int, families: Any = None) -> list[str]:
        """The lines of one statement; what it makes is added to the scope."""
        for _ in range(50):
            family = self.random.choice(list(families or grammar.STATEMENTS))
            text = self.random.choice(grammar.STATEMENTS[family])
            if depth <= 0 and ("<block>" in text or "<jumps>" in text):
                continue
            with contextlib.suppress(MissingError):
                lines = self.lines(text, scope, indent, depth)
                self.used[family] += 1
                return lines
        return ["    " * indent + "pass"]

    def lines(self, text: str, scope: Scope, indent: int, depth: int) -> list[str]:
        known: dict[str, str] = {}
        scopes, found = {0: scope}, []
        for line in text.split("\n"):
            level = (len(line) - len(line.lstrip())) // 4
            here = scopes[level]
            inner = scopes[level + 1] = {kind: list(names) for kind, names in here.items()}
            word = line.strip()
            if word == "<block>":
                found += self.block(here, indent + level, depth - 1, self.random.randint(1, 2))
            elif word == "<jumps>":
                found += self.looped(here, indent + level, depth - 1)
            elif word == "<return>":
                found.append("    " * (indent + level) + self.result(here))
            else:
                depth_here = self.random.choice(DEPTHS)
                found.append(
                    "    " * (indent + level) + self.filled(word, here, depth_here, known)
                )
                for sort, kind, number, _ in HOLE.findall(line):
                    name = known.get(kind + number)
                    if sort == "+" and name not in here[kind]:
                        here[kind].append(name)
                    if sort in ("+", "*") and name not in inner[kind]:
                        inner[kind].append(name)
        return found

    def block(self, scope: Scope, indent: int, depth: int, length: int) -> list[str]:
        return [line for _ in range(length) for line in self.statement(scope, indent, depth)]

    def looped(self, scope: Scope, indent: int, depth: int) -> list[str]:
        """The body of a loop."""
        found = self.block(scope, indent, depth, self.random.randint(1, 2))
        if self.chance(0.4):
            found += self.lines(self.random.choice(grammar.JUMPS), scope, indent, depth)
        return found + self.block(scope, indent, depth, 1)

    def result(self, scope: Scope) -> str:
        found = []
        while len(found) < 3:
            with contextlib.suppress(MissingError):
                found.append(self.filled(self.random.choice(RESULTS), scope, 1, {}))
        return f"return {', '.join(found)}"

    # --- the whole

    def program(self) -> str:
        scope: Scope = {kind: [] for kind in KINDS}
        scope.update(s=["b", "a"], v=["y", "x"], A=["A"])
        lines = ["    n = len(x)", "    held = HELD"]
        if self.chance(0.5):
            scope["o"].append("held")
        for family in self.random.sample(OPENING, self.random.randint(1, 3)):
            lines += self.statement(scope, 1, 1, [family])
        for _ in range(self.random.randint(2, 5)):
            lines += self.statement(scope, 1, 2)
        if self.chance(0.3):
            lines += self.lines(self.random.choice(grammar.EARLY), scope, 1, 1)
            lines += self.block(scope, 1, 2, 2)
            self.used["early return"] += 1
        lines.append("    " + self.result(scope))
        return "\n".join(["def program(x, y, A, a, b, k):", *lines, ""])

    def module(self) -> str:
        around = self.filled(grammar.FUNCTIONS + grammar.CLASSES, {}, 0, {})
        return f"{grammar.PRELUDE}{around}\n\n{self.program()}\n{grammar.TOTAL}"


def arguments(number: int, which: int) -> tuple[Any, ...]:
    """The arguments of a program, of one of `SETS`."""
    size, k = SETS[which]
    generator = np.random.default_rng([number, which])
    shapes = (size, size, (size, size + 1))
    dtype = np.float32 if is_single(number) else np.float64
    arrays = (generator.uniform(-1, 1, size=shape).astype(dtype) for shape in shapes)
    ends = ((0.2, 0.9), (-0.9, -0.2)) if which % 2 == 0 else ((-0.8, 0.1), (0.1, 0.9))
    return (*arrays, *(float(generator.uniform(*end)) for end in ends), k)


def is_single(number: int) -> bool:
    return random.Random(f"single {number}").random() < SINGLE


def loaded(source: str, name: str) -> dict[str, Any]:
    """The names of the module of the source, which ``linecache`` has."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": f"mixed_{abs(hash(name))}"}
    exec(compile(source, name, "exec", dont_inherit=True), names)
    return names


def numbers_of(value: Any) -> list[float]:
    """All numbers in a result."""
    if isinstance(value, dict):
        return [e for part in value.values() for e in numbers_of(part)]
    if isinstance(value, (list, tuple)):
        return [e for part in value for e in numbers_of(part)]
    return np.ravel(np.asarray(value, float)).tolist()


def is_good(source: str, number: int) -> bool:
    """Whether Python runs it with all arguments and numbers of moderate size."""
    names = loaded(source, "<drawn>")
    try:
        for which in range(len(SETS)):
            with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
                warnings.simplefilter("error")
                names["reset"]()
                with contextlib.redirect_stdout(io.StringIO()):
                    found = names["program"](*copied(arguments(number, which)))
                    names["reset"]()
                    names["loss"](*copied(arguments(number, which)))
            if not np.all(np.abs(numbers_of(found)) < LARGEST):
                return False
    except (ArithmeticError, LookupError, ValueError, TypeError, NameError, AttributeError):
        return False
    except (Warning, RecursionError, StopIteration):
        return False
    return True


def drawn(number: int) -> tuple[str, collections.Counter[str]]:
    """The source of the program of this number, and how often it uses which family."""
    for attempt in range(10_000):
        writer = Writer(f"{number}/{attempt}")
        source = writer.module()
        if is_good(source, number):
            return source, writer.used
    raise AssertionError(f"no program {number}")
