"""Objects that calls without a rule make: each read finds the state of its time.

A call may run a function more than once. What it does to such an object is done once; what it has
read before that must not be read anew from the object as it is afterwards.
"""

import argparse
import array
import configparser
import copy
import csv
import hashlib
import heapq
import io
import json
import pathlib
import random
import struct
import tempfile

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls


def single_item(x):
    d = json.loads(json.dumps({"a": x[0]}))
    before = d["a"]
    d["a"] = before + 0.5
    return before, d["a"]


def counter(x):
    d = json.loads(json.dumps({"n": int(x[0])}))
    d["n"] += 1
    old = d["n"]
    d["n"] += len(x)
    return old, d


def length_and_item(x):
    d = json.loads(json.dumps({"a": x}))
    first = d["a"][0]
    d["a"].append(first + 0.5)
    count = len(d["a"])
    d["a"].append(count)
    return first, count, d["a"]


def membership(x):
    d = json.loads(json.dumps({"a": x[0]}))
    other = d
    had, found = "b" in d, d.get("b", 3.0)
    other["b"] = 7.0
    return had, found, "b" in d, len(d), other is d, list(d.items())


def equality(x):
    d = json.loads(json.dumps({"n": x[0]}))
    before = d == {"n": 1}
    d["n"] = 1
    return before, d == {"n": 1}


def text(x):
    d = json.loads(json.dumps({"n": x[0]}))
    before = str(d)
    d.update(n=5)
    return before, str(d), repr(d)


def loop(x):
    d = json.loads(json.dumps({str(k): v for k, v in enumerate(x)}))
    total = 0.0
    for key in list(d):
        total += d[key]
        d[key] = total
    return total, d


def emptied(x):
    values = json.loads(json.dumps(x))
    total = 0.0
    while values:
        total += values.pop()
    return total, values, len(values)


def branch(x):
    values = json.loads(json.dumps(x))
    if values[0] > 1:
        values[0] = 0.0
        if values[0] < 1:
            values.append("low")
    else:
        values.append("none")
    return values, values[0], values[-1]


def extremes(x):
    values = json.loads(json.dumps(x))
    most = max(values)
    values.remove(most)
    values.insert(0, -1.0)
    return most, min(values), values.index(-1.0)


def handled(x):
    values = json.loads(json.dumps(x))
    try:
        value = values[2]
        values[2] = 0.0
    except IndexError:
        value = values[0]
        values.append(7.0)
    return value, values, len(values)


def exchanged(x):
    values = json.loads(json.dumps(x))
    values[0], values[-1] = values[-1], values[0]
    first, *rest = values
    values[0] = -5.0
    return first, rest, values


def array_of_it(x):
    values = json.loads(json.dumps(x))
    before = np.array(values)
    values[0] = 99.0
    return before.sum(), np.array(values).sum(), before[0]


def heap(x):
    values = json.loads(json.dumps(x))
    heapq.heapify(values)
    least, count = heapq.heappop(values), len(values)
    heapq.heappush(values, 0.25)
    return least, count, values[0], len(values)


def deep_copy(x):
    d = json.loads(json.dumps({"a": x, "b": {"c": 1}}))
    other = copy.deepcopy(d)
    d["b"]["c"] += 1
    d["b"]["d"] = d["b"]["c"]
    return other["b"], d["b"], other == d, sorted(d["b"])


def attributes(x):
    settings = argparse.Namespace(rate=x[0], n=len(x))
    before = settings.rate
    settings.rate *= 2
    settings.extra = before
    had = hasattr(settings, "extra")
    del settings.n
    return before, settings.rate, had, hasattr(settings, "n"), vars(settings)


def numbers(x):
    a = array.array("d", x)
    count, first = len(a), a[0]
    a.append(9.0)
    a[0] = first * 2
    return count, len(a), first, a[0], a.tolist(), sum(a)


def file(x):
    stream = io.BytesIO()
    begin = stream.tell()
    stream.write(struct.pack("<d", x[0]))
    end = stream.tell()
    stream.seek(0)
    return begin, end, *struct.unpack("<d", stream.read(8)), stream.tell()


def on_disk(x):
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "a.txt"
        before = path.exists()
        path.write_text(str(x[0]))
        between = path.exists(), path.read_text(), len(list(pathlib.Path(directory).iterdir()))
        path.unlink()
        return before, between, path.exists()


def table(x):
    rows = list(csv.reader(io.StringIO("\n".join(f"{v},{v * 2}" for v in x))))
    rows.append(["9", "10"])
    count = len(rows)
    rows.pop(0)
    return count, len(rows), sum(float(row[1]) for row in rows)


def settings(x):
    parser = configparser.ConfigParser()
    parser.read_string(f"[a]\nx={x[0]}\n")
    before = parser["a"]["x"]
    parser["a"]["x"] = "7"
    return before, parser["a"]["x"], parser.getfloat("a", "x")


def draws(x):
    generator = random.Random(int(x[0] * 10))
    first, state = generator.random(), generator.getstate()
    second = generator.random()
    generator.setstate(state)
    return first, second, generator.random()


def in_an_object(x):
    class Box:
        def __init__(self, held):
            self.held = held

        @property
        def count(self):
            return len(self.held)

        def add(self, value):
            self.held.append(value)
            return self

    box = Box(json.loads(json.dumps(x)))
    before = box.count
    box.add(1.0).add(box.count)
    return before, box.count, box.held


def named_arguments(x):
    held = json.loads(json.dumps({"a": x[0], "b": 2}))

    def g(a, b, c=3):
        return a * b + c

    return g(**held), g(c=1, **held), dict(**held)


def characters(x):
    return list(json.dumps({"v": x[0]})), list(str(x[0]).translate({46: ","}))


def digest(x):
    found = hashlib.md5(str(x[0]).encode())
    return found.hexdigest(), found.digest_size


PROGRAMS = [
    *(single_item, counter, length_and_item, membership, equality, text, loop, emptied, branch),
    *(extremes, handled, exchanged, array_of_it, heap, deep_copy, attributes, numbers, file),
    *(on_disk, table, settings, draws, in_an_object, named_arguments, characters, digest),
]
CALLS = ([1.5, 2.0, 3.5],), ([2.0, 1.0],), ([0.5],), ([3.25, 1.0, 2.0, 2.5],)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_states(program):
    check_calls(program, *CALLS)


def test_writes_are_statements():
    compiled = gs.compile(attributes)
    compiled([1.5, 2.0])
    source = compiled.source()
    assert "settings.extra = before" in source
    assert "del settings.n" in source
    compiled = gs.compile(exchanged)
    compiled([1.5, 2.0])
    assert "values[0] = -5.0" in compiled.source()
