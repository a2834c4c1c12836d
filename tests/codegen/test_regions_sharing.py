"""Who may write to what is recorded, or goes through branches: nobody who would be seen."""

from __future__ import annotations

import numpy as np

from codegen.region_building import Trip, check, choose, named, repeat
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


# -- tapes


def recorded_then_written(x, n):
    made = repeat("u", [x], lambda i, u: Trip([bump(u, i)], None, [u]), **over(n))
    return [made.carried[0], total(made, n)]


def recorded_once_written(x, n):
    def body(i, u):
        v = bump(u, i)
        return Trip([v], None, [v])

    made = repeat("u", [x], body, **over(n))
    return [made.carried[0], total(made, n)]


def recorded_before_and_after(x, n):
    def body(i, u):
        v = bump(u, i)
        return Trip([v], None, [u, v, read(u, REST)])

    made = repeat("u", [x], body, **over(n))
    return [made.carried[0], *(total(made, n, k) for k in range(2))]


def recorded_view_of_a_temporary(x, n):
    def body(i, u):
        t = named("t", np_.exp(u))
        part = read(t, FIRST)
        t = write(t, 0, 1.0)
        return Trip([u + t], None, [part * 1.0, part])

    made = repeat("u", [x], body, **over(n))
    return [made.carried[0], *(total(made, n, k, read(x, FIRST)) for k in range(2))]


def recorded_value_that_is_captured(x, n):
    t = np_.exp(x)
    made = repeat("u", [x], lambda i, u: Trip([u + t], None, [t]), **over(n))
    return [write(t, 0, 5.0), made.carried[0], total(made, n)]


def total(made, n, k=0, start=None):
    start = made.carried[0] if start is None else start
    step = lambda i, s, h: [s * 0.5 + h]  # noqa: E731
    return repeat("s h", [start], step, tapes=made.tapes[k : k + 1], **over(n)).carried[0]


def read_and_written(x, n):
    made = repeat("u", [x], lambda i, u: Trip([u * 2], None, [u]), **over(n))
    step = lambda i, s, h: [s + bump(h, i)]  # noqa: E731
    one = repeat("s h", [x], step, tapes=made.tapes, **over(n)).carried[0]
    return [one, total(made, n)]


TAPES = [
    recorded_then_written,
    recorded_once_written,
    recorded_before_and_after,
    recorded_view_of_a_temporary,
    recorded_value_that_is_captured,
    read_and_written,
]


@each("case", TAPES, ids=lambda case: case.__name__)
def test_tapes(case):
    check(case, (X, 3), (Y, 4), (X, 1), (X, 0), names="x n")


def until(body, x, names="u", tapes=()):
    """A loop whose number of trips is not known: it records on lists."""
    test = lambda i, *_: np_.less(i, 3)  # noqa: E731
    return repeat(names, [x], body, over=(0, None, 1), test=test, tapes=tapes)


LISTS = [
    lambda i, u: Trip([bump(u, i)], None, [u]),
    lambda i, u: Trip([v := bump(u, i)], None, [v]),
    lambda i, u: Trip([v := bump(u, i)], None, [u, v]),
    lambda i, u: Trip([u + 1], None, [u]),
    lambda i, u: Trip([v := u + 1], None, [v]),
    lambda i, u: Trip([bump(t := np_.exp(u), i)], None, [t]),
    lambda i, u: Trip([bump(t := np_.exp(u), i)], None, [np_.flip(t)]),
    lambda i, u: Trip([np_.tanh(v := u + 1)], None, [v]),
]


@each("body", LISTS, ids=range(len(LISTS)))
def test_lists(body):
    def function(x):
        made = until(body, x)
        end = (0, made.symbols[-1], 1)
        results = [made.carried[0]]
        for tape in made.tapes:
            step = lambda i, s, h: [s * 0.5 + h]  # noqa: E731
            results += repeat("s h", [x], step, over=end, tapes=[tape], reverse=True).carried
        return results

    check(function, (X,), (Y,), names="x")


# -- branches


def positive(x, i=0):
    return np_.greater(read(x, i), 0)


def one_arm_writes(x):
    return choose(positive(x), lambda: [write(x, 0, 7.0)], lambda: [x], "y")


def one_arm_writes_and_the_value_is_read(x):
    y = choose(positive(x), lambda: [write(x, 0, 7.0)], lambda: [x * 2], "y")
    return [*y, x * 3]


def both_write(x):
    t = np_.exp(x)
    (y,) = choose(positive(x), lambda: [write(t, 0, 7.0)], lambda: [write(t, 1, 8.0)], "y")
    return [y]


def both_write_and_it_is_read(x):
    t = np_.exp(x)
    (y,) = choose(positive(x), lambda: [write(t, 0, 7.0)], lambda: [write(t, 1, 8.0)], "y")
    return [y, t]


def arms_return_the_same_twice(x):
    def then():
        t = np_.exp(x)
        return [t, t]

    return choose(positive(x), then, lambda: [x, x], "y z")


def arms_return_a_view(x):
    def then():
        t = np_.exp(x)
        return [t, read(t, slice(None))]

    y, z = choose(positive(x), then, lambda: [x, x], "y z")
    return [write(y, 0, 1.0), z * 2]


def result_is_written_to(x):
    (y,) = choose(positive(x), lambda: [np_.exp(x)], lambda: [x], "y")
    return [write(y, 0, 1.0), x * 2]


def result_is_written_to_and_source_read(x):
    t = np_.exp(x)
    (y,) = choose(positive(x), lambda: [np_.exp(x)], lambda: [t], "y")
    return [write(y, 0, 1.0), t * 2]


def source_is_written_to(x):
    t = np_.exp(x)
    (y,) = choose(positive(x), lambda: [np_.exp(x)], lambda: [t], "y")
    return [y * 2, write(t, 0, 1.0)]


def old_and_new(x):
    t = np_.exp(x)
    return choose(positive(x), lambda: [write(t, 0, 1.0), t], lambda: [t, t * 2], "a b")


def swapped_in_an_arm(x):
    a, b = np_.exp(x), np_.sin(x)
    return choose(positive(x), lambda: [b, a], lambda: [a, b], "a b")


def loop_in_an_arm(x):
    t = named("t", np_.exp(x))

    def then():
        return repeat("t", [t], lambda i, u: [bump(u, i)], over=(0, 3, 1)).carried

    return choose(positive(x), then, lambda: [t], "t")


def arms_in_a_loop(x):
    def body(i, u):
        return choose(positive(u), lambda: [bump(u, i, -1.0)], lambda: [bump(u, i, 2.0)], "u")

    return repeat("u", [x], body, over=(0, 4, 1)).carried


def arms_in_a_loop_with_a_view(x):
    def body(i, u, v):
        part = read(u, REST)
        (new,) = choose(positive(u), lambda: [bump(u, i, -1.0)], lambda: [u], "u")
        return [new, part * 1.0 + v]

    return repeat("u v", [x, read(x, REST)], body, over=(0, 4, 1)).carried


def arms_in_a_loop_keep_the_old(x):
    def body(i, u, v):
        (new,) = choose(positive(u), lambda: [bump(u, i, -1.0)], lambda: [u], "u")
        return [new, u]

    return repeat("u v", [x, x], body, over=(0, 4, 1)).carried


def arms_in_a_loop_share(x):
    def body(i, u, v):
        return choose(positive(u), lambda: [bump(u, i, -1.0), u], lambda: [v, u], "u v")

    return repeat("u v", [x, x + 1], body, over=(0, 4, 1)).carried


def nested_arms(x):
    t = named("t", np_.exp(x))

    def then():
        return choose(positive(x, 1), lambda: [write(t, 0, 1.0)], lambda: [t], "t")

    return choose(positive(x), then, lambda: [write(t, 1, 2.0)], "t")


BRANCHES = [
    one_arm_writes,
    one_arm_writes_and_the_value_is_read,
    both_write,
    both_write_and_it_is_read,
    arms_return_the_same_twice,
    arms_return_a_view,
    result_is_written_to,
    result_is_written_to_and_source_read,
    source_is_written_to,
    old_and_new,
    swapped_in_an_arm,
    loop_in_an_arm,
    arms_in_a_loop,
    arms_in_a_loop_with_a_view,
    arms_in_a_loop_keep_the_old,
    arms_in_a_loop_share,
    nested_arms,
]


@each("case", BRANCHES, ids=lambda case: case.__name__)
def test_branches(case):
    check(case, (X,), (-X,), (Y,), (-Y,), names="x")
