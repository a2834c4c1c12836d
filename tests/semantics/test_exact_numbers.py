"""Arguments beside numbers of `fractions` and `decimal`, with which Python compares exactly."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls
from gradsmith.errors import ArgumentTypeError

NUMBERS = [Fraction(1, 2), Fraction(1, 3), Fraction(3), Fraction(10**400), Fraction(2**53 + 1)]
DECIMALS = [Decimal("0.5"), Decimal("0.1"), Decimal(3), Decimal("inf"), Decimal("-1e400")]
FLOATS = [0.5, 0.1, 1 / 3, 3.0, -1.5, 2.0**53, float("inf")]
RELATIONS = ["lt", "le", "gt", "ge", "eq", "ne"]


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("number", NUMBERS + DECIMALS, ids=str)
def test_comparisons_are_exact(number: Any, relation: str) -> None:
    compare: Callable[[Any, Any], Any] = getattr(operator, relation)

    def f(x):  # type: ignore[no-untyped-def]
        return compare(x, number), compare(number, x)

    values: list[Any] = [*FLOATS, 3, 2**53 + 1, True]
    calls = [(value,) for value in values]
    calls += [(np.float64(0.1),), (np.float32(0.1),), (np.array([0.5, 0.1, 3.0]),)]
    check_calls(f, *calls, exact=True)


@pytest.mark.parametrize("relation", RELATIONS)
def test_numbers_that_the_data_decide(relation: str) -> None:
    compare: Callable[[Any, Any], Any] = getattr(operator, relation)

    def f(x):  # type: ignore[no-untyped-def]
        n = int(x)
        return [compare(n, number) for number in (Fraction(7, 2), Fraction(3), Decimal("2.5"))]

    check_calls(f, (2.2,), (3.7,), (4.1,), exact=True)


@pytest.mark.parametrize("value", [0.5, 3, 3.0, 7.5, True, 0.5 + 0j])
def test_searches(value: Any) -> None:
    halves = [Fraction(1, 2), Decimal(3), Fraction(1)]
    table = {Fraction(1, 2): "a half", Decimal(3): "three"}

    def f(x):  # type: ignore[no-untyped-def]
        place = halves.index(x) if x in halves else -1
        return place, halves.count(x), table.get(x), (x, 1) == (Fraction(1, 2), Decimal(1))

    check_calls(f, (0.25,), (value,), exact=True)


def test_a_branch() -> None:
    def f(x):  # type: ignore[no-untyped-def]
        if x < Fraction(3, 2):
            return x * x
        return 3.0 * x if x == Fraction(3, 2) else -x

    check_calls(f, (1.0,), (2.0,))
    assert gs.value_and_grad(f)(1.5) == (4.5, 3.0)


def test_order_with_nan_is_an_error() -> None:
    def f(x):  # type: ignore[no-untyped-def]
        try:
            return x < Decimal(1)
        except ArithmeticError:
            return "no order"

    check_calls(f, (0.5,), (float("nan"),), (2.0,))


def test_arithmetic() -> None:
    third, price = Fraction(1, 3), Decimal("1.25")

    def of_numbers(x):  # type: ignore[no-untyped-def]
        return float(x + third), float(third - x), float(x / third), third < x * third

    def of_integers(n):  # type: ignore[no-untyped-def]
        return float(n * third), str(n * price), n ** Fraction(2), 7 // Fraction(n, 2)

    check_calls(of_numbers, (1.5,), (3,), (0.1,))
    check_calls(of_integers, (3,), (4,))
    assert gs.grad(lambda x: x * third)(2.0) == float(third)


def test_integers_of_numpy_are_refused() -> None:
    def f(x):  # type: ignore[no-untyped-def]
        return x == Fraction(1, 2)

    with pytest.raises(ArgumentTypeError, match="Fraction"):
        gs.compile(f)(np.int64(3))


def test_numbers_that_the_function_makes():
    def added(a, b):
        made = Fraction(a, b) + Fraction(1, 3)
        return made.numerator, made.denominator, float(made), str(made)

    def summed(a, b):
        total = Decimal(0)
        for k in range(a):
            total += Decimal(str(k)) * Decimal("1.1")
        return str(total), float(sum(Fraction(k, b) for k in range(a))) * b

    def sorted_(a, b):
        found = sorted([Fraction(a, b), Fraction(b, a), Fraction(1)])
        return [float(value) for value in found], str(max(found))

    for function in (added, summed, sorted_):
        check_calls(function, (3, 4), (2, 7), (5, 2))
