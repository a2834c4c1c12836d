"""Python's garbage collector is run less often while code is made.

Graphs are many objects that live until the code is made: as Python has it by itself, its collector
goes through all objects of the process several times, a quarter of the time of a compilation.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 20_000
"""So many new objects are gone through at a time: enough that all others seldom are. More are no
quicker: what is gone through has left the processor's cache by then.
"""

_lock = threading.Lock()
_outer: list[tuple[int, int, int]] = []
"""The thresholds to be restored, and one more entry for each compilation at work."""


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Inside, garbage is collected rarely; threads and compilations within others may overlap."""
    with _lock:
        before = gc.get_threshold()
        _outer.append(before)
        if len(_outer) == 1 and 0 < before[0] < YOUNG:
            gc.set_threshold(YOUNG, *before[1:])
    try:
        yield
    finally:
        with _lock:
            before = _outer.pop()
            if not _outer:
                gc.set_threshold(*before)
