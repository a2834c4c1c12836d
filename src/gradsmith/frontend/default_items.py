"""Items that a `defaultdict` adds where a key is missing: the runtime calls its factory."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from gradsmith.frontend.calling import call
from gradsmith.frontend.classes import MISSING, class_attribute, special
from gradsmith.frontend.doubts import adds_default, note_reshaped


def default_item(owner: Any, key: Any) -> Any:
    """The item that reading ``owner[key]`` adds, made by a staged call of the factory; MISSING
    where it adds none.
    """
    if not adds_default(owner, key) or not _is_pythons(type(owner)):
        return MISSING
    dict.get(owner, key)  # which asks the key, as Python does, unlike the question before
    note_reshaped(owner)
    made = call(owner.default_factory)
    mine = special(owner, "__setitem__")
    if mine is None:
        dict.__setitem__(owner, key, made)
    else:
        call(mine, owner, key, made)
    return made


def _is_pythons(cls: type) -> bool:
    """Whether missing keys of its objects are what those of a plain `defaultdict` are."""
    return class_attribute(cls, "__missing__") is defaultdict.__dict__["__missing__"]
