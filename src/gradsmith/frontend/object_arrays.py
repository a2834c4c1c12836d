"""Arrays of strings, and of objects that are known: NumPy makes them while the function is traced.

They hold no numbers that could be differentiated: ``np.array([[None] * n])`` stands for what is
not there yet.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradsmith.frontend.dispatch import any_traced
from gradsmith.frontend.spans import in_users_name
from gradsmith.frontend.trace import current_trace

_MAKING = (np.array, np.asarray, np.asanyarray, np.full, np.empty)
_KINDS = "OSU"


def meaning_of_object_array(function: Any, args: Any, kwargs: Any) -> Callable[..., Any] | None:
    """What makes an array of strings or of known objects, or asks one; None of all other calls."""
    if current_trace() is None or not callable(function):
        return None
    making = any(function is known for known in _MAKING)
    asked = making and (_is_asked_for(args, kwargs) or any(map(_holds_objects, args)))
    if not asked and not any(map(_is_such_array, args)):
        return None
    if any_traced(args) or any_traced(kwargs.values()) or not _is_numpys(function):
        return None
    return partial(_made, function)


@in_users_name
def _made(function: Any, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _is_numpys(function: Any) -> bool:
    return (getattr(function, "__module__", None) or "").split(".")[0] == "numpy"


def _is_such_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in _KINDS


def _is_asked_for(args: Any, kwargs: Any) -> bool:
    """Whether a dtype is given of which such arrays are."""
    dtype = kwargs.get("dtype", args[1] if len(args) > 1 else None)
    if dtype is None or not isinstance(dtype, (type, str, np.dtype)):
        return False
    try:
        return np.dtype(dtype).kind in _KINDS
    except TypeError:
        return False


def _holds_objects(value: Any) -> bool:
    if type(value) in (list, tuple):
        return any(map(_holds_objects, value))
    return value is None or isinstance(value, (str, bytes))
