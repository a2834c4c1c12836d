"""Loops whose iterations exchange arrays: what other names of these arrays hold afterwards.

Among the other names are the caller's: `gs.compile(f)` writes to arguments as ``f`` does.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.harness import along, direction_for, near, only, slope
from programs.harness import copied, same_bits, seeds_for


def step(target, source):
    target[1:-1] = source[1:-1] + np.sin(source[2:])


def one_other_name(a, b, n):
    b, c = np.copy(a), a
    for _ in range(n):
        step(b, a)
        a, b = b, a
    return a, c, c[1:] * 2


def two_arguments(a, b, n):
    c, d = a, b
    for _ in range(n):
        step(b, a)
        a, b = b, a
    return a * d, c


def three_in_a_circle(a, b, n):
    c, d = b.copy(), a
    for _ in range(n):
        step(b, a)
        a, b, c = b, c, a
    return a, b, c * d


def in_a_loop(a, b, n):
    c = a
    for _ in range(2):
        for _ in range(n):
            step(b, a)
            a, b = b, a
    return a, c


def in_a_branch(a, b, n):
    c = a
    if a[0] > 0:
        for _ in range(n):
            step(b, a)
            a, b = b, a
    return a, c


def in_a_list(a, b, n):
    held = [a, b]
    for _ in range(n):
        step(held[1], held[0])
        held[0], held[1] = held[1], held[0]
    return held[0] * a


def read_in_the_loop(a, b, n):
    c, total = a, 0.0
    for _ in range(n):
        total = total + np.sum(c)
        step(b, a)
        a, b = b, a
    return a, total


def written_afterwards(a, b, n):
    for _ in range(n):
        step(b, a)
        a, b = b, a
    a[0] = 7.0
    return a * 2


def one_is_a_view(a, b, n):
    c = a
    for _ in range(n):
        step(b, a)
        a, b = b[::-1], a
    return a * 2, c


def left_by_a_break(a, b, n):
    c = a
    for _ in range(n):
        step(b, a)
        a, b = b, a
        if a[1] > 1:
            break
    return a, c


def in_a_while(a, b, n):
    c = a
    while np.sum(a) < 8 * n:
        step(b, a)
        a, b = b, a
        a[0] += 3.0
    return a, c


STAYING = [one_other_name, two_arguments, three_in_a_circle]
"""The loop stays one, and its number of iterations says which array is which."""
WRITTEN_OUT = [in_a_list]
MAY_BE_REFUSED = [
    in_a_loop,
    in_a_branch,
    read_in_the_loop,
    written_afterwards,
    one_is_a_view,
    left_by_a_break,
    in_a_while,
]


def arguments(n, dtype=float):
    random = np.random.default_rng(n)
    return *random.normal(size=(2, 5 + n % 2)).astype(dtype), n


def check_gradient(function, args):
    seed = seeds_for(function(*copied(args)), np.random.default_rng(3))
    found = gs.vjp(function, *args)[1](seed)
    for position in (0, 1):
        direction = direction_for(args[position], np.random.default_rng(4))
        expected = slope(function, args, only(position, direction, args), seed, 1e-3)
        assert near([along(direction, found[position]), 1.0], [expected, 1.0], 1e-6)


@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
@pytest.mark.parametrize("function", [*STAYING, *WRITTEN_OUT, *MAY_BE_REFUSED])
def test_other_names_hold_what_they_hold_in_python(function):
    compiled = gs.compile(function)
    for n in (3, 2, 1, 0):
        args = arguments(n)
        left, written = copied(args), copied(args)
        try:
            found = compiled(*written)
        except gs.GradsmithError:
            assert function in MAY_BE_REFUSED
            same_bits(written, args)
        else:
            same_bits(found, function(*left))
            same_bits(written, left)
        try:
            check_gradient(function, args)
        except gs.GradsmithError:
            assert function in MAY_BE_REFUSED
        same_bits(args, arguments(n))


@pytest.mark.parametrize("function", STAYING)
def test_the_loop_stays_one(function):
    compiled = gs.compile(function)
    assert compiled.source(*arguments(3)) == compiled.source(*arguments(8))
    for n in (3, 4, 5):
        left, written = copied(arguments(n, np.float32)), copied(arguments(n, np.float32))
        same_bits(compiled(*written), function(*left))
        same_bits(written, left)


def test_second_derivative():
    args = arguments(3)
    weights = np.arange(len(args[0])) / 3

    def loss(a, b):
        first, other, _ = one_other_name(a, b, 3)
        return np.sum(first * other)

    def sloped(a):
        return np.sum(weights * gs.grad(loss)(a, args[1]))

    direction = np.cos(weights)
    expected = slope(sloped, args[:1], (direction,), 1.0, 1e-3)
    assert near([np.sum(direction * gs.grad(sloped)(args[0]))], [expected], 1e-6)
