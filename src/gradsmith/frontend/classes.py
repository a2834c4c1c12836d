"""The user's classes: which they are, and what their instances find in them."""

from __future__ import annotations

import dataclasses
import sys
import types
from collections.abc import Callable, ItemsView, KeysView, MappingView, ValuesView
from typing import Any

import numpy as np

from gradsmith.identity import once_by_class

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "<missing>"})()
"""Stands for an attribute that there is not."""

DELETED: Any = type("Deleted", (), {"__repr__": lambda self: "<deleted>"})()
"""Stands in an overlay (`frontend.effects`) for an attribute that the function has deleted, or
that is not there."""

_FOREIGN = ("numpy", "scipy", "gradsmith", "builtins")
_VIEWS = (MappingView, KeysView, ItemsView, ValuesView)
"""Python's classes of what ``keys()``, ``items()`` and ``values()`` of a user's `Mapping` give:
their methods call the user's, and are followed."""


def _is_made_by_types(cls: type) -> bool:
    """Whether ``types.new_class`` has made it, which ``dataclasses.make_dataclass`` calls."""
    made = getattr(cls, "__module__", None) == "types"
    return made and vars(types).get(cls.__name__) is not cls


@once_by_class
def is_users_class(cls: type) -> bool:
    """Whether the class is neither Python's, nor NumPy's, nor gradsmith's."""
    if any(cls is view for view in _VIEWS) or _is_made_by_types(cls):
        return True
    root = (getattr(cls, "__module__", None) or "").split(".")[0]
    library = root in _FOREIGN or (root in sys.stdlib_module_names and root != "__main__")
    return not library and not issubclass(cls, (np.ndarray, np.generic))


users: list[Callable[[type, bool], None]] = []
"""Called with each class that the function uses, or the class of an object that it does, and
whether this is a key that is looked up when it is not traced."""


def note_used(value: Any, *, key: bool = False) -> None:
    """The function uses a class of the user's, or an object of one."""
    cls = value if isinstance(value, type) else type(value)
    if is_users_class(cls):
        for note in users:
            note(cls, key)


def is_instance(value: Any) -> bool:
    """Whether ``value`` is an object of one of the user's classes (and no class itself)."""
    return is_users_class(type(value)) and not isinstance(value, type)


def has_methods(value: Any) -> bool:
    """Whether special methods of the user's may apply to it: a class may have one of these as its
    metaclass.
    """
    return is_users_class(type(value))


def class_item(cls: Any) -> types.FunctionType | None:
    """The ``__class_getitem__`` that a class of the user's defines in Python."""
    held = class_attribute(cls, "__class_getitem__") if isinstance(cls, type) else MISSING
    found = held.__func__ if isinstance(held, classmethod) else held
    if not isinstance(found, types.FunctionType):
        return None
    holder = owner_of(cls, "__class_getitem__")
    return found if holder is not None and is_users_class(holder) else None


def is_own_number(value: Any) -> bool:
    """Whether it is a number of one of the user's classes."""
    return isinstance(value, (float, int, complex)) and is_instance(value)


def plain_number(value: Any) -> Any:
    """The number of Python's own class that an object of a subclass is."""
    base: Any = next(kind for kind in (float, int, complex) if isinstance(value, kind))
    return base.__pos__(value)


lookups: list[Callable[[type, str], None]] = []
"""Called with each class in which the trace looks up a name, and the name."""


def class_attribute(cls: type, name: str) -> Any:
    """What the class or one of its bases holds under this name, not bound to anything."""
    for note in lookups:
        note(cls, name)
    return _in_bases(cls, name)


def _in_bases(cls: type, name: str) -> Any:
    for base in cls.__mro__:
        if name in vars(base):
            return held_by_class(base, name)
    return MISSING


def held_by_class(cls: type, name: str) -> Any:
    """What the class itself holds under this name, not bound to anything."""
    return own_method(vars(cls).get(name, MISSING))


def owner_of(cls: type, name: str) -> type | None:
    """The class that holds it."""
    for note in lookups:
        note(cls, name)
    return next((base for base in cls.__mro__ if name in vars(base)), None)


def own_method(held: Any) -> Any:
    """The user's method, where ``frontend.asked_in_c`` has put one of its own in its place."""
    replaced = isinstance(held, types.FunctionType) and "_gs_own" in vars(held)
    return held._gs_own if replaced else held


def special(value: Any, name: str) -> types.FunctionType | None:
    """The special method that the user's class of ``value`` defines in Python: of a class, its
    metaclass.
    """
    if isinstance(value, type):
        return _of_metaclass(value, name)
    if not is_instance(value):
        return None
    found = class_attribute(type(value), name)
    return found if isinstance(found, types.FunctionType) else None


def _of_metaclass(cls: Any, name: str) -> types.FunctionType | None:
    """The special method that the user's metaclass of a class defines in Python."""
    if not isinstance(cls, type) or type(cls) is type:
        return None
    holder = owner_of(type(cls), name)
    if holder is None or not is_users_class(holder):
        return None
    found = held_by_class(holder, name)
    return found if isinstance(found, types.FunctionType) else None


def instance_attribute(owner: Any, name: str) -> Any:
    """What the object itself holds under this name: in its dict or in a slot."""
    held = instance_dict(owner)
    if held is not None and name in held:
        return held[name]
    slot = _in_bases(type(owner), name)
    if isinstance(slot, types.MemberDescriptorType):
        try:
            return slot.__get__(owner, type(owner))
        except AttributeError:
            return MISSING
    return MISSING


def own_attribute(owner: Any, name: str) -> Any:
    """The same; of a class, what it holds and none of its bases."""
    return (
        held_by_class(owner, name) if isinstance(owner, type) else instance_attribute(owner, name)
    )


def instance_dict(owner: Any) -> dict[str, Any] | None:
    """The object's own dict, if it has one."""
    try:
        held = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return None
    return held if isinstance(held, dict) else None


def raw_attribute(owner: Any, name: str) -> Any:
    """What is found under this name, in the object or else in its class, without binding."""
    if isinstance(owner, type):
        return _in_bases(owner, name)
    found = instance_attribute(owner, name)
    return _in_bases(type(owner), name) if found is MISSING else found


def fields_of(cls: type) -> dict[str, dataclasses.Field[Any]]:
    """All fields of a dataclass, those among them that are arguments of ``__init__`` alone."""
    found: dict[str, dataclasses.Field[Any]] = getattr(cls, "__dataclass_fields__", {})
    return found
