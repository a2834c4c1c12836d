"""What the traced function does to the world outside.

While it is traced, writes go to stand-ins, so that no traced value gets out and every run finds
the world as it was: attributes and variables are written to an overlay of what they belong to,
lists and dicts from outside are copies from the beginning (`gradsmith.frontend.captures`). What
these hold at the end, `gradsmith.frontend.external_writes` makes results of the compiled function.
"""

from __future__ import annotations

import types
from functools import partial
from typing import Any

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.attribute_dicts import (
    check_attribute_write,
    check_dict_write,
    note_owner,
)
from gradsmith.frontend.captures import global_or_cell
from gradsmith.frontend.classes import DELETED, MISSING, is_instance, own_attribute
from gradsmith.frontend.doubts import note_written
from gradsmith.frontend.journal import adopt, establish
from gradsmith.frontend.maybe_unset import note_overlay
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import OutsideRead, Reliance, Store, Trace
from gradsmith.frontend.warned import warn_left

MUTATORS = {
    "add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "insert", "pop",
    "popitem", "popleft", "remove", "reverse", "setdefault", "sort", "update",
    "__setitem__", "__delitem__", "__iadd__", "__imul__", "__ior__", "__iand__", "__isub__",
    "__ixor__", "difference_update", "intersection_update", "symmetric_difference_update",
    "rotate", "move_to_end", "subtract",
}  # fmt: skip
"""Methods of lists, dicts, sets and deques that change them."""


def changed(trace: Trace, owner: Any, name: str) -> Any:
    """What the function has written to an attribute of an object from outside, if it has."""
    overlay = trace.overlays.get(id(owner))
    found = MISSING if overlay is None else overlay[1].get(name, MISSING)
    if found is not MISSING and trace.outside_reads is not None:
        trace.outside_reads.append(OutsideRead((id(owner), name), name, found, None))
    return found


def write_outside(trace: Trace, owner: Any, name: str, value: Any, before: Any) -> None:
    """``owner.name = value`` of an object from outside, which held ``before``."""
    if id(owner) not in trace.made:
        warn_left(f"the write to {_shown(owner, name)}")
    if type(owner) is not dict and id(owner) not in trace.made:
        check_attribute_write(trace, owner)
        note_owner(trace, owner)
    overlay = _overlay(trace, owner)
    if name not in overlay:
        establish(overlay, name, DELETED if before is MISSING else before)
        if is_instance(owner) or isinstance(owner, type):
            _rely_on_presence(trace, owner, name)
    for held in (overlay, trace.dicts.get(id(owner))):
        if held is not None:
            note_written(held)
            held[name] = value
    if value is DELETED and id(owner) in trace.dicts:
        del trace.dicts[id(owner)][name]


def _rely_on_presence(trace: Trace, owner: Any, name: str) -> None:
    """An attribute is about to be written: the next call must find it in the object itself, too,
    or else must not, as then a base class may have it.
    """
    is_there = partial(_is_there, owner, name)
    trace.reliances["own", id(owner), name] = Reliance(is_there, is_there(), by_identity=True)


def _is_there(owner: Any, name: str) -> bool:
    return own_attribute(owner, name) is not MISSING


def _shown(owner: Any, name: str) -> str:
    if isinstance(owner, types.CellType):
        return "a nonlocal variable"
    return f"the global {name!r}" if isinstance(owner, dict) else f"the attribute {name!r}"


def note_changed(trace: Trace, container: Any, how: str) -> None:
    """The user's code is about to change a list, dict, set or deque."""
    original = trace.originals.get(id(container))
    if original is not None:
        warn_left(f"{how} a {type(container).__name__} from outside the function")


def check_no_outside_dict(trace: Trace, container: Any) -> None:
    """Refuse to change the ``__dict__`` of an object from outside as a dict.

    Raises
    ------
    UnsupportedError
        The container is one.
    """
    if any(container is held for held in trace.dicts.values()):
        raise UnsupportedError(
            "this changes the __dict__ of an object from outside the function",
            current_span(),
            "set the attribute itself, or use setattr(owner, name, value)",
        )
    if isinstance(container, dict):
        check_dict_write(trace, container)


def delete_outside(trace: Trace, owner: Any, name: str, before: Any) -> None:
    """``del owner.name``."""
    write_outside(trace, owner, name, DELETED, before)


def _overlay(trace: Trace, owner: Any) -> dict[str, Any]:
    known = trace.overlays.get(id(owner))
    if known is None:
        known = trace.overlays[id(owner)] = (owner, {})
        adopt(known[1])
        note_overlay(trace, owner, known[1])
    return known[1]


# -- global and nonlocal variables ---------------------------------------------------------------


def variable_place(function: types.FunctionType, name: str) -> tuple[Any, str]:
    """What holds a variable from outside, and under which name."""
    code = function.__code__
    if name in code.co_freevars and function.__closure__ is not None:
        return function.__closure__[code.co_freevars.index(name)], "cell_contents"
    return function.__globals__, name


def note_store(trace: Trace, function: types.FunctionType, name: str) -> None:
    """A variable from outside is about to be assigned by Python: taken back at the end."""
    key, read = global_or_cell(function, name)
    if key in trace.stores:
        return
    owner, where = variable_place(function, name)
    if isinstance(owner, types.CellType):
        write, clear = partial(setattr, owner, where), partial(delattr, owner, where)
        trace.stores[key] = Store(read, write, clear)
    else:
        _store_of_global(trace, owner, where)


def _store_of_global(trace: Trace, names: dict[str, Any], name: str) -> None:
    read, write = partial(names.__getitem__, name), partial(names.__setitem__, name)
    key = ("global", id(names), name)
    trace.stores.setdefault(key, Store(read, write, partial(names.pop, name, None)))


def set_global(trace: Trace, names: dict[str, Any], name: str, value: Any, before: Any) -> None:
    """A variable of a module is set by another way than its own code would: that finds it, and
    Python no longer takes it for missing.
    """
    _store_of_global(trace, names, name)
    names[name] = value
    write_outside(trace, names, name, value, before)
