"""Python's ``sum`` of traced numbers: from the left, and as exactly as Python adds floats.

Since Python 3.12 ``sum`` of Python's own floats keeps what rounding loses (A. Neumaier, 1974). As
in CPython's ``bltinmodule.c``, NumPy's numbers end that, and integers go by without it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from gradsmith.frontend.choices import choose, either
from gradsmith.frontend.dispatch import any_traced, apply, run
from gradsmith.frontend.merging import is_whole
from gradsmith.frontend.tracer import Tracer
from gradsmith.ops.control import stop_gradient

COMPENSATED = sys.version_info >= (3, 12)


def summed(values: Iterable[Any], start: Any) -> Any:
    """``sum(values, start)``."""
    values = list(values)
    if not (COMPENSATED and any_traced([*values, start])):
        return sum(values, start)
    total, lost = start, 0.0
    for value in values:
        total, lost = added(total, lost, value)
    return complete(total, lost)


def added(total: Any, lost: Any, value: Any) -> tuple[Any, Any]:
    """The sum so far and what rounding took from it, with one more value."""
    if not _is_float(total) or is_whole(value):
        return total + value, lost
    if not _is_float(value):
        return complete(total, lost) + value, 0.0
    more = total + value
    before, by, after = map(_constant, (total, value, more))  # rounding has no derivative
    below = choose(
        abs(before) >= abs(by),
        lambda: (before - after) + by,
        lambda: (by - after) + before,
    )
    return more, lost + below


def _constant(value: Any) -> Any:
    return run(stop_gradient, value) if isinstance(value, Tracer) else value


def complete(total: Any, lost: Any) -> Any:
    """The sum with what rounding has lost."""
    if not _is_float(total) or (type(lost) is float and not lost):
        return total
    counts = either("and", lost != 0, lambda: apply(np.isfinite, lost))
    return choose(counts, lambda: total + lost, lambda: total)


def _is_float(value: Any) -> bool:
    """Whether it is a Python float."""
    if isinstance(value, Tracer):
        return value.type.weak and value.dtype == np.float64
    return type(value) is float
