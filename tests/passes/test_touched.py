"""Parts of adjoints that one trip comes to: what is set, what is not cleared, what must stay."""

from __future__ import annotations

import linecache
import random
import sys
import textwrap
import warnings

import numpy as np
import pytest

import gradsmith as gs
from helpers import each, random_count

COUNT = random_count(60)


def recurrence(x, y):
    out = np.zeros(len(x))
    for i in range(1, len(x)):
        out[i] = x[i] * out[i - 1] + y[i]
    return np.sum(out**2)


def triangle(A, b):
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - A[i, :i] @ x[:i]) / A[i, i]
    return np.sum(x**2)


def pairs(A, x):
    total = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(i):
            total[i] = total[i] + A[i, j] * x[j]
    return np.sum(total**2)


def backwards(x, y):
    out = np.zeros(len(x))
    for i in range(len(x) - 2, -1, -1):
        out[i] = x[i] * out[i + 1] + y[i]
    return np.sum(out**2)


def halves(x, y):
    total = 0.0
    for i in range(len(x)):
        total += x[i // 2] * y[i]
    return total


def neighbours(x, y):
    total = 0.0
    for i in range(1, len(x)):
        total += x[i] * x[i - 1] * y[i]
    return total


def twice(x, y):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    for i in range(len(x)):
        total += x[i] ** 2 * y[0]
    return total


def from_the_end(x, y):
    total = 0.0
    for i in range(len(x)):
        total += x[-i] * y[i]
    return total


def both_ends(x, y):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[len(x) - 1 - i] * y[i]
    return total


def overwritten_and_read_again(x, y):
    out = np.zeros(len(x))
    for i in range(len(x) - 1):
        out[i] = x[i] * y[i]
        out[i + 1] = out[i] * x[i + 1]
    return np.sum(out**2)


def repeated_indices(x, y):
    total = 0.0
    for i in range(len(x)):
        total += np.sum(x[np.array([0, 0, 1])] * y[i])
    return total


def inner_range_of_all(A, x):
    total = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(len(x)):
            total[j] = total[j] + A[i, j] * x[i]
    return np.sum(total**2)


def stops_early(x, y):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] * y[i]
        if out[i] > 0.5:
            break
    return np.sum(out**2)


V = np.array([0.3, -0.7, 0.9, 0.4, -0.2, 0.8])
W = np.array([0.5, 0.6, -0.3, 0.7, 0.2, -0.9])
M = 0.1 * np.outer(V, W) + np.eye(6)


def differences(function, args, h=1e-5):
    """Gradients by central differences."""
    found = []
    for place, argument in enumerate(args):
        gradient = np.zeros(argument.shape)
        for k in np.ndindex(argument.shape):
            moved = [a.copy() for a in args]
            moved[place][k] += h
            above = function(*moved)
            moved[place][k] -= 2 * h
            gradient[k] = (above - function(*moved)) / (2 * h)
        found.append(gradient)
    return found


def check(function, *args):
    """The emitted gradient, compared with differences for two sizes."""
    gradient = gs.grad(function, argnums=(0, 1))
    smaller = tuple(a[(slice(4),) * a.ndim] for a in args)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.UnusedInputWarning)
        for given in (args, smaller):
            rounding = 1e-8 + 1e-10 * abs(function(*given))  # of the differences
            for actual, expected in zip(
                gradient(*given), differences(function, given), strict=True
            ):
                np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=rounding)
        return gradient.source(*args)


@each(
    ("function", "args", "stored"),
    [
        (recurrence, (V, W), ("g_x[i] = ", "g_y[i] = ")),
        (triangle, (M, V), ("g_A[i, i] = ", "out=g_A[i, :i]", "g_b[i] = ")),
        (pairs, (M, V), ("g_A[i, j] = ",)),
        (backwards, (V, W), ("g_x[i] = ", "g_y[i] = ")),
        (inner_range_of_all, (M, V), ("g_A[i, j] = ",)),
        (stops_early, (V, W), ("g_x[i] = ", "g_y[i] = ")),
    ],
    ids=lambda case: getattr(case, "__name__", ""),
)
def test_what_one_trip_comes_to_is_set(function, args, stored):
    source = check(function, *args)
    for text in stored:
        assert text in source


@pytest.mark.parametrize("function", [recurrence, backwards, triangle])
def test_what_nothing_reads_again_is_not_cleared(function):
    args = (M, V) if function is triangle else (V, W)
    assert "] = 0\n" not in check(function, *args)


@each(
    ("function", "args", "added"),
    [
        (halves, (V, W), ("g_x[i // 2] += ",)),
        (neighbours, (V, W), ("g_x[i] += ", "g_x[i - 1] = ")),
        (twice, (V, W), ("g_x[i] += ",)),
        (from_the_end, (V, W), ("g_x[-i] += ",)),
        (both_ends, (V, W), ("g_x[i] += ", "g_x[len(x) - i - 1] += ")),
        (repeated_indices, (V, W), ()),
        (inner_range_of_all, (M, V), ("g_x[i] += ",)),
        (overwritten_and_read_again, (V, W), ("] = 0\n",)),
    ],
    ids=lambda case: getattr(case, "__name__", ""),
)
def test_what_several_trips_come_to_is_added_to(function, args, added):
    source = check(function, *args)
    for text in added:
        assert text in source


# -- random programs -----------------------------------------------------------------------------

INDICES = (
    "{i}",
    "{i}",
    "{i} - 1",
    "{i} + 1 - n",
    "n - 1 - {i}",
    "-{i} - 1",
    "{i} // 2",
    "0",
    "-1",
)
RANGES = ("n", "1, n", "n - 1, -1, -1", "0, n, 2", "n - 2, 0, -1", "{i}", "{i}, n", "1, {i} + 1")
SLICES = (":{i}", "{i}:", "{i}:{i} + 2", "1:{i} + 1", ":-{i} - 1", "{i}::2")


class Writer:
    """Draws a function of two loops over elements and slices, written into buffers."""

    def __init__(self, number):
        self.random = random.Random(number)
        self.lines = ["def f(x, y):", "    n = len(x)", "    u = np.zeros(n)", "    v = x * 0.5"]

    def index(self, names):
        return self.random.choice(INDICES).format(i=self.random.choice(names))

    def value(self, names):
        array = self.random.choice("xyuv")
        return f"{array}[{self.index(names)}]"

    def statement(self, names):
        target = self.random.choice("uv")
        if self.random.random() < 0.25:
            part = self.random.choice(SLICES).format(i=self.random.choice(names))
            return f"{target}[{part}] = 0.5 * {self.random.choice('xyuv')}[{part}]"
        operator = self.random.choice(["=", "=", "+=", "*="])
        right = f"0.4 * {self.value(names)} * {self.value(names)}"
        return f"{target}[{self.index(names)}] {operator} {right} + 0.3 * {self.value(names)}"

    def loop(self, names, indent):
        name = "ijk"[len(names)]
        known = [text for text in RANGES if names or "{i}" not in text]
        over = self.random.choice(known).format(i=names[-1] if names else "")
        self.lines.append(f"{indent}for {name} in range({over}):")
        inner = [*names, name]
        for _ in range(self.random.randint(1, 2)):
            if len(inner) < 3 and self.random.random() < 0.35:
                self.loop(inner, indent + "    ")
            else:
                self.lines.append(f"{indent}    {self.statement(inner)}")

    def source(self):
        for _ in range(self.random.randint(1, 2)):
            self.loop([], "    ")
        self.lines.append("    return np.sum(u * u) + np.sum(v * y)")
        return "\n".join(self.lines) + "\n"


def function_of(number):
    text, name = Writer(number).source(), f"<parts of arrays {number}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"np": np}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize("number", range(COUNT))
def test_random_indices(number):
    check(function_of(number), V, W)


if __name__ == "__main__":
    for number in range(*map(int, sys.argv[1:])):
        try:
            check(function_of(number), V, W)
        except Exception as error:
            print(number, type(error).__name__, textwrap.shorten(str(error), 300), flush=True)
