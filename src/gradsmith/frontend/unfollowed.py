"""Objects of Python's whose changes are made while tracing, and known to nothing else: bytearrays,
arrays of ``array``, and attributes of functions, exceptions and modules.
"""

from __future__ import annotations

import array
from typing import Any

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.unsettled import UndecidedError

_BUFFERS = (bytearray, memoryview, array.array)


def check_change(trace: Trace, owner: Any) -> None:
    """``owner`` is about to be changed for good.

    Raises
    ------
    UndecidedError
        It is changed on one path of a branch: this is to be decided by the present values.
    ControlFlowError
        It is changed in a loop, which is to be written out.
    """
    if trace.builder is trace.root:
        return
    loop = any(builder in trace.bodies for builder in trace.builders())
    error = UndecidedError.at(
        None if loop else trace.site,
        f"a traced value decides how a {type(owner).__name__} is changed",
        "change a list, a dict or an array",
    )
    raise error.refusal() if loop else error


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
