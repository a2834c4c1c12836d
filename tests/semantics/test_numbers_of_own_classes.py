"""Numbers of subclasses of float, int and complex beside traced ones have Python's results.

NumPy takes them for numbers of 64 bits that are not weak; without operators of their own they have
those of Python's class, which take NumPy's scalars of Python's kind for Python's numbers.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of


class Real(float):
    """A float with nothing of its own."""


class Whole(int):
    """An integer with nothing of its own."""


class Gauss(complex):
    """A complex number with nothing of its own."""


class Added(float):
    """A float that would be asked by other classes than NumPy's."""

    def __radd__(self, other):
        return other * 10


class Doubling:
    """Its remainders are multiples."""

    def __mod__(self, other):
        return other * 2 if other > 1.2 else other

    def __rmod__(self, other):
        return other * 3


NAMES = {"Real": Real, "Whole": Whole, "Gauss": Gauss, "Added": Added, "Doubling": Doubling}
SETS = [(np.array([1.5, 2.5]), 3), (np.array([0.5, -2.5]), 2), (np.array([2.0, 0.25]), 5)]
TRACED = ["x[0]", "float(x[0])", "x", "n", "x.argmax()", "np.float32(x[0])", "len(x)"]


@pytest.mark.parametrize("own", ["Real(2.5)", "Whole(2)"])
@pytest.mark.parametrize("traced", TRACED)
def test_operators(own, traced):
    for left, right in ((own, traced), (traced, own)):
        signs = ["+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=", ">"]
        expression = ", ".join(f"{left} {sign} {right}" for sign in signs)
        calls = [(np.abs(x) + 0.5, n) for x, n in SETS]
        check_calls(function_of(expression, "x, n", **NAMES), *calls)


@pytest.mark.parametrize(
    "expression",
    [
        "Gauss(2j) + x[0], x[0] * Gauss(2j), Gauss(1j) == x[0], Gauss(1j) != x[0], x - Gauss(2)",
        "x[0] + Added(2.5), x + Added(1.5)",
        "Doubling() % x[0], x[0] % Doubling(), 7 % x[0]",
        "np.clip(x, Real(0.0), Real(1.0)), np.where(x > 1, Real(1.0), x)",
        "np.sum([Real(1.5), x[0]])",
        "np.array([Real(1.0), x[0]]), np.array([Whole(1), 2]) * x[0], x[Whole(1)], x[: Whole(1)]",
        "x[0] ** Whole(2), x ** Whole(3), Whole(2) ** n",
        "divmod(Real(0.7), x[0]), divmod(x[0], Real(0.7))",
        "[(v, type(v)) for v in (abs(Real(-2.5)), abs(Gauss(3j)), -Real(2.5), round(Real(2.5)))]",
        "type(Real(2.0) if x[0] > 1 else 3.0).__name__, max(Real(2.5), 1.0) * x[0]",
    ],
)
def test_elsewhere(expression):
    check_calls(function_of(expression, "x, n", **NAMES), *SETS)


def accumulated(x, n):
    total = Real(0.0)
    for v in x:
        total += v * n
    return total * Real(2.0)


def stored(x, n):
    y = x.copy()
    y[0] = Real(n) * y[1]
    y *= Real(2.0)
    return np.sum(y)


@pytest.mark.parametrize("function", [accumulated, stored])
def test_in_programs(function):
    check_calls(function, *SETS)


OUTSIDE = {"a": Real(1.5), "b": [Gauss(1j), Whole(2)]}


@pytest.mark.parametrize(
    "expression",
    ["y, x[0]", "[y], {'y': y}", "OUTSIDE['a']", "OUTSIDE", "y if x[0] > 1 else OUTSIDE['a']"],
)
def test_those_from_outside_keep_their_class_as_results(expression):
    function = function_of(expression, "x, y", OUTSIDE=OUTSIDE)
    compiled = gs.compile(function)
    for x, y in ((np.array([1.5, 2.5]), Real(3.0)), (np.array([0.5, 2.5]), Real(4.0))):
        found, expected = compiled(x, y), function(x, y)
        assert _classes(found) == _classes(expected)
        assert repr(found) == repr(expected)


def _classes(value):
    if isinstance(value, dict):
        return {key: _classes(v) for key, v in value.items()}
    return [_classes(v) for v in value] if isinstance(value, (list, tuple)) else type(value)


@pytest.mark.parametrize(
    "expression",
    [
        *("Real(2.5)", "x[0], Whole(2)", "{'a': [Gauss(1j)]}", "Added(2.0)", "Real(x[0])"),
        *("Real(1.0) if x[0] > 1 else Real(2.0)", "max(Real(2.5), 1.0)", "sorted([Whole(2)])"),
    ],
)
def test_those_made_inside_are_no_results(expression):
    function = function_of(expression, "x", **NAMES)
    x = np.array([1.5, 2.5])
    with pytest.raises(gs.GradsmithError) as caught:
        gs.compile(function)(x)
    assert isinstance(caught.value, TypeError)
    assert caught.value.span is not None


@pytest.mark.parametrize(
    "way", [gs.grad, gs.value_and_grad, lambda f: lambda x: gs.jvp(f, (x,), (x,))]
)
def test_those_made_inside_are_no_results_of_derivatives(way):
    with pytest.raises(TypeError, match=r"the function returns 2\.5 of type Real"):
        way(lambda x: Real(2.5))(np.array([1.5, 2.5]))


def test_integers_as_arguments_give_plain_ones():
    expression = "(v + 0, v * 1, v - 0, v // 1, +v, v**1, v | 0, -(-v), sum([v]))"
    function = function_of(expression, "v")
    compiled = gs.compile(function)
    for v in (Whole(3), 4, Whole(5)):
        assert [type(n) for n in compiled(v)] == [type(n) for n in function(v)]
        assert compiled(v) == function(v)
