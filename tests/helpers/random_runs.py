"""Many random programs from the command line: which are right, slow, wrong or refused, and why."""

from __future__ import annotations

import collections
import gc
import linecache
import re
import signal
import traceback
from collections.abc import Callable
from types import FrameType

LONGEST = 60
"""Seconds of processor time for one program."""
NAMES = re.compile(r"`[^`]*`|\b[a-zA-Z]\d+\b|0x[0-9a-f]+|[-+]?\d+(\.\d+)?")
"""What reasons of the same kind differ in."""


class _SlowError(BaseException):
    """A program takes longer than anyone waits."""


def _too_long(signum: int, frame: FrameType | None) -> None:
    raise _SlowError


def run_many(
    refusal: Callable[[int], str | None], source: Callable[[int], str], count: int, first: int = 0
) -> None:
    """Check ``count`` programs from number ``first`` on; print what is wrong and the counts.

    ``refusal`` checks the program with a number and returns why it is refused, or None;
    ``source`` returns the text of that program.
    """
    signal.signal(signal.SIGPROF, _too_long)
    found: collections.Counter[str] = collections.Counter()
    for number in range(first, first + count):
        found[_outcome(refusal, source, number)] += 1
        if (number + 1 - first) % 50 == 0 or number + 1 - first == count:
            print(f"up to {number}: {dict(found.most_common())}", flush=True)


def _outcome(
    refusal: Callable[[int], str | None], source: Callable[[int], str], number: int
) -> str:
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        reason = refusal(number)
    except _SlowError:
        print(f"--- slow: {number}", flush=True)
        return "slow"
    except Exception as error:
        text = traceback.format_exc(limit=-4)
        print(f"--- wrong: {number}\n{source(number)}\n{text}", flush=True)
        return f"wrong: {type(error).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        linecache.cache.clear()
        gc.collect()
    if reason is None:
        return "right"
    print(f"--- refused: {number}: {reason}", flush=True)
    return f"refused: {NAMES.sub('_', reason.splitlines()[0])}"
