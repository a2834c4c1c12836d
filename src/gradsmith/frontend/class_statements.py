"""Classes that the traced function makes: hooks of the user's classes are called by the runtime.

``type.__new__`` calls ``__set_name__`` and ``__init_subclass__`` by itself, where nothing is
staged. The class is made without them (a further base hides ``__init_subclass__``, and is removed
again), and they are called afterwards.
"""

from __future__ import annotations

import types
from abc import ABCMeta
from collections.abc import Mapping
from typing import Any

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.builtins_table import BUILTINS
from gradsmith.frontend.calling import call
from gradsmith.frontend.classes import is_users_class, special
from gradsmith.frontend.defined import note_class
from gradsmith.frontend.spans import current_span, staged_frame
from gradsmith.frontend.text import settled
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.unsettled import OWN


class Making:
    """The metaclass of a class statement in a staged function, in the place of ``metaclass``."""

    def __init__(self, metaclass: Any) -> None:
        self.metaclass = metaclass

    def __prepare__(self, name: str, bases: tuple[type, ...], **keywords: Any) -> Any:
        given = {} if self.metaclass is None else {"metaclass": self.metaclass}
        self.metaclass, namespace, _ = types.prepare_class(name, bases, {**keywords, **given})
        return namespace

    def __call__(self, name: str, bases: tuple[type, ...], namespace: Any, **keywords: Any) -> Any:
        for added in [key for key in namespace if OWN in key]:
            del namespace[added]  # a variable of staging
        return _made(self.metaclass, name, bases, namespace, **keywords)


def _made(metaclass: Any, *given: Any, **keywords: Any) -> Any:
    """``metaclass(name, bases, namespace, ...)``."""
    if metaclass in _PLAIN:
        return _new_class(metaclass, *given, **keywords)
    users = isinstance(metaclass, types.FunctionType) or is_users_class(metaclass)
    return call(metaclass, *given, **keywords) if users else metaclass(*given, **keywords)


def made_class(name: str, bases: tuple[type, ...], namespace: Any, **keywords: Any) -> Any:
    """``type(name, bases, namespace, ...)``, as the module of the user's function makes it."""
    metaclass, _, _ = types.prepare_class(name, bases)
    made = _made(metaclass, name, bases, namespace, **keywords)
    note_class(made)
    return made


def _new_class(
    metaclass: Any,
    name: str,
    bases: tuple[type, ...],
    namespace: Mapping[str, Any],
    **keywords: Any,
) -> Any:
    """``type.__new__(metaclass, ...)``."""
    name = settled(name)
    namespace = {settled(key): value for key, value in _with_module(namespace).items()}
    make = metaclass.__new__ if metaclass is ABCMeta else type.__new__
    users = {base for direct in bases for base in direct.__mro__ if is_users_class(base)}
    hooked = any("__init_subclass__" in vars(base) for base in users)
    named = {key: value for key, value in namespace.items() if special(value, "__set_name__")}
    if current_trace() is None or not (hooked or named):
        return make(metaclass, name, bases, namespace, **keywords)
    held = {key: value for key, value in namespace.items() if key not in named}
    if not hooked:
        made = make(metaclass, name, bases, held, **keywords)
    elif metaclass is type:
        made = _without_hook(name, bases, held)
    else:
        made = make(_hiding(metaclass), name, bases, held)
        made.__class__ = metaclass
        type.__setattr__(made, "__bases__", bases)
    note_class(made)
    for key, value in named.items():
        type.__setattr__(made, key, value)
    for key, value in named.items():
        call(special(value, "__set_name__"), value, made, key)
    if hooked:
        call(super(made, made).__init_subclass__, **keywords)
    return made


BUILTINS[type.__new__] = _new_class
_PLAIN = (type, ABCMeta)
"""Metaclasses of Python's that do nothing more."""


def _with_module(namespace: Mapping[str, Any]) -> dict[str, Any]:
    """The namespace with the module that the user's code is of."""
    frame = staged_frame()
    module = {} if frame is None else {"__module__": frame.f_globals.get("__name__")}
    return {**({} if "__module__" in namespace else module), **namespace}


class _Hiding:
    def __init_subclass__(cls) -> None:
        pass


class _HidingSlots:
    __slots__ = ()

    def __init_subclass__(cls) -> None:
        pass


def _without_hook(name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
    """The class with these bases, whose ``__init_subclass__`` is not called."""
    for hiding in (_Hiding, _HidingSlots):
        try:
            made = type.__new__(type, name, (hiding, *bases), namespace)
            type.__setattr__(made, "__bases__", bases)
        except TypeError:  # the layouts of the objects differ
            continue
        return made
    raise UnsupportedError(
        "a class whose bases have __init_subclass__ is made in the function, with objects of a "
        "layout of its own",
        current_span(),
        "define the class outside the function",
    )


def _hiding(metaclass: type) -> type:
    """The same by another metaclass, until the class has its own."""

    def mro(cls: type) -> list[type]:
        find: Any = metaclass.mro
        own = find(cls)
        return [own[0], _Hiding, *own[1:]]

    return type.__new__(type, "Hiding", (metaclass,), {"__slots__": (), "mro": mro})
