"""Lists and dicts that may be one: after a branch that gives a variable one or another.

Once one of them is written to, what the others hold cannot be told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from gradsmith.frontend.classes import MISSING, instance_attribute
from gradsmith.frontend.frozen import check_not_frozen, containers_in
from gradsmith.frontend.grown import Grown
from gradsmith.frontend.journal import contents_of, note_container, refill, slots_of, written_part
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.unsettled import UNKNOWN, Cause, MaybeUnset, Unsettled
from gradsmith.identity import has_dict

WHY = (
    "it may or may not have been written to through another variable: the way that a branch or "
    "loop takes decides"
)


def doubt(trace: Trace, one: Any, other: Any, cause: Cause) -> None:
    """The two containers may be one: the path through ``cause`` decides.

    Raises
    ------
    UndecidedError
        One is an object from outside, which is no copy: what it holds is not to be lost.
    """
    if any(id(value) in trace.external for value in (one, other)):
        raise cause.error(
            "a branch or loop chooses between an object from outside the function and others",
            "compare what the objects hold, or a number that says which it is",
        )
    left, right = written_part(one), written_part(other)
    if left is None or right is None or left is right:
        return
    for container, twin in ((left, right), (right, left)):
        trace.doubts.setdefault(id(container), (container, []))[1].append((twin, cause))


def is_doubted(trace: Trace, container: Any) -> bool:
    """Whether there are containers that it may be: variables of the compiler may hold it alone."""
    return id(written_part(container)) in trace.doubts


def note_written(container: Any) -> None:
    """The user's code is about to write to ``container``, which is what `written_part` gives:
    what it may be is lost.
    """
    check_not_frozen(container)
    note_container(container)
    trace = current_trace()
    if trace is None or id(container) not in trace.doubts:
        return
    for other, cause in list(others(trace, container)):
        outdate(other, cause)


def family(trace: Trace, container: Any) -> list[Any]:
    """What can be written to of the container, and of those that it may be."""
    written = written_part(container)
    return [written, *(other for other, _ in others(trace, written))]


def others(trace: Trace, container: Any) -> Iterator[tuple[Any, Cause]]:
    """The containers that it may be as well, and the branch or loop that decides."""
    seen = {id(container)}
    stack = list(trace.doubts[id(container)][1]) if id(container) in trace.doubts else []
    while stack:
        other, cause = stack.pop()
        if id(other) not in seen:
            seen.add(id(other))
            stack += trace.doubts[id(other)][1]
            yield other, cause


def note_attribute(owner: Any, name: str, *, deleted: bool = False) -> None:
    """An attribute of ``owner`` is about to be written, or to be ``deleted``."""
    in_slot = name in slots_of(owner)
    if not (in_slot or has_dict(owner)):
        return
    held = instance_attribute(owner, name) is not MISSING if in_slot else name in vars(owner)
    note = note_written if held and not deleted else note_reshaped
    note(owner if in_slot else vars(owner))


def note_item(container: Any, key: Any) -> None:
    """``container[key]`` is about to be written."""
    adds = (
        not dict.__contains__(container, key)
        if isinstance(container, dict)
        else isinstance(key, slice)
    )
    note = note_reshaped if adds else note_written
    note(container)


def adds_default(container: Any, key: Any) -> bool:
    """Whether reading ``container[key]`` adds an item: it is a `defaultdict` without the key."""
    known = isinstance(container, defaultdict) and container.default_factory is not None
    return known and not dict.__contains__(container, key)


def note_reshaped(container: Any) -> None:
    """The user's code is about to add or take elements.

    Raises
    ------
    UndecidedError
        It may be one of several containers: how many elements these have would be unknown.
    """
    trace = current_trace()
    if trace is not None and id(container) in trace.doubts:
        _, cause = trace.doubts[id(container)][1][-1]
        raise cause.error(
            f"this changes which elements a {type(container).__name__} has that may or may not be "
            "that of another variable: the way that a branch or loop takes decides",
            "copy it: y = list(x)",
        )
    note_written(container)


def outdate(container: Any, cause: Cause = UNKNOWN) -> None:
    """What the container holds cannot be told before it is known which way ``cause`` goes."""
    if is_outdated(container):
        return
    note_container(container)
    contents = contents_of(container)
    is_dict = isinstance(contents, dict)
    name = f"an element of a {'dict' if is_dict else 'list'}"
    held = [_outdated(value, name, cause) for value in _values(container)]
    refill(container, dict(zip(contents, held, strict=True)) if is_dict else held)


def is_outdated(container: Any) -> bool:
    """Whether nothing that it holds can be told."""
    return all(map(_is_unknown, _values(container)))


def _outdated(value: Any, name: str, cause: Cause) -> Any:
    """What stands for an element, or for the rows of a stacked list, whose number is unknown then:
    a use of these asks for separate elements.
    """
    if type(value) is Grown:
        return Grown(sites=value.sites)
    if isinstance(value, MaybeUnset):
        return value.unknown()
    return Unsettled(name, WHY, cause.loop, cause.site)


def _is_unknown(value: Any) -> bool:
    if isinstance(value, MaybeUnset):
        value = value.value
    if isinstance(value, Unsettled):
        return True
    return type(value) is Grown and value.form is None and value.open_rows is None


def _values(container: Any) -> list[Any]:
    contents = contents_of(container)
    return list(contents.values()) if isinstance(contents, dict) else list(contents)


Place: TypeAlias = tuple[str, int]
"""A variable, and which of the containers in its value."""


class Aliases:
    """Which containers that a loop carries in variables may be one, or one from outside."""

    def __init__(self, trace: Trace, cause: Cause) -> None:
        self.trace = trace
        self.cause = cause
        self.pairs: set[frozenset[Place]] = set()
        self.outer: dict[Place, dict[int, Any]] = {}

    def learn(
        self, begin: Mapping[str, Any], end: Mapping[str, Any], outside: Mapping[int, Any]
    ) -> bool:
        """Take note of a trip, at its end; whether that says nothing new."""
        count = len(self.pairs), sum(map(len, self.outer.values()))
        homes = {id(written_part(held)): place for place, held in _places(begin).items()}
        for place, last in _places(end).items():
            for container in family(self.trace, last):
                home = homes.setdefault(id(container), place)
                if home != place:
                    self.pairs.add(frozenset((home, place)))
                elif id(container) in outside:
                    self.outer.setdefault(place, {})[id(container)] = container
        return count == (len(self.pairs), sum(map(len, self.outer.values())))

    def doubt(self, values: Mapping[str, Any], before: Mapping[str, Any]) -> None:
        """The same of the values that a trip starts with, or that are there after the loop."""
        here, first = _places(values), _places(before)
        for one, other in map(tuple, self.pairs):
            if one in here and other in here:
                doubt(self.trace, here[one], here[other], self.cause)
        for place, container in here.items():
            for other in self.outer.get(place, {}).values():
                doubt(self.trace, container, other, self.cause)
            if place in first:
                doubt(self.trace, container, first[place], self.cause)


def _places(values: Mapping[str, Any]) -> dict[Place, Any]:
    return {
        (name, k): container
        for name, value in values.items()
        for k, container in enumerate(containers_in(value))
    }
