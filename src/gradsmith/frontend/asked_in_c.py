"""Special methods with effects (counters, logs, caches) that C code calls: dicts and sets ask
``__hash__`` and ``__eq__``, deques ``__eq__``, ``filter(None, ...)`` ``__bool__``.

C code calls what the class holds, which nobody stages. As long as a function is traced, classes of
which such a method may have effects hold methods that call the runtime; what is traced then does
what the user's own do, in the order of Python. So do those that give C code a number, which may
be a traced integer. What the compiler looks up for itself is undone.
Other threads get the user's own methods.
"""

from __future__ import annotations

import dis
import sys
import threading
import types
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.asked_numbers import given_number
from gradsmith.frontend.calling import call
from gradsmith.frontend.choices import truth
from gradsmith.frontend.classes import MISSING, class_attribute, is_users_class, own_method, users
from gradsmith.frontend.effects import MUTATORS
from gradsmith.frontend.foreign import is_library
from gradsmith.frontend.journal import journaling
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.value_guards import decide

_COMPARING = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
_LENGTHS = ("__hash__", "__len__")
_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "__index__": int,
    "__int__": int,
    "__float__": float,
    "__complex__": complex,
}
"""Methods of which C code takes plain numbers only: they always call the runtime."""
_NAMES = (*_COMPARING, *_LENGTHS, *_NUMBERS, "__bool__", "__contains__")

_installed: dict[type, tuple[int, dict[str, types.FunctionType]]] = {}
"""How many runs at work have replaced methods of a class, and its own ones."""
_lock = threading.Lock()


def _note_class(cls: type, key: bool) -> None:
    trace = current_trace()
    if trace is None:
        return
    if key and "__hash__" in {name for base in cls.__mro__[:-1] for name in _with_effects(base)}:
        raise UnsupportedError(
            f"{cls.__name__}.__hash__ has effects, and an object of this class is a key of a "
            "dict or set outside of the function, or of a cache",
            current_span() if trace.calls else trace.returned,
            "leave the effects out of __hash__, or use numbers or strings as keys",
        )
    if cls in trace.classes_seen:
        return
    trace.classes_seen.add(cls)
    for base in cls.__mro__[:-1]:
        if is_users_class(base) and (own := _with_effects(base)):
            _install(base, own)
            trace.at_end.append(partial(_remove, base))


users.append(_note_class)


def _install(cls: type, own: dict[str, types.FunctionType]) -> None:
    with _lock:
        count, _ = _installed.get(cls, (0, own))
        _installed[cls] = count + 1, own
        if not count:
            for name, method in own.items():
                type.__setattr__(cls, name, _by_runtime(name, method))


def _remove(cls: type) -> None:
    with _lock:
        count, own = _installed.pop(cls)
        if count > 1:
            _installed[cls] = count - 1, own
            return
        for name, method in own.items():
            type.__setattr__(cls, name, method)


def _by_runtime(name: str, own: types.FunctionType) -> Callable[..., Any]:
    def method(owner: Any, *args: Any) -> Any:
        trace = current_trace()
        if trace is None:
            return own(owner, *args)
        frame = sys._getframe(1)
        caller = frame.f_globals.get("__name__", "")
        if caller.startswith(_INTERNAL):
            return _quietly(name, own, owner, args)
        made = call(own, owner, *args)
        if caller == _CALLING and frame.f_code.co_name == "_call_function":
            return made
        made = _answer(name, owner, made)
        if name == "__hash__":
            trace.hashes[id(owner)] = (owner, made)
        return made

    method.__name__, method.__qualname__ = own.__name__, own.__qualname__
    method._gs_own = own  # type: ignore[attr-defined]
    return method


def _answer(name: str, owner: Any, made: Any) -> Any:
    """What a method has given, as C code takes it."""
    if made is NotImplemented:
        return made
    if name in _COMPARING and isinstance(made, Tracer):
        return made  # Python code of the library may return it; C code asks for its truth
    if name in _NUMBERS:
        return _NUMBERS[name](given_number(owner, name, made))
    if name in _LENGTHS:
        return int(made) if isinstance(made, TracedInt) else made
    return decide(truth(made))


_CALLING = "gradsmith.frontend.runtime"
_INTERNAL = (
    *("gradsmith.tree", "gradsmith.driver", "gradsmith.passes", "gradsmith.codegen"),
    *(
        f"gradsmith.frontend.{name}"
        for name in (
            *("branches", "cached_functions", "captures", "carried", "containers", "doubts"),
            *("external_writes", "frozen", "grown", "joint", "journal", "merging", "results"),
            *("structures", "trace", "value_guards"),
        )
    ),
)
"""Modules that look up keys for themselves."""


def _quietly(name: str, own: types.FunctionType, owner: Any, args: tuple[Any, ...]) -> Any:
    """What a method gives; what it does is undone."""
    trace = current_trace()
    if trace is None:
        return own(owner, *args)
    if name == "__hash__" and id(owner) in trace.hashes:
        return trace.hashes[id(owner)][1]
    with trace.region(), journaling(None) as journal:
        try:
            made = _answer(name, owner, call(own, owner, *args))
        finally:
            journal.undo()
    if made is not NotImplemented and not isinstance(made, (bool, int)):
        raise UnsupportedError(
            f"{type(owner).__name__}.{name} has effects, and objects of this class are looked up "
            "where what it gives is not known",
            current_span(),
            f"leave the effects out of {name}, or use numbers or strings as keys",
        )
    return made


# -- which methods have effects ------------------------------------------------------------------

_known: WeakKeyDictionary[type, tuple[list[Any], frozenset[str]]] = WeakKeyDictionary()
"""The code of each class's methods, which may be replaced later, and the names that were found."""


def _with_effects(cls: type) -> dict[str, types.FunctionType]:
    """The special methods of a class itself that may have effects, or whose results C code does
    not take when they are traced, by name.
    """
    defined = {name: own_method(vars(cls).get(name)) for name in _NAMES}
    held = {n: m for n, m in defined.items() if isinstance(m, types.FunctionType)}
    codes = [(name, method.__code__) for name, method in held.items()]
    known, names = _known.get(cls, ([], frozenset()))
    if known != codes:
        names = frozenset(
            name
            for name, method in held.items()
            if name in _NUMBERS or _may_have_effects(method, cls, set())
        )
        _known[cls] = codes, names
    return {name: method for name, method in held.items() if name in names}


_WRITING = ("STORE_ATTR", "STORE_GLOBAL", "STORE_SUBSCR", "DELETE_ATTR", "DELETE_SUBSCR")
_SAYING = frozenset({"print", "warn", "write", "next", "log", "debug", "info", "warning", "put"})


def _may_have_effects(function: types.FunctionType, cls: type, seen: set[types.CodeType]) -> bool:
    """Whether it writes to anything but its variables, or calls what does, as far as is seen."""
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
    called = (
        found
        for name in names
        for found in (function.__globals__.get(name), class_attribute(cls, name))
        if isinstance(found, types.FunctionType)
    )
    held = (cell_contents(c) for c in function.__closure__ or ())
    inner = [f for f in (*called, *held) if isinstance(f, types.FunctionType)]
    return any(_may_have_effects(f, cls, seen) for f in inner)


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
