"""Stable forms where what is subtracted before the exponential has fewer axes, or more."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

random = np.random.default_rng(2)


def normal(*shape: int) -> np.ndarray:
    return random.normal(size=shape)


PAIRS = [
    (normal(3, 4), normal(4), 0),
    (normal(3, 4), normal(4), 1),
    (normal(3, 4), normal(3, 1), 1),
    (normal(3, 4), np.float64(0.3), 0),
    (normal(1, 4), normal(3, 1), 1),
    (normal(3, 1), normal(3, 4), 1),
    (normal(4), normal(3, 4), 1),
    (normal(4), normal(3, 1), 1),
    (normal(2, 3, 4), normal(3, 1), (0, 2)),
    (normal(2, 3, 4), normal(3, 1), 2),
    (normal(2, 3, 4), normal(4), 1),
    (normal(2, 3, 4), normal(1, 4), 1),
    (np.float64(0.3), normal(3, 4), 0),
]
FORMS = {
    "log-sum-exp": lambda x, y, axis: np.log(np.sum(np.exp(x - y), axis=axis)),
    "kept": lambda x, y, axis: np.log(np.sum(np.exp(x - y), axis=axis, keepdims=True)),
    "softmax": lambda x, y, axis: np.exp(x - y) / np.sum(np.exp(x - y), axis, keepdims=True),
}


@pytest.mark.parametrize("name", FORMS)
@each("k", range(len(PAIRS)))
def test_shifts(name, k):
    x, y, axis = PAIRS[k]

    def function(x, y):
        return FORMS[name](x, y, axis)

    np.testing.assert_allclose(gs.compile(function)(x, y), function(x, y), rtol=1e-12)
    gs.check_grads(lambda x, y: np.sum(np.sin(function(x, y))), (x, y))
