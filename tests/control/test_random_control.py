"""Random structured programs: their values to the bit, and gradients against differences.

``PYTHONPATH=tests:src python -m control.test_random_control 2000`` tries as many, and ``2000 500``
those from number 500 on; it prints what is wrong with which.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

import gradsmith as gs
from control.harness import along, direction_for, is_differentiable, near, only, slope
from control.random_programs import SIZES, arguments, drawn, program_of
from gradsmith.errors import InternalError
from helpers import groups, random_count, run_cases
from helpers.random_runs import run_many
from programs.harness import copied, leaves, same_bits, seeds_for

COUNT = random_count(40)
REFUSED_AT_MOST = 0.2
RTOL = 1e-6
STEPS = (3e-4, 1e-4)
"""Where differences depend on the step, a kink or a threshold is near."""


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", gs.UnusedInputWarning)
        yield


def check_gradient(function, gradient, args, number):
    seed = seeds_for(function(*copied(args)), np.random.default_rng(number))
    gradients = gradient(*args, grad_outputs=seed)
    random = np.random.default_rng([number, 1])
    for position, argument in enumerate(args):
        assert is_differentiable(argument)
        direction = direction_for(argument, random)
        moves = only(position, direction, args)
        coarse, fine = (slope(function, args, moves, seed, step) for step in STEPS)
        if near(fine, coarse, RTOL):
            actual = along(direction, gradients[position])
            assert near([actual, 1.0], [coarse, 1.0], RTOL), (position, actual, coarse)


def check_without_seed(function, gradient, args):
    """The gradient of the sum of all results, whose seed is the number 1."""

    def total(*given):
        found = 0.0
        for leaf in leaves(function(*given)):
            found = found + np.sum(leaf)
        return found

    ones = tuple(np.ones_like(leaf)[()] for leaf in function(*copied(args)))
    expected = gradient(*args, grad_outputs=ones)
    actual = gs.grad(total, argnums=tuple(range(len(args))))(*args)
    for one, other in zip(actual, expected, strict=True):
        scale = 1 + np.max(np.abs(other), initial=0.0)
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11 * scale)


def check(number):
    """Everything for one program; why it was refused, at a line of the program, or None."""
    function = program_of(number)
    compiled = gs.compile(function)
    gradient = gs.grad(function, tuple(range(len(arguments(SIZES[0], number)))))
    for size in SIZES:
        for which in (number, number + 1):
            args = arguments(size, which)
            before, left, written = (copied(args) for _ in range(3))
            value = function(*left)
            try:
                found = compiled(*written)
                check_gradient(function, gradient, args, number)
                if number % 4 == 0 and which == number:
                    check_without_seed(function, gradient, args)
            except InternalError:
                raise  # a mistake of gradsmith, and no refusal
            except gs.GradsmithError as error:
                assert error.span is not None  # noqa: PT017
                return error
            same_bits(found, value)
            same_bits(written, left)
            same_bits(args, before)
    return None


@pytest.mark.parametrize("numbers", groups(range(COUNT), 10))
def test_value_and_gradient(numbers):
    """A program costs a second: once for this and for whether few are refused."""
    refused = []

    def run(number):
        if check(number) is not None:
            refused.append(number)

    run_cases(run, numbers)
    assert len(refused) <= REFUSED_AT_MOST * len(numbers), refused


@pytest.mark.parametrize("number", [322, 420, 1096, 1350])
def test_variables_that_no_later_trip_reads(number):
    """What they hold, or whether they are set at all, differs from trip to trip."""
    assert check(number) is None


def test_the_same_number_draws_the_same_program():
    assert [drawn(number) for number in range(5)] == [drawn(number) for number in range(5)]


def refusal(number):
    """Why a program is refused, or None."""
    error = check(number)
    return None if error is None else str(error)


if __name__ == "__main__":
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", gs.UnusedInputWarning)
        run_many(refusal, drawn, *map(int, sys.argv[1:]))
