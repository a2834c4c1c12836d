"""What users call their values."""

from __future__ import annotations

from typing import Any

from gradsmith.frontend.grown import is_grown
from gradsmith.frontend.stand_ins import ObjectStandIn
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir import dims


def name_value(name: str, value: Any) -> None:
    """Remember what the user calls a value."""
    trace = current_trace()
    if trace is None:
        return
    if isinstance(value, Tracer):
        trace.builder.name(value.node, name)
        if not value.view.path and value.view.storage.label is None:
            value.view.storage.label = name
    elif isinstance(value, ObjectStandIn):
        trace.builder.name(value.node, name)
    elif isinstance(value, TracedInt):
        symbol = dims.as_symbol(value.dim)
        if symbol is not None:
            trace.builder.size_names.setdefault(symbol, name)
    elif is_grown(value) and len(value) == 1 and len(value[0].wholes) == 1:
        name_value(name, value[0].wholes[0])
