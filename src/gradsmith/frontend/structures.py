"""The structure of a container from outside: each call compares it with the one that was traced.

Taking a container apart into a `tree.Tree` costs a microsecond and more for each of its parts.
Whether a part is a number, a container or a constant is a matter of its class alone, so that the
classes of all parts are compared at once, and only containers and constants one by one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gradsmith import tree
from gradsmith.frontend.arguments import is_input

BY_VALUE = (str, bytes, bool, type(None))


class Structure:
    """The structure of a container: kinds, keys, constants, and which containers in it are one."""

    def __init__(self, value: Any) -> None:
        self._found = _structure(value)
        places: list[int] = []
        known = None if tree.opened.get() else Level.of(value, (), places)
        self._level = known if len(set(places)) == len(places) else None

    def fits(self, value: Any) -> bool:
        """Whether ``value`` has the same structure."""
        if self._level is not None:
            places: list[int] = []
            if self._level.fits(value, places) and len(set(places)) == len(places):
                return True
        return _structure(value) == self._found  # a number of another class is a number as well


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """What is known of one container: the classes of its parts, the constants and the containers
    among them by position.
    """

    cls: type
    keys: tuple[Any, ...]
    typed: tuple[Any, ...]
    option: Any
    classes: list[type]
    constants: list[tuple[int, Any]]
    inner: list[tuple[int, Level]]

    @staticmethod
    def of(value: Any, inside: tuple[int, ...], places: list[int]) -> Level:
        """That of ``value``; ``places`` are the identities of containers that were found."""
        keys, parts = _parts(value)
        inside = (*inside, id(value))
        typed, option = tree.typed_keys(keys), tree.option_of(value)
        level = Level(type(value), keys, typed, option, [type(p) for p in parts], [], [])
        for k, part in enumerate(parts):
            if is_input(part):
                continue
            if not tree.is_container(part) or id(part) in inside:
                level.constants.append((k, part))
                continue
            places.append(id(part))
            level.inner.append((k, Level.of(part, inside, places)))
        return level

    def fits(self, value: Any, places: list[int]) -> bool:
        """Whether it is the same of ``value``."""
        cls = self.cls
        if type(value) is not cls:
            return False
        held: Any = value
        keys: tuple[Any, ...]
        parts: Sequence[Any]
        if cls is dict:  # written out: this is what a call costs
            keys, parts = tuple(held), [*held.values()]
        elif cls is list or cls is tuple:
            keys, parts = (), held
        else:
            keys, parts = _parts(held)
            if tree.option_of(held) != self.option:
                return False
        if [*map(type, parts)] != self.classes or keys != self.keys:
            return False
        if self.typed != keys and self.typed != tree.typed_keys(keys):
            return False
        for k, constant in self.constants:
            now = parts[k]
            if now is not constant and not (isinstance(now, BY_VALUE) and now == constant):
                return False
        for k, level in self.inner:
            places.append(id(parts[k]))
            if not level.fits(parts[k], places):
                return False
        return True


def _parts(value: Any) -> tuple[tuple[Any, ...], Sequence[Any]]:
    """The keys of a container, and its parts; of a list the length says enough."""
    if isinstance(value, dict):
        return tuple(value), list(value.values())
    if isinstance(value, (list, tuple, deque)):
        return (), list(value)
    held = tree.attributes(value)
    return tuple(held), list(held.values())


# -- the structure as a tree ---------------------------------------------------------------------


def _structure(value: Any) -> tuple[tree.Tree, tuple[int, ...]]:
    """The structure of a container, and which of the containers in it are one."""
    shape = _with_identities(tree.flatten(value, is_input)[1])
    if not any(child.children for child in shape.children):
        return shape, ()
    places: dict[int, int] = {}
    return shape, tuple(places.setdefault(i, len(places)) for i in _inner_identities(value))


def _with_identities(shape: tree.Tree) -> tree.Tree:
    if shape.kind == "static":
        plain = isinstance(shape.value, BY_VALUE)
        return shape if plain else replace(shape, value=tree.Identity(shape.value))
    if not shape.children:
        return shape
    keys = tree.told_apart(shape.kind, shape.keys)
    return replace(shape, keys=keys, children=tuple(map(_with_identities, shape.children)))


def _inner_identities(value: Any) -> Iterator[int]:
    for part in tree.parts(value)[2]:
        if tree.is_container(part):
            yield id(part)
            yield from _inner_identities(part)
