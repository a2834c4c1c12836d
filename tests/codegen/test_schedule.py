"""The order of evaluation around writes: reads of old contents come first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from codegen.emitting import check
from gradsmith.codegen.schedule import schedule
from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.verify import verify
from gradsmith.ops.index import read, write, write_added
from helpers import each
from ops.differences import gnp as np_
from ops.graphs import traced

X = np.array([0.5, -1.25, 2.0, 3.5, -0.75])
M = np.arange(12.0).reshape(3, 4)
HEAD, TAIL = slice(0, 2), slice(-2, None)


def graph_of(function: Callable[..., list[Node]], *args: Any) -> Graph:
    return traced(function, args).graph


def fresh(x: Node) -> Node:
    return np_.exp(x)


def late_part(x):
    t = fresh(x)
    written = write(t, 0, 5.0)
    return [written, read(t, HEAD) * 2]


def late_gather(x):
    t = fresh(x)
    written = write(t, 0, 5.0)
    return [written, read(t, np_.asarray(np.array([0, 0, 1]))) * 2]


def early_part_read_late(x):
    t = fresh(x)
    part = read(t, HEAD)
    written = write(t, 0, 5.0)
    return [written, part * 2]


def view_of_a_part_read_late(m):
    t = fresh(m)
    part = np_.transpose(read(t, HEAD))
    written = write(t, 0, 5.0)
    return [written, part * 2]


def part_of_a_part_read_late(m):
    t = fresh(m)
    part = read(read(t, HEAD), (slice(None), 1))
    written = write(t, (0, 1), 5.0)
    return [written, part * 2]


def part_written_back(x):
    t = fresh(x)
    return [write(t, HEAD, read(t, TAIL))]


def parts_exchanged(x):
    t = fresh(x)
    first, last = read(t, HEAD), read(t, TAIL)
    return [write(write(t, HEAD, last), TAIL, first)]


def several_writes(x):
    t = fresh(x)
    parts = []
    for i in range(4):
        parts.append(read(t, slice(i, i + 2)))
        t = write_added(t, i, read(x, i))
    return [t, *[p * 2 for p in parts]]


def element_read_late(x):
    t = fresh(x)
    element = read(t, 0)
    written = write(t, 0, 5.0)
    return [written * element]


def write_between(x):
    t = fresh(x)
    first = write(t, 0, 1.0)
    part = read(first, HEAD)
    second = write(first, 1, 2.0)
    return [second, part * 2, read(second, HEAD) * 3]


PARTS = [
    (late_part, X),
    (late_gather, X),
    (early_part_read_late, X),
    (view_of_a_part_read_late, M),
    (part_of_a_part_read_late, M),
    (part_written_back, X),
    (parts_exchanged, X),
    (several_writes, X),
    (element_read_late, X),
    (write_between, X),
]


@each("case", PARTS, ids=lambda case: case[0].__name__)
def test_parts_are_read_before_the_write_and_the_array_is_not_copied(case):
    lines = check(*case)
    assert all("].copy()" in line for line in lines if "copy" in line)


def whole_read_late(x):
    t = fresh(x)
    written = write(t, 0, 5.0)
    return [written * np_.cumsum(t)]


def whole_is_a_result(x):
    t = fresh(x)
    return [write(t, 0, 5.0), t]


@pytest.mark.parametrize("function", [whole_read_late, whole_is_a_result])
def test_what_is_needed_as_a_whole_is_copied_as_a_whole(function):
    assert sum(".copy()" in line for line in check(function, X)) == 1


def test_the_late_read_moves_before_the_write():
    graph = graph_of(late_part, X)
    found = schedule(graph)
    ordered = verify(found.graph)
    place = {node.op.name: i for i, node in enumerate(ordered.nodes)}
    assert place["getitem"] < place["index_set"]
    assert not found.snapshots


def test_a_part_from_which_more_is_computed_is_copied():
    def function(x):
        t = fresh(x)
        part = read(t, HEAD)
        return [write(t, 0, 5.0), np_.exp(part * 2) - (part + 1)]

    found = schedule(graph_of(function, X))
    assert [node.op.name for node in found.snapshots] == ["getitem"]
    assert any("].copy()" in line for line in check(function, X))


def test_what_depends_on_another_late_write_is_not_computed_early():
    def function(x):
        t, u = fresh(x), fresh(x * 2)
        part = read(t, HEAD)
        first = write(t, 0, 5.0)
        second = write(u, 0, 7.0)
        return [first, second, part * read(second, HEAD)]

    check(function, X)


def test_copies_are_pinned_and_no_snapshots():
    for function in (late_gather, element_read_late):
        found = schedule(graph_of(function, X))
        assert not found.snapshots
        assert [node.op.name for node in found.pinned] in (["gather"], ["getitem"])


def test_what_was_computed_before_the_write_is_not_computed_behind_it():
    def function(x):
        t = fresh(x)
        total = np_.sum(t) * 2 + 1
        written = write(t, 0, 5.0)
        return [written * total]

    assert check(function, X) == [
        "e = np.exp(p0)",
        "t = 2 * e.sum() + 1",
        "e[0] = 5.0",
        "return (e * t,)",
    ]


def test_without_writes_nothing_changes():
    graph = graph_of(lambda x: [np_.exp(x) * x, read(x, HEAD)], X)
    found = schedule(graph)
    assert found.graph is graph
    assert not found.snapshots
    assert not found.pinned


def test_reads_that_depend_on_the_write_stay_behind_it():
    def function(x):
        t = fresh(x)
        written = write(t, 0, 1.0)
        where = np_.argmax(written)
        return [written, read(t, where) * 2]

    check(function, X)
