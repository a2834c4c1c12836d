"""``while`` loops that count, and variables that have another type after the first trip."""

from __future__ import annotations

import numpy as np

from control.harness import program
from control.inputs import between, grid, scaled, size


@program(": n")
def counting_up(x):
    i, total = 0, 0.0
    while i < len(x):
        total = total * np.cos(x[i]) + x[i]
        i += 1
    return total * i


@program(": n")
def counting_down(x):
    i = len(x) - 1
    total = 0.0
    while i >= 0:
        total = total * x[i] + np.sin(x[i])
        i -= 1
    return total * i


@program(": n")
def counting_down_to_zero(x):
    i = len(x)
    total = 0.0
    while i:
        i = i - 1
        total = total * x[i] + 1.0
    return total + i


@program(": n", size, static=("n",))
def counting_to_another(x, n):
    i = 1
    while i != n:
        x[i] = x[i - 1] * x[i]
        i += 1
    return x


@program(": n")
def counting_in_twos(x):
    i = 0
    out = []
    while i + 1 < len(x):
        out.append(x[i] * x[i + 1])
        i += 2
    return np.array(out), x * i


@program(": n", salt=1)
def leaving_first(x):
    i, total = 0, 1.0
    while True:
        if i >= len(x):
            break
        total = np.sin(total * x[i])
        i += 1
    return total * i


@program(": n")
def leaving_last(x):
    i, total = 0, 1.0
    while True:
        total = total * x[i] + x[i] ** 2
        i += 1
        if i == len(x):
            break
    return total * i


@program(": n")
def leaving_in_the_middle(x):
    i, total = 0, 1.0
    while True:
        total = total * x[i]
        if i == len(x) - 1:
            break
        total = total + 1.0
        i += 1
    return total * i


@program(": n")
def returning_from_an_endless_loop(x):
    i, total = 0, 0.0
    while True:
        total = total * 0.5 + x[i] ** 2
        i += 1
        if i >= len(x):
            return total * x[0]


@program(scaled(0.3, "n n"), ": n")
def counters_within_counters(A, x):
    i = 0
    while i < len(x):
        j = 0
        while j < i:
            x[i] = x[i] - A[i, j] * x[j]
            j += 1
        x[i] = x[i] / (3 + A[i, i])
        i += 1
    return x


@program(": n")
def two_counters(x):
    i, j = 0, len(x) - 1
    total = 0.0
    while i < j:
        total = total * 0.5 + x[i] * np.cos(x[j])
        i += 1
        j -= 1
    return total


@program(": n n")
def slices_up_to_a_counter(A):
    i = 0
    while i < len(A):
        A[i, i:] = A[i, i:] - A[i, :i] @ A[:i, i:]
        i += 1
    return A


@program(": n", between(0.5, 1.5), steered=True)
def counter_and_condition(x, bound):
    i, total = 0, 0.0
    while i < len(x) and total < bound:
        total = total + x[i] ** 2
        i += 1
    return total * i


@program(": n", between(0.5, 1.5), steered=True)
def counter_and_break(x, bound):
    i, total = 0, 0.0
    while i < len(x):
        total = total + x[i] ** 2
        i += 1
        if total > bound:
            break
    else:
        total = 2 * total
    return total * i


@program(between(0.5, 1.5, "3"), size, static=("exponent",))
def power_by_squaring(x, exponent):
    result = np.ones(3)
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * x
        x = x * x
        exponent //= 2
    return result


@program("unit: 3")
def counter_of_many_trips(x):
    i = 0
    while i < 12:
        x = np.sin(x) + 0.1 * i
        i += 1
    return x


@program("unit: 3", shared=False)
def counter_of_few_trips(x):
    i = 0
    while i < 3:
        x = np.sin(x) + 0.1 * i
        i += 1
    return x


@program(
    ": n",
    sizes=(4, 9),
    written_out="the array is half as long after each iteration",
    shared=False,
)
def halving(x):
    n = len(x)
    while n > 1:
        half = n // 2
        x = x[:half] * x[half : 2 * half]
        n = half
    return x


@program(": n")
def steps_that_are_skipped(x):
    i, total = 0, 1.0
    while i < len(x):
        i += 1
        if i % 2:
            continue
        total = total * x[i - 1]
    return total


@program(": n", salt=3)
def slices_that_halve(x):
    n, total = len(x), 0.0
    while n > 1:
        total = total * np.sum(x[:n]) + x[n - 1]
        n //= 2
    return total


@program(": n")
def scan_by_doubling(x):
    step = 1
    while step < len(x):
        shifted = x.copy()
        shifted[step:] = x[step:] + x[:-step] * x[step:]
        x = shifted
        step *= 2
    return x


@program(grid("n"))
def insertion_sort(x):
    i = 1
    while i < len(x):
        j = i
        while j > 0 and x[j - 1] > x[j]:
            x[j - 1], x[j] = x[j], x[j - 1]
            j -= 1
        i += 1
    return x


@program(grid("n"))
def bisection_of_indices(x):
    low, high = 0, len(x) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if x[middle] > 0:
            low = middle
        else:
            high = middle
    return x[low] * np.sin(x[high])


# --- what has another type after the first trip


@program(": n", ": 3")
def number_that_becomes_an_array(x, w):
    total = 0
    for v in x:
        total = total + np.sin(v * w)
    return total


@program(": n", ": 3")
def array_that_becomes_longer_once(x, w):
    y = np.zeros(1)
    for v in x:
        y = np.tanh(y + v * w)
    return y


@program(grid("n"))
def none_before_the_first_trip(x):
    best = None
    for i, v in enumerate(x):
        if best is None or v > best:
            best = v
            place = i
    return best * x[place]


@program(": n")
def none_until_there_is_one(x):
    last = None
    total = 0.0
    for v in x:
        if last is not None:
            total = total + (v - last) ** 2
        last = v
    return total


@program(": n", written_out="a string changes from iteration to iteration", shared=False)
def words_that_change(x):
    mode, total = "add", 0.0
    for v in x:
        total = total + v if mode == "add" else total * v
        mode = "multiply" if mode == "add" else "add"
    return total


@program(
    ": n", written_out="the list is another and longer one after each iteration", shared=False
)
def list_built_anew(x):
    made = []
    for v in x:
        made = [v * 2, *made]
    return made[1] * made[-1], sum(made)
