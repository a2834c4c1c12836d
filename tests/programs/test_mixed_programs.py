"""Random programs that mix constructs do what Python does, and have its derivatives.

``PYTHONPATH=tests:src python -m programs.test_mixed_programs 1000`` tries as many, and
``1000 500`` those from number 500 on; it prints what is wrong with which, and counts what is
refused, by reasons. ``GRADSMITH_RANDOM=1000 pytest tests/programs/test_mixed_programs.py`` does so
within pytest.
"""

from __future__ import annotations

import collections
import sys

import pytest

from helpers import random_count
from helpers.random_runs import run_many
from programs import mixed_grammar as grammar
from programs.mixed_checks import RefusedError, check
from programs.mixed_programs import drawn

COUNT = random_count(4)


@pytest.mark.parametrize("number", range(COUNT))
def test_values_and_derivatives(number):
    try:
        check(number)
    except RefusedError as error:
        pytest.xfail(str(error))


def test_programs_use_all_constructs():
    used = sum((drawn(number)[1] for number in range(60)), collections.Counter())
    assert not {*grammar.EXPRESSIONS, *grammar.STATEMENTS, "early return"} - used.keys()


def test_the_same_number_draws_the_same_program():
    assert [drawn(number) for number in range(3)] == [drawn(number) for number in range(3)]


def refusal(number):
    """Why a program is refused, or None."""
    try:
        check(number)
    except RefusedError as error:
        return str(error)
    return None


if __name__ == "__main__":
    run_many(refusal, lambda number: drawn(number)[0], *map(int, sys.argv[1:]))
