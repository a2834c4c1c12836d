"""Warnings about a traced function, at the line of the user's that they are about."""

from __future__ import annotations

import warnings
from contextlib import nullcontext

from gradsmith.errors import GradsmithWarning, Span, TraceTimeEffectWarning
from gradsmith.frontend.messages import STAYS_INSIDE
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import current_trace

AT_TRACE_TIME = "runs when the function is traced, not at each call of the compiled one"


def warn_effect(what: str, happens: str = AT_TRACE_TIME) -> None:
    """Say once per place what happens to a side effect."""
    span = current_span()
    place = f" ({span.where}: {span.text})" if span is not None else ""
    trace = current_trace()
    if trace is None or (span, what) in trace.warned:
        return
    trace.warned.add((span, what))
    warn_at(span, f"{what} {happens}{place}", TraceTimeEffectWarning)


def warn_left(what: str) -> None:
    """Say once per place that a derivative does not write to the world outside."""
    trace = current_trace()
    if trace is not None and not trace.writes:
        warn_effect(what, STAYS_INSIDE)


def warn_at(span: Span | None, message: str, category: type[GradsmithWarning]) -> None:
    """Warn of something in the user's line, not in gradsmith's own."""
    trace = current_trace()
    with nullcontext() if trace is None else trace.floating.as_before():
        if span is None:
            warnings.warn(message, category, stacklevel=3)
        else:
            warnings.warn_explicit(message, category, span.file, span.line)
