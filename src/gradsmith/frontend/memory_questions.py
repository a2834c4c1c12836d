"""``np.shares_memory`` and ``np.may_share_memory`` of traced arrays.

Emitted code may copy an array, or keep one for two that are equal: it cannot be asked. What the
arrays are views of is known while tracing. Where two are views of one buffer, NumPy is asked about
these views in the present call, and the code is made for these sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.dispatch import check_at_root
from gradsmith.frontend.function_mappers import mapper
from gradsmith.frontend.object_identity import CHOSEN, chosen_by
from gradsmith.frontend.present import present_values
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import Refusing
from gradsmith.ir import dims
from gradsmith.ir.mentions import mentioned

HINT = "ask np.shares_memory outside of the function"


def _question(function: Any) -> Callable[..., Any]:
    def ask(a: Any, b: Any, /, max_work: Any = None) -> Any:
        trace = current_trace()
        for value in (a, b):
            if isinstance(value, Refusing):
                value.refuse()
        if trace is None or not (isinstance(a, Tracer) or isinstance(b, Tracer)):
            return function(a, b, max_work)
        if not (isinstance(a, Tracer) and isinstance(b, Tracer)):
            return False
        return _is_shared(trace, a, b, lambda one, other: bool(function(one, other, max_work)))

    return ask


mapper(np.shares_memory)(_question(np.shares_memory))
mapper(np.may_share_memory)(_question(np.may_share_memory))


def _is_shared(trace: Trace, a: Tracer, b: Tracer, ask: Callable[[Any, Any], bool]) -> bool:
    one, other = a.view.storage, b.view.storage
    for storage in (one, other):
        if storage.name is not None:  # which arguments share memory is a condition of the code
            trace.stored_to.add(storage.name)
    cause = None if one is other else chosen_by(one, other)
    if cause is not None:
        raise cause.error(CHOSEN, HINT)
    if one is not other and not one.may_be(other):
        return False
    _specialise(trace, a, b)
    return ask(*(present_values(trace).of(array.view.read()) for array in (a, b)))


def _specialise(trace: Trace, *arrays: Tracer) -> None:
    """The code is made for the sizes and the slices that the arrays have in the present call."""
    check_at_root(trace, "this asks in a region which arrays share memory", HINT)
    steps = [step for array in arrays for step in array.view.path]
    nodes = [*steps, *(array.view.storage.node for array in arrays)]
    for symbol in mentioned(nodes):
        size = dims.of_atom(symbol)
        if dims.is_unbacked(size):
            raise UnsupportedError(
                "whether two arrays share memory depends on sizes that only running tells",
                current_span(),
                HINT,
            )
        dims.decide("==", size, dims.hint(size))
