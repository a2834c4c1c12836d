"""Errors that a traced value decides about, and conditions that none may decide."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

from gradsmith.errors import ControlFlowError, GradsmithError
from gradsmith.frontend.choices import choose
from gradsmith.frontend.leaving_errors import holds_traced, says_more
from gradsmith.frontend.path_errors import ended, refuse_handlers
from gradsmith.frontend.presence import condition_on_the_way
from gradsmith.frontend.showing import can_fail, failed
from gradsmith.frontend.spans import in_users_name
from gradsmith.frontend.trace import current_trace, in_region, may_fail_before
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import (
    AbandonedError,
    MaybeUnset,
    Perhaps,
    Refusing,
    UndecidedError,
    is_undefined,
    no_value,
)
from gradsmith.frontend.value_guards import decide
from gradsmith.ir.graph import Node
from gradsmith.ops.effects import fail


def raising(make: Callable[[], Any], cause: Callable[[], Any] | None = None) -> bool:
    """Whether to raise an error now, from a cause; on a way that may not be taken the emitted code
    does.
    """
    if not in_region():
        return True
    refuse_handlers()
    error = _record(make(), cause)
    trace = current_trace()
    assert trace is not None
    raise AbandonedError.at(error, trace.builder)


def raising_in_handler(make: Callable[[], Any], cause: Callable[[], Any] | None = None) -> bool:
    """The same in a handler of the user's: the error that it handles is the context of the one
    that Python raises now, which that of the emitted code would not have.
    """
    if in_region():
        refuse_handlers()
        error = make()
        _leave_to_python(_being_handled() if error is None else _instance(error))
    return raising(make, cause)


def _may_be_handled() -> bool:
    """Whether a ``try`` may handle an error here, where Python itself can raise it."""
    trace = current_trace()
    refuse_handlers()
    return trace is not None and trace.trying > 0


def bound(name: str, value: Any, outside: bool) -> Any:
    """The value of a variable, which may have none; it is of a function *outside*, or of this."""
    if is_undefined(value):
        _ends_here(name, no_value(name, outside=outside))
    if not isinstance(value, Perhaps):
        return value
    error = no_value(name, outside=outside)
    return _checked(value, lambda: error, lambda: _ends_here(name, error))


def with_values(variables: dict[str, Any]) -> dict[str, Any]:
    """The variables that are set in this call, upon which the code is specialised."""
    trace, found = current_trace(), {}
    for name, value in variables.items():
        if isinstance(value, Perhaps):
            if trace is None or decide(condition_on_the_way(value, trace)):
                found[name] = value.value
        elif not is_undefined(value):
            found[name] = value
    return found


def attribute_or_error(value: MaybeUnset, make: Callable[[], Exception]) -> Any:
    """The value of an attribute that may not be set, where Python raises an error."""
    return _checked(value, make, lambda: _raise(make))


def _checked(value: Perhaps, make: Callable[[], Exception], end: Callable[[], Any]) -> Any:
    """The value, behind a branch that raises the error where it is not set; ``end`` does so where
    it surely is not.
    """
    trace = current_trace()
    if trace is None or trace.builder.is_sure(value):
        return value.value
    present = condition_on_the_way(value, trace)
    if isinstance(present, Tracer) and _may_be_handled():
        present = decide(present)
    if isinstance(present, Tracer):
        choose(present, lambda: None, lambda: _record(make()))
    elif not present:
        end()
    trace.builder.make_sure(value)
    return value.value


def global_without_value(name: str) -> NoReturn:
    """A global variable is read that the function has deleted."""
    _ends_here(name, NameError(f"name {name!r} is not defined", name=name))


def _ends_here(name: str, error: NameError) -> NoReturn:
    """The variable has no value on this way: what follows on it is not reached."""
    trace = current_trace()
    if trace is None or not may_fail_before(trace) or _may_be_handled():
        raise error
    _record(error)
    raise AbandonedError.by(error, name, trace.builder)


def raise_if(condition: Any, make: Callable[[], Exception]) -> None:
    """Python raises the error here where this is so; of a traced condition the code asks."""
    if isinstance(condition, Tracer) and _may_be_handled():
        condition = decide(condition)
    if isinstance(condition, Tracer):
        choose(condition, lambda: _raise(make), lambda: None)
    elif condition:
        _raise(make)


def ask_first(condition: Callable[[], Any], make: Callable[[], Exception]) -> None:
    """The same where a ``try`` may handle the error; elsewhere the emitted code raises it."""
    trace = current_trace()
    if trace is not None and trace.trying:
        raise_if(condition(), make)


def asserted(condition: Any, message: Callable[[], Any]) -> bool:
    """What ``assert`` asks; of a traced condition the emitted code does."""
    if not isinstance(condition, Tracer):
        if not condition and not raising(lambda: _failed_assertion(message())):
            return True
        return bool(condition)
    if _may_be_handled():
        return decide(condition)
    choose(condition, lambda: None, lambda: _raise(lambda: _failed_assertion(message())))
    return True


def _raise(make: Callable[[], Exception]) -> None:
    if raising(make):
        raise make()


def _failed_assertion(text: Any) -> AssertionError:
    return AssertionError() if text is None else AssertionError(text)


def _record(error: Any, cause: Callable[[], Any] | None = None) -> Any:
    error = _being_handled() if error is None else _instance(error)
    if not can_fail(error):
        _leave_to_python(error)
    if cause is not None:
        error.__cause__ = _instance(cause())
        if error.__cause__ is not None and not can_fail(error.__cause__):
            _leave_to_python(error)
    failed(error)
    return error


def _being_handled() -> BaseException:
    """What ``raise`` alone raises."""
    error = sys.exc_info()[1]
    return RuntimeError("No active exception to reraise") if error is None else error


def _instance(error: Any) -> Any:
    """What ``raise`` makes of an error, or of its class."""
    if isinstance(error, Refusing):
        error.refuse()
    if isinstance(error, type) and issubclass(error, BaseException):
        return _made(error)
    return error


@in_users_name
def _made(kind: type[BaseException]) -> BaseException:
    """``raise kind`` makes an object without arguments."""
    return kind()


def _leave_to_python(error: BaseException) -> NoReturn:
    """An error of a class that emitted code does not know is Python's to raise: the branch is to
    be decided, or the loop written out.
    """
    trace = current_trace()
    loop = trace is None or any(builder in trace.bodies for builder in trace.builders())
    refusal = UndecidedError.at(
        None if loop or trace is None else trace.sites.get(trace.builder),
        f"a traced value decides whether {type(error).__name__} is raised: the emitted code has "
        "only errors of Python's and of classes that add nothing to these, with texts and numbers",
        'raise ValueError("...")',
    )
    raise refusal.refusal() if loop else refusal


def raised_later(error: Exception) -> bool:
    """Whether an error is left to the emitted code, which knows the numbers in its text.

    Raises
    ------
    ControlFlowError
        It would have to be, and cannot.
    """
    if isinstance(error, GradsmithError) or not holds_traced(error):
        return False
    cause = error.__cause__
    if not can_fail(error) or says_more(error) or not (cause is None or can_fail(cause)):
        return False
    failed(error)
    return True


def always_ends(error: Exception) -> bool:
    """Whether the function always ends in this error, unless in another one before."""
    trace = current_trace()
    if trace is None or holds_traced(error) or not any(map(_may_fail, trace.root.nodes)):
        return False
    try:
        return ended(error, trace) is not None
    except ControlFlowError:
        return False


def _may_fail(node: Node) -> bool:
    """Whether the user's error may be raised in it."""
    return node.op is fail or any(_may_fail(inner) for r in node.regions for inner in r.nodes)
