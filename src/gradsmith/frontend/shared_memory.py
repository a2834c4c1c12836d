"""Arguments of one call that share memory: which do, and for which calls the code holds.

Where nothing is written, two arguments of one array are two values. Where the function writes to
one of them, the other shows it if both are the same array (or two views of the same elements);
what shows another part of the memory is not known after that, and reading it is refused. The code
is for calls in which the same arguments share memory, if it writes to any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from gradsmith import tree
from gradsmith.errors import UnsupportedError
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage, writes
from gradsmith.frontend.trace import Reader, Trace, current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir.graph import Node

Sharing: TypeAlias = 'Literal["whole", "part"] | None'

MOST_WORK = 10_000
"""Candidate solutions that NumPy may try to find an element that two arrays share."""


def sharing(left: Any, right: Any) -> Sharing:
    """Whether two values show the same elements, have some in common, or none."""
    if not (isinstance(left, np.ndarray) and isinstance(right, np.ndarray)):
        return None
    if not np.may_share_memory(left, right):
        return None
    if left is right or _layout(left) == _layout(right):
        return "whole"
    try:
        bounded: Any = np.shares_memory  # its stubs know two values of max_work
        return "part" if bounded(left, right, max_work=MOST_WORK) else None
    except np.exceptions.TooHardError:
        return "part"


def _layout(array: np.ndarray[Any, Any]) -> tuple[object, ...]:
    start, _ = array.__array_interface__["data"]
    return start, array.dtype, array.shape, array.strides


def same_elements(trace: Trace, value: np.ndarray[Any, Any]) -> Storage | None:
    """The storage of an argument that shows the same elements as ``value``."""
    for name, storage in trace.arrays.items():
        if sharing(trace.leaves[name], value) == "whole":
            return storage
    return None


def enter(trace: Trace, name: str, storage: Storage, value: Any) -> None:
    """Link the storage of an argument with those of others that share its memory."""
    if not isinstance(value, np.ndarray):
        return
    for other, known in trace.arrays.items():
        found = sharing(trace.leaves[other], value)
        if found == "whole":
            storage.join(known)
        elif found == "part":
            storage.overlap(known)
        if found and other in trace.stored_to:
            _enter_late(trace, storage, known, found)
    trace.arrays[name] = storage


def _enter_late(trace: Trace, storage: Storage, known: Storage, found: Sharing) -> None:
    """A captured array that the function first reads after the write to an argument."""
    told = trace.builder is trace.root and not (known.stale or known.stand_ins)
    if found == "whole" and told:
        storage.put_back(known.node)
    else:
        storage.outdate()


# -- containers ----------------------------------------------------------------------------------

Groups: TypeAlias = tuple[tuple[str, ...], ...]


def shared_containers(values: Mapping[str, Any]) -> Groups:
    """The lists, dicts and dataclass instances that are reached in several ways from arguments."""
    found: dict[int, list[str]] = {}
    for name, value in values.items():
        for path, container in _containers(name, value):
            found.setdefault(id(container), []).append(path)
    return tuple(tuple(paths) for paths in found.values() if len(paths) > 1)


def _containers(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, set):
        yield path, value
    if not tree.is_container(value):
        return
    if not isinstance(value, tuple):
        yield path, value
    _, keys, parts = tree.parts(value)
    for key, part in zip(keys, parts, strict=True):
        yield from _containers(f"{path}[{key!r}]", part)


def _places(values: Mapping[str, Any]) -> dict[int, str]:
    """Where the containers that are reached from arguments are found first, by identity."""
    found: dict[int, str] = {}
    for name, value in values.items():
        for path, container in _containers(name, value):
            found.setdefault(id(container), path)
    return found


def enter_containers(trace: Trace, seen: Any, given: Any) -> None:
    """``seen`` is what the function sees of the argument ``given``, a container or not."""
    pairs = zip(_containers("", seen), _containers("", given), strict=True)
    for (_, made), (_, container) in pairs:
        origin = trace.given.get(id(container), (None, container))[1]
        trace.given[id(made)] = (made, origin)


def enter_argument(trace: Trace, name: str, seen: Any, given: Any) -> None:
    """The same of an argument of the compiled function itself."""
    enter_containers(trace, seen, given)
    pairs = zip(_containers(name, seen), _containers(name, given), strict=True)
    for (path, made), (_, container) in pairs:
        trace.arguments.setdefault(id(container), (path, container, made))


def argument_from_outside(trace: Trace, value: Any, read: Reader) -> Any:
    """What stands for a container that is found outside by ``read`` and is an argument of the
    present call as well (a default value that has a name); None of others.

    Derivatives take the two for values of their own as long as neither is changed.
    """
    if not trace.arguments or isinstance(value, tuple):
        return None
    path, _, seen = trace.arguments.get(id(value), (None, None, None))
    trace.outside_containers.append((read, path))
    if path is not None and not trace.writes and id(value) in trace.changed_arguments:
        raise _also_outside(value, path)
    return seen if trace.writes else None


def _also_outside(container: Any, path: str) -> UnsupportedError:
    return UnsupportedError(
        f"a {type(container).__name__} that is the argument {path} is one that the function finds "
        "outside as well, and changes",
        current_span(),
        "pass a copy of it",
    )


def _check_not_both(trace: Trace, container: Any) -> None:
    """Refuse that a derivative changes an argument that the function finds outside as well."""
    original = trace.originals.get(id(container))
    real = trace.given[id(container)][1] if original is None else original.real
    path, _, _ = trace.arguments.get(id(real), (None, None, None))
    if path is None or trace.writes:
        return
    trace.changed_arguments.add(id(real))
    from_outside = id(container) not in trace.given
    if from_outside or any(path == found for _, found in trace.outside_containers):
        raise _also_outside(real, path)


def note_container_write(trace: Trace, container: Any) -> None:
    """A list, a dict or a dataclass instance is about to be changed.

    Raises
    ------
    UnsupportedError
        It is an argument that the call passes twice.
    """
    if id(container) in trace.given or id(container) in trace.originals:
        _check_not_both(trace, container)
    if id(container) not in trace.given:
        return
    trace.asked_for_containers = True
    if trace.shared_containers:
        places = " and ".join(trace.shared_containers[0])
        raise UnsupportedError(
            f"this changes a {type(container).__name__} that is an argument, and in this call "
            f"{places} are one object",
            current_span(),
            "pass a copy of it in one of the places",
        )


# -- the code ------------------------------------------------------------------------------------


def _note_write(storage: Storage, before: Node) -> None:
    trace = current_trace()
    if trace is not None and storage.name is not None:
        trace.stored_to.add(storage.name)


writes.append(_note_write)


@dataclass(frozen=True, slots=True)
class MemoryConditions:
    """What compiled code takes for granted of its arguments' memory: pairs of leaves by name, and
    what they share; pairs of which the function has asked whether they are one object.
    """

    shared: tuple[tuple[str, str, Sharing], ...] = ()
    identical: tuple[tuple[str, str, bool], ...] = ()
    containers: Groups | None = None
    outside: tuple[tuple[Reader, str | None], ...] = ()
    """For containers from outside: what finds them, and which argument they are."""

    @property
    def names(self) -> frozenset[str]:
        """The leaves that matter."""
        pairs: Iterable[tuple[str, str, Any]] = (*self.shared, *self.identical)
        return frozenset(name for left, right, _ in pairs for name in (left, right))

    def hold(self, leaves: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
        """Whether a call with these arguments, whose leaves are these, may use the code."""
        if self.containers is not None and shared_containers(arguments) != self.containers:
            return False
        if self.outside:
            places = _places(arguments)
            if any(places.get(id(read())) != path for read, path in self.outside):
                return False
        for left, right, found in self.shared:
            if sharing(leaves[left], leaves[right]) != found:
                return False
        return all((leaves[a] is leaves[b]) is same for a, b, same in self.identical)


def conditions(trace: Trace) -> MemoryConditions | None:
    """Those of a run that is over; None where the memory does not matter."""
    kept = {capture.name for capture in trace.inputs}
    arrays = [n for n, storage in trace.arrays.items() if n in kept or not storage.outside]
    stored = [name for name in arrays if name in trace.stored_to]
    shared = [
        (name, other, sharing(trace.leaves[name], trace.leaves[other]))
        for position, name in enumerate(stored)
        for other in arrays
        if other not in stored[: position + 1]
    ]
    identical = [(*names, same) for names, same in trace.identities.items()]
    containers = trace.shared_containers if trace.asked_for_containers else None
    outside = tuple(trace.outside_containers)
    if not (shared or identical or outside) and containers is None:
        return None
    return MemoryConditions(tuple(shared), tuple(identical), containers, outside)


def _is_outside_argument(trace: Trace, left: Any, right: Any) -> bool:
    """Whether one is an argument, and the other the same container as it is found outside."""
    for one, other in ((left, right), (right, left)):
        original = trace.originals.get(id(other))
        if id(one) in trace.given and original is not None:
            return trace.given[id(one)][1] is original.real
    return False


def are_one(left: Any, right: Any) -> bool:
    """``left is right``, for arguments as the caller passes them."""
    trace = current_trace()
    if trace is not None and id(left) in trace.given and id(right) in trace.given:
        trace.asked_for_containers = True
        return trace.given[id(left)][1] is trace.given[id(right)][1]
    if trace is not None and _is_outside_argument(trace, left, right):
        return True
    if left is right or not (isinstance(left, Tracer) and isinstance(right, Tracer)):
        return left is right
    one, other = left.view.storage, right.view.storage
    if trace is None or one is other or left.view.path or right.view.path:
        return False
    names = one.name, other.name
    if names[0] is None or names[1] is None or names[0] == names[1]:
        return False
    if names[0] not in trace.leaves or names[1] not in trace.leaves:
        return False
    return _are_one_leaf(trace, names[0], names[1])


def are_one_integer(left: Any, right: Any) -> bool:
    """The same of two equal integers that Python makes anew each time."""
    trace = current_trace()
    held = {} if trace is None else trace.given_integers
    if trace is None or id(left) not in held or id(right) not in held:
        return False
    return _are_one_leaf(trace, held[id(left)][1], held[id(right)][1])


def _are_one_leaf(trace: Trace, left: str, right: str) -> bool:
    same = trace.leaves[left] is trace.leaves[right]
    trace.identities[left, right] = same
    return same
