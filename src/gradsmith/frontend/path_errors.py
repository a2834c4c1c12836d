"""Errors found while tracing a path that may not be taken: the emitted code raises them there.

An operation fails on a path (a branch, the body of a loop, what follows an early exit), or Python
itself does on values that are known. It would fail in each call that comes there, and the rest of
the path is dead.
"""

from __future__ import annotations

from types import TracebackType

from gradsmith.errors import GradsmithError, SpecialisationError
from gradsmith.frontend.dispatch import check_at_root
from gradsmith.frontend.failures import mentions_stand_ins
from gradsmith.frontend.numpy_errors import UFUNC_ERROR, in_pythons_class
from gradsmith.frontend.showing import can_fail, failed
from gradsmith.frontend.spans import in_users_name, is_users_own, span_of
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import divided
from gradsmith.frontend.unsettled import AbandonedError, UndecidedError
from gradsmith.ops.effects import CASTING_ERRORS, fail

in_users_name(divided)


def ended(error: BaseException | None, trace: Trace) -> AbandonedError | None:
    """The end of the region at work by this error, which is left to the emitted code.

    None where the error is about something else: it is to be raised.
    """
    if isinstance(error, AbandonedError):
        return error if error.ends(trace.builder) else None
    own = None if error is None else _users_error(error)
    if error is None or own is None:
        _decide_by_call(error, trace)
        return None
    if isinstance(own, UFUNC_ERROR) and type(own) not in CASTING_ERRORS:
        if trace.builder is trace.root:
            return None  # each call comes there: it is raised as it is
        own = in_pythons_class(own)
    if not any(node.op is fail for node in trace.builder.nodes):
        if not can_fail(own):
            return None
        refuse_handlers()
        failed(own, span_of(error.__traceback__))
    return AbandonedError.at(own, trace.builder)


def _decide_by_call(error: BaseException | None, trace: Trace) -> None:
    """An error that another call may not meet (a global without a value, a file that is not there,
    an iterator at its end) is Python's own to raise: the branch is to be decided.

    Raises
    ------
    UndecidedError
        It is raised on a path of a branch.
    """
    site = trace.site
    outside = NameError, ImportError, OSError, StopIteration
    if isinstance(error, outside) and site is not None:
        raise UndecidedError.at(
            site, f"{type(error).__name__}: {error}", "make sure that both paths can be taken"
        ) from error


def is_an_end(error: BaseException | None) -> bool:
    """Whether it may be one that is left to the emitted code."""
    if isinstance(error, AbandonedError):
        return True
    return error is not None and _users_error(error) is not None


def _users_error(error: BaseException) -> Exception | None:
    """What the function raises on arrays where tracing it raises ``error``; None if nothing."""
    if isinstance(error, GradsmithError):
        return error.own
    if not isinstance(error, Exception) or isinstance(error, _NEVER):
        return None
    return error if _is_raised_by_user(error.__traceback__) and not _is_about_us(error) else None


_NEVER = (RecursionError, MemoryError, NameError, ImportError, OSError, Warning, StopIteration)
"""About the machine, or what may be otherwise in the next call, or not what it seems."""


def users_context(error: BaseException) -> BaseException | None:
    """The error that the function was handling when it raised this one."""
    found = error.__context__
    while isinstance(found, (GradsmithError, SpecialisationError)):
        found = found.__context__
    return found


def _is_about_us(error: Exception) -> bool:
    try:
        text = str(error)
    except GradsmithError:  # it says the number of a traced value, as the user wrote it
        text = ""
    return mentions_stand_ins(text) or isinstance(error.__cause__, GradsmithError)


def _is_raised_by_user(traceback: TracebackType | None) -> bool:
    """Whether the innermost frame is of the user's code or a library's, not the compiler's."""
    if traceback is None:
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return is_users_own(traceback.tb_frame.f_code)


def refuse_handlers() -> None:
    """Refuse to leave an error to the emitted code where a ``try`` may handle it.

    Python itself raises it then, which it cannot do in a region: it would leave it half done.

    Raises
    ------
    ControlFlowError
        There is one around: the loop is to be written out, or the branch decided.
    """
    trace = current_trace()
    if trace is None or not trace.trying:
        return
    check_at_root(
        trace,
        "a traced value decides whether this error is raised, and `try` may handle it",
        "write the condition as an if statement without try",
    )
