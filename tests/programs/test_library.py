"""Every program of the library: value, gradient, other sizes, arguments left alone."""

from __future__ import annotations

import functools
import importlib

import numpy as np
import pytest

import gradsmith as gs
from programs.arguments import FIRST, SECOND
from programs.harness import (
    PROGRAMS,
    close,
    copied,
    differences,
    inexact,
    leaves,
    same_bits,
    seeds_for,
)

for _family in (
    "contractions",
    "elementwise",
    "indexing",
    "python",
    "reductions",
    "shapes",
    "structure",
):
    importlib.import_module(f"programs.{_family}")

pytestmark = pytest.mark.filterwarnings(
    "ignore::gradsmith.UnusedInputWarning", "ignore::RuntimeWarning"
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_value_and_gradient(name):
    case = PROGRAMS[name]
    run = functools.partial(case.function, **case.keywords)
    compiled = gs.compile(run)
    for sizes in (FIRST, SECOND):
        check(case, run, compiled, case.arguments(sizes))


def check(case, run, compiled, arguments):
    before, left, written = (copied(arguments) for _ in range(3))
    expected = run(*left)
    value = compiled(*written)
    given = [v for v in leaves(arguments) if inexact(v)]
    single = any(np.asarray(v).dtype in (np.float32, np.complex64) for v in given)
    if case.rewritten:
        close((value, written), (expected, left), rtol=1e-5 if single else 1e-12)
    else:
        same_bits((value, written), (expected, left))
    seed = seeds_for(expected, np.random.default_rng(1))
    gradients = gs.vjp(run, *arguments)[1](seed)
    same_bits(arguments, before)
    found = [g for g in leaves(gradients) if inexact(g)]
    wanted = differences(run, arguments, seed)
    for gradient, reference, argument in zip(found, wanted, given, strict=True):
        dtype = np.asarray(argument).dtype
        assert np.asarray(gradient).dtype == dtype
        # differences of a function that rounds to single precision are worth three digits
        close(gradient, reference.astype(dtype), rtol=2e-2 if single else 1e-6)
