"""Branches and loops as Python writes them; every function is also run against the interpreter."""

from __future__ import annotations

import numpy as np

from codegen.region_building import Trip, check, choose, named, repeat
from gradsmith.ops.index import read, write, write_added
from ops.differences import gnp as np_

random = np.random.default_rng(7)
X, Y = random.normal(size=5), random.normal(size=8)
A, B = random.normal(size=(5, 5)), random.normal(size=(8, 8))
TWO_SIZES = (X, 3), (Y, 4), (X, 0), (X, -2)

HEAD, TAIL, INNER = slice(None, -2), slice(2, None), slice(1, -1)


# -- loops over ranges ---------------------------------------------------------------------------


def jacobi(u, n):
    def body(i, u, v):
        return [write(v, INNER, 0.5 * (read(u, HEAD) + read(u, TAIL))), u]

    v = named("v", np_.zeros_like(u))
    return repeat("u v", [u, v], body, over=(0, n, 1)).carried[:1]


def test_stores_into_swapped_arrays_are_in_place():
    assert check(jacobi, *TWO_SIZES, names="u n") == [
        "v = np.zeros(u.shape)",
        "u = u.copy()",
        "for _ in range(n):",
        "    v[1:-1] = 0.5 * (u[:-2] + u[2:])",
        "    u, v = v, u",
        "return (u,)",
    ]


def test_stores_into_a_carried_array_are_in_place():
    def heat(u, n):
        def body(i, u):
            return [write_added(u, INNER, read(u, HEAD) - 2 * read(u, INNER) + read(u, TAIL))]

        return repeat("u", [u], body, over=(0, n, 1)).carried

    assert check(heat, *TWO_SIZES, names="u n") == [
        "u = u.copy()",
        "for _ in range(n):",
        "    u[1:-1] += u[:-2] - 2 * u[1:-1] + u[2:]",
        "return (u,)",
    ]


def recurrent(x, w, n):
    def body(i, h):
        return Trip([named("h", np_.tanh(np_.matmul(h, w)))], None, [h])

    return repeat("h", [x], body, over=(0, n, 1))


def test_states_are_recorded_and_read_backwards():
    def function(x, w, n):
        forward = recurrent(x, w, n)

        def body(i, g, h):
            return [np_.matmul(w, g * (1 - h * h))]

        start = [np_.ones_like(x)]
        back = repeat("g h", start, body, over=(0, n, 1), tapes=forward.tapes, reverse=True)
        return [forward.carried[0], back.carried[0]]

    calls = (X, A, 3), (Y, B, 4), (X, A, 0)
    assert check(function, *calls, names="x w n") == [
        "h = x.copy()",
        "hs = np.empty((n, len(x)))",
        "for i in range(n):",
        "    hs[i] = h",
        "    h = h @ w",
        "    np.tanh(h, out=h)",
        "g = np.ones(x.shape)",
        "for i in reversed(range(n)):",
        "    h_2 = hs[i]",
        "    g = w @ (g * (1 - h_2 * h_2))",
        "return h, g",
    ]


def test_places_of_ranges_with_bounds_are_counted_from_their_start():
    def function(x, n):
        made = repeat("s", [x], lambda i, s: Trip([s * i], None, [s]), over=(1, n, 1))
        back = repeat("r s", [x], lambda i, r, s: [r * s + i], over=(1, n, 1), tapes=made.tapes)
        return [made.carried[0], back.carried[0]]

    lines = check(function, (X, 5), (Y, 3), (X, 1), (X, -1), names="x n")
    assert "for i in range(1, n):" in lines
    assert "    s_tape[i - 1] = s" in lines


def test_places_of_ranges_with_steps():
    def function(x, n):
        over = (n, -3, -2)
        made = repeat("h", [x], lambda i, h: Trip([h * i], None, [h * 2, h]), over=over)
        back = repeat(
            "r h", [x], lambda i, r, h: [r * h + i], over=over, tapes=made.tapes[:1], reverse=True
        )
        also = repeat("r h", [x], lambda i, r, h: [r + h], over=over, tapes=made.tapes[1:])
        return [made.carried[0], back.carried[0], also.carried[0]]

    lines = check(function, (X, 5), (Y, 4), (X, -5), names="x n")
    assert "for i in reversed(range(n, -3, -2)):" in lines


def test_triangular_loops_with_slices_by_the_index():
    def function(a, n):
        def outer(i, s):
            def inner(j, s):
                return [s + read(a, (i, j)) * j]

            s = repeat("s", [s], inner, over=(0, i, 1), index="j").carried[0]
            return [s + np_.sum(read(a, (i, slice(None, i))))]

        return repeat("s", [np.float64(0)], outer, over=(0, n, 1)).carried

    assert check(function, (A, 5), (B, 8), (B, 3), names="a n") == [
        "s = np.float64(0.0)",
        "for i in range(n):",
        "    for j in range(i):",
        "        s += a[i, j] * j",
        "    s += a[i, :i].sum()",
        "return (s,)",
    ]


def test_items_of_changing_sizes_are_kept_in_a_list():
    def function(a, n):
        def body(i, s):
            row = named("row", read(a, (i, slice(None, i))) * 2)
            return Trip([s + np_.sum(row)], None, [row])

        made = repeat("s", [np.float64(0)], body, over=(0, n, 1))

        def back(i, g, row):
            return [write_added(g, (i, slice(None, i)), row)]

        start = [np_.zeros_like(a)]
        again = repeat("g row", start, back, over=(0, n, 1), tapes=made.tapes, reverse=True)
        return [made.carried[0], again.carried[0]]

    assert check(function, (A, 5), (B, 8), (B, 3), names="a n") == [
        "s = np.float64(0.0)",
        "rows = []",
        "for i in range(n):",
        "    row = 2 * a[i, :i]",
        "    rows.append(row)",
        "    s += row.sum()",
        "g = np.zeros(a.shape)",
        "for i in reversed(range(n)):",
        "    g[i, :i] += rows[i]",
        "return s, g",
    ]


def test_tapes_of_tapes():
    def function(x, n):
        def outer(i, h):
            made = repeat("h", [h], lambda j, h: Trip([h * j], None, [h]), over=(0, i, 1))
            return Trip(made.carried, None, made.tapes)

        first = repeat("h", [x], outer, over=(0, n, 1))

        def back(i, g, hs):
            body = lambda j, g, h: [g + h * i]  # noqa: E731
            over = (0, i, 1)
            return repeat("g h", [g], body, over=over, tapes=[hs], reverse=True).carried

        second = repeat("g hs", [x], back, over=(0, n, 1), tapes=first.tapes, reverse=True)
        return [first.carried[0], second.carried[0]]

    check(function, (X, 4), (Y, 2), (X, 0), names="x n")


def test_lists_filled_from_the_end():
    def function(a, n):
        def body(i, s):
            row = read(a, (i, slice(None, i))) * 2
            return Trip([s + np_.sum(row)], None, [row])

        made = repeat("s", [np.float64(0)], body, over=(0, n, 1), reverse=True)
        total = lambda i, t, row: [t * i + np_.sum(row)]  # noqa: E731
        again = repeat("t row", [np.float64(0)], total, over=(0, n, 1), tapes=made.tapes)
        return [made.carried[0], again.carried[0]]

    lines = check(function, (A, 5), (B, 3), names="a n")
    assert any("[None] * " in line for line in lines)


# -- loops that end by themselves ----------------------------------------------------------------


def test_while():
    def function(x):
        return [
            *(
                made := repeat(
                    "x",
                    [x],
                    lambda i, x: [x / 2],
                    over=(0, None, 1),
                    test=lambda i, x: np_.greater(np_.sum(np_.abs(x)), 0.1),
                )
            ).carried,
            made.trips,
        ]

    assert check(function, (X,), (Y,), (X * 0,), names="x") == [
        "x = x.copy()",
        "trips = 0",
        "while np.abs(x).sum() > 0.1:",
        "    x /= 2",
        "    trips += 1",
        "return x, trips",
    ]


def test_while_with_tapes():
    def function(x):
        halve = lambda i, x: Trip([x / 2], None, [x])  # noqa: E731
        test = lambda i, x: np_.greater(np_.sum(x * x), 0.1)  # noqa: E731
        made = repeat("x", [x], halve, over=(0, None, 1), test=test)
        over = (0, made.symbols[-1], 1)
        back = repeat(
            "g x", [x], lambda i, g, x: [g * x], over=over, tapes=made.tapes, reverse=True
        )
        return [made.carried[0], back.carried[0]]

    lines = check(function, (X,), (Y,), (X * 0,), names="x")
    assert "    xs.append(x_2.copy())" in lines  # each trip halves it in place
    assert "for x_3 in reversed(xs):" in lines
    assert not any("trips" in line for line in lines)


def test_the_index_of_a_while_loop_is_counted():
    def function(x):
        body = lambda i, x: [x + i]  # noqa: E731
        test = lambda i, x: np_.less(np_.sum(x) + i, 100)  # noqa: E731
        made = repeat("x", [x], body, over=(3, None, 2), test=test)
        return [made.carried[0], made.trips]

    lines = check(function, (X,), (Y,), (X + 100,), names="x")
    assert "i = 3" in lines
    assert "    i += 2" in lines


def test_break_by_a_condition():
    def function(x, n):
        def body(i, x):
            y = named("x", x * 1.5)
            return Trip([y], np_.greater(np_.sum(np_.abs(y)), 50))

        made = repeat("x", [x], body, over=(0, n, 1))
        return [made.carried[0], made.trips]

    assert check(function, (X, 50), (Y, 2), (X, 0), names="x n") == [
        "x = x.copy()",
        "trips = 0",
        "for _ in range(n):",
        "    x *= 1.5",
        "    trips += 1",
        "    if np.abs(x).sum() > 50:",
        "        break",
        "return x, trips",
    ]


def test_break_in_an_arm():
    def function(x, n):
        def body(i, x):
            large = np_.greater(np_.sum(np_.abs(x)), 50)
            y, stop = choose(large, lambda: [x, np.True_], lambda: [x * 1.5, np.False_], "x stop")
            return Trip([y], stop)

        return repeat("x", [x], body, over=(0, n, 1)).carried

    assert check(function, (X, 50), (Y, 2), (X, 0), names="x n") == [
        "x = x.copy()",
        "for _ in range(n):",
        "    if np.abs(x).sum() > 50:",
        "        break",
        "    x *= 1.5",
        "return (x,)",
    ]


def test_break_reads_what_the_trip_began_with():
    def function(x, n):
        def body(i, x, y):
            return Trip([y, x + y], np_.greater(np_.sum(x), 5))

        made = repeat("x y", [x, x * 2], body, over=(0, n, 1))
        return [*made.carried, made.trips]

    check(function, (np.abs(X), 9), (Y, 6), (X, 0), names="x n")


def test_carried_integers():
    def function(x, n):
        def body(i, k, s):
            return [k + i + 1, s + read(x, k)]

        made = repeat("k s", [0, np.float64(0)], body, over=(0, n, 1))
        return [made.carried[0], made.carried[1], np_.zeros((made.symbols[0],))]

    lines = check(function, (Y, 3), (X, 2), (X, 0), names="x n")
    assert any(line.startswith("    k ") or "k = k" in line for line in lines)


# -- parallel assignments ------------------------------------------------------------------------


def test_parallel_assignments_with_conflicts_are_one_statement():
    def function(a, b, n):
        return repeat("a b", [a, b], lambda i, a, b: [b, a + b], over=(0, n, 1)).carried

    assert check(function, (0.5, 1.5, 5), (X[0], X[1], 3), names="a b n") == [
        "for _ in range(n):",
        "    a, b = b, a + b",
        "return a, b",
    ]


def test_assignments_without_conflicts_come_in_order():
    def function(x, v, n):
        def body(i, x, v):
            return [x + v, v - 0.1 * np_.sin(x)]

        return repeat("x v", [x, v], body, over=(0, n, 1)).carried

    check(function, (X, A[0], 3), (Y, B[0], 5), names="x v n")
