"""Random programs with views and writes: as NumPy has them, or refused."""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.errors import InternalError
from helpers import each, random_count
from programs.harness import close, copied, differences, leaves, same_bits, seeds_for
from programs.random_programs import SIZES, arguments, compiled, drawn

COUNT = random_count(80)
"""In every run; 2,000 were run once, and what they found is in test_found.py."""
REFUSED_AT_MOST = 0.2
RTOL = 1e-6


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", gs.UnusedInputWarning)
        yield


def program_of(seed):
    """Every other one without a source that can be had."""
    return compiled(drawn(seed), f"<random program {seed}>", known=bool(seed % 2))


@functools.cache
def subject(seed):
    """The program, its value and its gradient: one compiled object for all sizes and tests."""
    function = program_of(seed)
    return function, gs.compile(function), gs.differentiable(function)


def steady(function, args, seed):
    """Differences, or None where they depend on the step: beside a kink."""
    coarse = differences(function, args, seed)
    fine = differences(function, args, seed, step=3e-4)
    for left, right in zip(coarse, fine, strict=True):
        if not near(left, right):
            return None
    return coarse


def near(actual, expected):
    scale = np.max(np.abs(expected), initial=1.0)
    return np.allclose(actual, expected, rtol=RTOL, atol=RTOL * scale)


def check_own_memory(results, others):
    arrays = [r for r in leaves(results) if isinstance(r, np.ndarray)]
    for i, array in enumerate(arrays):
        assert not any(np.shares_memory(array, other) for other in [*others, *arrays[:i]])


def check(number, sizes, *, laid_out=np.copy):
    """The value, the gradient, and what must be left alone; whether it was refused."""
    function, value_of, program = subject(number)
    args = tuple(laid_out(a) if np.ndim(a) else a for a in arguments(sizes, number))
    before = copied(args)
    left, written = copied(args), copied(args)
    value = function(*left)
    seed = seeds_for(value, np.random.default_rng(number))
    try:
        found = value_of(*written)
        gradients = program.grad(*args, grad_outputs=seed, materialize_grads=True)
    except InternalError:
        raise  # a mistake of gradsmith, and no refusal
    except gs.GradsmithError as error:
        assert error.span is not None  # noqa: PT017  at a line of the program
        return True
    close(found, value, rtol=1e-12)
    close(written, left, rtol=1e-12)
    same_bits(args, before)
    arrays = [a for a in (*args, *leaves(seed)) if isinstance(a, np.ndarray)]
    check_own_memory(found, arrays)
    check_own_memory(gradients, arrays)
    try:
        expected = steady(function, args, seed)
    except ValueError:  # a mask has another number of elements
        return False
    for actual, wanted in zip(leaves(gradients), expected or (), strict=expected is not None):
        assert near(actual, wanted)
    return False


@pytest.mark.parametrize("number", range(COUNT))
def test_value_and_gradient_at_two_sizes(number):
    for sizes in SIZES:
        check(number, sizes)


@pytest.mark.parametrize("number", range(COUNT, COUNT + COUNT // 2))
def test_arrays_in_fortran_order(number):
    check(number, SIZES[0], laid_out=np.asfortranarray)


def test_few_are_refused():
    refused = sum(check(number, SIZES[0]) for number in range(1, COUNT, 2))
    assert refused <= REFUSED_AT_MOST * COUNT / 2


@each("number", range(1, COUNT, 4))
def test_second_derivative(number):
    function, _, program = subject(number)
    args = arguments(SIZES[0], number)
    seed = seeds_for(function(*copied(args)), np.random.default_rng(number))
    try:
        first = program.grad(*args, grad_outputs=seed, materialize_grads=True)
    except InternalError:
        raise
    except gs.GradsmithError:
        return
    along = seeds_for(first, np.random.default_rng(number + 1))

    def slope(*args):
        found = program.grad(*args, grad_outputs=seed, materialize_grads=True)
        return sum(np.sum(v * g) for v, g in zip(along, found, strict=True))

    try:
        expected = steady(slope, args, 1.0)
    except ValueError:
        return
    found = gs.differentiable(slope).grad(*args, materialize_grads=True)
    for actual, wanted in zip(leaves(found), expected or (), strict=expected is not None):
        assert np.allclose(
            actual, wanted, rtol=1e-5, atol=1e-5 * np.max(np.abs(wanted), initial=1)
        )
