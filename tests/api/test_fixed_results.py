"""Results that are no numbers: members of enumerations, and sets."""

from __future__ import annotations

import enum

import numpy as np
import pytest

import gradsmith as gs


class Colour(enum.Enum):
    RED = 1
    GREEN = 2

    @classmethod
    def of(cls, x):
        return cls.RED if x > 1 else cls.GREEN


class Level(enum.IntEnum):
    HIGH = 5


def members(x):
    return Colour(2), Colour["RED"], Colour.of(x), {"level": Level.HIGH, "scaled": Level.HIGH * x}


def sets(x):
    found = {1, "a", (2, None)}
    if x > 1:
        found.add(3.5)
    return found, set(), frozenset(), frozenset({1.5}), {Colour.RED: [x], Colour.GREEN: {True}}


def slices(x):
    bounds = [(1, None, 2), (None, None, -1), (5, 2), (-2, None), (10, None, -3)]
    return [slice(*b).indices(len(x)) for b in bounds], slice(len(x) - 1, None, -1).indices(len(x))


@pytest.mark.parametrize(
    ("fun", "calls"), [(members, (2.0, 0.5)), (sets, (2.0, 0.5)), (slices, ([1.0, 2.0], [3.0]))]
)
def test_results_are_pythons(fun, calls):
    compiled = gs.compile(fun)
    for x in (*calls, calls[0]):
        made, expected = compiled(x), fun(x)
        assert made == expected
        assert [type(part) for part in made] == [type(part) for part in expected]


def test_the_digits_of_a_float():
    compiled = gs.compile(lambda x: (x.hex(), float.fromhex(x.hex()) == x))
    for x in (2.5, 0.1, np.float64(0.3)):
        assert compiled(x) == (float(x).hex(), True)


def test_sets_are_made_anew():
    compiled = gs.compile(sets)
    compiled(2.0)[0].clear()
    assert compiled(2.0) == sets(2.0)


def test_a_set_of_traced_numbers_is_refused():
    with pytest.raises(gs.GradsmithError, match="of type set"):
        gs.compile(lambda x: {x, 1.0})(2.0)
