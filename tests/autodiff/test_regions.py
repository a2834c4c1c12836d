"""Derivatives of loops and branches against differences, to the second order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from autodiff.deriving import (
    Function,
    difference,
    gradient,
    graph_of,
    inner,
    like,
    loop_count,
    tangent,
    tapes,
    values,
)
from autodiff.programs import PROGRAMS
from helpers import each


def check(function: Function, args: Sequence[Any], orders: int, tolerance: float = 1e-7) -> None:
    random = np.random.default_rng(1)
    along = [like(random, a) for a in args]
    expected = difference(function, args, along, 1e-4)
    count = len(args)
    outcome = values(tangent(function, count), [*args, *along])
    scale = 1 + max(np.abs(e).max() for e in expected)
    for actual, wanted in zip(outcome, expected, strict=True):
        np.testing.assert_allclose(actual, wanted, rtol=tolerance, atol=tolerance * scale)
    seeds = [like(random, v) for v in values(function, args)]
    found = values(gradient(function, count), [*args, *seeds])
    for g, a in zip(found, args, strict=True):
        assert np.shape(g) == np.shape(a)
        assert np.asarray(g).dtype == np.asarray(a).dtype
    assert inner(found, along) == pytest.approx(
        inner(seeds, expected), rel=tolerance, abs=tolerance * scale
    )
    if orders > 1:
        check(gradient(function, count), [*args, *seeds], orders - 1, 100 * tolerance)
        check(tangent(function, count), [*args, *along], orders - 1, 100 * tolerance)


@pytest.mark.parametrize("name", PROGRAMS)
@each("orders", [1, 2])
def test_derivatives(name: str, orders: int) -> None:
    check(PROGRAMS[name].function, PROGRAMS[name].args, orders)


@pytest.mark.parametrize("name", ["rnn", "cholesky", "branching", "breaks", "carried_integer"])
def test_third_order(name: str) -> None:
    function, args = PROGRAMS[name].function, PROGRAMS[name].args
    seeds = [like(np.random.default_rng(2), v) for v in values(function, args)]
    check(gradient(function, len(args)), [*args, *seeds], 2, 1e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_symbolic_sizes_change_nothing(name: str) -> None:
    function, args = PROGRAMS[name].function, PROGRAMS[name].args
    seeds = [like(np.random.default_rng(2), v) for v in values(function, args)]
    once = gradient(function, len(args), keep=True)
    both = tangent(once, len(args) + len(seeds))
    given = [*args, *seeds, *args, *seeds]
    for exact, symbolic in zip(values(both, given), values(both, given, sizes=True), strict=True):
        # where lengths are known to be equal, BLAS adds up in another order
        np.testing.assert_allclose(exact, symbolic, rtol=4e-16)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_loop_runs_once(name: str) -> None:
    """Value and gradient: the loop and one backwards; value and tangent: the loop itself."""
    function, args = PROGRAMS[name].function, PROGRAMS[name].args
    count = loop_count(graph_of(function, args))
    seeds = values(function, args)
    once = gradient(function, len(args), keep=True)
    if name == "loop_in_an_arm":  # what an arm does by a loop is done again
        assert loop_count(graph_of(once, [*args, *seeds])) == 3
        return
    assert loop_count(graph_of(once, [*args, *seeds])) <= 2 * count
    assert loop_count(graph_of(tangent(function, len(args), keep=True), [*args, *args])) == count
    given = [*args, *seeds]
    more = values(once, given)
    twice = gradient(once, len(given), keep=True)
    assert loop_count(graph_of(twice, [*given, *more])) <= 4 * count


@each("name", [n for n, p in PROGRAMS.items() if p.tapes is not None])
def test_only_what_is_needed_is_recorded(name: str) -> None:
    function, args = PROGRAMS[name].function, PROGRAMS[name].args
    seeds = values(function, args)
    found = tapes(graph_of(gradient(function, len(args)), [*args, *seeds]))
    assert len(found) == PROGRAMS[name].tapes


def test_of_an_array_written_in_part_the_parts_read_are_recorded() -> None:
    for name in ("cumulative_product", "cholesky", "cholesky_by_elements"):
        function, args = PROGRAMS[name].function, PROGRAMS[name].args
        for tape in tapes(graph_of(gradient(function, len(args)), [*args, *args])):
            kept = tape.item
            while not hasattr(kept, "shape"):
                kept = kept.item
            assert len(kept.shape) <= 1, name
            assert kept.shape != args[0].shape, name
