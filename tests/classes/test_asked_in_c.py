"""Special methods with effects that C code calls: hashes, comparisons, truths, lengths."""

# Functions and classes are written here as users write them, not as a linter would have them.

from __future__ import annotations

import functools
import math
from collections import Counter, defaultdict, deque

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls

LOG = []


class Key:
    count = 0

    def __init__(self, value, key=1):
        self.value = value
        self.key = key

    def __hash__(self):
        Key.count += 1
        LOG.append(("hash", self.key))
        return self.key

    def __eq__(self, other):
        LOG.append(("eq", self.key))
        return isinstance(other, Key) and self.key == other.key


class Near:
    """Objects of which a traced number decides whether they are equal."""

    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return 1

    def __eq__(self, other):
        print("eq")
        return abs(self.value - other.value) < 1

    def __bool__(self):
        LOG.append("bool")
        return bool(self.value > 1)


class Memoised:
    def __init__(self, key):
        self.key = key
        self.hash = None

    def __hash__(self):
        if self.hash is None:
            self.hash = hash(self.key)
        return self.hash

    def __eq__(self, other):
        return self.key == other.key


KNOWN = {Memoised(1): 2.0, Memoised(2): 3.0}
OUTSIDE = {}


def displays_and_lookups(x):
    d = {Key(x, 1): x, Key(x, 2): 2.0}
    s = {Key(x, 1), Key(2.0, 1), Key(3.0, 2)}
    s.discard(Key(x, 1))
    d.setdefault(Key(x, 1), 2.0)
    d[Key(x, 3)] = d.pop(Key(x, 2))
    merged = {**d} | {Key(x, 1): 2.0}
    return d[Key(x, 1)] * 2, Key(x, 5) in d, len(s), len(merged), Key.count


def in_branches_and_loops(x):
    d = {}
    for i in range(3):
        d[Key(x, i % 2)] = d.get(Key(x, i % 2), 0.0) + x
    if x > 1:
        d[Key(x, 0)] = 5.0 * x
    else:
        d[Key(x, 1)] = x
    return list(d.values()), Key.count


def containers_of_the_library(x):
    counts = Counter([Key(x, 1), Key(x, 1), Key(x, 2)])
    sums = defaultdict(float)
    sums[Key(x, 1)] += x
    queue = deque([Key(x, 1), Key(x, 2)])
    found = Key(x, 2) in queue, queue.index(Key(x, 2))
    equal = frozenset([Key(x, 1)]) == {Key(x, 1)}, [Key(x, 1)] == [Key(x, 1)]
    return list(counts.values()), list(sums.values()), found, equal


def decided_by_values(x):
    near = {Near(x), Near(2.0)}
    truths = [o.value for o in filter(None, [Near(x), Near(2.0)])]
    return len(near), Near(x) in {Near(3.0): 1}, truths, KNOWN[Memoised(1)] * x


class Sized:
    def __init__(self, *values):
        self.values = values

    def __iter__(self):
        LOG.append("iter")
        return iter(self.values)

    def __len__(self):
        LOG.append("len")
        return len(self.values)

    def __index__(self):
        LOG.append("index")
        return 1


def lengths_and_indices(x):
    s = Sized(x, 2.0)
    made = list(s), tuple(s), [*s], sorted(s), max(*s)
    return made, len({*s}), dict.fromkeys(s, x), sum(s), len(range(s)), "abc"[s], [x, 3.0][s]


@pytest.mark.parametrize(
    "fun",
    [
        lengths_and_indices,
        displays_and_lookups,
        in_branches_and_loops,
        containers_of_the_library,
        decided_by_values,
    ],
)
def test_methods_are_called_as_in_python(fun, capsys):
    compiled, own = gs.compile(fun), dict(vars(Key))
    for x in (2.0, 0.5, 2.0, 2.0):
        found = []
        for function in (fun, compiled):
            LOG.clear()
            Key.count = 0
            capsys.readouterr()
            found.append((function(x), list(LOG), Key.count, capsys.readouterr().out))
        assert found[0] == found[1]
    assert all(vars(Key)[name] is own[name] for name in own if name != "count")


@functools.total_ordering
class Ordered:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        LOG.append("eq")
        return self.value == other.value

    def __lt__(self, other):
        LOG.append("lt")
        return self.value < other.value

    __hash__ = None


def compares_objects(x):
    a, b = Ordered(x[0]), Ordered(x[1])
    return a < b, a <= b, a > b, a >= b, a != b, min(a, b).value


def test_methods_that_the_library_adds_give_the_class_of_the_users_own():
    compiled = gs.compile(compares_objects)
    for values in ([1.0, 2.0], [2.0, 1.0], [1.0, 1.0]):
        found = []
        for function in (compares_objects, compiled):
            LOG.clear()
            found.append((repr(function(np.array(values))), list(LOG)))
        assert found[0] == found[1]


def stores_outside(x):
    OUTSIDE[Key(x)] = x
    return x


@pytest.mark.parametrize("fun", [stores_outside, lambda x: {**OUTSIDE} and x])
def test_keys_outside_with_effects_are_refused(fun):
    OUTSIDE.clear()
    if fun is not stores_outside:
        OUTSIDE[Key(1.0)] = 1.0
    with pytest.raises(gs.GradsmithError, match="has effects"):
        gs.compile(fun)(2.0)


class Rounded:
    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return math.floor(self.value)

    def __eq__(self, other):
        return round(self.value) == round(other.value)


class Typed:
    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return hash(type(self.value).__name__)

    def __eq__(self, other):
        same = isinstance(other.value, float) and isinstance(self.value, float)
        return same and f"{self.value:.0f}" == f"{other.value:.0f}"

    def __bool__(self):
        return isinstance(self.value, int)


@pytest.mark.parametrize("kind", [Rounded, Typed])
def test_methods_without_effects_know_traced_numbers(kind):
    def looked_up(x, y):
        table = {kind(x): 1}
        table[kind(y)] = 2
        found = {kind(x): "found"}.get(kind(y), "missing")
        return len(table), found, len({kind(x), kind(y), kind(2.0)}), kind(x) in [kind(y)]

    def filtered(x, y):
        return len(list(filter(None, [kind(x), kind(y)])))

    for function in (looked_up, filtered):
        check_calls(function, (1, 4), (1.4, 1.2), (1.0, 1), (2, 2.0), (3.7, 3.2))
