"""What the traced function does to the world outside.

It happens once, when the function is traced, and is warned about: later calls run the compiled
code. Until then writes go to stand-ins or are taken back, so that no traced value gets out and the
first run finds the world as the trace did. After that run all that holds no traced value is
written for real. Arguments are never written to.
"""

from __future__ import annotations

import collections
import copy
import types
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from gradsmith import tree
from gradsmith.errors import ControlFlowError, UnsupportedError
from gradsmith.frontend.captures import METHODS, capture, global_or_cell, is_itself
from gradsmith.frontend.journal import keep_trials
from gradsmith.frontend.reflection import rely_on_attribute
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.text import Text
from gradsmith.frontend.trace import ABSENT, Store, Trace, in_region
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.warned import warn_effect
from gradsmith.ir import dims

Pending: TypeAlias = Callable[[], None]

CONTAINERS = (list, dict, set, collections.deque)
MUTATORS = {
    "add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "insert", "pop",
    "popitem", "popleft", "remove", "reverse", "setdefault", "sort", "update",
}  # fmt: skip
"""Methods of these containers that change them."""


class Shadow:
    """Stands for an object from outside that the traced function writes attributes of."""

    def __init__(self, trace: Trace, owner: Any) -> None:
        object.__setattr__(self, "_place", (trace, owner))

    def __getattr__(self, name: str) -> Any:
        trace, owner = object.__getattribute__(self, "_place")
        return outside_attribute(trace, owner, name)

    def __delattr__(self, name: str) -> None:
        raise UnsupportedError(
            f"this deletes the attribute {name!r} of an object from outside the function",
            current_span(),
            "delete it where the function is called",
        )


def written_attributes(shadow: Shadow) -> dict[str, Any]:
    """The attributes that the function has written."""
    found = dict(object.__getattribute__(shadow, "__dict__"))
    del found["_place"]
    return found


def outside_attribute(trace: Trace, owner: Any, name: str) -> Any:
    """An attribute of an object from outside: an array or a number becomes an input."""
    try:
        value = getattr(owner, name)
    except AttributeError:
        rely_on_attribute(trace, owner, name)
        raise
    if is_itself(name, value) or isinstance(value, types.ModuleType):
        return value
    if isinstance(value, METHODS) and value.__self__ is owner:
        return value
    return capture(
        trace, ("attribute", id(owner), name), name, value, lambda: getattr(owner, name)
    )


def _check_way(what: str) -> None:
    """Refuse what an arm or a trip does to the world: it would be done on every way, and once."""
    if in_region():
        raise ControlFlowError(
            f"{what} in a branch or loop on traced values",
            current_span(),
            "return the value instead",
        )
    keep_trials()


def owner_of_attribute(trace: Trace, owner: Any, name: str) -> Any:
    """What attributes are written to, of an object from outside."""
    _check_way(f"this writes the attribute {name!r} of an object from outside the function")
    warn_effect(f"the write to the attribute {name!r}")
    shadow = trace.shadows.get(id(owner))
    if not isinstance(shadow, Shadow):
        shadow = trace.shadows[id(owner)] = Shadow(trace, owner)
    return shadow


def changeable(trace: Trace, owner: Any, how: str) -> Any:
    """What is changed instead of a container from outside: a copy that belongs to the trace."""
    place = f"a {type(owner).__name__} from outside the function"
    _check_way(f"this changes {place}")
    warn_effect(f"the {how} {place}")
    key = id(owner)
    original = trace.originals.get(key)
    if original is not None:  # the function itself makes it another one
        trace.reliances.pop(original.key, None)
    if original is not None and original.real is not owner:
        stand_in = owner
    else:
        stand_in = trace.shadows.setdefault(key, copy.copy(owner))
    trace.written.setdefault(key, (stand_in, copy.copy(stand_in)))
    return stand_in


def note_store(trace: Trace, function: types.FunctionType, kind: str, name: str) -> None:
    """A variable from outside is about to be assigned."""
    _check_way(f"this sets the {kind} {name!r}")
    warn_effect(f"the write to the {kind} {name!r}")
    key, read = global_or_cell(function, name)
    if key in trace.stores:
        return
    code = function.__code__
    if name in code.co_freevars and function.__closure__ is not None:
        cell = function.__closure__[code.co_freevars.index(name)]
        store = Store(read, partial(setattr, cell, "cell_contents"), lambda: _empty(cell))
    else:
        namespace = function.__globals__
        store = Store(
            read, partial(namespace.__setitem__, name), lambda: namespace.pop(name, None)
        )
    trace.stores[key] = store


def _empty(cell: types.CellType) -> None:
    del cell.cell_contents


# -- afterwards ----------------------------------------------------------------------------------


def pending(trace: Trace) -> list[Pending]:
    """The effects of a trace that is over, to be called once after the first run."""
    found: list[Pending] = []
    for key, (seen, before) in trace.written.items():
        original = trace.originals.get(key)
        if original is not None:
            found.append(partial(_repeat, original.real, before, seen))
    for key, shadow in trace.shadows.items():
        original = trace.originals.get(key)
        if original is not None and isinstance(shadow, Shadow):
            found.append(partial(_write_attributes, original.real, shadow))
    found += [partial(_assign, store) for store in trace.stores.values()]
    return found


def _concrete(value: Any) -> Any:
    """``value`` with integers for traced ones, or ``ABSENT`` where it holds traced arrays."""
    leaves, shape = tree.flatten(value, lambda v: isinstance(v, (Tracer, TracedInt, Text)))
    if any(map(_is_unknown, leaves)):
        return ABSENT
    known = [leaf.settled() if isinstance(leaf, Text) else dims.hint(leaf.dim) for leaf in leaves]
    return tree.unflatten(shape, known) if leaves else value


def _is_unknown(leaf: Any) -> bool:
    if isinstance(leaf, Text):
        return any(value.unknown() is not None for value in leaf.values())
    return isinstance(leaf, Tracer)


def _assign(store: Store) -> None:
    value = _concrete(store.after)
    if value is not ABSENT:
        store.write(value)


def _write_attributes(owner: Any, shadow: Shadow) -> None:
    for name, written in written_attributes(shadow).items():
        value = _concrete(written)
        if value is not ABSENT:
            setattr(owner, name, value)


def _repeat(real: Any, before: Any, after: Any) -> None:
    """Change ``real`` as ``before`` was changed to ``after``."""
    if isinstance(real, dict):
        _repeat_dict(real, before, after)
    elif isinstance(real, set):
        real.difference_update(before - after)
        real.update(after - before)
    elif isinstance(real, (list, collections.deque)):
        _repeat_list(real, list(before), list(after))


def _repeat_list(real: Any, before: list[Any], after: list[Any]) -> None:
    """As in a dict, what was there stays in the place of an item that holds traced values."""
    kept = {id(old): item for old, item in zip(before, real, strict=False)}
    items = [kept[id(item)] if id(item) in kept else _concrete(item) for item in after]
    if len(real) == len(before) == len(after):
        items = [old if item is ABSENT else item for old, item in zip(real, items, strict=True)]
    real.clear()
    real.extend(item for item in items if item is not ABSENT)


def _repeat_dict(real: dict[Any, Any], before: dict[Any, Any], after: dict[Any, Any]) -> None:
    for key in before:
        if key not in after:
            real.pop(key, None)
    for key, item in after.items():
        value = ABSENT if key in before and before[key] is item else _concrete(item)
        if value is not ABSENT:
            real[key] = value
