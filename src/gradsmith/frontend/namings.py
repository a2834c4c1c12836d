"""What users call their values."""

from __future__ import annotations

from typing import Any

from gradsmith.frontend.grown import is_grown
from gradsmith.frontend.stand_ins import ObjectStandIn
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir import dims
from gradsmith.ir.dims import Symbol


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
        atom = dims.as_atom(value.dim)
        if atom is not None:
            home = trace.builder if isinstance(atom, Symbol) else trace.root
            home.size_names.setdefault(atom, name)
    elif type(value) is list and not value:
        trace.list_names.setdefault(id(value), (value, name))
    elif is_grown(value) and len(value) == 1 and len(value[0].wholes) == 1:
        name_value(name, value[0].wholes[0])


def name_of_list(values: Any, otherwise: str) -> str:
    """What the user calls a list that was empty when it got its name."""
    trace = current_trace()
    known = None if trace is None else trace.list_names.get(id(values))
    return otherwise if known is None else known[1]
