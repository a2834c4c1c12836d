"""Refusals that C code would swallow: ``operator.length_hint`` goes on where ``__len__`` raises a
TypeError, and ``"%d" % value`` raises one of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradsmith.frontend.failures import is_refusal
from gradsmith.frontend.spans import in_users_name
from gradsmith.frontend.trace import Trace, current_trace


def called_by_c(trace: Trace, call: Callable[[], Any]) -> Any:
    """What a method gives C code; a refusal is noted."""
    try:
        return call()
    except Exception as error:
        if is_refusal(error):
            trace.refusals.append(error)
        raise


@in_users_name
def with_refusals(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """``function(*args, **kwargs)`` of C code; what methods that it calls refuse is refused."""
    trace = current_trace()
    if trace is None:
        return function(*args, **kwargs)
    before = len(trace.refusals)
    try:
        made = function(*args, **kwargs)
    except Exception as error:
        refused = _since(trace, before)
        if refused is None or is_refusal(error):
            raise
        raise refused from None
    refused = _since(trace, before)
    if refused is not None:
        raise refused
    return made


def is_raised_in_c(error: Exception) -> bool:
    """Whether a function that the caller has given to `with_refusals` has raised it itself."""
    traceback = error.__traceback__
    called = None if traceback is None else traceback.tb_next
    return called is not None and called.tb_next is None


def _since(trace: Trace, before: int) -> Exception | None:
    refused = trace.refusals[before:]
    del trace.refusals[before:]
    return refused[0] if refused else None
