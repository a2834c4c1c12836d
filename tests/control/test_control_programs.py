"""Programs with loops, branches and writes: values, gradients, and the source that computes them.

The referees are the user's own function, to the bit, and its differences along random directions.
Each program is compiled once and called with several arguments, which go other ways through it.
"""

from __future__ import annotations

import functools
import re
import warnings

import numpy as np
import pytest

import gradsmith as gs
from control.dead import dead_statements
from control.harness import (
    along,
    direction_for,
    is_differentiable,
    is_single,
    near,
    only,
    parts_of,
    slope,
    tree_map,
    widened,
)
from control.library import PROGRAMS
from programs.harness import close, copied, same_bits, seeds_for

SEEDS = (0, 1)
DIRECTIONS = 3

DONE = {name: program for name, program in PROGRAMS.items() if not program.refused}

every_program = pytest.mark.parametrize("name", DONE)
every_shared = pytest.mark.parametrize("name", [n for n, p in DONE.items() if p.shared])
every_rolled = pytest.mark.parametrize("name", [n for n, p in DONE.items() if p.rolled])
every_smooth = pytest.mark.parametrize(
    "name", [n for n, p in DONE.items() if p.smooth and p.tolerance <= 1e-6]
)


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - DONE.keys()))
def test_what_cannot_be_done_is_refused(name):
    """With the user's line and a caret, and never with a number."""
    case = PROGRAMS[name]
    with pytest.raises(gs.GradsmithError, match=case.refused) as caught:
        gs.compile(case.function)(*case.arguments(case.sizes[0]))
    assert "^" in str(caught.value)


@pytest.fixture(autouse=True)
def _quiet():
    """What an argument only decides has no gradient, and is warned about."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", gs.UnusedInputWarning)
        yield


@functools.cache
def compiled(name):
    return gs.compile(PROGRAMS[name].function)


def arguments_of(name):
    case = PROGRAMS[name]
    return [case.arguments(size, seed) for size in case.sizes for seed in SEEDS]


def differentiable_positions(arguments):
    return tuple(i for i, a in enumerate(arguments) if is_differentiable(a))


def seeded(name, arguments):
    """A random seed for the value at these arguments."""
    value = PROGRAMS[name].function(*copied(arguments))
    return seeds_for(value, np.random.default_rng(7))


def pulled_back(name, arguments, seed):
    """One gradient for each argument, None for what has none."""
    return gs.vjp(PROGRAMS[name].function, *arguments)[1](seed)


@pytest.mark.smoke
@every_program
def test_value_is_the_functions_own(name):
    for arguments in arguments_of(name):
        before = copied(arguments)
        expected = PROGRAMS[name].function(*copied(arguments))
        actual = compiled(name)(*arguments)
        assert parts_of(actual)[1] == parts_of(expected)[1]
        if PROGRAMS[name].rewritten:
            close(actual, expected, rtol=1e-12)
        else:
            same_bits(actual, expected)
        same_bits(arguments, before)


def check_directions(name, arguments, position, seed, gradient):
    """Along each of some directions the gradient says what differences say."""
    case, wide = PROGRAMS[name], widened(arguments)
    random = np.random.default_rng([11, position])
    directions = [direction_for(arguments[position], random) for _ in range(DIRECTIONS)]
    moves = [only(position, d, wide) for d in directions]
    expected = [slope(case.function, wide, move, seed, 1e-3) for move in moves]
    actual = [along(direction, gradient) for direction in directions]
    assert near(actual, expected, case.tolerance), (position, actual, expected)


@every_program
def test_gradient_equals_differences(name):
    for arguments in arguments_of(name):
        seed = seeded(name, arguments)
        gradients = pulled_back(name, arguments, seed)
        for position in differentiable_positions(arguments):
            check_directions(name, arguments, position, seed, gradients[position])


@every_program
def test_gradients_have_the_types_of_their_arguments(name):
    for arguments in arguments_of(name)[:: len(SEEDS)]:
        gradients = pulled_back(name, arguments, seeded(name, arguments))
        for position in differentiable_positions(arguments):
            if gradients[position] is not None:
                check_types(gradients[position], arguments[position])


def check_types(gradient, argument):
    found, shape = parts_of(gradient)
    given, wanted = parts_of(argument)
    assert shape == wanted
    for actual, leaf in zip(found, given, strict=True):
        if actual is not None:
            assert np.shape(actual) == np.shape(leaf)
            assert np.asarray(actual).dtype == np.asarray(leaf).dtype


@every_program
def test_gradient_calls_leave_the_arguments_alone(name):
    for arguments in arguments_of(name)[:: len(SEEDS)]:
        seed = seeded(name, arguments)
        before = copied((arguments, seed))
        first = pulled_back(name, arguments, seed)
        same_bits((arguments, seed), before)
        kept = copied(first)
        second = pulled_back(name, arguments, seed)
        same_bits(first, kept)
        same_bits(second, first)


def gradient_source(name, *arguments):
    """The source of a gradient that nothing has been asked of before."""
    case = PROGRAMS[name]
    if case.steered:
        return gs.grad(case.function, differentiable_positions(arguments)).source(*arguments)
    return gs.differentiable(case.function).grad.source(*arguments)


@every_program
def test_source_is_the_same_every_time(name):
    for size in PROGRAMS[name].sizes:
        arguments = PROGRAMS[name].arguments(size)
        assert gradient_source(name, *arguments) == gradient_source(name, *arguments)


@every_program
def test_source_sets_nothing_that_is_not_read(name):
    arguments = PROGRAMS[name].arguments(PROGRAMS[name].sizes[0])
    assert not dead_statements(gradient_source(name, *arguments))


COPYING = {
    "conjugate_gradients": "a vector that one way leaves as it is is private all the same",
    "reshaped_view_written": "only the layout in memory says whether a reshaped array is a view",
    "householder": "the vector before it is changed is recorded",
}


@every_program
def test_no_trip_copies_what_it_carries(name):
    """An array that is written to in part is its own; one copy before the loop is enough."""
    source = gradient_source(name, *PROGRAMS[name].arguments(PROGRAMS[name].sizes[0]))
    copied = re.search(r"\n {8,}([a-zA-Z_]+?)(_\d+)? = \1(_\d+)?\.copy\(", source)
    assert (copied is not None) == (name in COPYING), copied


def specialisations(name, seeded_ones):
    """What serves the first size and what the second: of the value, or of the gradient."""
    case = PROGRAMS[name]
    both = [case.arguments(size) for size in case.sizes]
    if not seeded_ones:
        plain, _ = gs.compile(case.function).compiled
        return [plain.specialisation(*arguments) for arguments in both]
    _, gradient = gs.grad(case.function, differentiable_positions(both[0])).compiled
    return [gradient.specialisation(*arguments, seeded(name, arguments)) for arguments in both]


@every_shared
def test_second_size_needs_no_compilation(name):
    for seeded_ones in (False, True):
        first, second = specialisations(name, seeded_ones)
        assert first is second


@every_rolled
def test_source_is_as_long_for_many_trips_as_for_few(name):
    case = PROGRAMS[name]
    for source in (
        lambda *a: gs.compile(case.function).source(*a),
        functools.partial(gradient_source, name),
    ):
        few, many = (source(*case.arguments(size)).count("\n") for size in case.sizes)
        assert few == many


def contracted(directions, gradients):
    """The sum of ``vdot(direction, gradient)`` over two trees."""
    if gradients is None or directions is None:
        return 0.0
    if isinstance(gradients, dict):
        return sum(contracted(directions[k], g) for k, g in gradients.items())
    if isinstance(gradients, (list, tuple)):
        return sum(contracted(d, g) for d, g in zip(directions, gradients, strict=True))
    return np.real(np.vdot(directions, gradients))


@every_smooth
def test_second_derivative_equals_differences_of_the_gradient(name):
    case = PROGRAMS[name]
    arguments = case.arguments(case.sizes[0])
    assert not is_single(arguments)
    random = np.random.default_rng(13)
    seed, program = seeded(name, arguments), gs.differentiable(case.function)
    weights = [direction_for(arguments[i], random) for i in differentiable_positions(arguments)]

    def weighed(*args):
        gradients = program.grad(*args, grad_outputs=seed, materialize_grads=True)
        return contracted(weights, gradients)

    move = tuple(direction_for(a, random) for a in arguments)
    found = gs.vjp(weighed, *arguments)[1](1.0)
    actual = sum(along(d, g) for d, g in zip(move, found, strict=True))
    expected = slope(weighed, arguments, move, 1.0, 1e-3)
    scale = sum(
        along(tree_map(absolute, d), tree_map(absolute, g))
        for d, g in zip(move, found, strict=True)
    )
    assert abs(actual - expected) <= 1e-5 * max(1e-3, scale)


def absolute(leaf):
    return None if leaf is None else np.abs(leaf)
