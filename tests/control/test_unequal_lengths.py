"""``zip`` ends with the shortest operand, whichever that is in a call."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each


def row(n, seed=0):
    return np.random.default_rng(seed).normal(size=n)


PAIRS = [(row(5), row(7, 1)), (row(7), row(5, 1)), (row(6), row(6, 1)), (row(9), row(2, 1))]
PAIRS += [(row(1), row(6, 1)), (row(6), row(0, 1))]

LOOP = "s = 0.0 * x[0]\nfor {} in {}:\n    s = s * 0.5 + {}\nreturn s"

OF_PAIRS = [
    LOOP.format("a, b", "zip(x, y)", "a * b"),
    LOOP.format("a, b", "zip(x[1:], y)", "a * b"),
    LOOP.format("a, b, c", "zip(x, y, x[::2])", "a * b * c"),
    LOOP.format("a, b", "zip(x[x > 0], y)", "a * b"),
    LOOP.format("a, b", "zip(x[x > 0], y[y < 0.5])", "a * b"),
    LOOP.format("i, (a, b)", "enumerate(zip(x, y))", "i * a * b"),
    LOOP.format("i, (a, b)", "enumerate(zip(x, y), start=2)", "i * a * b"),
    LOOP.format("k, (a, b)", "zip(range(100), zip(x, y))", "k * a - b"),
    LOOP.format("a, b", "zip(reversed(x), y)", "a * b"),
    LOOP.format("a, b", "zip(x, y, strict=True)", "a * b"),
    LOOP.format("(i, a), b", "zip(enumerate(x), y)", "i * a * b"),
    LOOP.format("a, b", "reversed(list(zip(x, y)))", "a * b"),
    "s = 0.0 * x[0]\nfor i in range(len(x)):\n    for a, b in zip(x[i:], y):\n"
    "        s = s * 0.5 + a * b\nreturn s",
    "s = 0.0 * x[0]\nfor a, b in zip(x, y):\n    if a > b:\n        break\n"
    "    s += a * b\nreturn s",
    "sum(a * b for a, b in zip(x, y))",
    "sum([a * b for a, b in zip(x, y) if a > 0])",
    "max(a * b for a, b in zip(x, y))",
    "min([a * b for a, b in zip(x, y)])",
    "len([a * b for a, b in zip(x, y)])",
    "[a * b for a, b in zip(x, y)]",
    "[a * b for a, b in zip(x, y, strict=True)]",
    "any(a > b for a, b in zip(x, y))",
    "all(a == b for a, b in zip(x, y, strict=True))",
    "any(a > b for a, b in zip(x, y, strict=True))",
    "np.array([a * b for a, b in zip(x, y)]).sum()",
    "np.array(list(zip(x, y)))",
    "dict(zip(range(len(x)), y))",
    "sum(map(lambda a, b: a * b, x, y))",
]


@pytest.mark.parametrize("body", OF_PAIRS)
def test_two_arrays(body):
    check_calls(function_of(body, "x, y"), *PAIRS)


@each(
    "body",
    [
        LOOP.format("i, a", "zip(range(n), x)", "i * a"),
        LOOP.format("a, i", "zip(x, range(1, n, 2))", "i * a"),
        LOOP.format("a, i", "zip(x, range(n), strict=True)", "i * a"),
        "sum(i * a for i, a in zip(range(n), x))",
        "max(i * a for i, a in zip(range(n + 1), x))",
        "sum(a * b for a, b in zip(x, [1.0, 2.0, 3.0][:n]))",
    ],
)
def test_an_array_and_a_range(body):
    check_calls(function_of(body, "x, n"), *[(row(5), n) for n in (3, 8, 5, 0, 1)])


def test_one_code_serves_unequal_lengths():
    """The lesser length is an expression of the emitted code, which needs no guard."""

    gradient = gs.grad(function_of(LOOP.format("a, b", "zip(x, y)", "a * b"), "x, y"))
    source = gradient.source(row(5), row(7))
    assert "range(min(len(x), len(y)))" in source
    assert "Only for" not in source
    assert gradient.source(row(9), row(3)) == source


ITERATORS = [
    "z = zip(x, y)\nreturn sum(a * b for a, b in z) + sum(a for a, b in z)",
    "z = enumerate(x)\nfirst = next(z)\nreturn first[1] * sum(i * a for i, a in z)",
    "z = reversed(x)\na, b = next(z), next(z)\nreturn a * b + sum(z)",
    "z = zip(x, y)\ns = 0.0 * x[0]\nfor a, b in z:\n    s += a * b\n"
    "for a, b in z:\n    s += 100.0\nreturn s",
    "z = zip(x, y)\nn = len(list(z))\nreturn n * x[0] + len(list(z))",
    "len(zip(x, y))",
    "zip(x, y)[0]",
    "reversed(zip(x, y))",
]


@pytest.mark.parametrize("body", ITERATORS)
def test_an_iterator_gives_its_elements_once(body):
    check_calls(function_of(body, "x, y"), *PAIRS[:4])


def test_what_a_break_leaves_of_an_iterator():
    def f(x):
        numbered, total = enumerate(x), 0.0
        for _, a in numbered:
            if a > 0.5:
                break
            total += a
        for _, a in numbered:
            total += 10 * a
        return total

    check_calls(f, (row(7),), (row(3),), (-row(7),))


def test_a_variable_that_an_earlier_loop_may_have_set():
    """Whether it is set is carried by the loop over pairs, as a truth value of another loop."""
    body = """
        s = 0.0 * x[0]
        for a in map(abs, x):
            if len(x) > len(y):
                s = s * 0.7 + sum(a - n for a in y)
            s = s * 0.5 + a - n
        for a, b in zip(x[1:], x[:n]):
            s = s * 0.5 + min(a, b) * 1.0
        return s"""
    body = "\n".join(line.removeprefix("        ") for line in body.split("\n"))
    check_calls(function_of(body, "x, y, n"), *[(*pair, 3) for pair in PAIRS[:4]])
