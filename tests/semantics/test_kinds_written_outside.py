"""Objects of every kind that a function writes outside: as Python leaves them there, or refused.

No stand-in of the compiler ever reaches the world outside, in the first call or a later one.
"""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import enum
import fractions
import functools
import io
import itertools
import json
import operator
import random
import re
import types

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.errors import UnsupportedError

CALLS = 1, 2.5, 0, 3.5, 2


class Level(enum.Enum):
    LOW = 1


class Point:
    def __init__(self, v):
        self.v = v

    def value(self):
        return self.v


class ModelError(Exception):
    def __init__(self, message, code=2):
        super().__init__(message)
        self.code = code


GENERATOR, PATTERN, POINT = np.random.default_rng(3), re.compile("a"), Point(3)
POINTS = [Point(1)]


def _raised(x):
    try:
        return [][int(x) + 1]
    except IndexError as error:
        return error


def _chained(x):
    try:
        try:
            return 1 // 0
        except ZeroDivisionError as error:
            raise ValueError(f"no value for {x}") from error
    except ValueError as error:
        return error


def _shared(x):
    members = {int(x), 1}
    frozen = frozenset([int(x), 5])
    return [members, members, frozen, (frozen, x)]


KEPT = {
    "frozenset": lambda x: frozenset([int(x), 1]),
    "frozenset of floats": lambda x: frozenset([x]),
    "frozenset of tuples": lambda x: (frozenset([(int(x), 2.0)]), x),
    "frozenset as a key": lambda x: {frozenset([int(x)]): x},
    "union of sets": lambda x: {1} | {int(x)},
    "sets that are one object": _shared,
    "range": lambda x: range(int(x), 5),
    "range of constants": lambda x: range(3),
    "slice": lambda x: slice(0, int(x)),
    "slices and ranges": lambda x: (slice(1, None, 2), range(0, 9, int(x) + 1)),
    "bytearray": lambda x: bytearray(b"a"),
    "error": lambda x: ValueError(x, f"{x:.1f}"),
    "error of a class": lambda x: ModelError(x, x),
    "error of Python's": _raised,
    "error with a cause": _chained,
    "file error": lambda x: FileNotFoundError(2, "missing", "a.txt"),
    "timedelta": lambda x: datetime.timedelta(days=x),
    "fraction": fractions.Fraction,
    "fraction of constants": lambda x: fractions.Fraction(1, 3),
    "chosen by a branch": lambda x: datetime.timedelta(hours=2) if x > 1 else None,
    "decimal": lambda x: decimal.Decimal(str(x)),
    "array of Python's": lambda x: array.array("d", [x]),
    "parsed": lambda x: json.loads(json.dumps({"a": [x]})),
    "text": lambda x: (str(x), f"{x:.2f}", complex(x, 1), np.float32(x)),
    "member of an enumeration": lambda x: [Level.LOW, x],
    "what is outside": lambda x: [GENERATOR, PATTERN, POINT, POINTS, POINTS[0], Point, x],
    "functions": lambda x: [len, np.add, np.float32, str.upper, Point.value, np.dtype("f4"), x],
    "constants": lambda x: [NotImplemented, ..., None, b"a", list[int], x],
    "containers": lambda x: [collections.Counter([x]), collections.deque([x], 3), {1: {x}}],
    "generator of random numbers": lambda x: random.Random(int(x)),
}
REFUSED = {
    "view of a dict": lambda x: {"a": x}.items(),
    "mapping proxy": lambda x: types.MappingProxyType({"a": x}),
    "iterator": lambda x: iter([x, 2]),
    "iterator of constants": lambda x: iter([1, 2]),
    "zip": lambda x: zip([x], [1], strict=True),
    "map": lambda x: map(abs, [x]),
    "reversed": lambda x: reversed([x]),
    "enumerate": lambda x: enumerate([x]),
    "generator": lambda x: (v for v in [x]),
    "count": itertools.count,
    "method of a list": lambda x: [x].append,
    "method of an array": lambda x: np.array([x]).sum,
    "method of an object": lambda x: Point(x).value,
    "partial": lambda x: functools.partial(max, x),
    "function": lambda x: lambda: x,
    "getter": lambda x: operator.itemgetter(int(x)),
}


def _shown(value):
    """A value as text, with the classes of its parts."""
    if isinstance(value, (list, tuple, collections.deque)):
        return type(value).__name__, [_shown(part) for part in value]
    if isinstance(value, dict):
        return type(value).__name__, [(_shown(k), _shown(v)) for k, v in value.items()]
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, sorted(map(repr, value))
    if isinstance(value, BaseException):
        cause = None if value.__cause__ is None else _shown(value.__cause__)
        return type(value).__name__, _shown(value.args), vars(value), str(value), cause
    if isinstance(value, random.Random):
        return value.getstate()
    return type(value).__name__, value if isinstance(value, (Point, type)) else repr(value)


def _writer(make):
    held, log = {}, []

    def write(x):
        held["value"] = make(x)
        log.append((held["value"], len(log)))
        return x * 2

    return write, held, log


@pytest.mark.parametrize("make", KEPT.values(), ids=KEPT)
def test_written_as_python_does(make):
    (plain, held, log), (given, found, entries) = _writer(make), _writer(make)
    compiled = gs.compile(given)
    for x in CALLS:
        assert compiled(x) == plain(x)
        assert _shown(found) == _shown(held)
        assert _shown(entries) == _shown(log)
        assert entries[-1][0] is found["value"]
    if isinstance(held["value"], list):
        same = [[a is b for a in held["value"]] for b in held["value"]]
        assert [[a is b for a in found["value"]] for b in found["value"]] == same


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_refused(make):
    write, held, log = _writer(make)
    with pytest.raises(UnsupportedError, match="writes it to"):
        gs.compile(write)(1.5)
    assert (held, log) == ({}, [])


def test_a_stream_is_the_one_that_was_made():
    streams = []

    def write(x):
        streams.append(io.StringIO(str(x)))
        return x

    compiled = gs.compile(write)
    assert [compiled(x) for x in CALLS] == list(CALLS)
    assert [s.getvalue() for s in streams] == [str(x) for x in CALLS]


def test_a_frozenset_that_grows():
    seen = frozenset([1])

    def grow(x):
        nonlocal seen
        seen |= {int(x)}
        return sorted(seen)

    compiled = gs.compile(grow)
    assert compiled(1) == [1]
    assert compiled(2.5) == [1, 2]
    assert compiled(0) == [0, 1, 2]
    assert seen == {0, 1, 2}
    assert all(type(v) is int for v in seen)
