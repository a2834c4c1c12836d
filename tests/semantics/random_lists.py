"""Random programs over lists of numbers, lists, dicts, objects and arrays.

They make lists (literals, comprehensions, loops that append), give elements other names, write to
them, copy lists and elements, pass them to helpers, and ask which objects are the same.
"""

from __future__ import annotations

import random
import re

from semantics.list_elements import PRELUDE

ARGUMENTS = "x, y, n"
HELPERS = """

def bump(row, value):
    row[0] += value


def put(row, value):
    row["v"] = value
"""

READS = {
    "number": ["{}"],
    "list": ["{}[0]", "{}[1]"],
    "array": ["{}[0]", "{}[1]"],
    "row": ["{}[0]", "{}[n - 1]", "{}[1]"],
    "dict": ['{}["v"]', '{}["w"]'],
    "nested": ["{}[0]", "{}[1][0]", "{}[1][1]"],
    "node": ["{}.v", "{}.w"],
    "cell": ["{}.v", "{}.w"],
    "slotted": ["{}.v", "{}.w"],
}
"""For each kind of element how numbers in it are written."""
MADE = {
    "number": "{0}",
    "list": "[{0}, {1}]",
    "array": "np.array([{0}, {1}])",
    "row": "[{0}] * n",
    "dict": '{{"v": {0}, "w": {1}}}',
    "nested": "[{0}, [{1}, x]]",
    "node": "Node({0}, {1})",
    "cell": "Cell({0})",
    "slotted": "Slotted({0})",
}
COPIES = {
    "number": "q",
    "list": "list(q)",
    "array": "q.copy()",
    "row": "q[:]",
    "dict": "dict(q)",
    "nested": "[q[0], list(q[1])]",
    "node": "copy.copy(q)",
    "cell": "copy.copy(q)",
    "slotted": "copy.copy(q)",
}
LISTS_COPIED = (
    "list({0})", "{0}[:]", "{0}.copy()", "[*{0}]", "copy.deepcopy({0})", "[q for q in {0}]",
    "{0} + {0}", "copy.copy({0})", "{0}[1:] + {0}[:2]", "list(reversed({0}))",
)  # fmt: skip


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 1
        self.lists: dict[str, str] = {}
        self.elements: dict[str, str] = {}
        self.numbers: list[str] = []
        self.made = 0

    def pick(self, choices):
        return self.random.choice(list(choices))

    def chance(self, probability):
        return self.random.random() < probability

    def name(self, letter):
        self.made += 1
        return f"{letter}{self.made}"

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    # -- expressions

    def number(self, index=None):
        known = ["x", "y", "x * y", f"{self.random.randint(1, 9) / 4}", *self.numbers]
        known += [f"x * {index}", f"({index} + 1.5)"] if index else []
        first, second = self.pick(known), self.pick(known)
        return f"({first} {self.pick('+-*')} {second})" if self.chance(0.3) else first

    def element(self, index=None, kind=None):
        """An element of some list, by its place or by a name, and its kind."""
        places = ["0", "1", "-1", "2", "n - 1", "n // 2", *([index] * 3 if index else [])]
        found = [(f"{t}[{self.pick(places)}]", k) for t, k in self.lists.items()] * 2
        found += list(self.elements.items())
        found = [(text, k) for text, k in found if kind in (None, k)]
        return self.pick(found) if found else (None, None)

    def read(self, index=None):
        text, kind = self.element(index)
        return "x" if text is None else self.pick(READS[kind]).format(text)

    def new(self, kind, index=None):
        return MADE[kind].format(self.number(index), self.number(index))

    # -- statements

    def write(self, index=None):
        text, kind = self.element(index)
        if text is None or (kind == "number" and text in self.elements):
            return
        value = self.number(index)
        if self.chance(0.4):
            value = f"{self.read(index)} * 0.5 + {value}"
        if self.chance(0.2) and kind in ("list", "array", "row"):
            self.line(f"bump({text}, {value})")
        elif self.chance(0.3) and kind == "dict":
            self.line(f"put({text}, {value})")
        else:
            target = self.pick(READS[kind]).format(text)
            self.line(f"{target} {self.pick(['=', '=', '+='])} {value}")

    def create(self):
        kind, name = self.pick(MADE), self.name("t")
        made = self.pick([self.comprehension, self.comprehension, self.shared, self.appended])
        made(name, kind)
        self.lists[name] = kind

    def comprehension(self, name, kind):
        self.line(f"{name} = [{self.new(kind, 'i')} for i in range(n)]")

    def shared(self, name, kind):
        one = self.name("r")
        self.line(f"{one} = {self.new(kind)}")
        self.line(f"{name} = " + self.pick([f"[{one} for _ in range(n)]", f"[{one}] * n"]))
        self.elements[one] = kind

    def appended(self, name, kind):
        """By a loop, in which the element may be one from outside, and written to."""
        one, outside = self.name("r"), self.chance(0.4)
        first = self.new(kind) if self.chance(0.5) else ""
        self.line(f"{name} = [{first}]")
        if outside:
            self.line(f"{one} = {self.new(kind)}")
        self.line("for i in range(n):")
        self.depth += 1
        if not outside:
            self.line(f"{one} = {self.new(kind, 'i')}")
        if first and self.chance(0.4):
            self.store(f"{name}[-1]", kind)
        if self.chance(0.5):
            self.store(one, kind)
        self.line(f"{name}.append({one})")
        if self.chance(0.4):
            self.store(one, kind)
        if self.chance(0.3):
            self.line(f"{one} = {self.new(kind, 'i')}")
        self.depth -= 1
        self.elements[one] = kind

    def store(self, text, kind):
        target = self.pick(READS[kind]).format(text)
        self.line(f"{target} {self.pick(['=', '+='])} {self.number('i')}")

    def alias(self):
        text, kind = self.element()
        name = self.name("r")
        self.line(f"{name} = " + self.pick(["{}", "same({})"]).format(text))
        self.elements[name] = kind

    def copied(self):
        one, kind = self.pick(self.lists.items())
        name = self.name("t")
        ways = [*LISTS_COPIED, f"[{COPIES[kind]} for q in {{0}}]"]
        self.line(f"{name} = " + self.pick(ways).format(one))
        self.lists[name] = kind

    def replaced(self):
        one, kind = self.pick(self.lists.items())
        text, _ = self.element(kind=kind)
        value = text if self.chance(0.5) else self.new(kind)
        self.line(self.pick([f"{one}[{self.pick('012')}] = {value}", f"{one}.append({value})"]))

    def compared(self):
        text, kind = self.element()
        if kind == "number":
            return
        other, _ = self.element(kind=kind)
        self.numbers.append(self.name("v"))
        self.line(f"{self.numbers[-1]} = x if {text} is {other} else y")

    def over_elements(self):
        one, kind = self.pick(self.lists.items())
        self.numbers.append(self.name("v"))
        total = self.numbers[-1]
        self.line(f"{total} = x")
        self.line(f"for q in {one}:")
        self.depth += 1
        for _ in range(self.random.randint(1, 3)):
            part = self.pick(READS[kind]).format("q")
            if self.chance(0.5) and kind != "number":
                self.line(f"{part} = {part} * 0.5 + {self.pick([total, 'x', 'y'])}")
            else:
                self.line(f"{total} = {total} * 0.5 + {part}")
        self.depth -= 1

    def over_range(self):
        self.line(self.pick(["for i in range(1, n):", "for i in range(n - 1, 0, -1):"]))
        self.depth += 1
        for _ in range(self.random.randint(1, 3)):
            if self.chance(0.25):
                self.line("if " + self.pick(["i > 2:", "x > y:"]))
                self.depth += 1
                self.line("pass")
                self.write("i")
                self.depth -= 1
            else:
                self.write("i")
        self.line("pass")
        self.depth -= 1

    def continued(self):
        """A further loop appends to a list, and reads what is there."""
        one, kind = self.pick(self.lists.items())
        self.line(
            self.pick(["for i in range(n):", "for i in range(3):", "for i in range(n - 2):"])
        )
        self.depth += 1
        if self.chance(0.3):
            self.write("i")
        place = self.pick(["-1", "-1", "-1", "-2", "0", "i", "i // 2", "len({0}) // 2"]).format(
            one
        )
        part = self.pick(READS[kind]).format(f"{one}[{place}]")
        value = MADE[kind].format(f"{part} * 0.5", self.number("i"))
        branch = self.chance(0.3)
        if branch:
            self.line(self.pick(["if i > 1:", "if x > y:", f"if {self.read('i')} > 1.0:"]))
        self.depth += branch
        self.line(f"{one}.append({value})")
        self.depth -= branch
        if self.chance(0.3):
            self.write("i")
        self.depth -= 1

    def history(self):
        """A list of copies of what the loop changes."""
        one, kind = self.pick(self.elements.items()) if self.elements else (None, "number")
        if kind == "number":
            return
        name = self.name("t")
        self.line(f"{name} = [{self.pick(['', one, one])}]")
        self.line("for i in range(n):")
        self.depth += 1
        if self.chance(0.8):
            self.store(one, kind)
        copied = re.sub(r"\bq\b", one, COPIES[kind])
        self.line(f"{name}.append({copied})")
        if self.chance(0.3):
            self.store(f"{name}[{self.pick(['-1', '0', 'i'])}]", kind)
        self.depth -= 1
        self.lists[name] = kind

    def exchanged(self):
        """Names that change places in a loop."""
        names = [name for name, kind in self.elements.items() if kind != "number"]
        pairs = [(a, b) for a in names for b in names if a < b]
        pairs = [(a, b) for a, b in pairs if self.elements[a] == self.elements[b]]
        if not pairs:
            return
        one, other = self.pick(pairs)
        self.line("for i in range(n):")
        self.depth += 1
        self.store(one, self.elements[one])
        part = self.pick(READS[self.elements[one]])
        self.line(f"{part.format(other)} += {part.format(one)} * 0.5")
        self.line(f"{one}, {other} = {other}, {one}")
        self.depth -= 1

    def program(self):
        """The text of a module."""
        steps = [self.create, self.write, self.write, self.alias, self.copied, self.replaced]
        steps += [self.compared, self.over_elements, self.over_range, self.over_range]
        steps += [self.continued, self.continued, self.history, self.exchanged]
        self.create()
        for _ in range(self.random.randint(3, 8)):
            self.pick(steps)()
        parts = [(t, self.pick(READS[k]).format("q")) for t, k in self.lists.items()]
        terms = [f"sum({part} for q in {t})" for t, part in parts]
        terms += [self.pick(READS[k]).format(name) for name, k in self.elements.items()]
        terms += [*self.numbers, self.read()]
        self.random.shuffle(terms)
        total = " + ".join(f"{place / 4 + 0.25} * {t}" for place, t in enumerate(terms[:7]))
        body = "\n".join([*self.lines, f"    return {total}"])
        return f"{PRELUDE}{HELPERS}\n\ndef f({ARGUMENTS}):\n{body}\n"
