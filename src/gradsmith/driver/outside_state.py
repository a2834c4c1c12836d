"""What a call has read from outside its function, to be compared with what is there later."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradsmith.driver.specialise import Specialisation
from gradsmith.frontend.trace import Capture


class OutsideState:
    """The arrays and numbers from outside that a call has worked with, and what it relied on."""

    def __init__(self, specialisation: Specialisation) -> None:
        captures = (*specialisation.captures, *specialisation.checked)
        self._values = [(capture, _copied(capture.read())) for capture in captures]
        # what is made anew each time that it is read was never the same
        self._reliances = [r for r in specialisation.reliances if r.holds()]

    def changed(self) -> str | None:
        """What is no longer as it was; None if all of it is."""
        for capture, value in self._values:
            if not _still(capture, value):
                return f"`{capture.name}`"
        return None if all(r.holds() for r in self._reliances) else "an object"


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _still(capture: Capture, value: Any) -> bool:
    try:
        now = capture.read()
    except Exception:  # the way to the value leads through objects of the user's
        return False
    if type(now) is not type(value):
        return False
    if isinstance(value, int):
        return bool(now == value)
    before, after = np.asarray(value), np.asarray(now)
    if before.dtype != after.dtype or before.shape != after.shape:
        return False
    return before.tobytes() == after.tobytes()  # 0.0 is not -0.0, NaN is NaN
