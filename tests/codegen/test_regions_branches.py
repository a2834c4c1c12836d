"""Branches, and what is left out of branches and loops, moved or decided."""

from __future__ import annotations

import numpy as np

from codegen.region_building import Trip, check, choose, named, repeat
from gradsmith.ir import dims
from gradsmith.ops.index import read, write
from ops.differences import gnp as np_

random = np.random.default_rng(7)
X, Y = random.normal(size=5), random.normal(size=8)
A, B = random.normal(size=(5, 5)), random.normal(size=(8, 8))
TWO_SIZES = (X, 3), (Y, 4), (X, 0), (X, -2)

HEAD, TAIL, INNER = slice(None, -2), slice(2, None), slice(1, -1)


# -- branches ------------------------------------------------------------------------------------


def positive(x, i=0):
    return np_.greater(read(x, i), 0)


THREE = (X,), (-X,), (np.array([-1.0, 2.0, 3.0]),), (np.array([-1.0, -2.0, 3.0]),)


def test_chains_of_branches():
    def function(x):
        def orelse():
            return choose(positive(x, 1), lambda: [np_.sin(x)], lambda: [x * 2], "y")

        return choose(positive(x), lambda: [np_.exp(x)], orelse, "y")

    assert check(function, *THREE, names="x") == [
        "if x[0] > 0:",
        "    y = np.exp(x)",
        "elif x[1] > 0:",
        "    y = np.sin(x)",
        "else:",
        "    y = 2 * x",
        "return (y,)",
    ]


def test_numbers_are_chosen_in_an_expression():
    def function(x):
        (y,) = choose(positive(x), lambda: [read(x, 1)], lambda: [read(x, 2)], "y")
        return [y * x, y]

    assert check(function, *THREE, names="x") == [
        "y = x[1] if x[0] > 0 else x[2]",
        "t = y * x",
        "return t, y",
    ]


def test_an_arm_that_changes_nothing_is_left_out():
    def function(x):
        t = named("t", np_.exp(x))
        (t,) = choose(positive(x), lambda: [t], lambda: [write(t, 0, 1.0)], "t")
        return [t]

    assert check(function, *THREE, names="x") == [
        "t = np.exp(x)",
        "if not x[0] > 0:",
        "    t[0] = 1.0",
        "return (t,)",
    ]


def test_known_conditions_are_decided():
    def function(x):
        return choose(np.True_, lambda: [np_.exp(x)], lambda: [x * 2], "y")

    assert check(function, *THREE, names="x") == ["y = np.exp(x)", "return (y,)"]


def test_branches_in_loops_in_branches():
    def function(x, n):
        def body(i, x):
            def then():
                return repeat("x", [x], lambda j, x: [x * 1.5 + j], over=(0, i, 1)).carried

            return choose(positive(x), then, lambda: [x + 1], "x")

        def loop():
            return repeat("x", [x], body, over=(0, n, 1)).carried

        return choose(positive(x, 1), loop, lambda: [x], "x")

    check(function, (X, 3), (-X, 4), (np.array([-1.0, 2.0, 3.0]), 3), names="x n")


# -- what is not needed --------------------------------------------------------------------------


def test_what_nothing_reads_is_left_out():
    def function(x, n):
        def body(i, x, y, z):
            return Trip([x + 1, np_.exp(y), z], None, [x, np_.sin(x)])

        return repeat("x y z", [x, x, x], body, over=(0, n, 1)).carried[:1]

    assert check(function, *TWO_SIZES, names="x n") == [
        "x = x.copy()",
        "for _ in range(n):",
        "    x += 1",
        "return (x,)",
    ]


def test_what_no_trip_changes_is_not_carried():
    def function(x, n):
        made = repeat("x y", [x, np_.exp(x)], lambda i, x, y: [x + y, y], over=(0, n, 1))
        return made.carried

    lines = check(function, *TWO_SIZES, names="x n")
    assert lines == [
        "e = np.exp(x)",
        "x = x.copy()",
        "for _ in range(n):",
        "    x += e",
        "return x, e",
    ]


def test_expressions_are_not_moved_into_loops():
    def function(x, n):
        e = np_.exp(x)
        return repeat("s", [x], lambda i, s: [s * e], over=(0, n, 1)).carried

    lines = check(function, *TWO_SIZES, names="x n")
    assert not any(line.startswith(" ") and "exp" in line for line in lines)


def test_unused_results_of_branches():
    def function(x):
        y, _ = choose(positive(x), lambda: [x + 1, np_.exp(x)], lambda: [x, np_.sin(x)], "y z")
        return [y * 2]

    assert not any("exp" in line or "sin" in line for line in check(function, *THREE, names="x"))


def test_the_same_name_in_two_loops():
    def function(x, n):
        def body(i, s):
            t = named("t", np_.exp(s) + i)
            return [t / np_.sum(t)]

        one = repeat("s", [x], body, over=(0, n, 1)).carried[0]
        return repeat("s", [one], body, over=(0, n, 1)).carried

    lines = check(function, *TWO_SIZES, names="x n")
    assert lines.count("for i in range(n):") == 2


def test_sizes_by_symbols_of_the_loops_around():
    def function(x, n):
        def body(i, s):
            size = dims.compound("min", i, 3)
            return [s + np_.sum(np_.ones((size,))) * i]

        return repeat("s", [np.float64(0)], body, over=(0, n, 1)).carried

    check(function, (X, 6), (Y, 2), names="x n")


def test_what_is_the_same_in_every_trip_is_computed_before_the_loop():
    def function(x, w, n):
        def body(i, s):
            def inner(j, s):
                return [s * np_.exp(np_.sum(np_.matmul(w, x)) - 3) + np_.sin(x) * i]

            return repeat("s", [s], inner, over=(0, i, 1), index="j").carried

        return repeat("s", [x], body, over=(0, n, 1)).carried

    assert check(function, (X, A, 3), (Y, B, 4), (X, A, 0), names="x w n") == [
        "e = np.exp((w @ x).sum() - 3)",
        "sin_x = np.sin(x)",
        "s = x.copy()",
        "for i in range(n):",
        "    t = sin_x * i",
        "    for _ in range(i):",
        "        s = s * e + t",
        "return (s,)",
    ]
