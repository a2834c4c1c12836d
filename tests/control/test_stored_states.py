"""States in lists: the loops over them stay loops, whatever the number of elements."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.stored_states import PROGRAMS, WIDTH, lstm, rnn_with_gates
from gradsmith.testing import check_grads
from helpers import each

COUNTS = (1, 2, 3, 7)


def inputs(n, dtype=np.float64):
    rng = np.random.default_rng(n)
    w = 0.5 * rng.normal(size=(n, 4 * WIDTH, 2 * WIDTH))
    return w.astype(dtype), rng.normal(size=(4, WIDTH)).astype(dtype), n


def same_bits(left, right):
    if isinstance(right, list):
        return all(map(same_bits, left, right))
    return type(left) is type(right) and left.dtype == right.dtype and np.array_equal(left, right)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_gradients(function):
    compiled = gs.compile(function)
    for n in COUNTS:
        given = inputs(n)
        assert same_bits(compiled(*given), function(*given)), n
        check_grads(function, given)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_source_is_as_long_for_many_elements_as_for_few(function):
    def total(w, x, n):
        out = function(w, x, n)
        return np.sum(out) if type(out) is not list else sum(np.sum(part) for part in out)

    for made in (gs.compile(function), gs.grad(total, (0, 1))):
        few, many = (made.source(*inputs(n)).count("\n") for n in (3, 12))
        assert few == many


@each("function", PROGRAMS, ids=lambda f: f.__name__)
def test_single_precision(function):
    given = inputs(3, np.float32)
    assert same_bits(gs.compile(function)(*given), function(*given))


@pytest.mark.parametrize("function", [lstm, rnn_with_gates], ids=lambda f: f.__name__)
def test_second_derivatives(function):
    check_grads(function, inputs(3), order=2)
