"""Output that goes to an object of the user's, of which ``print`` would call the methods."""

from __future__ import annotations

from typing import Any

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.classes import is_instance
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import current_trace


def check_output(target: Any) -> None:
    """Refuse that what is printed goes to an object of the user's.

    Raises
    ------
    UnsupportedError
        It does: the emitted code prints, and its methods would not be called.
    """
    if current_trace() is not None and is_instance(target):
        raise UnsupportedError(
            f"what is printed is written to an object of the class {type(target).__name__}",
            current_span(),
            "use io.StringIO, or call its methods",
        )
