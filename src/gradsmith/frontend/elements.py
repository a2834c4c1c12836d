"""Comprehensions taken apart, so that their trips can be those of a loop in the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from gradsmith.frontend import protocols
from gradsmith.frontend.choices import choose
from gradsmith.frontend.dispatch import apply
from gradsmith.frontend.frozen import ONE_BY_ONE, separate
from gradsmith.frontend.grown import Columns, Form, Grown, columns_of, is_grown, joined_rows, owned
from gradsmith.frontend.joint import as_condition
from gradsmith.frontend.journal import check_iterators, note_container
from gradsmith.frontend.loops import Looping
from gradsmith.frontend.names import LoopNames
from gradsmith.frontend.namings import name_value
from gradsmith.frontend.outside_iterators import check_outside_iterators
from gradsmith.frontend.spans import in_users_name
from gradsmith.frontend.stored_rows import snapshot
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trips import each, one_by_one, steps
from gradsmith.frontend.value_guards import decide

in_users_name(one_by_one)  # what it goes through is the user's

Pattern: TypeAlias = "str | tuple[Pattern, ...]"
"""A target: a name, or a tuple of targets."""
Clause: TypeAlias = tuple[Any, Pattern, tuple[Callable[..., Any], ...]]
"""A ``for``: what it goes over (a function of the variables before, but for the first), its
target, and its conditions."""
Variables: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Elements:
    """``element for target in items if condition ...``; ``lazy`` where that is a generator."""

    element: Callable[..., Any]
    clauses: Sequence[Clause]
    lazy: bool = False

    def items(self, depth: int, outer: Variables) -> Any:
        """What the ``for`` at this depth goes over."""
        items = self.clauses[depth][0]
        items = protocols.stepwise(items(*outer.values())) if depth else items
        check_iterators([items])
        check_outside_iterators([items])
        return items

    def bound(self, depth: int, outer: Variables, item: Any) -> Variables:
        """The variables of a trip of it."""
        variables = dict(outer)
        _bind(self.clauses[depth][1], item, variables)
        return variables

    def is_last(self, depth: int) -> bool:
        """Whether the element is inside of it."""
        return depth == len(self.clauses) - 1

    def names(self, depth: int, names: LoopNames) -> LoopNames:
        """The names of a loop, which calls its index what the ``for`` at this depth does."""
        target = self.clauses[depth][1]
        return replace(names, index=target if isinstance(target, str) else None)

    @property
    def conditional(self) -> bool:
        """Whether there may be trips without an element."""
        return any(conditions for _, _, conditions in self.clauses)

    def holds(self, depth: int, variables: Variables) -> bool:
        """Whether its conditions hold, where that must be known."""
        asked = (condition(_known, *variables.values()) for condition in self.clauses[depth][2])
        return all(asked)

    def __iter__(self) -> Iterator[Any]:
        """As Python goes through them."""
        return self._from(0, {})

    @in_users_name
    def _from(self, depth: int, outer: Variables) -> Iterator[Any]:
        for item in each(self.items(depth, outer)):
            variables = self.bound(depth, outer, item)
            if not self.holds(depth, variables):
                continue
            if self.is_last(depth):
                yield self.element(*variables.values())
            else:
                yield from self._from(depth + 1, variables)

    def as_python(self) -> Any:
        """The list or generator that it stands for."""
        return iter(self) if self.lazy else listed(self)


class ElementsIterator(Iterator[Any]):
    """What ``filter`` gives: elements that are given once."""

    def __init__(self, elements: Elements) -> None:
        self._elements = elements
        self._begun: Iterator[Any] | None = None

    def __next__(self) -> Any:
        if self._begun is None:
            self._begun = iter(self._elements)
        return next(self._begun)

    def sources(self) -> list[Any]:
        """What its elements come from."""
        return [self._elements if self._begun is None else self._begun]

    def take(self) -> Elements:
        """What is left, for who goes through all of it."""
        left = (
            self._elements
            if self._begun is None
            else Elements(lambda element: element, [(self._begun, "element", ())], lazy=True)
        )
        self._begun = iter(())
        return left


def _known(value: Any) -> Any:
    return decide(value) if isinstance(value, Tracer) else value


def _bind(pattern: Pattern, value: Any, variables: Variables) -> None:
    """``pattern = value``, with Python's errors where they do not match."""
    if isinstance(pattern, str):
        name_value(pattern, value)
        variables[pattern] = value
        return
    parts = list(islice(steps(value), len(pattern) + 1))
    if len(parts) > len(pattern):
        raise ValueError(f"too many values to unpack (expected {len(pattern)})")
    if len(parts) < len(pattern):
        raise ValueError(
            f"not enough values to unpack (expected {len(pattern)}, got {len(parts)})"
        )
    for part, held in zip(pattern, parts, strict=True):
        _bind(part, held, variables)


NO_NAMES = LoopNames((), (), frozenset(), leaves=False)


def listed(elements: Elements) -> list[Any]:
    """``[element for ...]``: a loop in the graph that appends, where that is possible."""
    if not elements.conditional:
        return _listed(elements, 0, {})
    made: list[Any] = []
    _append_each(elements, 0, {}, made)
    return made


def _append_each(elements: Elements, depth: int, outer: Variables, made: list[Any]) -> None:
    """``for ...: if condition: made.append(element)``."""
    looping = Looping(elements.items(depth, outer), elements.names(depth, NO_NAMES))
    for item in looping:
        try:
            variables = elements.bound(depth, outer, item)
            _append_if(elements.clauses[depth][2], elements, depth, variables, made)
        except looping.failure:
            looping.failed()


def _append_if(
    conditions: Sequence[Callable[..., Any]],
    elements: Elements,
    depth: int,
    variables: Variables,
    made: list[Any],
) -> None:
    if conditions:
        first, *others = conditions
        held = first(as_condition, *variables.values())
        then = lambda: _append_if(others, elements, depth, variables, made)  # noqa: E731
        choose(held, then, lambda: None, made)
    elif elements.is_last(depth):
        element = elements.element(*variables.values())
        note_container(made)
        made.append(element)
    else:
        _append_each(elements, depth + 1, variables, made)


def _listed(elements: Elements, depth: int, outer: Variables) -> list[Any]:
    made: list[Any] = []
    last = elements.is_last(depth)
    looping = Looping(elements.items(depth, outer), elements.names(depth, NO_NAMES))
    for item in looping:
        try:
            variables = elements.bound(depth, outer, item)
            inner = elements.element(*variables.values()) if last else None
            note_container(made)
            made.append(inner if last else _listed(elements, depth + 1, variables))
        except looping.failure:
            looping.failed()
    return made if last else _chained(made)


def _chained(lists: list[Any]) -> list[Any]:
    """The lists in it one after the other."""
    if not is_grown(lists):
        return [element for inner in lists for element in inner]
    columns = columns_of(lists)  # one row for each list
    kinds, wholes = columns.form.kinds, [snapshot(whole) for whole in columns.wholes]
    if columns.form.shape.kind == "leaf" and isinstance(kinds[0], Form):
        merged = [apply(np.reshape, w, (-1, *w.shape[2:])) for w in wholes]
        return owned([Grown(kinds[0], merged, columns.sites)])
    return _interleaved(columns)


def _interleaved(columns: Columns) -> list[Any]:
    """The same of lists that have as many elements each, one by one."""
    parts = columns.form.parts()
    if not parts or any(part != parts[0] for part in parts):
        separate(columns.sites, ONE_BY_ONE)
    form, count = parts[0]
    sites = columns.sites
    wholes = [joined_rows(np.stack, columns.wholes[k::count], sites, axis=1) for k in range(count)]
    merged = [apply(np.reshape, w, (-1, *w.shape[2:])) for w in wholes]
    return owned([Grown(form, merged, sites)])


# -- what staged code calls


def made_list(element: Callable[..., Any], /, *clauses: Clause) -> list[Any]:
    """``[element for ...]``."""
    return listed(_of(element, clauses))


def given_list(element: Callable[..., Any], /, *clauses: Clause) -> Any:
    """The same as an argument of a call; made at once where the user's code takes the steps."""
    elements = _of(element, clauses)
    return listed(elements) if elements.clauses is not clauses else elements


def given_generator(element: Callable[..., Any], /, *clauses: Clause) -> Elements:
    """``(element for ...)`` as an argument of a call."""
    return _of(element, clauses, lazy=True)


def _of(element: Callable[..., Any], clauses: Sequence[Clause], *, lazy: bool = False) -> Elements:
    """A comprehension, which asks an object of the user's for its iterator before all else."""
    (items, target, conditions), *others = clauses
    if protocols.is_iterable(items):
        clauses = [(protocols.iterator(items), target, conditions), *others]
    return Elements(element, clauses, lazy)
