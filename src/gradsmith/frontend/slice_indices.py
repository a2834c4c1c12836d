"""``slice.indices``: where a slice of so many elements begins and ends."""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import partial
from typing import Any

from gradsmith.frontend.traced_int import TracedInt


def meaning_of_indices(function: Any) -> Callable[..., Any] | None:
    """What the call means, if it is this method, bound."""
    if not isinstance(function, types.BuiltinMethodType) or function.__name__ != "indices":
        return None
    part = function.__self__
    return partial(_indices, function, part) if isinstance(part, slice) else None


def _indices(plain: Callable[..., Any], part: slice, length: Any, /) -> tuple[int, int, int]:
    """By the sizes of the present call, which the code is for."""
    bounds = [part.start, part.stop, part.step, length]
    *known, count = [int(b) if isinstance(b, TracedInt) else b for b in bounds]
    return plain(count) if known == bounds[:3] else slice(*known).indices(count)
