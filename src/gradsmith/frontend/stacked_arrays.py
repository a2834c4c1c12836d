"""Lists of the rows of an array whose length only each call shows: ``list(x)``, ``a, *b = x``."""

from __future__ import annotations

from typing import Any

from gradsmith.frontend.frozen import Sites
from gradsmith.frontend.grown import Form, Grown, as_rows, owned
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.stored_rows import is_stored_into, rows_of_another
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unrolling import NOWHERE
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim
from gradsmith.tree import LEAF


def has_open_length(value: Any) -> bool:
    """Whether it is an array of which only each call shows the length, and whose rows need not be
    objects of their own.
    """
    if not (isinstance(value, Tracer) and value.ndim and isinstance(value.type.shape[0], Dim)):
        return False
    trace = current_trace()
    return trace is not None and not trace.unrolling.is_chosen(current_span() or NOWHERE)


def listed_rows(kind: type, x: Tracer) -> Any:
    """``list(x)``, ``tuple(x)``."""
    return owned(kind([_rows(x)]))


def _rows(x: Tracer) -> Grown:
    """Stands for the rows of ``x``, which are views of it; numbers are copies."""
    sites: Sites = frozenset([current_span() or NOWHERE])
    form = Form(LEAF, ("array",))
    if x.ndim == 1:
        return Grown(form, as_rows(form, [x.copy()], sites), sites)
    if not is_stored_into(sites):
        return Grown(form, [x], sites)
    whole = rows_of_another(x)
    as_rows(form, [whole], sites)
    whole.view.storage.doubt(x.view.storage)
    return Grown(form, [whole], sites)


def taken_apart(x: Tracer, before: int, behind: int) -> Any:
    """What Python takes apart in ``a, *b, c = x`` with so many targets around the starred one."""
    length = x.type.shape[0]
    if dims.is_unbacked(length) or not dims.decide(">=", length, before + behind):
        return list(x)
    middle = x[before : len(x) - behind] if behind else x[before:]
    rows = [_rows(middle)] if dims.decide(">", length, before + behind) else []
    last = [x[place] for place in range(-behind, 0)]
    return [*(x[place] for place in range(before)), *rows, *last]
