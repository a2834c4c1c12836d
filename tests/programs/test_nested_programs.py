"""Programs that differentiate inside: what they compute, and their own gradients."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from programs.harness import close, copied, differences, leaves, same_bits, seeds_for
from programs.nested import PAIRS

every_pair = pytest.mark.parametrize("name", PAIRS)


@every_pair
def test_value_is_the_worked_out_one(name):
    pair = PAIRS[name]
    before = copied(pair.arguments)
    close(gs.compile(pair.program)(*pair.arguments), pair.plain(*copied(before)), rtol=1e-11)
    same_bits(pair.arguments, before)


@every_pair
def test_gradient_equals_differences_of_the_worked_out_one(name):
    pair = PAIRS[name]
    seed = seeds_for(pair.plain(*copied(pair.arguments)), np.random.default_rng(5))
    program = gs.differentiable(pair.program)
    found = program.grad(*pair.arguments, grad_outputs=seed, materialize_grads=True)
    expected = differences(pair.plain, pair.arguments, seed)
    for actual, wanted in zip(leaves(found), expected, strict=True):
        np.testing.assert_allclose(actual, wanted, rtol=1e-6, atol=1e-7)
