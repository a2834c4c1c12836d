"""Comprehensions and generator expressions, whole and as what builtins go through."""

from __future__ import annotations

import math

import numpy as np

from control.harness import program
from control.inputs import between, grid, scaled, signed, size

# ruff: noqa: B905, C400, C419, PERF401, RUF007


def kernel(a, b):
    return np.exp(-((a - b) ** 2))


# --- what builtins add up


@program(": n")
def sum_of_a_generator(x):
    return sum(v * v + np.sin(v) for v in x)


@program(": n", "unit: ")
def sum_with_a_start(x, a):
    return sum((x[i] * x[i + 1] for i in range(len(x) - 1)), a) * a


@program(": n 3", ": 3")
def sum_of_rows(A, w):
    """The first trip gives the sum its shape."""
    return sum(np.tanh(row * w) for row in A)


@program(": n", ": n")
def sum_of_pairs(x, y):
    return sum(a * b for a in x for b in y) + sum(a * b * b for a, b in zip(x, y))


@program(": n")
def sum_of_a_triangle(x):
    return sum(x[i] * np.cos(x[j]) for i in range(len(x)) for j in range(i))


@program(grid("n"))
def sum_of_some(x):
    return sum(v**2 for v in x if v > 0) + sum(x[i] * x[i - 1] for i in range(len(x)) if x[i] < 1)


@program(grid("n"), grid("n", 0.3))
def sum_under_two_conditions(x, y):
    return sum(a * b for a in x if a > 0 for b in y if b < a if b > -5)


@program(grid("n"), ": n")
def sum_of_others(x, m):
    """All pairs of different bodies, as in gravity."""
    force = np.zeros(len(x))
    for i in range(len(x)):
        force[i] = sum(m[j] / (x[j] - x[i]) for j in range(len(x)) if j != i)
    return force


@program(": n", ": n")
def kernel_density(x, at):
    return np.array([sum(kernel(a, v) for v in x) / len(x) for a in at])


@program(": n", "unit: ")
def sums_of_lists(x, a):
    return sum([v * a for v in x], a), sum([kernel(v, a) for v in x if v < 10.0])


@program(size, between(0.2, 0.6), static=("terms",))
def power_series(terms, q):
    """Of a Python float."""
    return sum(q**k / (k + 1) for k in range(terms))


@program(between(0.5, 1.5, "n"))
def product_of_a_generator(x):
    return math.prod(v + 1 / v for v in x) * math.prod([v for v in x if v > 1.0])


# --- what they choose, and what they ask


@program(grid("n"), ": n")
def greatest_and_least(x, y):
    best = max(v * v for v in x)
    worst = min(a + 3 * b for a, b in zip(x, y))
    return best * worst, max([np.sin(v) for v in x])


@program(grid("n"), grid("n", 0.3))
def greatest_of_pairs(x, y):
    return max(a * b for a in x for b in y) - min((a - b) ** 2 for a in x for b in y)


@program(grid("n"), between(1, 2))
def greatest_of_some(x, a):
    below = max(v for v in x if v < 0.2)
    return below * a, max((v * a for v in x if v > 100.0), default=a**2)


@program(between(-1, 1, "n"))
def greatest_of_equal_ones(x):
    """The first of them, as Python takes it."""
    signs = np.sign(x)
    return max(signs[i] * 0 + 1 for i in range(len(x))) * x[0]


@program(grid("n"), ": ")
def any_and_all(x, a):
    total = a
    if any(v > 0.6 for v in x):
        total = total * x[0]
    if all(v < 100 for v in x):
        total = total + x[-1] ** 2
    if not all([v > 0 for v in x]) or any([v < -100 for v in x]):
        total = total * 3
    return total


@program(grid("n"), grid("n", 0.3))
def any_of_all(x, y):
    dominated = any(all(a < b for b in y) for a in x)
    inside = all(any(a < b for b in y) for a in x)
    return np.where(dominated, x, 2 * x) * np.where(inside, 3.0, y)


@program(grid("n"))
def counts(x):
    above = len([v for v in x if v > 0])
    below = sum(1 for v in x if v < 0)
    return x * above + x**2 * below, sum(v > 0 for v in x) * x


# --- lists


@program(": n", ": n")
def list_of_tuples(x, y):
    pairs = [(a * b, np.sin(a)) for a, b in zip(x, y)]
    total = 0.0
    for p, q in pairs:
        total = total * 0.5 + p * q
    first, second = zip(*pairs)
    return total, np.array(first), np.array(second) * pairs[1][0], pairs[-1][1]


@program(": n")
def list_of_dicts(x):
    points = [{"x": v, "slope": (np.cos(v), 2.0)} for v in x]
    return sum(p["x"] * p["slope"][0] for p in points) * points[2]["slope"][1] / len(points)


@program(": n", ": n")
def indexed_pairs(x, y):
    pairs = [(i, v * v) for i, v in enumerate(x)]
    out = np.zeros(len(x))
    for i, v in reversed(pairs):
        out[i] = v * y[len(y) - 1 - i]
    return out


@program(": n", ": m")
def matrix_of_lists(x, y):
    table = [[a * b + kernel(a, b) for b in y] for a in x]
    inner = [sum(row) for row in table]
    return np.array(table), inner[1] * table[1][2], np.sum(inner)


@program(": n", ": m")
def flat_list_of_two_loops(x, y):
    products = [a * np.exp(b) for a in x for b in y]
    return np.array(products), products[3]


@program(": n")
def list_in_numpy_functions(x):
    squares = [v**2 for v in x]
    return np.sum(squares), np.mean(squares), np.dot(squares, x), np.max([v * 3 for v in x])


@program(": n", "unit: ")
def tuple_of_a_generator(x, a):
    made = tuple(v * a for v in x)
    return np.array(made), made[1], np.array(list(v / a for v in x))


@program(": n 3")
def lists_of_rows(A):
    rows = [row / np.sqrt(np.sum(row**2)) for row in A]
    return np.stack(rows), np.array([[r @ s for s in rows] for r in rows])


@program(": n")
def list_of_floats_that_stay_floats(x):
    """A float32 array times a Python float is float32."""
    steps = [0.5 * i for i in range(len(x))]
    return x * steps[2], sum(v * s for v, s in zip(x, steps))


@program(": n 2")
def path_length(points):
    steps = [b - a for a, b in zip(points, points[1:])]
    return sum(np.sqrt(d[0] ** 2 + d[1] ** 2) for d in steps)


@program(scaled(0.4, "n n"), ": n")
def layers_in_a_comprehension(W, x):
    hidden = [np.tanh(sum(w * v for w, v in zip(row, x))) for row in W]
    return sum(h * h for h in hidden)


@program("unit: 3", shared=False)
def dict_of_fixed_keys(x):
    table = {name: x[i] ** 2 for i, name in enumerate("abc")}
    return table["a"] * table["c"], {k: v * 2 for k, v in table.items()}


# --- what is written to, and what is shared


@program(": n")
def element_that_is_replaced(x):
    squares = [v**2 for v in x]
    squares[1] = x[0]
    return np.array(squares), squares[1]


@program(": n", written_out="the elements of a list are one and the same array", shared=False)
def one_array_in_all_places(x):
    """The list has one and the same array many times."""
    row = np.zeros(2)
    rows = []
    for v in x:
        row[0] += v
        rows.append(row)
    return np.array(rows)


@program(": n")
def list_that_a_comprehension_appends_to(x):
    seen = [x[0]]
    made = [seen.append(v * seen[-1]) or 2 * v for v in x]
    return np.array(seen), np.array(made)


@program(signed(0.5, 1, "n"))
def variables_of_a_closure(x):
    state = [1.0]

    def advance(v):
        state[0] = state[0] * 0.5 + v
        return state[0]

    return np.array([advance(v) for v in x]), state[0]


# --- what cannot stay as it is


@program(grid("n"), specialised=True)
def array_of_some(x):
    return np.sum(np.array([v for v in x if v > 0]))


@program(grid("n"))
def list_that_grows_on_one_way(x):
    kept = []
    for i in range(len(x)):
        if x[i] > 0:
            kept.append(x[i])
    return np.sum(np.array(kept))


@program(grid("n"), specialised=True)
def nothing_to_choose_from_in_a_try(x):
    try:
        return max(v for v in x if v > 100.0)
    except ValueError:
        return x[0]
