"""What modules of libraries hold and a process has once: ``sys.path``, ``os.environ``, contexts.

The code that is emitted calls functions that set such state, at each call. A change of the object
itself would be made while tracing only.
"""

from __future__ import annotations

import types
from collections.abc import MutableMapping
from typing import Any

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.journal import CONTAINERS
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Trace


def note_held(trace: Trace, owner: Any, value: Any) -> Any:
    """``value`` is an attribute of ``owner``, which may be a module of a library."""
    if isinstance(owner, types.ModuleType) and isinstance(value, (*CONTAINERS, MutableMapping)):
        trace.process_state[id(value)] = value
    return value


def note_given(trace: Trace, value: Any) -> None:
    """A function of a library gives the same object in each call."""
    trace.process_state[id(value)] = value


def check_not_held(trace: Trace, owner: Any) -> None:
    """``owner`` is about to be changed.

    Raises
    ------
    UnsupportedError
        A module of a library holds it, or it is one.
    """
    if id(owner) in trace.process_state:
        raise UnsupportedError(
            f"the object of class {type(owner).__name__} that is changed belongs to a library: "
            "the whole process has one",
            current_span(),
            "change it outside the function",
        )
