"""Functions under ``functools.lru_cache``, ``functools.cache`` and ``functools.singledispatch``.

Where all arguments are plain values from outside, Python's own cache answers. Else the function is
traced once for each list of arguments, as the cache would call it once.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Hashable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.cache_state import asking_for_dict, check_first_call
from gradsmith.frontend.cached_reads import answer_from_outside, noting_reads
from gradsmith.frontend.calling import call
from gradsmith.frontend.classes import note_used
from gradsmith.frontend.dispatch import any_traced
from gradsmith.frontend.failures import name_of
from gradsmith.frontend.journal import Journal, adopt_beside, journaling
from gradsmith.frontend.spans import current_span, is_made_code
from gradsmith.frontend.trace import Reliance, Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir.graph import Node, Region
from gradsmith.ops.effects import fail

CACHED = type(functools.lru_cache(abs))


def meaning_of_cached(function: Any, args: Any, kwargs: Any) -> Callable[..., Any] | None:
    """What a call of a cached function means; None where Python's cache is to answer."""
    trace = current_trace()
    if trace is not None and _clears_cache(function):
        return functools.partial(_cleared, trace, function.__self__)
    if trace is None or not isinstance(function, CACHED):
        return None
    inner = function.__wrapped__
    made_here = is_made_code(getattr(inner, "__code__", _NO_CODE))
    given = [*args, *kwargs.values()]
    if not (made_here or any_traced(given) or any(id(value) in trace.made for value in given)):
        return None
    return functools.partial(_called, trace, function)


_NO_CODE = (lambda: None).__code__


def answered(trace: Trace | None, function: Any, args: Any, kwargs: Any, found: Any) -> Any:
    """Python's cache has answered: the code holds as long as nobody clears the cache."""
    if trace is not None and isinstance(function, CACHED):
        known = function.cache_info().misses
        trace.reliances["cache", id(function)] = Reliance(
            lambda: function.cache_info().misses >= known, True, by_identity=True
        )
        return answer_from_outside(trace, function, args, kwargs, found)
    return found


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
    if _code_of(function) in trace.learned.cached_in_dicts:
        return _called_by_dict(trace, function, args, kwargs)
    for builder in trace.builders():
        found = trace.cached.get((builder, key))
        if found is not None:
            return found[0]
    builder = trace.builder
    begin = len(builder.nodes)
    with journaling() as journal, _noting_reads(trace, function):
        result = call(function.__wrapped__, *args, **kwargs)
    if any(map(_happens_once, builder.nodes[begin:])) or (
        not _is_made_here(function) and _writes_outside(trace, journal)
    ):
        raise _refusal(function)
    check_first_call(trace, function, key, result, journal)
    if not trace.unrolling.tentative:
        trace.cached[builder, key] = (result, function, args, kwargs)  # which keeps them alive
    return result


def _noting_reads(trace: Trace, function: Any) -> AbstractContextManager[None]:
    """A cache that the traced function has made does not outlast the call."""
    return nullcontext() if _is_made_here(function) else noting_reads(trace, function)


def _called_by_dict(trace: Trace, function: Any, args: Any, kwargs: Any) -> Any:
    """The call where the results are entries of a dict."""
    if id(function) not in trace.caches:
        trace.caches[id(function)] = (function, {})
        adopt_beside(function, trace.caches[id(function)][1])
    _, cache = trace.caches[id(function)]
    parameters = function.cache_parameters()
    key = _made_key(args, kwargs, parameters["typed"])
    is_held = not any_traced([*args, *kwargs.values()]) and key in cache
    if parameters["maxsize"] == 0:
        return call(function.__wrapped__, *args, **kwargs)
    if parameters["maxsize"] is not None and len(cache) >= parameters["maxsize"] and not is_held:
        raise UnsupportedError(
            f"the cache of {name_of(function)} may be full, and forget results",
            current_span(),
            "use functools.cache, or a larger maxsize",
        )
    return call(_cached_call, cache, key, function.__wrapped__, args, kwargs)


def _cached_call(cache: Any, key: Any, function: Any, args: Any, kwargs: Any) -> Any:
    if key in cache:
        return cache[key]
    result = function(*args, **kwargs)
    cache[key] = result
    return result


_cached_call.__module__ = "gradsmiths"  # staged like a function of the user's


def _made_key(args: Any, kwargs: Any, typed: bool) -> Any:
    """The key as Python makes it."""
    if not (kwargs or typed) and len(args) == 1 and type(args[0]) in (int, str):
        return args[0]
    given = [*args, *kwargs.values()]
    return args, tuple(kwargs.items()), tuple(call(type, v) for v in given) if typed else ()


def _clears_cache(function: Any) -> bool:
    """Whether it is ``cache_clear`` of a cached function that the traced one has made."""
    if not isinstance(function, types.BuiltinMethodType) or function.__name__ != "cache_clear":
        return False
    return isinstance(function.__self__, CACHED) and _is_made_here(function.__self__)


def _cleared(trace: Trace, function: Any) -> None:
    if _code_of(function) not in trace.learned.cached_in_dicts:
        raise asking_for_dict(function)
    if id(function) in trace.caches:
        call(trace.caches[id(function)][1].clear)


def _is_made_here(function: Any) -> bool:
    return is_made_code(getattr(function.__wrapped__, "__code__", _NO_CODE))


def _code_of(function: Any) -> types.CodeType | None:
    return getattr(function.__wrapped__, "__code__", None)


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
