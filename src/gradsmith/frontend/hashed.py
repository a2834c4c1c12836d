"""Numbers and texts that are keys of dicts or members of sets.

Python needs their value for a hash, upon which the code is specialised. This may be in a region,
or in an iteration that is undone: there alone the symbols of an integer have a meaning. What dicts
and sets hold afterwards are the plain values.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Hashed:
    """A traced value; ``hashed`` is its present value, once Python has asked for a hash."""

    __slots__ = ("hashed",)

    hashed: Any


def is_nan(value: Any) -> bool:
    """Whether it is a number that does not equal itself: Python looks it up by identity."""
    return isinstance(value, (float, complex, np.inexact)) and bool(np.isnan(value))


def plain(key: Any) -> Any:
    """A key, with the present values of the traced ones in it that have been hashed."""
    if isinstance(key, Hashed):
        return getattr(key, "hashed", key)
    if type(key) in (tuple, frozenset):
        parts = [plain(part) for part in key]
        if any(new is not old for new, old in zip(parts, key, strict=True)):
            return type(key)(parts)
    return key
