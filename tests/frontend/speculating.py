"""A runtime that takes both ways of every ``if``, as tracing does, and goes on with the right one.

What a function returns is then as before only if nothing but values decides where it goes on.
"""

from __future__ import annotations

import sys

from frontend.random_jumps import Writer
from frontend.recording import BoundRecorder, Recorder
from gradsmith.frontend.unsettled import is_undefined


class Decision:
    """A condition of which the runtime is not to know how it ends."""

    def __init__(self, value):
        self.value = bool(value)

    def __bool__(self):
        return self.value


class Missing:
    """The value of a variable that has none, which the way not taken may use."""

    def __add__(self, other):
        return self

    __radd__ = __mul__ = __rmul__ = __mod__ = __add__


class Speculator(Recorder):
    def for_function(self, function, /):
        return BoundSpeculator(self, function)


class BoundSpeculator(BoundRecorder):
    def branching(self, condition, names, /):
        if isinstance(condition, Decision):
            return Speculation(condition.value, names)
        return super().branching(condition, names)

    def branch_chain(self, condition, names, count, /):
        return ChainSpeculation(condition, names, count)

    def bound(self, name, value, outside, /):
        return Missing() if is_undefined(value) else super().bound(name, value, outside)

    def negate(self, value, /):
        return Decision(not value) if isinstance(value, Decision) else not value


class ChainSpeculation:
    """Both ways of every condition that is a `Decision`, in a chain."""

    traced = True
    failure = ()

    def __init__(self, condition, names, count):
        self.condition, self.names, self.count = condition, names, count
        self.resets, self.values = False, []

    def ask(self, condition, /):
        self.condition = condition

    def state(self):
        return self.values

    def __iter__(self):
        frame = sys._getframe(1)
        self.values = yield from self.taken(frame, 0)

    def variables(self, frame):
        return [frame.f_locals.get(name, Missing()) for name in self.names]

    def taken(self, frame, place):
        condition, before = self.condition, self.variables(frame)
        ends = {}
        ways = (True, False) if isinstance(condition, Decision) else (bool(condition),)
        for way in ways:
            self.values, self.resets = before, True
            yield 2 * place + (not way)
            goes_on = not way and place + 1 < self.count
            ends[way] = (yield from self.taken(frame, place + 1)) if goes_on else None
            if ends[way] is None:
                ends[way] = self.variables(frame)
        return joined(ends, bool(condition))


def joined(ends, truth):
    """The variables after the ways of a condition, of which that of ``truth`` is taken."""
    if len(ends) == 1:
        return ends[truth]
    return [
        Decision(chosen) if isinstance(chosen, bool) and chosen is not other else chosen
        for chosen, other in zip(ends[truth], ends[not truth], strict=True)
    ]


class Speculation:
    traced = True
    failure = ()

    def __init__(self, condition, names):
        self.condition, self.names, self.resets, self.values = condition, names, False, []

    def variables(self):
        found = sys._getframe(2).f_locals
        return [found.get(name, Missing()) for name in self.names]

    def __iter__(self):
        before = self.variables()
        ends = {}
        for way in (True, False):
            self.values = before
            yield way
            ends[way] = self.variables()
            self.resets = True
        self.values = joined(ends, self.condition)

    def state(self):
        return self.values


class PureWriter(Writer):
    """Functions that do nothing but compute with small numbers."""

    def __init__(self, seed):
        super().__init__(seed, handlers=False)
        self.lines += ["    c = a + b", "    d = b"]

    def value(self):
        v, w, n = self.variable(), self.variable(), self.random.randrange(5)
        return self.random.choice([f"{n}", f"({v} + {n}) % 7", f"({v} * 2 + {w} + {n}) % 7"])

    def condition(self):
        v, n = self.variable(), self.random.randrange(3)
        conditions = [f"{v} % 3 == {n}", f"not {v} % 2", f"{n} <= {v} < 4"]
        return f"decide({self.random.choice(conditions)})"

    def while_(self, depth, loops):
        self.count += 1
        counter = f"k{self.count}"
        self.write(depth, f"{counter} = 0")
        self.write(depth, f"while {counter} < 3 and {self.condition()}.value:")
        self.write(depth + 1, f"{counter} += 1")
        self.trips(depth, loops)
