"""Who may write to which array around branches and loops: values are as if nothing ever was."""

from __future__ import annotations

import numpy as np
import pytest

from codegen.region_building import check, repeat
from gradsmith.ops.index import read, write, write_added
from helpers import each
from ops.differences import gnp as np_

random = np.random.default_rng(11)
X, Y = random.normal(size=5), random.normal(size=8)
M, N = random.normal(size=(4, 4)), random.normal(size=(6, 6))

FIRST, REST, LAST = slice(0, 1), slice(1, None), slice(None, -1)


def bump(x, i, by=1.0):
    """``x`` with its first element changed in place, if that may be."""
    return write_added(x, FIRST, by + 0 * i if isinstance(by, float) else by)


def over(n):
    return {"over": (0, n, 1)}


# -- loops


def argument_is_written_to(x, n):
    return repeat("x", [x], lambda i, x: [bump(x, i)], **over(n)).carried


def argument_is_read_behind_the_loop(x, n):
    y = repeat("y", [x], lambda i, y: [bump(y, i)], **over(n)).carried[0]
    return [y, x * 2]


def part_of_an_argument(x, n):
    return repeat("y", [read(x, REST)], lambda i, y: [bump(y, i)], **over(n)).carried


def two_start_from_the_same(x, n):
    both = lambda i, a, b: [bump(a, i), bump(b, i, 2.0)]  # noqa: E731
    return repeat("a b", [x, x], both, **over(n)).carried


def two_start_from_the_same_new_array(x, n):
    t = np_.exp(x)
    both = lambda i, a, b: [bump(a, i), bump(b, i, 2.0) + a]  # noqa: E731
    return repeat("a b", [t, t], both, **over(n)).carried


def one_written_one_kept(x, n):
    t = np_.exp(x)
    return repeat("a b", [t, t], lambda i, a, b: [bump(a, i), b], **over(n)).carried


def one_written_one_kept_and_read(x, n):
    t = np_.exp(x)
    both = lambda i, a, b: [bump(a, i), b + np_.sum(a)]  # noqa: E731
    return repeat("a b", [t, t], both, **over(n)).carried


def carried_and_captured(x, n):
    t = np_.exp(x)
    return repeat("a", [t], lambda i, a: [bump(a, i) + t], **over(n)).carried


def carried_and_its_view_is_captured(m, n):
    t = np_.exp(m)
    v = np_.transpose(t)
    return repeat("a", [t], lambda i, a: [write(a, 0, read(v, 1))], **over(n)).carried


def carried_view_of_another(x, n):
    def body(i, a, v):
        a = bump(a, i)
        return [a, read(a, REST) * 1.0]

    return repeat("a v", [x, read(x, REST)], body, **over(n)).carried


def carried_view_of_what_is_written(x, n):
    def body(i, a, v):
        b = write_added(a, REST, v)
        return [b, read(b, LAST)]

    return repeat("a v", [x, read(x, LAST)], body, **over(n)).carried


def carried_transpose(m, n):
    return repeat("a", [m], lambda i, a: [np_.transpose(write(a, (0, 1), 2.0))], **over(n)).carried


def value_and_its_last(x, n):
    return repeat("u last", [x, x], lambda i, u, last: [bump(u, i), u], **over(n)).carried


def value_and_its_next(x, n):
    def body(i, u, v):
        w = bump(u, i)
        return [w, w]

    return repeat("u v", [x, x], body, **over(n)).carried


def swapped_and_written(x, n):
    def body(i, a, b):
        return [bump(b, i, 3.0), a]

    return repeat("a b", [x, x * 2], body, **over(n)).carried


def three_in_turn(x, n):
    def body(i, a, b, c):
        return [b, c, bump(a, i)]

    return repeat("a b c", [x, x * 2, x * 3], body, **over(n)).carried


def reset_in_every_trip(x, n):
    def body(i, a, s):
        return [x, bump(a, i) + s]

    return repeat("a s", [x, x], body, **over(n)).carried


def new_zeros_for_two(x, n):
    z = np_.zeros_like(x)
    both = lambda i, a, b: [bump(a, i), bump(b, i, 2.0)]  # noqa: E731
    return repeat("a b", [z, z], both, **over(n)).carried


def added_to_in_place(x, n):
    def body(i, g, h):
        return [g + h, h * 2]

    return repeat("g h", [x, x], body, **over(n)).carried


def two_loops(x, n):
    one = repeat("u", [x], lambda i, u: [bump(u, i)], **over(n)).carried[0]
    two = repeat("u", [one], lambda i, u: [bump(u, i, 5.0)], **over(n)).carried[0]
    return [two]


def result_is_read_behind_a_second_loop(x, n):
    one = repeat("u", [x], lambda i, u: [bump(u, i)], **over(n)).carried[0]
    two = repeat("u", [one], lambda i, u: [bump(u, i, 5.0)], **over(n)).carried[0]
    return [two, one * 2]


def part_of_the_result_is_read_behind(x, n):
    one = repeat("u", [x], lambda i, u: [bump(u, i)], **over(n)).carried[0]
    part = read(one, FIRST)
    two = repeat("u", [one], lambda i, u: [bump(u, i, 5.0)], **over(n)).carried[0]
    return [two, part * 2]


def result_is_written_to_behind(x, n):
    one = repeat("u", [x], lambda i, u: [u * 2], **over(n)).carried[0]
    return [write(one, 0, 1.0), one]


def start_is_written_to_behind(x, n):
    t = np_.exp(x)
    one = repeat("u", [t], lambda i, u: [np_.tanh(u)], **over(n)).carried[0]
    return [write(t, 0, 1.0), one * 2]


def start_is_written_to_behind_and_one_is_a_view(x, n):
    t = np_.exp(x)
    body = lambda i, u, v: [np_.tanh(u), read(u, REST)]  # noqa: E731
    one, two = repeat("u v", [t, read(t, REST)], body, **over(n)).carried
    return [write(t, 1, 1.0), one * 2, two * 2]


def captured_is_written_to_behind(x, n):
    t = np_.exp(x)
    one, two = repeat("u v", [x, t], lambda i, u, v: [u + t, t], **over(n)).carried
    return [write(t, 0, 1.0), one, two * 2]


def nested(x, n):
    def outer(i, u):
        inner = repeat("u", [u], lambda j, u: [bump(u, j)], index="j", **over(2)).carried[0]
        return [inner + u]

    return repeat("u", [x], outer, **over(n)).carried


def nested_in_place(x, n):
    def outer(i, u):
        return repeat("u", [u], lambda j, u: [bump(u, j)], index="j", **over(2)).carried

    return repeat("u", [x], outer, **over(n)).carried


def nested_with_the_old_value(x, n):
    def outer(i, u, old):
        new = repeat("u", [u], lambda j, u: [bump(u, j)], index="j", **over(2)).carried[0]
        return [new, u]

    return repeat("u old", [x, x], outer, **over(n)).carried


def nested_over_what_is_captured(x, n):
    def outer(i, s):
        new = repeat("u", [x], lambda j, u: [bump(u, j)], index="j", **over(2)).carried[0]
        return [s + new]

    return repeat("s", [np_.zeros_like(x)], outer, **over(n)).carried


LOOPS = [
    argument_is_written_to,
    argument_is_read_behind_the_loop,
    part_of_an_argument,
    two_start_from_the_same,
    two_start_from_the_same_new_array,
    one_written_one_kept,
    one_written_one_kept_and_read,
    carried_and_captured,
    carried_view_of_another,
    value_and_its_last,
    value_and_its_next,
    swapped_and_written,
    three_in_turn,
    reset_in_every_trip,
    new_zeros_for_two,
    added_to_in_place,
    two_loops,
    result_is_read_behind_a_second_loop,
    part_of_the_result_is_read_behind,
    result_is_written_to_behind,
    start_is_written_to_behind,
    captured_is_written_to_behind,
    nested,
    nested_in_place,
    nested_with_the_old_value,
    nested_over_what_is_captured,
]


@each("case", LOOPS, ids=lambda case: case.__name__)
def test_loops(case):
    check(case, (X, 3), (Y, 4), (X, 1), (X, 0), names="x n")


@pytest.mark.parametrize(
    "case", [carried_and_its_view_is_captured, carried_transpose], ids=lambda case: case.__name__
)
def test_loops_over_matrices(case):
    check(case, (M, 3), (N, 4), (M, 1), (M, 0), names="m n")
