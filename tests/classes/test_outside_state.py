"""What functions read and write outside: as Python does at each call, and never in derivatives."""

from __future__ import annotations

import copy
import warnings

import numpy as np
import pytest

import gradsmith as gs
from classes.found import CASES as FOUND
from classes.harness import arguments, copied, differences
from classes.outside_state import CASES as STATES

SEEDS = (0, 1, 2)
CASES = {**STATES, **FOUND}


def assert_same(one, other):
    """Equal types, structure and numbers."""
    assert type(one).__qualname__ == type(other).__qualname__, (one, other)
    if isinstance(one, dict):
        assert list(one) == list(other)
        one, other = list(one.values()), list(other.values())
    if isinstance(one, (list, tuple)):
        assert len(one) == len(other), (one, other)
        for left, right in zip(one, other, strict=True):
            assert_same(left, right)
    elif hasattr(one, "__dict__") and not callable(one):
        assert_same(vars(one), vars(other))
    elif isinstance(one, (float, np.ndarray, np.generic)):
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-14)
    elif not callable(one):
        assert one == other


def history(make, kinds, run):
    """Results, arguments after the call, and states of a world."""
    f, state, change = make()
    call = run(f)
    found = []
    for seed in SEEDS:
        args = copied(arguments(kinds, seed))
        found.append((call(*args), args, copy.deepcopy(state())))
        change()
    return found


@pytest.mark.parametrize("name", CASES)
def test_compiled_functions_do_what_the_function_does(name):
    make, kinds = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error", gs.GradsmithWarning)
        made = history(make, kinds, gs.compile)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.GradsmithWarning)  # of derivatives that it takes
        wanted = history(make, kinds, lambda f: f)
    for one, other in zip(made, wanted, strict=True):
        assert_same(float(one[0]), float(other[0]))
        assert_same(one[1:], other[1:])


@pytest.mark.parametrize("name", CASES)
def test_derivatives_leave_the_world_as_it_was(name):
    make, kinds = CASES[name]
    places = tuple(range(len(kinds)))
    f, state, change = make()
    gradient = gs.value_and_grad(f, argnums=places)
    results = []
    for seed in SEEDS:
        args = arguments(kinds, seed)
        given, before = copied(args), copy.deepcopy(state())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gs.GradsmithWarning)
            results.append(gradient(*given))
        assert_same(copy.deepcopy(state()), before)
        assert_same(given, args)
        change()
    for step, seed in enumerate(SEEDS):

        def fresh(*args, step=step):
            f, _, change = make()
            for _ in range(step):
                change()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", gs.GradsmithWarning)
                return f(*args)

        args = arguments(kinds, seed)
        value, found = results[step]
        np.testing.assert_allclose(value, fresh(*copied(args)), rtol=1e-13)
        for place in places:
            wanted = differences(fresh, args, place)
            np.testing.assert_allclose(found[place], wanted, rtol=2e-5, atol=2e-6)
