"""Random programs over lists and what they hold: values to the bit, gradients against differences.

``PYTHONPATH=tests:src python -m semantics.test_random_lists 2000`` tries as many, and ``2000 500``
those from number 500 on; it prints what is wrong with which.
"""

from __future__ import annotations

import collections
import math
import sys
import traceback
import warnings

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.errors import UnsupportedError
from helpers import random_count
from semantics.random_lists import Writer
from semantics.test_list_elements import loaded

COUNT = random_count(30)
CALLS = ((1.25, 0.75, 5), (0.5, 2.0, 7), (2.25, -1.0, 5))
STEPS = (1e-5, 3e-6)
"""Where differences depend on the step, a threshold is near."""
LARGEST = 1e6


def function_of(number):
    """The program of this number, or None where Python does not run it."""
    function = loaded(Writer(number).program(), f"random_{number}")
    try:
        for call in CALLS:
            function(*call)
    except (TypeError, ValueError, IndexError, AttributeError, OverflowError):
        return None
    return function


def slope(function, call, step):
    x, *others = call
    return (function(x + step, *others) - function(x - step, *others)) / (2 * step)


def check(number):
    """Everything for one program; why it is refused, or None."""
    function = function_of(number)
    if function is None:
        return None
    compiled = gs.value_and_grad(function)
    for call in CALLS:
        expected = float(function(*call))
        if not math.isfinite(expected) or abs(expected) > LARGEST:
            continue
        try:
            value, gradient = compiled(*call)
        except UnsupportedError as error:
            return error.message
        assert float(value) == expected, call
        coarse, fine = (slope(function, call, step) for step in STEPS)
        if np.isclose(coarse, fine, rtol=1e-4, atol=1e-5):
            assert np.isclose(gradient, fine, rtol=1e-4, atol=1e-4), (call, gradient, fine)
    return None


def tried(number):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return check(number)


@pytest.mark.parametrize("number", range(COUNT))
def test_random_program(number):
    reason = tried(number)
    if reason is not None:
        pytest.xfail(reason)


def main(count, first=0):
    refused, wrong = collections.Counter(), []
    for number in range(first, first + count):
        try:
            reason = tried(number)
        except Exception:
            wrong.append(number)
            print(number, Writer(number).program().rpartition("def f(")[2])
            traceback.print_exc(limit=2, file=sys.stdout)
        else:
            refused.update([] if reason is None else [reason])
    print(f"{count} programs, {len(wrong)} wrong {wrong}, {refused.total()} refused")
    for reason, times in refused.most_common():
        print(times, reason)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
