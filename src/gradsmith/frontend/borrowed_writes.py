"""What is asked before the function writes to an array that may be read-only: one that a call
without a rule has returned, or an argument where a ``try`` handles the error.
"""

from __future__ import annotations

from gradsmith.frontend.dispatch import check_at_root
from gradsmith.frontend.opaque import record
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.value_guards import decide
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import parameter
from gradsmith.ops.calls import Callee


def check_write(array: Tracer, read_only: str) -> None:
    """The function is about to write to an array, which NumPy calls ``read_only`` if it is.

    Raises
    ------
    ValueError
        A call has returned it, or it is an argument and a ``try`` handles the error; and it
        cannot be written to.
    """
    trace, storage = current_trace(), array.view.storage
    if trace is None or storage.version:
        return
    borrowed = trace.borrowed.get(storage)
    if borrowed is None:
        if trace.handled["ValueError"] and _is_argument(trace, storage.node):
            with trace.within(trace.root):  # before it is copied
                writable = _is_writable(trace, storage.node)
            _check(trace, read_only, writable=writable)
        return
    if borrowed.held or not borrowed.array.flags.owndata:
        _check(trace, read_only, writable=_is_writable(trace, borrowed.node))
    if borrowed.held and not trace.root.knows(borrowed.node):
        check_at_root(
            trace,
            "this writes to an array that an object outside may hold, and that a branch or a loop "
            "has asked the object for",
            "ask for it before the branch or loop, or make a copy: a = a.copy()",
        )


def _is_argument(trace: Trace, node: Node) -> bool:
    return node.op is parameter and trace.root.knows(node)


def _is_writable(trace: Trace, node: Node) -> bool:
    asked = Tracer(View(Storage(trace.builder.inner(node))))
    for name in ("flags", "writeable"):
        asked = record(Callee("attribute", name, f".{name}"), [asked], {})
    return bool(decide(asked))


def _check(trace: Trace, read_only: str, *, writable: bool) -> None:
    if not writable:
        check_at_root(trace)
        raise ValueError(f"{read_only} is read-only")
