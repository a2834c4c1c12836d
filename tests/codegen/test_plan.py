"""Which statements work in place: only where nobody sees the old value again.

Every function is emitted and run: the result is the interpreter's to the last bit, the arguments
are as before, and no two results share memory with each other or with an argument.
"""

from __future__ import annotations

import numpy as np
import pytest

from codegen.emitting import check
from gradsmith.errors import Span
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ops.create import full, ones, zeros
from gradsmith.ops.index import read, write, write_added
from helpers import each
from ops.differences import gnp as np_

F8 = np.dtype(np.float64)
random = np.random.default_rng(3)
X, Y = random.normal(size=4), random.normal(size=4)
M, N = random.normal(size=(3, 3)), random.normal(size=(3, 3))
Z = random.normal(size=4) + 1j * random.normal(size=4)
I = np.array([2, 0, 2])  # noqa: E741


def buffer(x: Node) -> Node:
    """A new array that is written into: its statements are in place where they may be."""
    return write(np_.zeros_like(x), slice(1, None), read(x, slice(1, None)))


# --- where the old value is needed


def result_and_function_of_it(x):
    t = buffer(x)
    return [t, np_.exp(t)]


def function_of_it_then_itself(x):
    t = buffer(x)
    e = np_.exp(t)
    return [e * t, t]


def view_is_a_result(x):
    t = buffer(x)
    return [read(t, slice(2, None)), np_.tanh(t)]


def view_of_view_is_a_result(m):
    t = np_.sin(m)
    return [read(np_.transpose(t), 0), np_.exp(t)]


def view_is_read_later(x):
    t = buffer(x)
    v = read(t, slice(0, 2))
    e = np_.exp(t)
    return [e, v * 2]


def same_result_twice(x):
    t = np_.exp(x)
    return [t, t]


def result_and_its_transpose(m):
    t = np_.exp(m)
    return [t, np_.transpose(t)]


def result_and_its_parts(x):
    t = np_.exp(x)
    return [read(t, slice(0, 2)), read(t, slice(1, 3)), t]


def argument_is_a_result(x):
    return [x, np_.exp(x)]


def part_of_an_argument(x):
    return [read(x, slice(1, None)), write(x, 0, 7.0)]


def constant_is_a_result(x):
    c = np_.asarray(np.array([1.0, 2.0, 3.0, 4.0]))
    return [c, write(c, 0, 5.0) * x]


def two_versions_of_an_array(x):
    t = buffer(x)
    return [write(t, 0, 1.0), write(t, 1, 2.0)]


def version_between(x):
    t = buffer(x)
    first = write(t, 0, 1.0)
    second = write_added(first, slice(1, 3), 2.0)
    return [second, first]


def old_value_after_the_write(x):
    t = buffer(x)
    written = write(t, 0, 5.0)
    return [written + t]


def old_part_after_the_write(x):
    t = buffer(x)
    old = read(t, slice(0, 2))
    written = write(t, 0, 5.0)
    return [written, old * 3]


def sum_of_old_and_new(x):
    t = buffer(x)
    written = write(t, slice(0, 2), read(t, slice(2, 4)))
    return [written * np_.sum(t)]


def written_argument(x, y):
    written = write(x, slice(None, None, 2), read(y, slice(None, None, 2)))
    return [written, write_added(written, 0, read(x, 0))]


def reshaped_and_written(m):
    t = np_.exp(m)
    flat = np_.reshape(t, (9,))
    return [write(flat, 0, 1.0), t]


def transposed_and_written(m):
    t = np_.exp(m)
    return [write(np_.transpose(t), (0, slice(None)), 1.0), t]


def zeros_in_two_places(x):
    first = write(np_.zeros_like(x), 0, read(x, 1))
    second = write(np_.zeros_like(x), 1, read(x, 0))
    return [first, second]


def zeros_are_a_result(x):
    z = np_.zeros_like(x)
    return [z, write(z, 0, read(x, 0))]


def zeros_are_read_and_written(x):
    z = np_.ones_like(x)
    return [write(z, 0, read(x, 0)) + z]


def broadcast_is_a_result(x):
    t = np_.exp(read(x, 0))
    wide = np_.broadcast_to(t, (5,))
    return [wide, np_.exp(wide)]


def diagonal_twice(m):
    t = np_.exp(m)
    d = np_.diagonal(t)
    return [np_.exp(t), d * 1.0]


NEEDED = [
    (result_and_function_of_it, X),
    (function_of_it_then_itself, X),
    (view_is_a_result, X),
    (view_of_view_is_a_result, M),
    (view_is_read_later, X),
    (same_result_twice, X),
    (result_and_its_transpose, M),
    (result_and_its_parts, X),
    (argument_is_a_result, X),
    (part_of_an_argument, X),
    (constant_is_a_result, X),
    (two_versions_of_an_array, X),
    (version_between, X),
    (old_value_after_the_write, X),
    (old_part_after_the_write, X),
    (sum_of_old_and_new, X),
    (written_argument, X, Y),
    (reshaped_and_written, M),
    (transposed_and_written, M),
    (zeros_in_two_places, X),
    (zeros_are_a_result, X),
    (zeros_are_read_and_written, X),
    (broadcast_is_a_result, X),
    (diagonal_twice, M),
]


@each("case", NEEDED, ids=lambda case: case[0].__name__)
def test_old_values_are_kept_where_they_are_needed(case):
    check(*case)


# --- where operands overlap


def with_itself(x):
    t = buffer(x)
    return [np_.multiply(t, t)]


def with_its_reverse(x):
    t = buffer(x)
    return [np_.maximum(t, read(t, slice(None, None, -1)))]


def with_its_transpose(m):
    t = write(np_.zeros_like(m), slice(1, None), read(m, slice(1, None)))
    return [np_.maximum(t, np_.transpose(t))]


def part_from_a_shifted_part(x):
    t = buffer(x)
    return [write(t, slice(1, None), read(t, slice(None, -1)))]


def part_from_the_reverse(x):
    t = buffer(x)
    return [write(t, slice(None), read(t, slice(None, None, -1)))]


def added_from_a_shifted_part(x):
    t = buffer(x)
    return [write_added(t, slice(1, None), read(t, slice(None, -1)))]


def added_by_repeating_index(x, i):
    t = buffer(x)
    return [write_added(t, i, read(t, slice(0, 3)))]


def swapped(x):
    t = buffer(x)
    first, second = read(t, slice(0, 2)), read(t, slice(2, 4))
    return [write(write(t, slice(0, 2), second), slice(2, 4), first)]


def scaled_part(x):
    t = buffer(x)
    return [write(t, slice(0, 2), 3 * read(t, slice(0, 2)))]


def part_by_another_part(x):
    t = buffer(x)
    return [write(t, slice(0, 2), read(t, slice(0, 2)) / read(t, slice(1, 3)))]


def divided_by_its_sum(x):
    e = np_.exp(np_.abs(x))
    return [e / np_.sum(e)]


def less_its_own_part(x):
    e = np_.exp(x)
    return [np_.minimum(e, read(e, 1))]


def masked_by_itself(x):
    t = buffer(x)
    return [write(t, np_.greater(t, 0), 0.5)]


def gathered_into_itself(x, i):
    t = buffer(x)
    return [write(t, i, read(t, np_.asarray(np.array([1, 3, 0]))))]


OVERLAPPING = [
    (with_itself, X),
    (with_its_reverse, X),
    (with_its_transpose, M),
    (part_from_a_shifted_part, X),
    (part_from_the_reverse, X),
    (added_from_a_shifted_part, X),
    (added_by_repeating_index, X, I),
    (swapped, X),
    (scaled_part, X),
    (part_by_another_part, X),
    (divided_by_its_sum, X),
    (less_its_own_part, X),
    (masked_by_itself, X),
    (gathered_into_itself, X, I),
]


@each("case", OVERLAPPING, ids=lambda case: case[0].__name__)
def test_overlapping_operands(case):
    check(*case)


# --- what cannot hold the result


def wider_dtype(x):
    return [np_.exp(np_.astype(x, np.float32)) * x]


def complex_of_real(x, z):
    t = np_.exp(x)
    return [t * z]


def real_of_complex(z):
    t = np_.exp(z)
    return [np_.abs(t)]


def comparison(x):
    t = np_.exp(x)
    return [np_.less(t, 1.0)]


def broadcast_operand(x, m):
    t = np_.exp(read(x, slice(0, 3)))
    return [np_.maximum(t, m)]


def integers_divided(i):
    t = np_.abs(i)
    return [np_.true_divide(t, 2)]


OTHER_TYPES = [
    (wider_dtype, X),
    (complex_of_real, X, Z),
    (real_of_complex, Z),
    (comparison, X),
    (broadcast_operand, X, M),
    (integers_divided, I),
]


@each("case", OTHER_TYPES, ids=lambda case: case[0].__name__)
def test_buffers_of_another_type_are_left_alone(case):
    assert not any("*=" in line or "/=" in line for line in check(*case))


# --- the same in adjoints, where operators work in place, too

LINE = Span("f.py", 1, 0, 1, 1, "return y").as_adjoint()


def check_adjoint(function, *args):
    """`check` with all nodes those of a derivative; the lines without comments."""

    def spanned(*nodes):
        with current_builder().at(LINE):
            return function(*nodes)

    return [line for line in check(spanned, *args) if not line.startswith("#")]


@each("case", [*NEEDED, *OVERLAPPING, *OTHER_TYPES], ids=lambda case: case[0].__name__)
def test_adjoints_keep_what_is_needed(case):
    check_adjoint(*case)


def test_long_sums_of_adjoints_grow_in_place():
    def function(x, y):
        return [x * y / (x + y) + np_.exp(x) - y]

    assert check_adjoint(function, X, Y) == [
        "t = p0 * p1 / (p0 + p1)",
        "t += np.exp(p0)",
        "return (t - p1,)",
    ]


def test_steps_are_done_on_variables_that_nothing_reads_afterwards():
    def function(x, y):
        e = np_.exp(x)
        return [np_.sum(e), np_.tanh(x / (1 + e)) * y]

    assert "e += 1.0" in check_adjoint(function, X, Y)


def test_what_is_on_the_right_of_a_minus_stays():
    def function(x, y):
        e = np_.exp(x)
        return [np_.sum(e), np_.tanh(y - e)]

    assert not any("np.subtract" in line for line in check_adjoint(function, X, Y))


def test_variables_that_are_read_within_later_expressions_stay():
    def function(x, y):
        e = np_.exp(x)
        late = np_.sin(e * y)
        return [np_.sum((e + 1) * y) * late]

    check_adjoint(function, X, Y)


def named(node, name):
    current_builder().name(node, name)
    return node


def test_no_adjoint_becomes_another_one():
    def function(x, y):
        g = named(np_.exp(x) * y, "g_u")
        total = np_.sum(g)
        return [named(g * y + x * y * y + total, "g_x")]

    lines = check_adjoint(function, X, Y)
    assert lines[-1] == "return (g_x,)"
    assert not any(line.startswith("g_u ") and "= " in line for line in lines[1:])


def test_variables_of_the_user_keep_their_values():
    def function(x, y):
        u = named(np_.exp(x), "u")
        return [np_.tanh(u) * y, y / (1 + u)]

    assert not any(line.startswith("u +=") for line in check_adjoint(function, X, Y))


def test_values_are_computed_where_they_are_stored():
    def function(x):
        t = np_.zeros_like(x)
        part, rest = read(x, slice(None, -1)), read(x, slice(1, None))
        return [write(t, slice(1, None), part * rest)]

    lines = check_adjoint(function, X)
    assert "np.multiply(p0[:-1], p0[1:], out=t[1:])" in lines
    assert "t[1:] = p0[:-1] * p0[1:]" in check(function, X)


def cast_where_it_is_stored(x):
    single = np_.zeros_like(np_.astype(x, np.float32))
    return [write(single, slice(1, None), 2 * read(x, slice(1, None)))]


def broadcast_where_it_is_stored(m):
    return [write(np_.zeros_like(m), slice(None, 2), 2 * read(m, 0))]


def one_element_stored(x):
    return [write(np_.zeros_like(x), 0, 2 * read(x, 1))]


def gathered_where_it_is_stored(x, i):
    return [write(np_.zeros_like(x), np_.asarray(np.array([3, 1, 0])), 2 * read(x, i))]


STORED_AFTERWARDS = [
    (cast_where_it_is_stored, X),
    (broadcast_where_it_is_stored, M),
    (one_element_stored, X),
    (gathered_where_it_is_stored, X, I),
]


@each("case", STORED_AFTERWARDS, ids=lambda case: case[0].__name__)
def test_what_is_cast_broadcast_or_gathered_is_stored_afterwards(case):
    assert not any("out=" in line for line in check_adjoint(*case))


# --- and where it may, it does


def test_functions_overwrite_what_nothing_else_reads():
    lines = check(lambda x: [np_.exp(np_.abs(x))], X)
    assert lines == ["e = np.abs(p0)", "np.exp(e, out=e)", "return (e,)"]


def test_writes_into_new_arrays_copy_nothing():
    def function(x):
        t = write(zeros(shape=x.shape, dtype=F8), slice(1, None), read(x, slice(1, None)))
        t = write_added(t, slice(None, -1), read(x, slice(None, -1)))
        return [write(t, 0, 0.0)]

    assert check(function, X) == [
        "t = np.zeros(p0.shape)",
        "t[1:] = p0[1:]",
        "t[:-1] += p0[:-1]",
        "t[0] = 0.0",
        "return (t,)",
    ]


@pytest.mark.parametrize("make", [zeros, ones], ids=lambda op: op.name)
def test_every_write_has_a_new_array_of_its_own(make):
    def function(x):
        shape = {"shape": x.shape, "dtype": F8}
        return [write(make(**shape), 0, read(x, i)) for i in (1, 2)]

    lines = check(function, X)
    assert sum(f"np.{make.name}(" in line for line in lines) == 2
    assert not any("copy" in line for line in lines)


def test_filled_arrays_too():
    def function(x):
        fresh = full(read(x, 0), shape=x.shape, dtype=F8)
        return [write(fresh, 0, 1.0), write_added(fresh, 1, 1.0)]

    lines = check(function, X)
    assert sum("np.full(" in line for line in lines) == 2


def test_an_argument_is_copied_once():
    def function(x):
        return [write_added(write(x, 0, 1.0), 1, 2.0)]

    assert check(function, X) == ["t = p0.copy()", "t[0] = 1.0", "t[1] += 2.0", "return (t,)"]


def test_what_is_made_of_a_part_is_made_before_the_write():
    def function(x):
        t = buffer(x)
        old = read(t, slice(0, 2))
        return [write(t, 0, 5.0), old * 3]

    lines = check(function, X)
    assert not any("copy" in line for line in lines)
    assert lines[-3:] == ["t_2 = 3 * t[:2]", "t[0] = 5.0", "return t, t_2"]


def test_only_the_part_that_is_read_later_is_copied():
    def function(x):
        t = buffer(x)
        old = read(t, slice(0, 2))
        return [write(t, 0, 5.0), np_.exp(old * 3) - (old + 1) * read(x, slice(0, 2))]

    copies = [line for line in check(function, X) if "copy" in line]
    assert len(copies) == 1
    assert "[:2].copy()" in copies[0]


def test_products_of_parts_are_augmented():
    def function(x):
        t = buffer(x)
        t = write(t, 0, 0.5 * read(t, 0))
        t = write(t, slice(1, 3), read(t, slice(1, 3)) - read(x, slice(1, 3)))
        return [write(t, -1, read(x, 0) - read(t, -1))]

    assert check(function, X)[-4:] == [
        "t[0] *= 0.5",
        "t[1:3] -= p0[1:3]",
        "t[-1] = p0[0] - t[-1]",
        "return (t,)",
    ]


def test_stores_that_cast_or_broadcast_are_not_augmented():
    def function(i, m):
        t = write(np_.zeros_like(i), 0, read(i, 0))
        t = write(t, slice(0, 2), read(t, slice(0, 2)) * 0.5)
        u = write(np_.zeros_like(m), 0, read(m, 0))
        return [t, write(u, slice(0, 1), read(u, 0) * read(m, slice(0, 1)))]

    assert not any("*=" in line for line in check(function, I, M))


def test_signs_go_into_the_operator():
    def function(x):
        t = buffer(x)
        t = write_added(t, 0, -read(x, 1))
        t = write_added(t, slice(1, 3), -2 * read(x, slice(1, 3)))
        return [t + -0.5 * x, -0.5 * t + x, t - -x, -(t * x)]

    lines = check(function, X)
    assert "t[0] -= p0[1]" in lines
    assert "t[1:3] -= 2 * p0[1:3]" in lines
    assert lines[-1].startswith("return")
    text = "\n".join(lines)
    for expected in ("t - 0.5 * p0", "p0 - 0.5 * t", "t + p0", "-t * p0"):
        assert expected in text


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int8])
def test_signs_of_integers_stay_where_they_are(dtype):
    i = np.array([3, 0, 100], dtype)
    lines = check(lambda i: [-(i * i), i + -i, -(np_.floor_divide(i, 2) * i)], i)
    assert not any("-p0 *" in line for line in lines)
