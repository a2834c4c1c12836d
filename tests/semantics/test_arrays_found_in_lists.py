"""``in``, ``index``, ``count``, ``remove`` and ``==`` find an array by its identity first, also
where two arguments are one array.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs


def _tried(act):
    try:
        return act()
    except ValueError:
        return "ValueError"


def membership(x, given):
    return _tried(lambda: x in given), _tried(lambda: x not in given), x is given[0]


def searches(x, given):
    return _tried(lambda: given.index(x)), _tried(lambda: given.count(x))


def in_a_tuple(x, given):
    return _tried(lambda: x in tuple(given)), _tried(lambda: tuple(given).index(x))


def removal(x, given):
    try:
        given.remove(x)
    except ValueError:
        return "ValueError", len(given)
    return "done", len(given)


def made_here(x, given):
    made = [x, x * 2]
    return (
        _tried(lambda: x in made),
        _tried(lambda: made.index(made[1])),
        _tried(lambda: given[0] in made),
    )


def equality(x, given):
    return _tried(lambda: given == [x, given[-1]]), _tried(lambda: (x, 1) == (given[0], 1))


def values_of_a_dict(x, given):
    held = {"a": given[0], "b": given[-1]}
    return _tried(lambda: x in held.values()), [key for key, v in held.items() if v is x]


def _arguments(which):
    a = np.array([1.0 + which, 2.0])
    return [(a, [a]), (a, [a, a * 2]), (a, [a * 2, a]), (a, [a.copy()]), (a, [a, a])][which]


@pytest.mark.parametrize(
    "function",
    [membership, searches, in_a_tuple, removal, made_here, equality, values_of_a_dict],
)
def test_by_identity(function):
    compiled = gs.compile(function)
    for which in range(5):
        assert compiled(*_arguments(which)) == function(*_arguments(which))
