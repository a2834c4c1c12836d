"""Errors that a traced value decides about, and conditions that none may decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from gradsmith.errors import ControlFlowError, GradsmithError
from gradsmith.frontend.choices import choose
from gradsmith.frontend.dispatch import any_traced
from gradsmith.frontend.path_errors import ended, refuse_handlers
from gradsmith.frontend.presence import condition_on_the_way
from gradsmith.frontend.showing import can_fail, failed
from gradsmith.frontend.spans import span_of
from gradsmith.frontend.trace import current_trace, in_region, may_fail_before
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import (
    AbandonedError,
    Perhaps,
    UndecidedError,
    is_undefined,
    no_value,
)
from gradsmith.frontend.value_guards import decide
from gradsmith.ir.graph import Node
from gradsmith.ops.effects import fail


def raising(make: Callable[[], Any]) -> bool:
    """Whether to raise an error now; on a way that may not be taken the emitted code does."""
    if not in_region():
        return True
    refuse_handlers()
    error = _record(make())
    trace = current_trace()
    assert trace is not None
    raise AbandonedError.at(error, trace.builder)


def _may_be_handled() -> bool:
    """Whether a ``try`` may handle an error here, where Python itself can raise it."""
    trace = current_trace()
    refuse_handlers()
    return trace is not None and trace.trying > 0


def bound(name: str, value: Any, outside: bool) -> Any:
    """The value of a variable, which may have none; it is of a function *outside*, or of this."""
    if is_undefined(value):
        _ends_here(name, outside)
    if not isinstance(value, Perhaps):
        return value
    trace = current_trace()
    if trace is None or trace.builder.is_sure(value):
        return value.value
    present = condition_on_the_way(value, trace)
    if isinstance(present, Tracer) and _may_be_handled():
        present = decide(present)
    if isinstance(present, Tracer):
        choose(present, lambda: None, lambda: _record(no_value(name, outside=outside)))
    elif not present:
        _ends_here(name, outside)
    trace.builder.make_sure(value)
    return value.value


def _ends_here(name: str, outside: bool) -> NoReturn:
    """The variable has no value on this way: what follows on it is not reached."""
    error, trace = no_value(name, outside=outside), current_trace()
    if trace is None or not may_fail_before(trace) or _may_be_handled():
        raise error
    _record(error)
    raise AbandonedError.by(error, name, trace.builder)


def asserted(condition: Any, message: Callable[[], Any]) -> bool:
    """What ``assert`` asks; of a traced condition the emitted code does."""
    if not isinstance(condition, Tracer):
        if not condition and not raising(lambda: _failed_assertion(message())):
            return True
        return bool(condition)
    if _may_be_handled():
        return decide(condition)
    choose(condition, lambda: None, lambda: raising(lambda: _failed_assertion(message())) and None)
    return True


def _failed_assertion(text: Any) -> AssertionError:
    return AssertionError() if text is None else AssertionError(text)


def trying(step: int) -> None:
    """A ``try`` with handlers begins (1) or ends (-1)."""
    trace = current_trace()
    if trace is not None:
        trace.trying += step


def _record(error: Any) -> Any:
    if isinstance(error, type) and issubclass(error, BaseException):
        error = error()
    if not can_fail(error):
        trace = current_trace()
        raise UndecidedError.at(
            None if trace is None else trace.site,
            f"a traced value decides whether {type(error).__name__} is raised: the emitted code "
            "has only errors of Python's and of classes that add nothing to these, with texts "
            "and numbers",
            'raise ValueError("...")',
        )
    failed(error)
    return error


def raised_later(error: Exception) -> bool:
    """Whether an error is left to the emitted code, which knows the numbers in its text.

    Raises
    ------
    ControlFlowError
        It would have to be, and cannot.
    """
    held = [*error.args, *vars(error).values()]
    if isinstance(error, GradsmithError) or not any_traced(held):
        return False
    if not can_fail(error):
        raise ControlFlowError(
            f"{type(error).__name__} is raised with traced values: the emitted code has only "
            "errors of Python's and of classes that add nothing to these, with texts and numbers",
            span_of(error.__traceback__),
            'raise ValueError(f"...")',
        ) from None
    failed(error)
    return True


def always_ends(error: Exception) -> bool:
    """Whether the function always ends in this error, unless in another one before."""
    trace = current_trace()
    if trace is None or not any(map(_may_fail, trace.root.nodes)):
        return False
    try:
        return ended(error, trace) is not None
    except ControlFlowError:
        return False


def _may_fail(node: Node) -> bool:
    """Whether the user's error may be raised in it."""
    return node.op is fail or any(_may_fail(inner) for r in node.regions for inner in r.nodes)
