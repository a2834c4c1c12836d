"""What NumPy makes by brackets (`np.mgrid`, `np.r_`), of sizes and of traced values."""

from __future__ import annotations

import numpy as np

from control.harness import program
from control.inputs import between, size


@program(between(0.5, 1.5), size, static=("n",))
def coordinates(scale, n):
    rows, columns = np.mgrid[0:n, 1 : 2 * n]
    return np.sin(scale * rows) * columns, np.mgrid[2:n] * scale


@program(": n")
def sparse_coordinates(x):
    rows, columns = np.ogrid[: len(x), -1 : len(x) : 2]
    return x[:, None] ** 2 * rows + columns


@program(between(0.5, 1.5), between(2.0, 3.0))
def points_between(low, high):
    across, down = np.mgrid[low:high:4j, -high:low:3j]
    return across**2 * down, np.ogrid[low:high:5j], np.mgrid[0:1:0.25] * low


@program(": n", between(0.5, 1.5))
def put_one_after_the_other(x, first):
    return np.r_[first, x**2, 0 : len(x), 2.5], np.r_[x], np.r_[x[:1], 0:first:3j]


@program(": n", ": n m")
def columns_beside_each_other(x, table):
    return np.c_[x**2, x, 0 : len(x)], np.c_[table, x], np.c_[x[0], x[1]]


@program("f4: n", smooth=False)
def numbers_beside_single_precision(x):
    return np.r_[x, 1.5, 2], np.r_[0, x * x]


@program(": n n")
def borders_in_a_loop(x):
    total = np.zeros(len(x) + 2)
    for row in x:
        padded = np.r_[row[0], row, row[-1]]
        total += padded * np.r_[0.0, np.diff(padded**2)]
    return total
