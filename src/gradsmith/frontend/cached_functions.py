"""Functions under ``functools.lru_cache``, ``functools.cache`` and ``functools.singledispatch``.

Where all arguments are plain values from outside, Python's own cache answers. Else the function is
traced once for each list of arguments, as the cache would call it once.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.calling import call
from gradsmith.frontend.classes import note_used
from gradsmith.frontend.dispatch import any_traced
from gradsmith.frontend.failures import name_of
from gradsmith.frontend.journal import Journal, journaling
from gradsmith.frontend.spans import current_span, is_staged_code
from gradsmith.frontend.trace import Reliance, Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir.graph import Node, Region
from gradsmith.ops.effects import fail

CACHED = type(functools.lru_cache(abs))


def meaning_of_cached(function: Any, args: Any, kwargs: Any) -> Callable[..., Any] | None:
    """What a call of a cached function means; None where Python's cache is to answer."""
    trace = current_trace()
    if trace is None or not isinstance(function, CACHED):
        return None
    inner = function.__wrapped__
    made_here = is_staged_code(getattr(inner, "__code__", _NO_CODE))
    given = [*args, *kwargs.values()]
    if not (made_here or any_traced(given) or any(id(value) in trace.made for value in given)):
        return None
    return functools.partial(_called, trace, function)


_NO_CODE = (lambda: None).__code__


def note_answered(trace: Trace | None, function: Any) -> None:
    """Python's cache has answered: the code holds as long as nobody clears the cache."""
    if trace is not None and isinstance(function, CACHED):
        known = function.cache_info().misses
        trace.reliances["cache", id(function)] = Reliance(
            lambda: function.cache_info().misses >= known, True, by_identity=True
        )


def meaning_of_dispatching(function: Any, args: Any) -> Callable[..., Any] | None:
    """What ``functools.singledispatch`` chooses by the class of the first argument."""
    if current_trace() is None or not args or not isinstance(function, types.FunctionType):
        return None
    if function.__code__ is _DISPATCHING:
        return functools.partial(call, _chosen(function, function.dispatch, args[0]))  # type: ignore[attr-defined]
    if function.__code__ is not _DISPATCHING_METHOD:
        return None
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    held = {name: cell.cell_contents for name, cell in cells}
    dispatcher = held["self"].dispatcher
    chosen = _chosen(dispatcher, dispatcher.dispatch, args[0])
    return functools.partial(call, chosen.__get__(held["obj"], held["cls"]))


def _chosen(function: Any, dispatch: Callable[[type], Any], value: Any) -> Any:
    """The function for the class of a value; another may be registered before the next call."""
    trace, cls = current_trace(), call(type, value)
    chosen = dispatch(cls)
    if trace is not None and id(function) not in trace.made:
        key = ("dispatch", id(function), cls)
        trace.reliances[key] = Reliance(functools.partial(dispatch, cls), chosen, by_identity=True)
    return chosen


class _Dispatching:
    @functools.singledispatchmethod
    def method(self, value: Any) -> Any:
        """Its code is that of all such methods."""


_DISPATCHING = getattr(functools.singledispatch(lambda value: value), "__code__", None)
_DISPATCHING_METHOD = getattr(_Dispatching().method, "__code__", None)


def check_cache_attribute(function: Any, name: str) -> None:
    """Refuse to count the hits of a cache that the traced function does not use.

    Raises
    ------
    UnsupportedError
        ``cache_info`` of a cached function is asked for.
    """
    if isinstance(function, CACHED) and name == "cache_info":
        raise UnsupportedError(
            f"the hits of the cache of {name_of(function)} are not counted where it is traced",
            current_span(),
            "count the calls in the function itself",
        )


def _called(trace: Trace, function: Any, *args: Any, **kwargs: Any) -> Any:
    key = (id(function), _keys(args), tuple(kwargs), _keys(kwargs.values()))
    for builder in trace.builders():
        found = trace.cached.get((builder, key))
        if found is not None:
            return found[0]
    builder = trace.builder
    begin = len(builder.nodes)
    with journaling() as journal:
        result = call(function.__wrapped__, *args, **kwargs)
    lasts = not is_staged_code(getattr(function.__wrapped__, "__code__", _NO_CODE))
    if any(map(_happens_once, builder.nodes[begin:])) or (
        lasts and _writes_outside(trace, journal)
    ):
        raise _refusal(function)
    trace.cached[builder, key] = (result, function, args, kwargs)  # which keeps them alive
    return result


def _keys(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(map(key_of, values))


def key_of(value: Any) -> Any:
    """What two arguments have in common that the cache takes for the same one."""
    if isinstance(value, Tracer) and value.type.form != "array":
        return ("traced", value.node)
    if isinstance(value, TracedInt):
        return ("size", value.dim)
    if type(value) is tuple:
        return _keys(value)
    if isinstance(value, Tracer) or not isinstance(value, Hashable):
        kind = "numpy.ndarray" if isinstance(value, Tracer) else type(value).__name__
        raise TypeError(f"unhashable type: {kind!r}")
    note_used(value, key=True)
    return (type(value), value)


def _refusal(function: Any) -> UnsupportedError:
    """The error about what the cache would do in the first call only: prints, warnings, draws,
    and writes to objects outside where the cache lasts from call to call.
    """
    return UnsupportedError(
        f"{name_of(function)} keeps its results, and has effects that happen only where it is "
        "called with new arguments",
        current_span(),
        f"call {name_of(function)}.__wrapped__, or leave out the cache",
    )


def _writes_outside(trace: Trace, journal: Journal) -> bool:
    held = {id(overlay) for _, overlay in trace.overlays.values()}
    held |= {id(container) for container, _, _ in trace.copies}
    return not held.isdisjoint(journal.containers) or any(
        storage.name is not None for storage in journal.storages
    )


def _happens_once(node: Node) -> bool:
    if "effect" in node.op.traits:
        return node.op is not fail
    regions = [value for value in node.attrs.values() if isinstance(value, Region)]
    return any(_happens_once(inner) for region in regions for inner in region.nodes)
