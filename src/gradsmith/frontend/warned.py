"""The warning about side effects of a traced function."""

from __future__ import annotations

import warnings

from gradsmith.errors import TraceTimeEffectWarning
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
    warnings.warn(f"{what} {happens}{place}", TraceTimeEffectWarning, stacklevel=2)
