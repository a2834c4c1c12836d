"""Programs with loops, branches and writes: values, gradients, and the source that computes them.

The referees are the user's own function, to the bit, and its differences along random directions.
Each program is compiled once for all its checks (`test_program`), and called with several
arguments, which go other ways through it.
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
from gradsmith import tree
from gradsmith.api.transformed import as_seed
from helpers import run_checks, spread
from programs.harness import close, copied, same_bits, seeds_for

SEEDS = (0, 1)
DIRECTIONS = 3

DONE = {name: program for name, program in PROGRAMS.items() if not program.refused}


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


def arguments_of(case):
    return [case.arguments(size, seed) for size in case.sizes for seed in SEEDS]


class Subject:
    """A program, compiled once for all checks: compiling is most of what they cost."""

    def __init__(self, case):
        self.case, self.function = case, case.function
        self.sized = [case.arguments(size) for size in case.sizes]
        self.arguments = arguments_of(case)
        self.positions = differentiable_positions(self.sized[0])
        self.compiled = compiled(case.name)
        self.gradients = [self.gradient() for _ in case.sizes]
        """One for each size, which has not been asked for the other."""

    def gradient(self):
        """A gradient that nothing has been asked of before."""
        return gs.grad(self.function, self.positions)

    @functools.cached_property
    def source_of_gradient(self):
        """Compiled at the first size."""
        return self.source(self.gradients[0], self.sized[0])

    def source(self, gradient, arguments):
        """The source of a gradient: for a seed, unless the value is a real number."""
        return gradient.source(*arguments, grad_outputs=self.seed(arguments))

    def seed(self, arguments):
        """A random seed for the value at these arguments; None, which is 1, for a real number."""
        value = self.function(*copied(arguments))
        if not tree.is_container(value) and np.ndim(value) == 0 and np.isrealobj(value):
            return None
        return seeds_for(value, np.random.default_rng(7))

    def pulled_back(self, arguments, seed):
        """One gradient for each argument, None for what has none."""
        found = self.gradients[0](*arguments, grad_outputs=seed)
        gradients = dict(zip(self.positions, found, strict=True))
        return [gradients.get(position) for position in range(len(arguments))]


def differentiable_positions(arguments):
    return tuple(i for i, a in enumerate(arguments) if is_differentiable(a))


@pytest.mark.smoke
@pytest.mark.parametrize("name", DONE)
def test_value_is_the_functions_own(name):
    case = DONE[name]
    for arguments in arguments_of(case):
        left, written = copied(arguments), copied(arguments)
        expected = case.function(*left)
        actual = compiled(name)(*written)
        assert parts_of(actual)[1] == parts_of(expected)[1]
        if case.rewritten:
            close(actual, expected, rtol=1e-12)
        else:
            same_bits(actual, expected)
            same_bits(written, left)


def check_directions(subject, arguments, position, seed, gradient):
    """Along each of some directions the gradient says what differences say."""
    case, wide = subject.case, widened(arguments)
    random = np.random.default_rng([11, position])
    directions = [direction_for(arguments[position], random) for _ in range(DIRECTIONS)]
    moves = [only(position, d, wide) for d in directions]
    weight = 1.0 if seed is None else seed
    expected = [slope(case.function, wide, move, weight, 1e-3) for move in moves]
    actual = [along(direction, gradient) for direction in directions]
    assert near(actual, expected, case.tolerance), (position, actual, expected)


def check_gradient_equals_differences(subject):
    for arguments in subject.arguments:
        seed = subject.seed(arguments)
        gradients = subject.pulled_back(arguments, seed)
        for position in differentiable_positions(arguments):
            check_directions(subject, arguments, position, seed, gradients[position])


def check_gradients_have_the_types_of_their_arguments(subject):
    for arguments in subject.sized:
        gradients = subject.pulled_back(arguments, subject.seed(arguments))
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


def check_gradient_calls_leave_the_arguments_alone(subject):
    for arguments in subject.sized:
        seed = subject.seed(arguments)
        before = copied((arguments, seed))
        first = subject.pulled_back(arguments, seed)
        same_bits((arguments, seed), before)
        kept = copied(first)
        second = subject.pulled_back(arguments, seed)
        same_bits(first, kept)
        same_bits(second, first)


def check_source_is_the_same_every_time(subject):
    assert subject.source(subject.gradient(), subject.sized[0]) == subject.source_of_gradient


def check_source_sets_nothing_that_is_not_read(subject):
    assert not dead_statements(subject.source_of_gradient)


COPYING = {
    "conjugate_gradients": "a vector that one way leaves as it is is private all the same",
    "reshaped_view_written": "only the layout in memory says whether a reshaped array is a view",
    "two_regimes": "branches that are decided write the loop out",
    "householder": "the vector before it is changed is recorded",
}


def check_no_trip_copies_what_it_carries(subject):
    """An array that is written to in part is its own; one copy before the loop is enough."""
    copying = r"\n {8,}([a-zA-Z_]+?)(_\d+)? = \1(_\d+)?\.copy\("
    copied = re.search(copying, subject.source_of_gradient)
    assert (copied is not None) == (subject.case.name in COPYING), copied


def check_second_size_needs_no_compilation(subject):
    if not subject.case.shared or subject.case.specialised:
        return
    first, second = subject.sized
    value, _ = subject.compiled.compiled
    assert value.specialisation(*first) is value.specialisation(*second)
    plain, seeded = subject.gradients[0].compiled
    seeds = [as_seed(subject.seed(arguments)) for arguments in subject.sized]
    if seeds[0] is None:
        assert plain.specialisation(*first) is plain.specialisation(*second)
    else:
        assert seeded.specialisation(*first, seeds[0]) is seeded.specialisation(*second, seeds[1])


def check_value_is_as_long_for_many_iterations_as_for_few(subject):
    anew = gs.compile(subject.function)
    few, many = subject.sized
    check_lengths(subject.case, subject.compiled.source(*few), anew.source(*many))


def check_gradient_is_as_long_for_many_iterations_as_for_few(subject):
    many = subject.source(subject.gradients[1], subject.sized[1])
    check_lengths(subject.case, subject.source_of_gradient, many)


def check_lengths(case, few, many):
    if not case.specialised:
        alike = few.count("\n") == many.count("\n")
        assert alike is not bool(case.written_out)


def contracted(directions, gradients):
    """The sum of ``vdot(direction, gradient)`` over two trees."""
    if gradients is None or directions is None:
        return 0.0
    if isinstance(gradients, dict):
        return sum(contracted(directions[k], g) for k, g in gradients.items())
    if isinstance(gradients, (list, tuple)):
        return sum(contracted(d, g) for d, g in zip(directions, gradients, strict=True))
    return np.real(np.vdot(directions, gradients))


def check_second_derivative_equals_differences_of_the_gradient(subject):
    if not subject.case.smooth or subject.case.tolerance > 1e-6:
        return
    arguments = subject.sized[0]
    assert not is_single(arguments)
    random = np.random.default_rng(13)
    seed, gradient = subject.seed(arguments), subject.gradients[0]
    weights = [direction_for(arguments[i], random) for i in subject.positions]

    def weighed(*args):
        return contracted(weights, gradient(*args, grad_outputs=seed))

    move = tuple(direction_for(a, random) for a in arguments)
    found = gs.grad(weighed, subject.positions)(*arguments)
    pairs = [(move[i], g) for i, g in zip(subject.positions, found, strict=True)]
    actual = sum(along(d, g) for d, g in pairs)
    expected = slope(weighed, arguments, move, 1.0, 1e-3)
    scale = sum(along(tree_map(absolute, d), tree_map(absolute, g)) for d, g in pairs)
    assert abs(actual - expected) <= 1e-5 * max(1e-3, scale)


def absolute(leaf):
    return None if leaf is None else np.abs(leaf)


CHECKS = [
    check_gradient_equals_differences,
    check_gradients_have_the_types_of_their_arguments,
    check_gradient_calls_leave_the_arguments_alone,
    check_source_sets_nothing_that_is_not_read,
    check_no_trip_copies_what_it_carries,
    check_second_size_needs_no_compilation,
]
MORE = [
    check_value_is_as_long_for_many_iterations_as_for_few,
    check_second_derivative_equals_differences_of_the_gradient,
    check_gradient_is_as_long_for_many_iterations_as_for_few,
    check_source_is_the_same_every_time,
]
"""These compile as much again: each for every second program."""


CROSSED = spread(2, DONE, MORE)


@pytest.mark.parametrize("name", DONE)
def test_program(name):
    """All that must hold of its gradient."""
    run_checks(
        [*CHECKS, *(check for other, check in CROSSED if other == name)], Subject(DONE[name])
    )


def test_views_that_branches_choose_are_not_saved():
    gradient = gs.grad(DONE["views_that_branches_choose"].function)
    assert "np.empty" not in gradient.source(np.eye(4), np.ones(4))
