"""Special methods that C code calls: dicts and sets ask ``__hash__`` and ``__eq__``, deques
``__eq__``, ``filter(None, ...)`` ``__bool__``; ``sum`` and ``itertools.accumulate`` add, ``zip``
iterates.

C code calls what the class holds, which nobody stages. As long as a function is traced, classes
hold methods that call the runtime instead; what is traced then does what the user's own do, in the
order of Python. Of the methods that only answer a question these are the ones that may have
effects (counters, logs, caches), and those that give C code a number, which may be a traced
integer. What the compiler looks up for itself is undone. Other threads get the user's own methods.
"""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Callable
from functools import partial
from typing import Any

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.asked_numbers import given_number
from gradsmith.frontend.calling import call
from gradsmith.frontend.choices import truth
from gradsmith.frontend.classes import is_users_class, own_method, users
from gradsmith.frontend.foreign import is_library
from gradsmith.frontend.journal import journaling
from gradsmith.frontend.method_effects import may_have_effects
from gradsmith.frontend.refusals_in_c import called_by_c
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.value_guards import decide, known

_COMPARING = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
_LENGTHS = ("__hash__", "__len__")
_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "__index__": int,
    "__length_hint__": int,
    "__int__": int,
    "__float__": float,
    "__complex__": complex,
}
"""Methods of which C code takes plain numbers only: they always call the runtime."""
_ASKED = (*_COMPARING, *_LENGTHS, *_NUMBERS, "__bool__", "__contains__")
_BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul"),
    *("lshift", "rshift", "and", "or", "xor"),
)
_DOING = frozenset(
    {
        *(f"__{kind}{name}__" for name in _BINARY for kind in ("", "r", "i")),
        *("__neg__", "__pos__", "__invert__", "__abs__"),
        *("__round__", "__trunc__", "__floor__", "__ceil__"),
        *("__iter__", "__next__", "__reversed__", "__missing__"),
        *("__getitem__", "__setitem__", "__delitem__"),
        *("__copy__", "__deepcopy__", "__enter__", "__exit__"),
        *("__bytes__", "__dir__", "__fspath__"),
    }
)
"""Methods that C code takes any result of: they always call the runtime, too."""
_NAMES = (*_ASKED, *_DOING)

_installed: dict[type, tuple[int, dict[str, types.FunctionType]]] = {}
"""How many runs at work have replaced methods of a class, and its own ones."""
_lock = threading.Lock()


def _note_class(cls: type, key: bool) -> None:
    trace = current_trace()
    if trace is None:
        return
    hashing = [own_method(vars(base).get("__hash__")) for base in cls.__mro__[:-1]]
    if key and any(_has_effects(cls, method) for method in hashing):
        raise UnsupportedError(
            f"{cls.__name__}.__hash__ has effects, and an object of this class is a key of a "
            "dict or set outside of the function, or of a cache",
            current_span() if trace.calls else trace.returned,
            "leave the effects out of __hash__, or use numbers or strings as keys",
        )
    if id(cls) in trace.classes_seen:
        return
    trace.classes_seen[id(cls)] = cls
    for base in cls.__mro__[:-1]:
        if is_users_class(base) and (own := _replaced_methods(base)):
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
            if own_method(vars(cls).get(name)) is method:  # else the function has written another
                type.__setattr__(cls, name, method)


def _by_runtime(name: str, own: types.FunctionType) -> Callable[..., Any]:
    def method(owner: Any, *args: Any) -> Any:
        trace = current_trace()
        if trace is None:
            return own(owner, *args)
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.startswith(_INTERNAL):
            return _quietly(name, own, owner, args)
        made = called_by_c(trace, lambda: _made(name, own, owner, args))
        if name == "__hash__":
            trace.hashes[id(owner)] = (owner, made)
        return made

    method.__name__, method.__qualname__ = own.__name__, own.__qualname__
    method._gs_own = own  # type: ignore[attr-defined]
    return method


def _made(name: str, own: types.FunctionType, owner: Any, args: tuple[Any, ...]) -> Any:
    made = call(own, owner, *args)
    return made if name in _DOING else _answer(name, owner, made)


def _answer(name: str, owner: Any, made: Any) -> Any:
    """What a method has given, as C code takes it."""
    if made is NotImplemented:
        return made
    if name in _COMPARING and isinstance(made, Tracer):
        return made  # Python code of the library may return it; C code asks for its truth
    if name in _NUMBERS:
        return _NUMBERS[name](given_number(owner, name, made))
    if name in _LENGTHS:
        is_index = isinstance(made, Tracer) and made.is_index()
        return int(known(made)) if is_index or isinstance(made, TracedInt) else made
    return decide(truth(made))


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
    if trace is None or name in _DOING or not _has_effects(type(owner), own):
        return own(owner, *args)
    if name == "__hash__" and id(owner) in trace.hashes:
        return trace.hashes[id(owner)][1]
    with trace.region(), journaling(None) as journal:
        try:
            made = _made(name, own, owner, args)
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


def _has_effects(cls: type, method: Any) -> bool:
    """Whether the method may have effects (counters, logs, caches)."""
    if not isinstance(method, types.FunctionType):
        return False
    return may_have_effects(method, cls)


def _replaced_methods(cls: type) -> dict[str, types.FunctionType]:
    """The special methods of a class itself that are to call the runtime, by name."""
    defined = {name: own_method(vars(cls).get(name)) for name in _NAMES}
    return {
        name: method
        for name, method in defined.items()
        if isinstance(method, types.FunctionType)
        and not (name in _DOING and is_library(method))
        and method.__code__.co_filename != _GENERATED
    }


_GENERATED = "<string>"
"""The file of what `dataclasses` writes: it asks the fields, and does nothing else."""
