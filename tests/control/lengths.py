"""Arrays whose lengths the data decide, carried from trip to trip and out of arms."""

from __future__ import annotations

import numpy as np

from control.harness import program
from control.inputs import between, grid, size

once_per_trip = {
    "static": ("n",),
    "shared": False,
    "written_out": "the array is shorter after each iteration",
}


@program(grid("n", 0.2, 0.31), size, **once_per_trip)
def taken_again_and_again(x, n):
    for i in range(n):
        x = x[x > 0.05 * i] ** 2
    return np.sum(x), len(x) * x


@program(grid("n", 0.2, 0.31), size, **once_per_trip)
def two_taken_together(x, n):
    weights = np.cos(x)
    for i in range(n):
        kept = x > 0.05 * i
        x, weights = x[kept] * 0.9, weights[kept] * x[kept]
    return np.mean(x * weights) * np.zeros(len(x)) + np.sum(weights**2)


@program(grid("n", 0.2, 0.31), size, specialised=True)
def taken_until_none_is_left(x, n):
    total = 0.0
    for i in range(n):
        if not len(x):
            break
        x = x[x > 0.3 * i] * 0.9
        total = total + np.sum(x**2)
    return total


@program(grid("n", 0.2, 0.31), between(0.4, 0.6), specialised=True)
def all_or_a_part(x, a):
    if a > 0.5:
        x = x[x > 0]
    return np.mean(np.zeros(len(x)) + x**2)


@program(grid("n", 0.2, 0.31), between(0.4, 0.6), specialised=True)
def one_part_or_another(x, a):
    part = x[x > 0] if a > 0.5 else x[x < 1]
    return np.sum(part**2) / len(part)


@program(grid("n", 0.2, 0.31), between(0.4, 0.6))
def the_same_part_in_either_way(x, a):
    part = x[x > 0]
    if a > 0.5:
        part = part * a
    for i in range(4):
        part = part * np.cos(part) + i
    return np.sum(part**2) / len(part)
