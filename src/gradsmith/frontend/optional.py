"""Variables that are None on some of the paths to a place, and hold a value on the others.

``best = None; for v in x: if best is None or v < best: best = v``. Where a trace has shown that
there is one, the next stores no value for None in it: it is carried and joined like a variable
that is not set on every path (`Perhaps`), with what tells whether it has a value. Its reads, which
staging marks, make None of that again.
"""

from __future__ import annotations

from typing import Any

from gradsmith.frontend.choices import choose, identical, negate
from gradsmith.frontend.joint import as_condition, condition_of
from gradsmith.frontend.presence import condition_on_the_way, traced_truth
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import (
    MISSING,
    OptionalError,
    Perhaps,
    UndecidedError,
    Unsettled,
    is_none_or_value,
    is_undefined,
)
from gradsmith.frontend.value_guards import decide


def to_store(name: str, value: Any) -> Any:
    """What a variable that may be None holds of ``value``."""
    trace = current_trace()
    if trace is None:
        return value
    if name in trace.learned.optional:
        return Unsettled(name, MISSING) if value is None else value
    if isinstance(value, Perhaps) or is_none_or_value(value) or is_undefined(value):
        raise OptionalError(name, current_span())
    return value


def value_or_none(name: str, value: Any) -> Any:
    """What the function sees of a variable that may be None."""
    trace = _trace_of(name, value)
    if trace is None:
        return value
    if is_undefined(value) or value.value is None:
        return None
    return value.value if decide(condition_on_the_way(value, trace)) else None


def is_none(name: str, value: Any) -> Any:
    """``value is None`` of such a variable; a traced truth value where running tells."""
    trace = _trace_of(name, value)
    if trace is None:
        return identical(value, None)
    if is_undefined(value) or value.value is None:
        return True
    return negate(condition_on_the_way(value, trace))


def truth(name: str, value: Any) -> Any:
    """Such a variable where only its truth counts."""
    trace = _trace_of(name, value)
    if trace is None:
        return value
    if is_undefined(value) or value.value is None:
        return None
    held = value.value
    return choose(condition_on_the_way(value, trace), lambda: _truth(held), lambda: False)


def _truth(value: Any) -> Any:
    asked = as_condition(value)
    return traced_truth(condition_of(asked)) if isinstance(asked, Tracer) else bool(asked)


def _trace_of(name: str, value: Any) -> Trace | None:
    """The trace at work, where ``value`` stands for one that may be None."""
    trace = current_trace()
    if trace is None or not isinstance(value, (Perhaps, Unsettled)):
        return None
    if isinstance(value, Perhaps) or is_undefined(value):
        return trace
    if name not in trace.learned.optional:
        _learn(name, value)
    return None


def _learn(name: str, value: Unsettled) -> None:
    """The next trace is to know that the variable may be None, if that is why it has no value."""
    if is_none_or_value(value):
        raise OptionalError(name, current_span())
    try:
        value.refuse()
    except UndecidedError as error:
        error.optional = name
        raise
