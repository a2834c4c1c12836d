"""Attributes that an object has on some of the paths to a place only.

A branch that sets ``self.a`` on one path, and a loop of which some iterations do, leave a
`MaybeUnset` in the object: the value, and the condition that tells whether it is set. Variables
have the like (`Perhaps`). Only what this package reads by name can be told that: as soon as the
function sees the attributes of an object as a dict, the branch or loop is decided instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradsmith.frontend.classes import DELETED, MISSING, instance_dict, is_instance
from gradsmith.frontend.journal import slots_of
from gradsmith.frontend.presence import found_at_end
from gradsmith.frontend.trace import AttributeDict, Trace
from gradsmith.frontend.unsettled import MISSING as UNSET
from gradsmith.frontend.unsettled import Cause, MaybeNone, MaybeUnset, Unsettled, is_undefined


def note_attributes_of(trace: Trace, owner: Any, name: str) -> None:
    """An attribute of an object is about to be written, which the function has made."""
    if not is_instance(owner) or isinstance(owner, dict):
        return
    held = owner if name in slots_of(owner) else instance_dict(owner)
    if held is not None and id(held) not in trace.shown_dicts:
        trace.attribute_dicts.setdefault(id(held), AttributeDict(held, MISSING))


def note_overlay(trace: Trace, owner: Any, overlay: dict[str, Any]) -> None:
    """The same of an object from outside."""
    if is_instance(owner):
        trace.attribute_dicts.setdefault(id(overlay), AttributeDict(overlay, DELETED))


def note_shown(trace: Trace, held: Any) -> None:
    """The user's code sees the attributes of an object as a dict from now on."""
    if isinstance(held, dict):
        check_all_set(held)
        trace.shown_dicts[id(held)] = held
        trace.attribute_dicts.pop(id(held), None)


def check_all_set(held: Mapping[str, Any]) -> None:
    """Refuse attributes that may not be set, where each is needed.

    Raises
    ------
    UndecidedError
        There is one: the branch or loop that sets it is to be decided.
    """
    for value in dict.values(held) if isinstance(held, dict) else held.values():
        if isinstance(value, MaybeUnset):
            value.refuse()


def absent(name: str, trace: Trace) -> tuple[Any, Any]:
    """What stands for an attribute that is not set, and whether it is: where it may also be None,
    nothing tells one from the other.
    """
    if optional_name(name) in trace.learned.optional:
        return Unsettled(name, "it is not set, or None, on some of the ways to this place"), True
    return Unsettled(name, UNSET), False


def optional_name(name: str) -> str:
    """What an attribute is called among the names of what may be None."""
    return f".{name}"


def is_not_set(held: Any) -> bool:
    """Whether it stands in an object for an attribute that is not, or may not be, set."""
    maybe = isinstance(held, MaybeUnset) and not isinstance(held, MaybeNone)
    return held is DELETED or maybe


def held_value(contents: Mapping[str, Any], name: str) -> Any:
    """What an object holds under this name, or what stands for no value."""
    value = contents.get(name, MISSING)
    return Unsettled(name, UNSET) if value is MISSING or value is DELETED else value


def at_end(contents: Mapping[str, Any], trace: Trace) -> dict[str, tuple[Any, Any]]:
    """The values of attributes at the end of a region, and what tells whether each is set."""
    return {name: _at_end(name, held_value(contents, name), trace) for name in contents}


def _at_end(name: str, value: Any, trace: Trace) -> tuple[Any, Any]:
    if is_undefined(value) or is_not_set(value):
        known = absent(name, trace)
        return known if known[1] is True else found_at_end("", value, trace)
    return found_at_end(optional_name(name), value, trace)


def attribute(name: str, value: Any, present: Any, cause: Cause, trace: Trace) -> Any:
    """What an object holds of this value where ``present`` tells whether it is set; MISSING where
    it is not.
    """
    if optional_name(name) in trace.learned.optional:
        if present is False or is_undefined(value):
            return None
        return value if present is True else MaybeNone(name, value, present, cause)
    if present is True and not is_undefined(value):
        return value
    if present is False or is_undefined(value):
        return MISSING
    return MaybeUnset(name, value, present, cause)


def refilled(contents: Mapping[str, Any], kept: AttributeDict) -> dict[str, Any]:
    """``contents`` as the object holds them: what is MISSING has no entry, or one that says so."""
    if kept.absent is MISSING:
        return {name: value for name, value in contents.items() if value is not MISSING}
    return {n: kept.absent if value is MISSING else value for n, value in contents.items()}
