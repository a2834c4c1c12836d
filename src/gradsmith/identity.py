"""Questions about objects and classes that run no code of the user's.

Classes are told by identity: the metaclass of one may be the user's, with an ``__eq__`` and a
``__hash__`` of its own, or without a hash.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def once_by_class(find: Callable[[type], Found]) -> Callable[[type], Found]:
    """``find``, which is asked once of each class as long as there is that class."""
    known: dict[int, tuple[weakref.ref[type], Found]] = {}

    @functools.wraps(find)
    def found(cls: type) -> Found:
        key = id(cls)
        if key not in known:
            known[key] = weakref.ref(cls, lambda _: known.pop(key, None)), find(cls)
        return known[key][1]

    return found


def has_dict(value: object) -> bool:
    """Whether an object has a dict for attributes; its ``__getattr__`` is not asked."""
    cls = type(value)
    return cls.__dictoffset__ != 0 or (not _has_getattr(cls) and hasattr(value, "__dict__"))


@once_by_class
def _has_getattr(cls: type) -> bool:
    return any("__getattr__" in vars(base) for base in cls.__mro__)
