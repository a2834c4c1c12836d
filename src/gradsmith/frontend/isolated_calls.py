"""Calls of functions that are differentiated: what they change outside themselves is undone."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gradsmith import tree
from gradsmith.frontend.calling import call
from gradsmith.frontend.doubts import note_written
from gradsmith.frontend.grown import is_grown
from gradsmith.frontend.journal import Journal, contents_of, journaling, reachable, refill
from gradsmith.frontend.objects import note_made
from gradsmith.frontend.spans import staged_frame
from gradsmith.frontend.storage import Storage, View, next_serial
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.tracer import Tracer


def call_isolated(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)``, and what there was before holds what it did.

    Its result keeps the values that it has at the end of the call.
    """
    trace = current_trace()
    if trace is None:
        return call(function, *args, **kwargs)
    with _outside_as_it_was(trace), _locals_as_they_were(trace, function, args) as journal:
        return _detached(call(function, *args, **kwargs), journal)


@contextmanager
def _locals_as_they_were(
    trace: Trace, function: Callable[..., Any], args: tuple[Any, ...]
) -> Iterator[Journal]:
    """Undo changes of arrays, containers, objects and variables of the traced function that calls
    this one.
    """
    begin, frame = next_serial(), staged_frame()
    known = {} if frame is None else reachable(frame, trace, function, args)
    for iterator in trace.iterators:  # their state is undone
        known.pop(id(iterator), None)
    with journaling(known) as journal:
        journal.isolates = True
        try:
            yield journal
        finally:
            journal.forget_made(begin)
            journal.undo()


def _detached(result: Any, journal: Journal) -> Any:
    """The result, in memory and containers of its own if any have been changed."""
    if not (journal.storages or journal.containers):
        return result
    leaves, shape = tree.flatten(result, lambda value: isinstance(value, Tracer))
    return tree.unflatten(shape, [Tracer(View(Storage(leaf.node))) for leaf in leaves])


def with_own_memory(result: Any) -> Any:
    """The result of a transformed function that another one calls: arrays and containers that are
    none of its arguments, as calls from outside return them.
    """
    if isinstance(result, Tracer):
        return Tracer(View(Storage(result.node)))
    if is_grown(result) or not tree.is_container(result):
        return result
    _, keys, parts = tree.parts(result)
    made = tree.rebuilt(result, keys, [with_own_memory(part) for part in parts])
    return note_made(current_trace(), made)


@contextmanager
def _outside_as_it_was(trace: Trace) -> Iterator[None]:
    """Undo changes of what was there before the traced function was called."""
    overlays = {key: dict(overlay) for key, (_, overlay) in trace.overlays.items()}
    copies = {id(held): contents_of(held) for held, _, _ in trace.copies}
    arrays = {name: storage.node for name, (storage, _) in trace.buffers.items()}
    yield
    for key, (_, overlay) in trace.overlays.items():
        _put_back(overlay, overlays.get(key, {}))
    for held, first, _ in trace.copies:
        _put_back(held, copies.get(id(held), first))
    for name, (storage, first_node) in trace.buffers.items():
        before = arrays.get(name, first_node)
        if storage.outside and storage.node is not before:
            storage.replace(before)


def _put_back(held: Any, before: Any) -> None:
    now = contents_of(held)
    if isinstance(now, dict):
        same = list(now) == list(before) and all(now[key] is before[key] for key in now)
    elif isinstance(now, set):
        same = now == before
    else:
        same = len(now) == len(before) and all(map(operator.is_, now, before))
    if not same:
        note_written(held)
        refill(held, before)
