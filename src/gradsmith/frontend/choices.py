"""Conditional expressions, ``and``, ``or``, ``not`` and chained comparisons on traced values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from gradsmith.errors import ControlFlowError, InternalError
from gradsmith.frontend.branches import fail_on, joined
from gradsmith.frontend.frozen import is_same_object
from gradsmith.frontend.joint import arm_of, as_condition, condition_of
from gradsmith.frontend.journal import journaling, reachable
from gradsmith.frontend.path_errors import ended
from gradsmith.frontend.shared_memory import are_one
from gradsmith.frontend.spans import current_span, staged_frame
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import Unsettled
from gradsmith.frontend.value_guards import decide
from gradsmith.ops.compare import negation


def choose(condition: Any, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """``then() if condition else orelse()``."""
    condition = as_condition(condition)
    if not isinstance(condition, Tracer):
        return then() if condition else orelse()
    trace = current_trace()
    if trace is None:
        raise InternalError("a traced condition outside a trace")
    site = current_span()
    if site in trace.decided:
        return then() if decide(condition) else orelse()
    node = condition_of(condition)
    arms = []
    frame = staged_frame()
    known = None if frame is None else reachable(frame, trace)
    for truth, way in ((True, then), (False, orelse)):
        with trace.region((node, truth), site), journaling(known) as journal:
            value, abandoned = None, None
            try:
                value = way()
            except Exception as error:
                abandoned = ended(error, trace)
                if abandoned is None:
                    raise
            arms.append(arm_of(trace, [value], journal))
        if abandoned is not None:
            fail_on(trace, node, arms[-1].builder, truth=truth)
            return orelse() if truth else then()
    try:
        (value,) = joined(trace, node, ("this conditional expression",), arms)
    except ControlFlowError:  # no value stands for what the two give
        return then() if decide(condition) else orelse()
    return value


def either(word: str, first: Any, rest: Callable[[], Any]) -> Any:
    """``first and rest()``, ``first or rest()``."""
    if not isinstance(as_condition(first), Tracer):
        return (rest() if first else first) if word == "and" else (first if first else rest())
    if word == "and":
        return choose(first, rest, lambda: _falsy(first))
    return choose(first, lambda: _truthy(first), rest)


def _is_truth(value: Any) -> bool:
    return isinstance(value, Tracer) and value.dtype == bool and not value.ndim


def _falsy(value: Any) -> Any:
    return False if _is_truth(value) else value


def _truthy(value: Any) -> Any:
    return True if _is_truth(value) else value


def negate(value: Any) -> Any:
    """``not value``."""
    value = as_condition(value)
    if not isinstance(value, Tracer):
        return not value
    return Tracer(View(Storage(negation(condition_of(value)))))


def identical(left: Any, right: Any) -> bool:
    """``left is right``."""
    for value in (left, right):
        if isinstance(value, Unsettled):
            value.refuse()
        if isinstance(value, Tracer):
            value.view.storage.read = True  # what it is has been asked
    return are_one(left, right) or is_same_object(left, right)


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Is": identical,
    "IsNot": lambda left, right: not identical(left, right),
    "In": lambda left, right: left in right,
    "NotIn": lambda left, right: left not in right,
}


def chain(left: Any, word: str, right: Callable[[], Any], *rest: Any) -> Any:
    """``left < right() < ...``, with each operand evaluated once and only if it counts."""
    operand = right()
    compared = OPERATORS[word](left, operand)
    return either("and", compared, lambda: chain(operand, *rest)) if rest else compared
