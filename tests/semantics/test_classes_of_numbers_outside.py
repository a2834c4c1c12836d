"""Numbers and texts outside of classes derived from Python's, with a ``repr`` of their own."""

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each


class Unit(float):
    def __repr__(self):
        return "a unit"


class Count(int):
    def __repr__(self):
        return "a count"


class Word(str):
    __slots__ = ()

    def __repr__(self):
        return "a word"


class Phase(complex):
    def __repr__(self):
        return "a phase"


UNIT, COUNT, WORD, PHASE = Unit(2.5), Count(1), Word("a"), Phase(1 + 2j)


@each(
    "function",
    [
        lambda x: x * UNIT,
        lambda x: [1, 2, 3][COUNT] * x,
        lambda x: sum(range(COUNT)) + x,
        lambda x: ({"a": x}[WORD], WORD + "b"),
        lambda x: (COUNT + 1, x),
        lambda x: x * PHASE,
        lambda x: (np.full(2, UNIT) * x, np.zeros(COUNT)),
        lambda x, k=COUNT, u=UNIT: x * k * u,
        lambda x: {"u": UNIT}["u"] * x,
    ],
)
def test_values(function):
    check_calls(function, (1.5,), (2.0,))


class Money(float):
    def __str__(self):
        return f"${float(self):.2f}"


@each(
    "expression",
    [
        "str(([Money(2.5)] * n)[0]), type(([Money(2.5)] * n)[-1]).__name__",
        "[str(m) for m in [Money(v) for v in range(n)]]",
        "str(((Money(1.5),) * n)[0]), str({k: Money(k) for k in range(n)}[0])",
    ],
)
def test_lists_of_them(expression):
    check_calls(function_of(expression, "n", Money=Money), (3,), (5,), (6,))
