"""Functions and methods that C code is given and calls: on a path that a traced number decides, in
a loop, and at the top of the function.
"""

import bisect
import collections
import contextlib
import dataclasses
import functools
import heapq
import io
import itertools
import operator
import sys

import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

CALLS = [(2.5, 3), (0.7, 4), (1.3, 0), (-0.5, 2), (2.5, 1)]


class Counter:
    """A method, a call and a close that decide by a number, and change the object."""

    def __init__(self):
        self.calls = 0
        self.last = 0.0

    def count(self, value=1.5, other=0.53):
        if value > 1.0:
            self.calls += 1
            self.last = value
            return value * 2.0 + other
        return value - other + self.calls

    __call__ = count

    def close(self):
        self.count(self.last + 2.0)


class Missing(dict):
    def __init__(self, call):
        super().__init__()
        self.call = call

    def __missing__(self, key):
        return self.call()


def added(items, key, value):
    items[key] += value
    items[key] += 1.0
    return items[key]


def sorted_into(values, value, call):
    bisect.insort(values, value, key=call)
    return values[1]


def closed(counter, value):
    with contextlib.closing(counter) as held:
        held.last = value
    return held.last


MODULES = (bisect, collections, contextlib, functools, heapq, itertools, operator)
NAMES = {module.__name__: module for module in MODULES} | {
    known.__name__: known for known in (Counter, Missing, added, sorted_into, closed)
}

KINDS = {
    "method": "counter = Counter()\ncall = counter.count",
    "object": "counter = Counter()\ncall = counter",
    "partial": "counter = Counter()\ncall = functools.partial(counter.count, other=0.27)",
    "closure": (
        "counter = Counter()\n"
        "calls = 0\n"
        "def call(value=x, other=0.53):\n"
        "    nonlocal calls\n"
        "    calls += 1\n"
        "    counter.calls = calls\n"
        "    return counter.count(value, other)"
    ),
}
CONTEXTS = {
    "branch": "r = 0.0\nif x > 1.2:\n    r = {}",
    "loop": "r = 0.0\nwhile r < x * 4.13:\n    r += 1.0 + abs({})",
}


def check_called(expression, kind, context):
    end = "return r * x + 10.0 * counter.calls + counter.last"
    body = "\n".join([KINDS[kind], CONTEXTS[context].format(expression), end])
    check_calls(function_of(body, "x, n", **NAMES), *CALLS)


VALUES = "[x, x + 1.0, 0.5 - x, 0.25]"
CALLED = [
    f"sum(itertools.accumulate({VALUES}, call))",
    f"list(itertools.accumulate({VALUES}, func=call, initial=0.5))[-1]",
    f"sum(itertools.takewhile(call, {VALUES}))",
    f"sum(itertools.dropwhile(lambda v: call(v) > 0.9, {VALUES}))",
    "float(len(list(itertools.filterfalse(call, [x, 1.0, 0.5]))))",
    f"sum(k + sum(g) for k, g in itertools.groupby({VALUES}, call))",
    f"float(len([k for k, g in itertools.groupby({VALUES}, key=call)]))",
    f"sum(itertools.starmap(call, zip({VALUES}, [1.0, x, 2.0])))",
    "float(len(list(itertools.islice(iter(call, 7.0), 3))))",
    "next(iter(call, 7.0))",
    "collections.defaultdict(call)['a']",
    "added(collections.defaultdict(call), 'a', x)",
    "operator.getitem(collections.defaultdict(call), 'a')",
    "operator.itemgetter('a')(collections.defaultdict(call))",
    "sum(map(collections.defaultdict(call).__getitem__, 'aba'))",
    "operator.itemgetter('a')(Missing(call))",
    "float(bisect.bisect_left([0.1, 0.4, 0.9, 2.0], x, key=call))",
    "float(bisect.bisect([0.1, 0.4, 0.9, 2.0], x, 1, key=call))",
    "sorted_into([0.1, 0.4, 0.9, 2.0], x, call)",
    f"sum(heapq.nsmallest(2, {VALUES}, key=call))",
    f"sum(heapq.nlargest(0, {VALUES}, key=call))",
    "closed(counter, x)",
    "call.__call__(x)",
    *(["operator.call(call, x)"] if hasattr(operator, "call") else []),
]


@each("context", CONTEXTS)
@each("expression", CALLED)
def test_methods(expression, context):
    check_called(expression, "method", context)


@each("kind", ["object", "partial", "closure"])
@each("expression", CALLED[::3])
def test_other_callables(expression, kind):
    check_called(expression, kind, "loop")


def test_factories_stay_what_they_are():
    def f(x, n):
        d = collections.defaultdict(list)
        e = collections.defaultdict(float, {"a": x})
        d["a"].append(x)
        e["b"] += n
        return d.default_factory is list, e.default_factory is float, d["a"][0] + e["a"] + e["b"]

    check_calls(f, *CALLS)


class Doubled(collections.defaultdict):
    """Reads and writes change what is stored."""

    def __getitem__(self, key):
        return super().__getitem__(key) * 2.0

    def __setitem__(self, key, value):
        super().__setitem__(key, value + 1.0)


SHARED = collections.defaultdict(Counter().count)


def test_factories_of_own_classes_and_from_outside():
    def f(x, n):
        d = Doubled(lambda: x)
        if x > 1.0:
            d["b"]
            d["c"] += x
        return d["a"] + sum(d.values()) + len(d)

    def g(x, n):
        r = 0.0
        for k in range(n):
            if x > 0.4 * k:
                r += SHARED[n] * x
        return r

    check_calls(f, *CALLS)
    check_calls(g, *CALLS)


def test_factories_of_fields():
    def f(x, n):
        counter, r = Counter(), 0.0
        made = dataclasses.make_dataclass(
            "Made", [("a", float, dataclasses.field(default_factory=counter))]
        )
        if x > 1.2:
            r = made().a
        return r * x + counter.calls

    check_calls(f, *CALLS)


class Written:
    """An object that takes what is printed."""

    def write(self, text):
        self.text = text


WRITTEN = Written()


def redirected(x):
    with contextlib.redirect_stdout(WRITTEN):
        print(x)
    return x


def replaced(x):
    kept, sys.stdout = sys.stdout, WRITTEN
    print(x)
    sys.stdout = kept
    return x


def on_a_stack(x):
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stderr(WRITTEN))
    return x


@each("function", [redirected, replaced, on_a_stack])
def test_output_to_own_objects_is_refused(function, monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with pytest.raises(gs.errors.UnsupportedError, match="object of the class Written"):
        gs.compile(function)(1.5)
