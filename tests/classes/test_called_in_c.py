"""Methods of objects that C code calls, which decide by a number and change the object, on a path
that a traced number decides, and in a loop.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import heapq
import itertools
import math
import operator

import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

CALLS = [(2.5, 3), (0.7, 4), (1.3, 0), (-0.5, 2), (2.5, 1)]


class Value:
    """Each method takes note that it is called."""

    def __init__(self, v, log):
        self.v, self.log = v, log

    def note(self):
        if self.v > 1.0:
            self.log.append(1.0)
        else:
            self.log.append(self.v)
            self.log.append(-1.0)

    def made(self, v):
        self.note()
        return Value(v, self.log)

    def _of(self, other):
        return other.v if isinstance(other, Value) else other

    def __add__(self, other):
        return self.made(self.v + self._of(other) if self.v > 1.0 else 0.25)

    __radd__ = __add__

    def __mul__(self, other):
        return self.made(self.v * self._of(other) if self.v > 1.0 else self.v)

    __rmul__ = __mul__

    def __iadd__(self, other):
        self.note()
        if self.v > 1.0:
            self.v = self.v + self._of(other)
        return self

    def __neg__(self):
        return self.made(-self.v if self.v > 1.0 else 0.25)

    def __abs__(self):
        return self.made(abs(self.v) if self.v > 1.0 else 0.25)

    def __lt__(self, other):
        self.note()
        return self.v < self._of(other)

    def __len__(self):
        self.note()
        return 3 if self.v > 1.0 else 2

    def __int__(self):
        self.note()
        return 30 if self.v > 1.0 else 2

    def __float__(self):
        self.note()
        return self.v * 2.0 if self.v > 1.0 else self.v

    def __iter__(self):
        self.note()
        return iter([self.v, self.v * 2.0] if self.v > 1.0 else [self.v])

    def __getitem__(self, key):
        self.note()
        return self.v * 2.0 if self.v > 1.0 else self.v

    def __bytes__(self):
        self.note()
        return b"abc" if self.v > 1.0 else b"d"

    def __copy__(self):
        return self.made(self.v * 3.0)

    def __deepcopy__(self, memo):
        return self.made(self.v * 3.0)

    def doubled(self, by=2.0):
        self.note()
        return self.v * by if self.v > 1.0 else self.v

    @property
    def part(self):
        self.note()
        return self.v * 2.0 if self.v > 1.0 else self.v


@dataclasses.dataclass
class Holder:
    a: object


class Steps:
    def __init__(self, v, log):
        self.v, self.log = v, log

    def __iter__(self):
        self.log.append(1.0)
        return self

    def __next__(self):
        if self.v > 0.4:
            self.v = self.v - 1.0
            self.log.append(2.0)
            return self.v
        raise StopIteration


NAMES = {
    module.__name__: module
    for module in (collections, copy, dataclasses, functools, heapq, itertools, math, operator)
} | {known.__name__: known for known in (Value, Holder, Steps)}


@each(
    "expression",
    [
        "sum([o, p, q]).v",
        "sum(a for a in (o, p)).v",
        "sum(map(lambda a: a, [o, p]), q).v",
        "math.prod([o, p, q]).v",
        "list(itertools.accumulate([o, p, q]))[-1].v",
        "list(itertools.accumulate([o, p, q], operator.mul))[-1].v",
        "list(itertools.starmap(operator.add, [(o, p), (p, q)]))[1].v",
        "functools.reduce(operator.iadd, [o, p, q]).v",
        "operator.abs(o).v",
        "list(map(operator.neg, [o, p]))[1].v",
        "float(operator.length_hint(o))",
        "heapq.nsmallest(2, [o, p, q])[1].v",
        "heapq.nlargest(1, [o, p, q])[0].v",
        "heapq.nsmallest(2, [x, 0.4, 1.1], key=lambda v: Value(v, log))[1]",
        "sum(a * b for a, b in itertools.product(o, p))",
        "sum(a for a, *b in itertools.permutations(o))",
        "sum(itertools.islice(itertools.cycle(o), 4))",
        "sum(itertools.chain(Steps(x, log), o))",
        "sum(a * b for a, b in zip(Steps(x, log), p))",
        "float(len(bytes(o)))",
        "float(len('%d' % o))",
        "float(len('%5d %s' % (o, 'a')))",
        "copy.copy(o).v",
        "copy.deepcopy([o, p])[1].v",
        "dataclasses.asdict(Holder(o))['a'].v",
        "operator.attrgetter('part')(o)",
        "sum(operator.attrgetter('part', 'v')(o))",
        "operator.attrgetter('a.part')(Holder(o))",
        "sum(map(operator.attrgetter('part'), [o, p]))",
        "min([o, p, q], key=operator.attrgetter('part')).v",
        "operator.itemgetter(1)(o)",
        "sum(operator.itemgetter(1, 2)(o))",
        "operator.methodcaller('doubled')(o)",
        "operator.methodcaller('doubled', by=x)(o)",
        "sum(map(operator.methodcaller('doubled', 3.0), [o, p]))",
        "sum(map(float, [o, p, q]))",
    ],
)
def test_methods(expression):
    body = (
        "log = [0.0]\n"
        "o, p, q = Value(x, log), Value(1.53 - x, log), Value(0.5, log)\n"
        "r = 0.0\n"
        f"if x > 1.2:\n    r = {expression}\n"
        f"for i in range(n):\n    if x > 0.4 * i:\n        r += {expression}\n"
        "return r * x + sum(log) + 10.0 * len(log)"
    )
    check_calls(function_of(body, "x, n", **NAMES), *CALLS)


class Base:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        self.v = self.v + other
        return self.v

    def __iter__(self):
        return iter([self.v])


class Derived(Base):
    def __add__(self, other):
        return super().__add__(other) * 2.0

    def __radd__(self, other):
        return self + other


def test_the_functions_own_view_of_methods():
    """What the function reads of a class is what the user has written."""

    def f(x, n):
        o = Derived(x)
        alone = Base.__add__(o, 1.0) + vars(Derived)["__add__"](o, 2.0) + sum([o], x)
        names = [Base.__add__.__name__, Derived.__add__.__qualname__, o.__add__.__func__.__name__]
        same = Derived.__iter__ is Base.__iter__, super(Derived, o).__add__.__func__
        return alone, names, same[0], same[1] is Base.__add__, Base.__add__.__defaults__

    own = dict(vars(Base)), dict(vars(Derived))
    check_calls(f, *CALLS)
    assert own == (dict(vars(Base)), dict(vars(Derived)))


def test_outside_state_is_left_alone_by_derivatives():
    total = Derived(1.0)

    def f(x, n):
        return sum([total], x) * x if x > 1.0 else x

    with pytest.warns(gs.errors.TraceTimeEffectWarning):
        assert gs.grad(f)(2.0, 1) == 10.0
    assert total.v == 1.0
    compiled = gs.compile(f)
    assert (compiled(0.5, 1), total.v) == (0.5, 1.0)
    assert (compiled(2.0, 1), total.v) == (12.0, 3.0)


class Noted:
    """Asks another object, whose methods have effects."""

    def __init__(self, v, held):
        self.v, self.held = v, held

    def __bool__(self):
        return self.held.doubled() > 1.0

    def __eq__(self, other):
        return self.held.doubled() == other.v

    def __len__(self):
        return 2 if self.held.doubled() > 1.0 else 3

    __hash__ = None


@each(
    "expression",
    [
        "len(list(filter(None, [o, o])))",
        "collections.deque([o, o]).count(Noted(1.0, q))",
        "operator.length_hint(o)",
        "{'a': o} == {'a': Noted(1.0, q)}",
        "len([k for k, g in itertools.groupby([o, o])])",
    ],
)
def test_effects_of_other_objects(expression):
    body = (
        "log = [0.0]\n"
        "q = Value(x, log)\n"
        "o, r = Noted(x, q), 0.0\n"
        f"if x > 1.2:\n    r = float({expression})\n"
        "return r * x + sum(log) + 10.0 * len(log)"
    )
    check_calls(function_of(body, "x, n", **NAMES, Noted=Noted), *CALLS)


class Asked:
    """An object that is called, and counts how often it is asked for its hash."""

    def __init__(self, v):
        self.v, self.asked = v, 0

    def __hash__(self):
        self.asked += 1
        return 1

    def __eq__(self, other):
        self.asked += 1
        return self is other

    def __call__(self, value=1.0):
        return self.v * value if value > 0.5 else value


def test_objects_that_are_called_are_not_looked_up():
    def f(x, n):
        o = Asked(x)
        made = o(x) + sum(map(o, [x, 0.25])) + functools.partial(o, x)()
        return made + functools.reduce(lambda a, b: a * o(b), [x, 0.4, 0.7]), o.asked

    check_calls(f, *CALLS)


def test_default_items_of_counters():
    def f(x, n):
        made = collections.defaultdict(lambda: Value(x, []))
        if x > 1.0:
            made["a"] += 1.0
        return made["a"].v * x

    check_calls(f, *CALLS)
