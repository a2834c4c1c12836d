"""Objects of Python's library that are there before the function is called, and what they hold.

The function's own code is followed, and lists, dicts and objects of the user's are copied. Of what
a `collections.UserList`, an `array.array` or a queue holds the function gets to know by calls that
are made while it is traced: the code holds for calls in which that is still the same.
"""

from __future__ import annotations

import ctypes
import sys
import types
import weakref
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from gradsmith.frontend.libraries import is_library_object
from gradsmith.frontend.process_state import note_given
from gradsmith.frontend.trace import Reader, Reliance, Trace
from gradsmith.identity import has_dict
from gradsmith.tree import Identity

_NO_STATE = (
    *(str, bytes, int, float, complex, type(None), tuple, frozenset, range, slice),
    *(type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType),
    *(types.MethodWrapperType, types.GenericAlias, types.CellType, types.MappingProxyType),
    *(partial, weakref.ref, Iterator, BaseException, np.ndarray, np.generic, np.ufunc, np.dtype),
)
"""Classes of objects that hold nothing that changes, or whose parts are read one by one."""
_COPIED = (list, dict, set, deque)
_PLAIN = (str, bytes, int, float, complex, type(None), range, np.generic)


def note_state(trace: Trace, value: Any, read: Reader) -> None:
    """``value`` is from outside: what an object of Python's library holds is relied on."""
    if _has_state(value):
        reliance = Reliance(lambda: _state_of(read()), _state_of(value), by_identity=False)
        trace.reliances["state", id(value)] = reliance


def note_answer(trace: Trace | None, function: Any, answer: Any) -> Any:
    """What a function of a library without arguments (`np.geterr`, `sys.getrecursionlimit`) has
    told about the process is relied on.
    """
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", None) or ""
    root = module.partition(".")[0]
    if trace is None or not name.startswith(_ASKING) or root == "gradsmith":
        return answer
    if root != "numpy" and root not in sys.stdlib_module_names:
        return answer
    if function() is answer:
        note_given(trace, answer)
    told = _told(answer)
    if _told(function()) == told:  # else each call makes another object
        reliance = Reliance(lambda: _told(function()), told, by_identity=False)
        trace.reliances["told", module, name] = reliance
    return answer


_ASKING = ("get", "is", "current", "active", "default")


def _told(answer: Any) -> Any:
    found = state_of_part(answer)
    return repr(answer) if isinstance(found, Identity) else found


def _has_state(value: Any) -> bool:
    """Whether it is an object of Python's library that can change, or of a class derived from such
    a class.
    """
    if isinstance(value, (*_NO_STATE, *_COPIED)) or is_library_object(value):
        return False
    home = _home(type(value))
    return home is not None and home.__module__ not in _OF_VALUES


def _home(cls: type) -> type | None:
    """The class of Python's library that has the methods, past those of the user's."""
    classes = (c for c in cls.__mro__[:-1] if c.__module__ != "__main__")
    return next((c for c in classes if _module(c) in sys.stdlib_module_names), None)


def _module(cls: type) -> str:
    return cls.__module__.partition(".")[0]


_OF_VALUES = frozenset(
    {"abc", "builtins", "collections.abc", "dataclasses", "decimal", "enum", "fractions"}
    | {"functools", "numbers", "operator", "re", "types", "typing", "_operator", "_functools"}
)
"""Modules whose objects do not change, but for their attributes."""


def _state_of(value: Any) -> Any:
    """What the object holds, as something that equals what it holds later if that is the same."""
    if _home(type(value)) is not _first(type(value)):  # the user's attributes are read one by one
        return [state_of_part(getattr(value, name)) for name in _OWN if name in vars(value)]
    if isinstance(value, Mapping):
        return [(state_of_part(key), state_of_part(value[key])) for key in list(value)]
    if isinstance(value, Collection):
        return list(map(state_of_part, value))
    if isinstance(value, ctypes.Array):
        return bytes(value)
    for name in ("digest", "qsize", "locked"):
        if hasattr(value, name) and not has_dict(value):
            return getattr(value, name)()
    if not has_dict(value):
        return Identity(value)
    return [(name, state_of_part(held)) for name, held in vars(value).items()]


def _first(cls: type) -> type:
    """The class itself; of one that C code makes without methods its base (arrays of ctypes)."""
    return cls.__base__ or cls if _module(cls.__base__ or cls) == "_ctypes" else cls


_OWN = ("data", "maps", "queue")
"""What classes of Python's library keep their elements in."""


def state_of_part(value: Any) -> Any:
    """The same of a part of it, which may be a number, an array or a container."""
    if isinstance(value, _PLAIN):
        return type(value), repr(value)
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    if type(value) in (list, tuple, set, frozenset, deque):
        return type(value), list(map(state_of_part, value))
    if type(value) is dict:
        return dict, [(state_of_part(k), state_of_part(v)) for k, v in value.items()]
    return Identity(value)
