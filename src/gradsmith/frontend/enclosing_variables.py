"""Variables of enclosing functions that a function sets (``nonlocal``)."""

from __future__ import annotations

from types import CellType

from gradsmith.frontend.journal import note_container, note_rebinding
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.unsettled import UndecidedError
from gradsmith.ir.builder import Builder


def note_shared(name: str, home: Builder | None, *cells: CellType) -> None:
    """A function is about to set ``name``, a variable of an enclosing function.

    That function runs in ``home``; None where it does not set the variable in branches and loops
    itself, so that they know it by its cell.

    Raises
    ------
    UndecidedError
        The function does, and a branch or loop in it sets the variable by this call.
    """
    note_rebinding()
    for cell in cells:
        note_container(cell)
    trace = current_trace()
    if home is not None and trace is not None and trace.builder not in (home, trace.root):
        raise UndecidedError.at(
            trace.sites.get(trace.builder),
            f"a function called in a branch or loop on traced values sets {name!r}, a "
            "variable of the function around it",
            "return the value instead",
        )
