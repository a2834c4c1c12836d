"""Random programs that mix constructs do what Python does, and have its derivatives.

``PYTHONPATH=tests:src python -m programs.test_mixed_programs 1000`` tries as many, and
``1000 500`` those from number 500 on; it prints what is wrong with which, and counts what is
refused, by reasons. ``GRADSMITH_RANDOM=1000 pytest tests/programs/test_mixed_programs.py`` does so
within pytest.
"""

from __future__ import annotations

import collections
import gc
import linecache
import re
import signal
import sys
import traceback

import pytest

from helpers import random_count
from programs import mixed_grammar as grammar
from programs.mixed_checks import RefusedError, check
from programs.mixed_programs import drawn

COUNT = random_count(6)
LONGEST = 60
"""Seconds of processor time for one program, when many are tried."""
NAMES = re.compile(r"`[^`]*`|\b[a-zA-Z]\d+\b|0x[0-9a-f]+|[-+]?\d+(\.\d+)?")
"""What reasons of the same kind differ in."""


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


class _SlowError(BaseException):
    """A program takes longer than anyone waits."""


def _too_long(signum, frame):
    raise _SlowError


def outcome(number):
    """Right, slow, wrong, or refused for which reason; what is wrong is printed."""
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        check(number)
    except _SlowError:
        print(f"--- slow: {number}", flush=True)
        return "slow"
    except RefusedError as error:
        print(f"--- refused: {number}: {error}", flush=True)
        return f"refused: {NAMES.sub('_', str(error).splitlines()[0])}"
    except Exception as error:
        text = traceback.format_exc(limit=-4)
        print(f"--- wrong: {number}\n{text}", flush=True)
        return f"wrong: {type(error).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        linecache.cache.clear()
        gc.collect()
    return "right"


def main(count, first=0):
    signal.signal(signal.SIGPROF, _too_long)
    found = collections.Counter()
    for number in range(first, first + count):
        found[outcome(number)] += 1
        if (number + 1 - first) % 50 == 0 or number + 1 - first == count:
            print(f"up to {number}: {dict(found.most_common())}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
