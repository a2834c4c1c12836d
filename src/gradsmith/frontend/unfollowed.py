"""Objects of Python's whose changes are made while tracing, and known to nothing else: bytearrays,
arrays of ``array``, and attributes of functions, exceptions and modules.
"""

from __future__ import annotations

import array
from typing import Any

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.dispatch import check_at_root
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Trace

_BUFFERS = (bytearray, memoryview, array.array)


def check_change(trace: Trace, owner: Any) -> None:
    """``owner`` is about to be changed for good.

    Raises
    ------
    ControlFlowError
        It is changed on one path of a branch, or in a loop (`check_at_root`).
    """
    check_at_root(
        trace,
        f"a traced value decides how a {type(owner).__name__} is changed",
        "change a list, a dict or an array",
    )


def check_item(trace: Trace, owner: Any) -> None:
    """An item of ``owner`` is about to be set or deleted.

    Raises
    ------
    UnsupportedError
        It is from outside of the function: the change would be made while tracing only.
    """
    if not isinstance(owner, _BUFFERS):
        return
    if id(owner) in trace.external:
        raise UnsupportedError(
            f"a {type(owner).__name__} from outside the function is changed",
            current_span(),
            "use an array, or make it in the function",
        )
    check_change(trace, owner)
