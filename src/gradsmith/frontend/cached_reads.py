"""What functions that keep their results (``functools.cache``) read outside of themselves.

Python's cache gives what the function has returned in the first of all calls with the same
arguments. A traced function is called anew, which gives the same as long as it reads the same.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.captures import capture
from gradsmith.frontend.failures import name_of
from gradsmith.frontend.journal import contents_of, is_same
from gradsmith.frontend.library_state import state_of_part
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Reliance, Trace

_first_reads: weakref.WeakKeyDictionary[Any, dict[object, Any]] = weakref.WeakKeyDictionary()
"""For cached functions what they have read outside in the first call that read it."""


@contextmanager
def noting_reads(trace: Trace, function: Any) -> Iterator[None]:
    """The cached ``function`` runs inside: in later calls it must read the same.

    Raises
    ------
    UnsupportedError
        It has read something else before: the cache might hold what it returned then.
    """
    around, trace.outside_reads = trace.outside_reads, []
    try:
        yield
        reads = trace.outside_reads
    finally:
        trace.outside_reads = around
    known = _first_reads.setdefault(function, {})
    for found in reads:
        if around is not None:
            around.append(found)
        if isinstance(found.value, _CODE) or found.value is function:
            continue
        state = state_of_part(found.value)
        written = found.read is None or _is_written(trace, found.value)
        if written or known.setdefault(found.key, state) != state:
            raise UnsupportedError(
                f"{name_of(function)} keeps its results, and what it reads outside of itself "
                f"({found.name}) changes",
                current_span(),
                f"pass it what it reads, or call {name_of(function)}.__wrapped__",
            )
        ask = partial(_state_read, found.read)
        reliance = Reliance(ask, state, by_identity=False)
        trace.reliances["cached", id(function), found.key] = reliance


_CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, type)


def _state_read(read: Any) -> Any:
    return state_of_part(read())


def _is_written(trace: Trace, value: Any) -> bool:
    """Whether the traced function has changed the container since the call began."""
    seen, _ = trace.seen.get(id(value), (None, None))
    return any(
        held is seen and not is_same(before, contents_of(held))
        for held, before, _ in trace.copies
        if seen is not None
    )


def answer_from_outside(trace: Trace, function: Any, args: Any, kwargs: Any, found: Any) -> Any:
    """What Python's cache has answered is an object from outside."""
    key = ("answer", id(function), args, tuple(kwargs.items()))
    return capture(trace, key, function.__name__, found, partial(function, *args, **kwargs))
