"""Kernels of science where distances are 0 and gates saturated: no nan, and the right numbers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gradsmith as gs
from programs.science import KERNELS

STEP = 1e-6
ON_THE_EDGE = {
    *("cosine_similarity", "cosine_where", "unit_vector", "wind_direction", "masked_root"),
    *("manning", "weir", "entropy", "entropy_mask", "weibull_survival"),
}
"""Not differentiable, or not defined, on one side of zero: there differences leave zeros alone."""


def directional(function, args, direction):
    """The derivative by symmetric differences: at a kink the mean of both sides."""
    ends = [function(args[0] + s * STEP * direction, *args[1:]) for s in (1, -1)]
    return (ends[0] - ends[1]) / (2 * STEP)


@pytest.mark.parametrize("name", KERNELS)
def test_derivatives_are_finite_and_right(name):
    function, cases = KERNELS[name]
    gradient, stable = gs.value_and_grad(function), gs.compile(function)
    random = np.random.default_rng(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for args in cases:
            kept = [np.copy(a) for a in args]
            value, g = gradient(*args)
            plain = function(*map(np.copy, args))
            if np.isfinite(plain):  # what overflows does not, here
                np.testing.assert_allclose(value, plain, rtol=1e-13)
            assert np.isfinite(value)
            assert np.all(np.isfinite(g))
            direction = random.normal(size=args[0].shape)
            tangent = gs.jvp(function, args, (direction, *map(np.zeros_like, args[1:])))[1]
            assert tangent == pytest.approx(np.sum(g * direction), rel=1e-8, abs=1e-8)
            if name in ON_THE_EDGE:
                direction[args[0] == 0] = 0
            expected = directional(stable, args, direction)
            assert np.sum(g * direction) == pytest.approx(expected, rel=1e-4, abs=1e-4)
            for before, after in zip(kept, args, strict=True):
                np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("name", [name for i, name in enumerate(KERNELS) if i % 2])
def test_second_derivatives_are_finite(name):
    function, cases = KERNELS[name]

    def slope(x, *rest):
        return np.sum(gs.grad(function)(x, *rest) ** 2)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.all(np.isfinite(gs.grad(slope)(*cases[0])))
