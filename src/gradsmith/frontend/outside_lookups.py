"""What the function finds, and does not find, by name in classes and modules outside.

An attribute may come from a base class, a special method may be missing, a name may be that of a
builtin: another entry anywhere on the way changes the meaning of the code. Each call checks all of
them, so that they are collected by namespace and compared together.
"""

from __future__ import annotations

import types
from abc import get_cache_token
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, is_, itemgetter
from typing import Any, Protocol, cast

from gradsmith.frontend.classes import MISSING, held_by_class, instance_dict, is_users_class


class Condition(Protocol):
    """What must hold outside for a call to use the code."""

    def holds(self) -> bool:
        """Whether it does by now."""


class NamespaceIsSame:
    """A namespace holds the same objects under some names, and nothing under others."""

    __slots__ = ("_absent", "_get", "_held", "_keys", "_values")

    def __init__(self, held: Mapping[str, Any], names: Mapping[str, Any]) -> None:
        found = {name: value for name, value in names.items() if value is not MISSING}
        self._held = held
        self._keys = held.keys()  # a view, which shows what is added later
        self._absent = tuple(name for name in names if name not in found)
        times = 2 if len(found) == 1 else 1  # of a single name `itemgetter` gives no tuple
        self._get = itemgetter(*[*found] * times) if found else None
        self._values = [*found.values()] * times

    def holds(self) -> bool:
        """Whether each name has the same object as before, or none as before."""
        if not self._keys.isdisjoint(self._absent):
            return False
        if self._get is None:
            return True
        try:
            return all(map(is_, self._get(self._held), self._values))
        except KeyError:
            return False


class ClassesAreSame:
    """Objects are of the same classes, and these have the same bases."""

    __slots__ = ("_bases", "_classes", "_kinds", "_owners")

    def __init__(self, owners: Sequence[Any], classes: Iterable[type]) -> None:
        self._owners = tuple(owners)
        self._kinds = tuple(map(type, owners))
        # the bases of a class without any cannot be assigned
        self._classes = tuple(cls for cls in classes if len(cls.__mro__) > 2)
        self._bases = tuple(map(_MRO, self._classes))

    def holds(self) -> bool:
        """Whether they are."""
        return all(map(is_, map(type, self._owners), self._kinds)) and all(
            map(is_, map(_MRO, self._classes), self._bases)
        )


_MRO = attrgetter("__mro__")
_CODE = attrgetter("__code__")


class CodeIsSame:
    """Functions have the same code as before: reloading a module may give them another."""

    __slots__ = ("codes", "functions")

    def __init__(self, functions: Iterable[types.FunctionType]) -> None:
        self.functions = tuple(functions)
        self.codes = tuple(map(_CODE, self.functions))

    def holds(self) -> bool:
        """Whether they have."""
        return all(map(is_, map(_CODE, self.functions), self.codes))


class AttributesAreAbsent:
    """An object itself does not hold attributes of some names."""

    __slots__ = ("_names", "_owner")

    def __init__(self, owner: Any, names: Iterable[str]) -> None:
        self._owner = owner
        self._names = tuple(names)

    def holds(self) -> bool:
        """Whether it holds none of them."""
        held = object.__getattribute__(self._owner, "__dict__")
        return bool(held.keys().isdisjoint(self._names))


class AnswersAreSame:
    """Abstract base classes give the same answers about classes.

    What they answer changes only where a class is registered, which Python counts.
    """

    __slots__ = ("_answers", "_count")

    def __init__(self, answers: Mapping[tuple[type, type], bool], count: object) -> None:
        self._answers = dict(answers)
        self._count = count

    def holds(self) -> bool:
        """Whether they do."""
        count = get_cache_token()
        if count != self._count:
            for (cls, kind), answer in self._answers.items():
                if issubclass(cls, kind) is not answer:
                    return False
            self._count = count
        return True


def is_quick(condition: Condition) -> bool:
    """Whether it costs a call next to nothing."""
    return isinstance(condition, _QUICK)


_QUICK = (NamespaceIsSame, ClassesAreSame, CodeIsSame, AttributesAreAbsent, AnswersAreSame)


def apart(
    conditions: Iterable[Condition],
) -> tuple[types.FunctionType, types.CodeType, tuple[Condition, ...]]:
    """A function whose code must be this, and the other conditions.

    Where one function has been followed, its code is compared in the call itself: that takes a
    tenth of what `CodeIsSame.holds` does.
    """
    conditions = tuple(conditions)
    for condition in conditions:
        if isinstance(condition, CodeIsSame) and len(condition.functions) == 1:
            others = tuple(other for other in conditions if other is not condition)
            return condition.functions[0], condition.codes[0], others
    return _no_function, _no_function.__code__, conditions


def _none() -> None:
    """Stands for a function where none or several have been followed."""


_no_function = cast(types.FunctionType, _none)


@dataclass(slots=True)
class Lookups:
    """What a run has looked up outside."""

    namespaces: dict[int, tuple[Mapping[str, Any], dict[str, Any]]] = field(default_factory=dict)
    """By the identity of what they belong to: the namespaces, and what they hold."""
    owners: dict[int, Any] = field(default_factory=dict)
    """Objects that must stay of their classes."""
    classes: dict[int, type] = field(default_factory=dict)
    """Classes that must keep their bases."""
    functions: dict[int, types.FunctionType] = field(default_factory=dict)
    """Functions whose code has been followed."""
    answers: dict[tuple[type, type], bool] = field(default_factory=dict)
    """Whether classes are subclasses of abstract ones."""
    count: object = None
    """How many have been registered when the first of these answers was given."""
    absent: dict[int, tuple[Any, dict[str, None]]] = field(default_factory=dict)
    """Objects, and the names that they must not hold themselves."""

    def note_variable(self, namespace: dict[str, Any], name: str) -> None:
        """A global variable is read, or a builtin because there is none."""
        _, names = self.namespaces.setdefault(id(namespace), (namespace, {}))
        names.setdefault(name, namespace.get(name, MISSING))

    def note_class(self, cls: type, name: str, made: Mapping[int, Any]) -> None:
        """A name is looked up in a class and its bases, as far as the first that has it."""
        if is_users_class(cls):
            self.classes[id(cls)] = cls
            self.note_bases(cls.__mro__, name, made)

    def note_bases(self, bases: Iterable[type], name: str, made: Mapping[int, Any]) -> None:
        """A name is looked up in classes one after the other, as far as the first that has it."""
        for base in bases:
            if self._note_own(base, name, made) is not MISSING:
                return

    def note_nearer(
        self, bases: Sequence[type], holder: type, name: str, made: Mapping[int, Any]
    ) -> None:
        """A name is found in ``holder``, and in none of the classes before it: what is found there
        may be another object in the next call.
        """
        for base in bases[: bases.index(holder)]:
            if name not in vars(base):  # else the function has deleted it
                self._note_own(base, name, made)

    def _note_own(self, cls: type, name: str, made: Mapping[int, Any]) -> Any:
        held = held_by_class(cls, name)
        if is_users_class(cls) and id(cls) not in made:
            _, names = self.namespaces.setdefault(id(cls), (vars(cls), {}))
            names.setdefault(name, held)
        return held

    def note_absent(self, owner: Any, name: str) -> None:
        """An object from outside does not hold the attribute itself."""
        if instance_dict(owner) is not None:
            self.absent.setdefault(id(owner), (owner, {}))[1][name] = None

    def note_answer(self, cls: type, kind: type) -> None:
        """An abstract class has been asked about another class."""
        if not self.answers:
            self.count = get_cache_token()
        self.answers.setdefault((cls, kind), issubclass(cls, kind))

    def conditions(self) -> Iterator[Condition]:
        """What must hold for the next call."""
        for held, names in self.namespaces.values():
            yield NamespaceIsSame(held, names)
        if self.owners or any(len(cls.__mro__) > 2 for cls in self.classes.values()):
            yield ClassesAreSame(list(self.owners.values()), self.classes.values())
        if self.functions:
            yield CodeIsSame(self.functions.values())
        if self.answers:
            yield AnswersAreSame(self.answers, self.count)
        for owner, absent in self.absent.values():
            yield AttributesAreAbsent(owner, absent)
