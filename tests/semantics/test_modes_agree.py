"""Both modes give the same derivative at zeros, ties, negative bases and whole exponents.

A tangent of 0, given or of an argument that has none, adds nothing, as an adjoint of 0 does.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

EDGES = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -1.5, 800.0, -800.0]

INTEGERS = ("bit", "shift", "invert", "gcd", "lcm", "logical", "isnat", "ldexp", "conj")


def _ufuncs(count):
    for name in dir(np):
        ufunc = getattr(np, name)
        known = isinstance(ufunc, np.ufunc) and not any(word in name for word in INTEGERS)
        if known and (ufunc.nin, ufunc.nout) == (count, 1) and ufunc.signature is None:
            yield pytest.param(ufunc, id=name)


POWERS = [-2, -1, 0, 1, 2, 3, 0.5, 1.5, -0.5, -1.5, 2.0, 0.3]


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"):
        yield


def check(function, points, weights=(1.0, 0.0)):
    """jvp along each argument, the tangents of the others 0 or None, against the gradient."""

    def weighted(w, *arguments):
        return np.sum(function(*arguments) * w)

    count = len(points[0])
    places = tuple(range(1, 1 + count))
    gradient = gs.grad(weighted, argnums=places)
    for point in points:
        if not np.isfinite(np.sum(function(*point))):
            continue
        for w in weights:
            found = gradient(w, *point)
            for k, g in enumerate(found):
                for zero in (None, 0):
                    tangents = [None if zero is None else 0 * x for x in point]
                    tangents[k] = 0 * point[k] + 1
                    tangent = gs.jvp(weighted, (w, *point), (None, *tangents))[1]
                    message = f"argument {k} of {point}, weight {w}"
                    np.testing.assert_allclose(tangent, np.sum(g), err_msg=message)


@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
@pytest.mark.parametrize("function", [*_ufuncs(1)])
def test_functions_of_one_argument(function):
    with np.errstate(all="ignore"):
        check(function, [(np.array([x]),) for x in EDGES])
        check(function, [(x,) for x in EDGES])


@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
@pytest.mark.parametrize("function", [*_ufuncs(2)])
def test_functions_of_two_arguments(function):
    pairs = [(x, y) for x in EDGES[:8] for y in EDGES[:8]]
    check(function, [(np.array([x]), np.array([y])) for x, y in pairs], weights=(1.0,))
    check(function, pairs, weights=(1.0,))


@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
@each("exponent", POWERS)
def test_powers(exponent):
    check(lambda x, p=exponent: x**p, [(np.array([x]),) for x in EDGES])
    check(lambda x, p=exponent: np.float64(x) ** p, [(x,) for x in EDGES])
