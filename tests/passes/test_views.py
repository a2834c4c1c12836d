"""Writes through views: NumPy's meaning to the bit, gradients, and at the cost of what is written.

Every kind of view meets every kind of write, by itself, in a loop, in a branch in a loop and in a
helper; the referees are the function itself and its differences.
"""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import gradsmith as gs
from control.harness import along, direction_for, near, only, slope
from helpers import each, spread
from programs.harness import copied, same_bits, seeds_for

VIEWS = {
    "row": lambda A, i: A[i],
    "column": lambda A, i: A[:, i],
    "part of a row": lambda A, i: A[i, 1:4],
    "transposed": lambda A, i: A.T[i],
    "backwards": lambda A, i: A[i][::-1],
    "all backwards": lambda A, i: A[::-1, ::-1][i],
    "part of a part of a part": lambda A, i: A[1:][i][:4],
    "transposed and backwards": lambda A, i: A.T[::-1][i],
    "swapped axes": lambda A, i: np.swapaxes(A, 0, 1)[i],
    "flipped": lambda A, i: np.flip(A, axis=1)[i],
    "new axis": lambda A, i: A[i, None][0],
    "axis gone": lambda A, i: np.squeeze(A[i : i + 1], axis=0),
    "every second": lambda A, i: A[i, ::2],
    "diagonal block": lambda A, i: A[i:, i:].T[0],
}
"""Of a matrix and an index: something with one axis and three elements at least."""


def put(v, x):
    v[0] = x[0] * x[1]


def added(v, x):
    v[1:] += np.sin(x[0]) * v[:-1]


def scaled(v, x):
    v *= x[1]


def divided(v, x):
    v[:2] /= 1.5 + x[0] ** 2


def at_positions(v, x):
    v[[0, 2]] += x[:2]


def repeated(v, x):
    np.add.at(v, [1, 1, 0], x[:3])


def masked(v, x):
    v[v > 0.1] *= x[2]


def swapped(v, x):
    v[0], v[1] = v[1] * x[0], v[0] + 0.0


def reversed_into_itself(v, x):
    v[::-1] = v * x[0]


def read_again(v, x):
    first = v[0] * x[0]
    v[0] = v[1]
    v[1] = first + v[0]


WRITES = [
    put,
    added,
    scaled,
    divided,
    at_positions,
    repeated,
    masked,
    swapped,
    reversed_into_itself,
    read_again,
]


def by_itself(view, write):
    def function(A, x):
        v = view(A, 1)
        write(v, x)
        return A

    return function


def in_a_loop(view, write):
    def function(A, x):
        for i in range(len(x) - 1):
            v = view(A, i)
            write(v, x)
        return A

    return function


def in_a_branch_in_a_loop(view, write):
    def function(A, x):
        for i in range(len(x) - 1):
            v = view(A, i)
            if x[i] > 0:
                write(v, x)
            else:
                v[-1] = 0.5 * v[0]
        return A

    return function


def through_the_view_of_all(view, write):
    def function(A, x):
        B = A.T
        for i in range(len(x) - 1):
            write(view(B, i), x[::-1])
        A[0] += B[1]
        return A, B * x[0]

    return function


CONTEXTS = [by_itself, in_a_loop, in_a_branch_in_a_loop, through_the_view_of_all]


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.UnusedInputWarning)
        yield


def arguments(order="C"):
    random = np.random.default_rng(5)
    return random.normal(size=(6, 6)).copy(order=order), random.normal(size=4)


def check_gradient(function, gradient, args):
    random = np.random.default_rng(3)
    seed = seeds_for(function(*copied(args)), random)
    before = copied(args)
    gradients = gradient(*args, grad_outputs=seed)
    same_bits(args, before)
    for position, argument in enumerate(args):
        direction = direction_for(argument, random)
        moves = only(position, direction, args)
        expected = slope(function, args, moves, seed, 1e-4)
        assert near([along(direction, gradients[position]), 1.0], [expected, 1.0], 1e-7)


@pytest.mark.parametrize(("view", "write", "context"), spread(4, VIEWS, WRITES, CONTEXTS))
def test_value_and_gradient(view, write, context):
    function = context(VIEWS[view], write)
    compiled, gradient = gs.compile(function), gs.grad(function, (0, 1))
    for order in "CF":
        args = arguments(order)
        before, left, written = (copied(args) for _ in range(3))
        same_bits(compiled(*written), function(*left))
        same_bits(written, left)
        check_gradient(function, gradient, args)
        same_bits(args, before)


PASSED_ON = [name for name in VIEWS if name != "diagonal block"]


@pytest.mark.parametrize("write", [put, added, scaled, divided], ids=lambda w: w.__name__)
@each("context", [in_a_loop, in_a_branch_in_a_loop], ids=lambda c: c.__name__)
@pytest.mark.parametrize("view", PASSED_ON)
def test_no_trip_copies_all_of_the_array(view, context, write):
    """Parts of it may have to be kept, with one axis; a copy in its order has two."""
    function = context(VIEWS[view], write)
    args = arguments()
    seed = np.ones(args[0].shape)
    for source in (
        gs.compile(function).source(*args),
        gs.differentiable(function).grad.source(*args, grad_outputs=seed),
    ):
        inside = [line for line in source.splitlines() if line.startswith(" " * 8)]
        whole = [line for line in inside if re.search(r"\b(g_)?A(_\d+)?(\.T)?\.copy\(|'K'", line)]
        assert not whole, source


def test_emitted_as_written():
    """Through the user's own names for views, also where the view is taken before a branch."""

    def function(A, x):
        for i in range(len(x)):
            row = A[i]
            if x[i] > 0:
                row[1:] *= x[0] * row[:-1]
            else:
                row[0] = row[1] * row[2]
            column = A.T[i]
            column[::-1] += x[i]
        return A

    source = gs.compile(function).source(*arguments())
    for line in (
        "row = A[i]",
        "row[1:] *= x[0] * row[:-1]",
        "row[0] = row[1] * row[2]",
    ):
        assert f" {line}\n" in source, source


def test_elements_of_rows_are_read_and_added_to_in_one_step():
    def function(A):
        total = 0.0
        for row in A:
            for value in row:
                total += np.sin(value)
        return total

    source = gs.grad(function).source(arguments()[0])
    assert "g_A[i, i_2] " in source
    assert "A[i][" not in source


# -- parts of complex numbers --------------------------------------------------------------------


def stored_parts(z, y):
    z.real = y
    z.imag[1:] *= 2.0
    z[2:].real[0] = y[1]
    return z * z


def parts_in_a_loop(z, y):
    for i in range(len(y)):
        z.real[i] += y[i] * z.imag[i]
        z.imag[i] = y[i]
    return z


def parts_in_a_branch(z, y):
    for i in range(len(y)):
        part = z[: i + 1].imag
        if y[i] > 0:
            part[:] = part * y[i]
        else:
            z[i:].real -= y[i]
    return z


@pytest.mark.parametrize("function", [stored_parts, parts_in_a_loop, parts_in_a_branch])
def test_parts_of_complex_numbers(function):
    random = np.random.default_rng(2)
    z, y = random.normal(size=4) + 1j * random.normal(size=4), random.normal(size=4)
    compiled = gs.compile(function)
    same_bits(compiled(*copied((z, y))), function(*copied((z, y))))
    check_gradient(function, gs.grad(function, (0, 1)), (z, y))
    for value in (np.inf, np.nan, -0.0):
        z.imag[0] = value
        with np.errstate(all="ignore"):
            same_bits(compiled(*copied((z, y))), function(*copied((z, y))))
    assert not re.search(r"\n {8}.*copy\(", compiled.source(z, y))


def test_parts_that_numpy_does_not_write():
    def imaginary(x):
        x.imag[...] = 1.0
        return x

    def of_a_number(z):
        z.real = 2.0
        return z

    with pytest.raises(gs.GradsmithError, match="read-only"):
        gs.compile(imaginary)(np.ones(3))
    with pytest.raises(gs.GradsmithError, match="cannot be assigned"):
        gs.compile(of_a_number)(np.complex128(1j))
