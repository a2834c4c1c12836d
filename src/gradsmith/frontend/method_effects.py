"""Which methods may have effects, by their code: counters, logs, caches."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradsmith.frontend.classes import MISSING, class_attribute
from gradsmith.frontend.effects import MUTATORS
from gradsmith.frontend.foreign import is_library

_WRITING = ("STORE_ATTR", "STORE_GLOBAL", "STORE_SUBSCR", "DELETE_ATTR", "DELETE_SUBSCR")
_SAYING = frozenset({"print", "warn", "write", "next", "log", "debug", "info", "warning", "put"})


def may_have_effects(method: types.FunctionType, cls: type) -> bool:
    """Whether it writes to anything but its variables, or calls what may do so.

    ``__hash__`` is taken to have no effects that are not seen: objects that are keys are looked up
    in too many places.
    """
    trusted = method.__name__ == "__hash__"
    return _may_have_effects(method, cls, set(), trusted=trusted)


def _may_have_effects(
    function: types.FunctionType, cls: type, seen: set[types.CodeType], *, trusted: bool
) -> bool:
    code = function.__code__
    if code in seen or is_library(function):
        return False
    seen.add(code)
    memoises = function.__name__ == "__hash__" and not any(map(_is_in_place, _steps(code)))
    for step in _steps(code):
        if step.opname == "STORE_ATTR" and memoises:
            continue
        nonlocal_ = step.opname == "STORE_DEREF" and step.argval in code.co_freevars
        if step.opname in _WRITING or nonlocal_:
            return True
    names = {name for inner in _codes(code) for name in inner.co_names}
    if names & (MUTATORS | _SAYING):
        return True
    of_class = {name: class_attribute(cls, name) for name in names}
    known = {name for name, found in of_class.items() if found is not MISSING} | _OF_VALUES
    if not trusted and not known.issuperset(_methods_called(function)):
        return True
    found = (function.__globals__.get(name) for name in names)
    called = (f.fget if isinstance(f, property) else f for f in (*found, *of_class.values()))
    held = (cell_contents(c) for c in function.__closure__ or ())
    inner = [f for f in (*called, *held) if isinstance(f, types.FunctionType)]
    return any(_may_have_effects(f, cls, seen, trusted=trusted) for f in inner)


_OF_VALUES = frozenset(
    name for cls in (np.ndarray, float, str, tuple, list, dict, set) for name in dir(cls)
)
"""Methods of numbers, texts and containers; those that change something are `MUTATORS`."""


def _methods_called(function: types.FunctionType) -> Iterator[str]:
    """The names of the methods that its code calls, but for functions of modules."""
    owner: Any = MISSING
    for step in _steps(function.__code__):
        if step.opname == "LOAD_GLOBAL":
            owner = function.__globals__.get(step.argval, MISSING)
        elif step.opname == "LOAD_METHOD" or (step.opname == "LOAD_ATTR" and "+" in step.argrepr):
            if not isinstance(owner, types.ModuleType):
                yield step.argval
            owner = MISSING
        elif step.opname == "LOAD_ATTR" and isinstance(owner, types.ModuleType):
            owner = getattr(owner, step.argval, MISSING)
        elif step.opname not in ("PUSH_NULL", "CACHE"):
            owner = MISSING


def _is_in_place(step: dis.Instruction) -> bool:
    return step.opname.startswith("INPLACE") or (
        step.opname == "BINARY_OP" and step.argrepr.endswith("=")
    )


def cell_contents(cell: types.CellType) -> Any:
    """What a cell holds, if anything."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _steps(code: types.CodeType) -> Iterator[dis.Instruction]:
    for inner in _codes(code):
        yield from dis.get_instructions(inner)
