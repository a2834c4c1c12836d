"""Arrays that calls without a rule return and that objects outside may hold: writes to them.

The write is done where the array is once the function has ended (`frontend.external_writes`), as
for arrays outside. Until then the objects do not know of it: calls of these are refused.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.present import present_values
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir.graph import Node


@dataclass(frozen=True, slots=True)
class Borrowed:
    """An array that a call has returned."""

    storage: Storage
    node: Node
    """What the storage held at first."""
    array: np.ndarray[Any, Any]
    """The present one."""
    held: bool
    """Whether something else holds its memory."""

    @property
    def written(self) -> bool:
        """Whether the function has written to what something else holds."""
        return self.held and self.storage.version > 0


def note_borrowed(trace: Trace, made: Tracer, array: np.ndarray[Any, Any], *, held: bool) -> None:
    """A call has returned this array; it may share memory with others, and with arguments."""
    storage = made.view.storage
    for other, known in _known(trace):
        if np.may_share_memory(array, known):
            storage.doubt(other)
    trace.borrowed[storage] = Borrowed(storage, storage.node, array, held)


def _known(trace: Trace) -> Iterator[tuple[Storage, np.ndarray[Any, Any]]]:
    for borrowed in trace.borrowed.values():
        yield borrowed.storage, borrowed.array
    for storage, node in trace.buffers.values():
        yield storage, present_values(trace).of(node)


def check_call(trace: Trace, shown: str) -> None:
    """An object outside is given to a call: it has to hold what the function has written.

    Raises
    ------
    UnsupportedError
        The function has written to an array that such an object may hold.
    """
    if any(borrowed.written for borrowed in trace.borrowed.values()):
        raise UnsupportedError(
            f"{shown}, which gradsmith does not trace, is called after the function has written "
            "to an array that an object outside may hold",
            current_span(),
            "make the call before the write, or write to a copy: a = a.copy()",
        )


def note_unheld(trace: Trace, found: Any, *, copied: bool) -> None:
    """Remember the arrays that a call has just returned and that nothing else refers to: it has
    made them. A call on copies of its arguments (``copied``) gives further things.

    The caller has ``found`` in one variable.
    """
    whole = found[0] if copied else found
    parts = whole if isinstance(whole, tuple) else (whole,)
    more = 1 if parts is whole else 4 - copied  # variables and tuples that have it, besides one
    for part in parts:
        if type(part) is np.ndarray and not _is_held(part, more):
            trace.unheld[id(part)] = part


def _is_held(value: np.ndarray[Any, Any], more: int) -> bool:
    """Whether something refers to an array, or to one that it shows, besides so many more."""
    if sys.getrefcount(value) > _ALONE + more:
        return True
    while value.base is not None:
        if type(value.base) is not np.ndarray:
            return True
        value = value.base
        if sys.getrefcount(value) > _ALONE:  # by the view, and no variable of the caller
            return True
    return not value.flags.owndata


def _references(value: np.ndarray[Any, Any]) -> int:
    return sys.getrefcount(value)


def _references_of_new() -> int:
    made = np.empty(0)
    return _references(made)


_ALONE = _references_of_new()
"""What `sys.getrefcount` says of an array in one variable of the caller."""
