"""Random functions made of loops, conditions and jumps; what decides is drawn from outside."""

from __future__ import annotations

import linecache
import random


class Writer:
    """Writes the lines of one function.

    ``handlers`` says whether there may be ``try``, ``match`` and errors in it.
    """

    def __init__(self, seed, *, handlers=True):
        self.random = random.Random(seed)
        self.handlers = handlers
        self.lines = ["def f(a, b):"]
        self.count = 0

    def text(self):
        """The source of ``f(a, b)``, which calls ``flip()`` and ``note(value)``."""
        self.block(1, 4, loops=0, last=False)
        return "\n".join(self.lines) + "\n"

    def write(self, depth, line):
        self.lines.append("    " * depth + line)

    def variable(self):
        return self.random.choice("abcd")

    def value(self):
        v, w, n = self.variable(), self.variable(), self.random.randrange(5)
        return self.random.choice(
            [f"note({n})", v, f"{v} + {n}", f"note({v} * 2 + {w})", f"{n} if flip() else note(1)"]
        )

    def condition(self):
        return self.random.choice(
            ["flip()", "not flip()", "flip() and flip()", "flip() or flip()", "0 < note(a) < 4"]
        )

    def block(self, depth, size, *, loops, last=True):
        """Some statements; nothing but the end of a block may be a jump, but now and then."""
        for place in range(self.random.randint(1, size)):
            self.statement(depth, loops)
            if place and self.random.random() < 0.08:
                self.jump(depth, loops)
        if last and self.random.random() < 0.4:
            self.jump(depth, loops)

    def jump(self, depth, loops):
        jumps = ["return", f"return {self.value()}"]
        if loops:
            jumps += ["break", "continue"] * 2
        if self.handlers:
            jumps.append("raise KeyError(note(9))")
        self.write(depth, self.random.choice(jumps))

    def statement(self, depth, loops):
        kinds = ["assign", "assign", "augment", "note"]
        if depth < 4:
            kinds += ["if_", "if_", "if_", "for_", "while_", "with_"]
        if depth < 4 and self.handlers:
            kinds += ["try_", "try_", "match_", "define", "delete"]
        getattr(self, self.random.choice(kinds))(depth, loops)

    def assign(self, depth, loops):
        self.write(depth, f"{self.variable()} = {self.value()}")

    def augment(self, depth, loops):
        self.write(depth, f"{self.variable()} += {self.value()}")

    def note(self, depth, loops):
        self.write(depth, f"note({self.variable()})")

    def delete(self, depth, loops):
        self.write(depth, f"del {self.variable()}")

    def if_(self, depth, loops):
        self.write(depth, f"if {self.condition()}:")
        self.block(depth + 1, 2, loops=loops)
        for word in ("elif", "else"):
            if self.random.random() < 0.4:
                self.write(depth, "else:" if word == "else" else f"elif {self.condition()}:")
                self.block(depth + 1, 2, loops=loops)

    def for_(self, depth, loops):
        targets = [f"i{depth}", self.variable()]
        self.write(depth, f"for {self.random.choice(targets)} in range({self.value()} % 4):")
        self.trips(depth, loops)

    def while_(self, depth, loops):
        self.write(depth, f"while {self.condition()} and flip():")
        self.trips(depth, loops)

    def trips(self, depth, loops):
        self.block(depth + 1, 3, loops=loops + 1)
        if self.random.random() < 0.4:
            self.write(depth, "else:")
            self.block(depth + 1, 2, loops=loops)

    def with_(self, depth, loops):
        swallows = self.handlers and self.random.random() < 0.3
        self.write(depth, f"with manager({swallows}){self.random.choice(['', ' as d'])}:")
        self.block(depth + 1, 2, loops=loops)

    def try_(self, depth, loops):
        self.write(depth, "try:")
        self.block(depth + 1, 2, loops=loops)
        handled = self.random.random() < 0.7
        if handled:
            self.write(depth, f"except {self.random.choice(['KeyError', 'Exception'])} as d:")
            self.block(depth + 1, 2, loops=loops)
            if self.random.random() < 0.4:
                self.write(depth, "else:")
                self.block(depth + 1, 2, loops=loops)
        if not handled or self.random.random() < 0.4:
            self.write(depth, "finally:")
            self.block(depth + 1, 2, loops=loops)

    def match_(self, depth, loops):
        self.write(depth, f"match {self.value()}:")
        self.write(depth + 1, f"case {self.random.randrange(4)}:")
        self.block(depth + 2, 2, loops=loops)
        self.write(depth + 1, "case c if flip():")
        self.block(depth + 2, 2, loops=loops)

    def define(self, depth, loops):
        self.write(depth, f"def inner(b, c={self.value()}):")
        self.block(depth + 1, 3, loops=0)
        self.write(depth, f"{self.variable()} = inner({self.value()})")


class Exhausted(BaseException):
    """The function has asked too often."""


class World:
    """What the function is decided by, and what it has done."""

    def __init__(self, seed, asked=150):
        self.random = random.Random(seed)
        self.left = asked
        self.log = []

    def ask(self):
        self.left -= 1
        if self.left < 0:
            raise Exhausted

    def flip(self):
        self.ask()
        return self.random.random() < 0.4

    def note(self, value):
        self.ask()
        self.log.append(value)
        return value

    def manager(self, swallows):
        return Manager(self, swallows)


class Manager:
    def __init__(self, world, swallows):
        self.world, self.swallows = world, swallows

    def __enter__(self):
        self.world.log.append("enter")
        return 5

    def __exit__(self, kind, error, traceback):
        self.world.log.append(("exit", kind))
        return self.swallows and issubclass(kind or int, Exception)


class Names(dict):
    """The function's globals: they look up what it calls in the world of the moment."""

    def __init__(self, world=None):
        super().__init__(__name__="__main__")
        self.enter(world)

    def enter(self, world):
        for name in ("flip", "note", "manager"):
            self[name] = getattr(world, name, None)


def compiled(text, number):
    """The function of a text, and its globals."""
    file = f"<jumps {number}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = Names()
    exec(compile(text, file, "exec", dont_inherit=True), names)
    return names["f"], names
