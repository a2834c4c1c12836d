"""Whether it matters which call of a cached function is the first with its arguments.

A call in a branch or loop may be the first, or find the result of another, as the path decides. It
does not matter where each would return and do the same: then the function is called again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gradsmith import tree
from gradsmith.errors import UnsupportedError
from gradsmith.frontend.failures import name_of
from gradsmith.frontend.journal import (
    CONTAINERS,
    Journal,
    contents_of,
    is_same,
    reachable_from,
    slots_of,
)
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage, writes
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import CachedStateError
from gradsmith.ir.graph import Node


@dataclass(frozen=True, slots=True)
class _State:
    """What a function may read besides its arguments."""

    containers: dict[int, tuple[Any, Any]]
    storages: dict[Storage, Node]

    def is_same(self, other: _State) -> bool:
        """Whether the function would read the same at both times."""
        both = self.containers.keys() & other.containers.keys()
        same = all(is_same(self.containers[k][1], other.containers[k][1]) for k in both)
        arrays = self.storages.keys() & other.storages.keys()
        return same and all(self.storages[s] is other.storages[s] for s in arrays)

    def is_written(self, journal: Journal) -> bool:
        """Whether anything of it has been written to."""
        containers = self.containers.keys().isdisjoint(journal.containers)
        return not (containers and self.storages.keys().isdisjoint(journal.storages))


class _Calls:
    """What a cached function might read in each of the calls that have run it."""

    def __init__(self) -> None:
        self.latest: _State | None = None
        self.by_key: dict[Any, dict[int, _State]] = defaultdict(dict)
        self.all: dict[int, _State] = {}

    def note(self, key: Any, state: _State) -> None:
        """A call with these arguments; those with numbers of the trace have one key, None."""
        if self.latest is not None and self.latest.is_same(state):
            state = self.latest
        self.latest = state
        self.all[id(state)] = self.by_key[key][id(state)] = state

    def like(self, key: Any) -> Iterable[_State]:
        """What it might read in the calls whose arguments may equal these."""
        if key is None:
            return self.all.values()
        return {**self.by_key.get(key, {}), **self.by_key.get(None, {})}.values()


def check_first_call(trace: Trace, function: Any, key: Any, result: Any, journal: Journal) -> None:
    """A function has been called that has no result yet for these arguments, on this path.

    Raises
    ------
    CachedStateError
        Another call may be the first, and it matters which.
    """
    on_path = trace.builder is not trace.root or bool(trace.unrolling.tentative)
    state, known_key = _state_of(trace, function), None if _has_traced(key) else key
    calls = trace.cache_calls.setdefault(id(function), _Calls())
    alike = all(map(state.is_same, calls.like(known_key)))
    if state.is_written(journal) or not alike:
        raise asking_for_dict(function)
    if on_path and (_is_of_region(trace, state) or _is_changeable(result)):
        raise asking_for_dict(function)
    if on_path:
        _watch(trace, function, result)
    calls.note(known_key, state)


def asking_for_dict(function: Any) -> UnsupportedError:
    """The error that asks for a trace in which the results are entries of a dict."""
    code = getattr(function.__wrapped__, "__code__", None)
    trace = current_trace()
    if code is not None and trace is not None and code not in trace.learned.cached_in_dicts:
        return CachedStateError(name_of(function), code, current_span())
    return UnsupportedError(
        f"{name_of(function)} keeps its results, and it is not known which call is the first",
        current_span(),
        "leave out the cache, or keep the results in a dict",
    )


def _has_traced(key: Any) -> bool:
    """Whether numbers of the trace are among the arguments: they may equal others."""
    if isinstance(key, tuple):
        return key[:1] in (("traced",), ("size",)) or any(map(_has_traced, key))
    return False


def _state_of(trace: Trace, function: Any) -> _State:
    """What it may read now: variables of enclosing functions, containers, objects, arrays."""
    found = reachable_from(trace, function.__wrapped__)
    held = {
        key: (value, contents_of(value))
        for key, value in found.items()
        if isinstance(value, CONTAINERS) or slots_of(value)
    }
    arrays = (value.view.storage for value in found.values() if isinstance(value, Tracer))
    return _State(held, {storage: storage.node for storage in arrays})


def _is_of_region(trace: Trace, state: _State) -> bool:
    """Whether it holds what a branch or loop has computed: a loop may compute another value."""
    nodes, root = state.storages.values(), trace.root
    return any(root.owns(node) and not root.knows(node) for node in nodes)


def _is_changeable(result: Any) -> bool:
    """Whether who has the result may change it otherwise than by writing to an array."""
    if isinstance(result, tuple):
        return any(map(_is_changeable, result))
    return tree.is_container(result)


def _watch(trace: Trace, function: Any, result: Any) -> None:
    """Writes to arrays in the result are not to be lost where another call returns it."""
    for part in result if isinstance(result, tuple) else (result,):
        if isinstance(part, Tracer) and part.type.form == "array":
            trace.cached_arrays[part.view.storage] = function


def _check_write(storage: Storage, _: Node) -> None:
    trace = current_trace()
    if trace is not None and storage in trace.cached_arrays:
        raise asking_for_dict(trace.cached_arrays[storage])


writes.append(_check_write)
