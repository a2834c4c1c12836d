"""The ``__dict__`` of an object from outside that the function finds as a dict, too.

What it writes to attributes goes to an overlay, and dicts from outside are copies: the two would
not show each other's writes. A dict that is found after its object is what ``vars`` gives of that;
else neither may be written.
"""

from __future__ import annotations

import functools
import gc
import types
from collections.abc import Callable
from typing import Any

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.classes import instance_dict
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Reader, Reliance, Trace

_implementation: list[Callable[[Trace, Any], dict[str, Any]]] = []


def provide(attributes: Callable[[Trace, Any], dict[str, Any]]) -> None:
    """Declare the function that gives what stands for the ``__dict__`` of an object."""
    _implementation.append(attributes)


def note_owner(trace: Trace, owner: Any) -> None:
    """The function uses attributes of an object from outside.

    Raises
    ------
    UnsupportedError
        It has found the object's dict before, and has written to that.
    """
    if isinstance(owner, functools.partial):
        return  # asking for its dict makes one, and a partial of it would not be flattened
    held = instance_dict(owner)
    if held is None or held is owner or id(held) in trace.dict_owners:
        return
    trace.dict_owners[id(held)] = owner
    seen, _ = trace.seen.get(id(held), (None, None))
    if id(held) in trace.arguments:
        seen = trace.arguments[id(held)][2]
    if seen is not None and _is_written(trace, seen, held):
        raise _refusal("written as a dict")


def note_copied_owner(trace: Trace, owner: Any) -> None:
    """The same of an object that the function sees a copy of.

    Raises
    ------
    UnsupportedError
        It has found the object's dict before.
    """
    held = instance_dict(owner)
    if held is None or held is owner:
        return
    if _is_found(trace, held):
        raise _refusal("copied")
    trace.dict_owners[id(held)] = owner


def attribute_dict(trace: Trace, key: object, value: Any, read: Reader) -> dict[str, Any] | None:
    """What stands for a dict from outside that holds the attributes of an object, where the
    function has used that; None of other values.
    """
    owner = trace.dict_owners.get(id(value)) if type(value) is dict else None
    if owner is None:
        return None
    if id(owner) in trace.seen:
        raise _refusal("copied")
    trace.reliances["dict of", key] = Reliance(
        lambda: read() is instance_dict(owner), True, by_identity=True
    )
    return _implementation[0](trace, owner)


def check_attribute_write(trace: Trace, owner: Any) -> None:
    """Refuse to write an attribute of an object of which the function has found the dict.

    Raises
    ------
    UnsupportedError
        It has.
    """
    if isinstance(owner, type):
        found = id(_behind(vars(owner))) in trace.proxies
    else:
        held = instance_dict(owner)
        found = held is not None and held is not owner and _is_found(trace, held)
    if found:
        raise _refusal("read as a dict")


def note_proxy(trace: Trace, proxy: Any) -> None:
    """An item of ``vars(cls)``, held under another name, is read.

    Raises
    ------
    UnsupportedError
        The function has written attributes of the class.
    """
    if type(proxy) is types.MappingProxyType:
        held = _behind(proxy)
        trace.proxies[id(held)] = held
        owners = [owner for owner, _ in trace.overlays.values() if isinstance(owner, type)]
        if any(_behind(vars(owner)) is held for owner in owners):
            raise _refusal("written")


def _behind(proxy: types.MappingProxyType[str, Any]) -> Any:
    """The mapping that the proxy shows."""
    return gc.get_referents(proxy)[0]


def check_dict_write(trace: Trace, container: Any) -> None:
    """Refuse to write to a dict of which the function has used the attributes that it holds.

    Raises
    ------
    UnsupportedError
        It has.
    """
    original = trace.originals.get(id(container))
    real = original.real if original is not None else trace.given.get(id(container), (0, None))[1]
    if real is not None and id(real) in trace.dict_owners:
        raise _refusal("read as attributes")


def _is_found(trace: Trace, held: dict[str, Any]) -> bool:
    return id(held) in trace.seen or id(held) in trace.arguments


def _is_written(trace: Trace, seen: Any, held: dict[str, Any]) -> bool:
    """Whether what stands for the dict is no longer what it was at first."""
    before = next((first for copy, first, _ in trace.copies if copy is seen), None)
    if before is None:
        return list(seen) != list(held) or id(held) in trace.changed_arguments
    return list(seen) != list(before) or any(seen[key] is not before[key] for key in before)


def _refusal(how: str) -> UnsupportedError:
    return UnsupportedError(
        "the function uses the attributes of an object from outside, and finds its __dict__ "
        f"under another name as well: they are {how}",
        current_span(),
        "use the attributes of the object in both places, or vars(owner)",
    )
