"""Elements of stacked lists: what stands for a Python object of its own must not be written to.

A list that a loop appends to is kept as arrays whose rows are its elements (`frontend.grown`). An
element that holds a list, dict or object has no object of its own in this form: each read makes
another. That is right as long as nobody writes to such an object, or to one that was appended, and
nobody asks which object it is. So all of them are *frozen*: a write to one ends the trace, and the
function is traced once more with the loop written out that made the list
(`frontend.unrolling`). There the list is Python's own, and holds separate objects.

A write that no staged code announces is found by comparing contents when the trace is over.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from gradsmith import tree
from gradsmith.errors import ControlFlowError, Span
from gradsmith.frontend.journal import contents_of, written_part
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage, writes
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.unsettled import Cause, Perhaps
from gradsmith.ir.graph import Node

Sites: TypeAlias = frozenset[Span]
"""The loops and comprehensions that made a stacked list."""

NONE: Sites = frozenset()
WRITTEN = "this writes to an element of a list that a loop makes"
COMPARED = "this asks whether an element of a list that a loop makes is the same object as another"
ONE_BY_ONE = "this use of a list that a loop appends to needs its elements one by one"
HINT = "stack it with np.stack or np.array, or write into an array made before the loop"


def separate(sites: Sites, message: str, hint: str = HINT) -> NoReturn:
    """Ask for another trace, in which the lists made at ``sites`` hold separate objects.

    Raises
    ------
    ControlFlowError
        It names one of the loops that are to be written out for that (`frontend.unrolling`).
    """
    error, trace = ControlFlowError(message, current_span(), hint), current_trace()
    chosen = {} if trace is None else trace.unrolling.chosen
    error.loop = first_of(sites - chosen.keys() or sites)
    raise error


def first_of(sites: Sites) -> Span | None:
    """The first in the source, if there are any."""
    ordered = sorted(sites, key=lambda span: (span.file, span.line, span.column))
    return next(iter(ordered), None)


# -- containers


@dataclass(frozen=True, slots=True)
class Frozen:
    """A container that must stay what it is, and the lists that this is due to."""

    container: Any
    contents: Any
    sites: Sites


def containers_in(value: Any, inside: tuple[int, ...] = ()) -> Iterator[Any]:
    """The containers in ``value`` that can be written to, itself among them."""
    if isinstance(value, Perhaps):
        value = value.value
    if not tree.is_container(value) or id(value) in inside:
        return
    if written_part(value) is not None:
        yield value
    for part in tree.parts(value)[2]:
        yield from containers_in(part, (*inside, id(value)))


def freeze(value: Any, sites: Sites) -> Any:
    """``value``, whose containers must not be written to from now on."""
    trace = current_trace()
    if trace is None or not sites:
        return value
    for container in containers_in(value):
        part = written_part(container)
        known = trace.frozen.get(id(part))
        sites_of = sites if known is None else sites | known.sites
        trace.frozen[id(part)] = Frozen(part, contents_of(part), sites_of)
    return note_remade(trace, value, sites)


def note_remade(trace: Trace, value: Any, by: Cause | Sites) -> Any:
    """``value``, whose tuples a branch or loop, or reading a stacked list, has made anew."""
    for made in _tuples_in(value):
        trace.remade[id(made)] = made, by
    return value


def _tuples_in(value: Any, inside: tuple[int, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if not tree.is_container(value) or id(value) in inside:
        return
    if isinstance(value, tuple) and value:
        yield value
    for part in tree.parts(value)[2]:
        yield from _tuples_in(part, (*inside, id(value)))


def frozen_sites(value: Any) -> Sites:
    """The lists due to which some container in ``value`` must not be written to."""
    trace = current_trace()
    if trace is None or not trace.frozen:
        return NONE
    found = (trace.frozen.get(id(written_part(container))) for container in containers_in(value))
    return NONE.union(*[known.sites for known in found if known is not None])


def check_not_frozen(part: Any) -> None:
    """The user's code is about to write to what `written_part` gives."""
    trace = current_trace()
    known = None if trace is None else trace.frozen.get(id(part))
    if known is not None:
        separate(known.sites, WRITTEN)


@contextmanager
def nothing_frozen_changes(trace: Trace) -> Iterator[None]:
    """At the end nothing that is frozen may have changed: also where the trace ends in an error,
    which may come of a write that was lost.
    """
    try:
        yield
    finally:
        _check_frozen(trace)


def _check_frozen(trace: Trace) -> None:
    for known in list(trace.frozen.values()):
        if not _is_same(known.contents, contents_of(known.container)):
            separate(known.sites, WRITTEN)


def _is_same(before: Any, after: Any) -> bool:
    if isinstance(before, dict):
        keys = len(before) == len(after) and all(map(_is, before, after))
        return keys and all(map(_is, before.values(), after.values()))
    return len(before) == len(after) and all(map(_is, before, after))


def _is(left: Any, right: Any) -> bool:
    return left is right


# -- arrays


def lock(storage: Storage, sites: Sites) -> None:
    """Refuse writes to a buffer that may stand for several arrays of the user's, or for a part of
    one.
    """
    storage.sites, storage.locked = storage.sites | sites, True


def _check_not_locked(storage: Storage, _: Node) -> None:
    if storage.locked:
        separate(storage.sites, WRITTEN, "copy the array before it is written to: y = x.copy()")


writes.append(_check_not_locked)


# -- identity


def is_same_element(left: Any, right: Any) -> bool:
    """``left is right``; where a stacked list has lost the answer, another trace is asked for."""
    if left is right:
        return True
    arrays = array_of(left), array_of(right)
    one, other = _object_sites(left), _object_sites(right)
    if None not in arrays:
        if _may_be_one(*arrays, rows=bool(one or other)):  # type: ignore[arg-type]
            separate(one | other, COMPARED)
    elif one and other and type(left) is type(right):
        separate(one | other, COMPARED)
    return False


def _may_be_one(left: Storage, right: Storage, *, rows: bool) -> bool:
    """Whether two arrays may be one, of which some are ``rows`` of stacked lists."""
    if left.locked or right.locked:
        return True
    return rows and (left is right or left.may_be(right))


def check_sites_known(value: Any) -> None:
    """The identity of an object counts that may be an element of a stacked list."""
    sites = _object_sites(value)
    if sites:
        separate(sites, COMPARED)


def _object_sites(value: Any) -> Sites:
    buffer = array_of(value)
    return frozen_sites(value) if buffer is None else buffer.sites


def array_of(value: Any) -> Storage | None:
    """What an array shows; None of anything else."""
    view = getattr(value, "view", None) if type(value).__name__ == "Tracer" else None
    return None if view is None or value.type.form != "array" else view.storage
