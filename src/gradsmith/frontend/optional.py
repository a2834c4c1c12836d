"""Variables and attributes that are None on some of the paths to a place, and hold a value on the
others.

``best = None; for v in x: if best is None or v < best: best = v``. Where a trace has shown that
there is one, the next carries and joins it like a variable that is not set on every path, with a
flag that tells whether it has a value (`Perhaps`, in objects `MaybeNone`). Its reads, which
staging marks, make None of that again.
"""

from __future__ import annotations

from typing import Any, NoReturn

from gradsmith.errors import ControlFlowError
from gradsmith.frontend.choices import choose, identical, negate
from gradsmith.frontend.joint import as_condition, condition_of
from gradsmith.frontend.presence import check_optional, condition_on_the_way, traced_truth
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import OptionalError, Perhaps, Unsettled, is_undefined
from gradsmith.frontend.value_guards import decide


def value_or_none(name: str, value: Any) -> Any:
    """What the function sees of a variable that may be None."""
    trace = _trace_of(name, value)
    return value if trace is None else value_of(value, trace)


def value_of(value: Any, trace: Trace) -> Any:
    """What stands behind a value that may be None, by a guard where no path tells."""
    if _is_surely_none(value):
        return None
    return value.value if decide(condition_on_the_way(value, trace)) else None


def raw(name: str, value: Any) -> Any:
    """What another variable gets of it, or what a function returns: it may still be None."""
    trace = _trace_of(name, value)
    return None if trace is not None and _is_surely_none(value) else value


def is_none(name: str, value: Any) -> Any:
    """``value is None`` of such a variable; a traced truth value where running tells."""
    trace = _trace_of(name, value)
    if trace is None:
        return identical(value, None)
    return True if _is_surely_none(value) else negate(condition_on_the_way(value, trace))


def truth(name: str, value: Any) -> Any:
    """Such a variable where only its truth counts."""
    trace = _trace_of(name, value)
    if trace is None:
        return value
    if _is_surely_none(value):
        return None
    held = value.value
    return choose(condition_on_the_way(value, trace), lambda: _truth(held), lambda: False)


def check_result(name: str, value: Any) -> None:
    """Have the function traced anew where a call gives None on some of the paths only, and a
    variable that may be None gets it.
    """
    trace = current_trace()
    if trace is not None and trace.raw_calls:
        check_optional(name, value, trace)


def settled_result(value: Any) -> Any:
    """The result of a call that no variable gets which may be None."""
    trace = current_trace()
    return value_of(value, trace) if type(value) is Perhaps and trace is not None else value


def _is_surely_none(value: Any) -> bool:
    return is_undefined(value) or value.value is None


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
    check_optional(name, value, trace)
    if name not in trace.learned.optional:
        _refuse(name, value)
    return None


def _refuse(name: str, value: Unsettled) -> NoReturn:
    """Refuse what a loop leaves without a value: it may have been None before.

    Often it is so in the first iteration alone, which the loop makes apart; not beside others that
    are None at times.
    """
    trace = current_trace()
    try:
        value.refuse()
    except ControlFlowError as error:
        if trace is not None and trace.learned.optional:
            raise OptionalError(name, error.span) from None
        error.optional = name
        raise
