"""What a traced array refers to: a storage that writes replace, seen through a path of views.

A write through any view replaces the storage's value (the graph stays pure); a read through a
view reads its base again. So aliasing means what NumPy says it means.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from gradsmith.errors import Span, UnsupportedError
from gradsmith.frontend.unsettled import UNKNOWN, Cause
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType

ViewStep = Node
"""A view op as it was applied; its operand 0 is whatever the base is by then."""

Order: TypeAlias = "frozenset[str] | None"
"""The arguments that must lie in C order for an array to lie in C order; None: it may not."""
ALWAYS: Order = frozenset()


Unless: TypeAlias = "Callable[[], bool | None] | None"


writes: list[Callable[[Storage, Node], None]] = []
"""What is told of every write, before it: the storage and what it holds."""


outdatings: list[Callable[[Storage], None]] = []
"""What is told of every buffer that cannot be told any more, before it."""


_serials = itertools.count()


def next_serial() -> int:
    """A number between those of the storages made so far and later ones."""
    return next(_serials)


class Storage:
    """A buffer: its present value and how often it was written.

    ``base`` is set where this may be a view of that buffer, or may be a copy: NumPy decides.
    """

    __slots__ = (
        "_doubtful",
        "_twins",
        "base",
        "cause",
        "element",
        "label",
        "locked",
        "name",
        "node",
        "order",
        "outside",
        "read",
        "replaced",
        "serial",
        "shared",
        "sites",
        "stale",
        "stand_ins",
        "types",
        "version",
    )

    def __init__(self, node: Node, *, order: Order = ALWAYS, base: Storage | None = None) -> None:
        self.node = node
        self.serial = next(_serials)  # later storages have larger ones
        self.version = 0
        self.order = order
        self.base = base
        self.stale = False  # whether ``base`` was written since
        self.cause = UNKNOWN  # of its being stale
        self._doubtful: list[tuple[Storage, Unless, Cause]] = []
        self._twins: list[Storage] = []
        self.stand_ins: list[Storage] = []  # what a derivative differentiates by in its place
        self.shared = False  # whether another argument of the call shares its memory
        if base is not None:
            base._doubtful.append((self, None, UNKNOWN))
        self.name: str | None = None  # of the argument that it is
        self.label: str | None = None  # what the user calls it
        self.read = False  # whether anything has asked what it holds, or of which type
        self.outside = False  # whether it is an array from outside the function, no argument
        self.sites: frozenset[Span] = frozenset()  # of the loops whose stacked list has it as rows
        self.types: tuple[ArrayType, ...] = ()  # of numbers stored in the list that has it as rows
        self.locked = False  # whether a write asks for that list to hold separate objects
        self.element = False  # whether it may be an element of a list in which others replace it
        self.replaced = False  # whether a write replaces elements of that list, and changes none

    def replace(self, node: Node) -> None:
        """A write happened: the buffer now holds ``node``."""
        for storage in (self, *self._twins):
            for note in writes:
                note(storage, storage.node)
            storage.put_back(node)
        for storage in (self, *self._twins):
            storage._outdate_others()

    def put_back(self, node: Node) -> None:
        """The buffer holds ``node`` again, or at last."""
        self.node = node
        self.version += 1

    def doubt(self, other: Storage, unless: Unless = None, cause: Cause = UNKNOWN) -> None:
        """The two may be one, ``unless`` this holds, which is asked once one of them is written:
        then what the other holds cannot be told before it is known which way ``cause`` goes.
        """
        for one, may_be in ((self, other), (other, self)):
            if not one.replaced:
                one._doubtful.append((may_be, unless, cause))

    def join(self, other: Storage) -> None:
        """The two are arguments that show the same elements: a write to one goes to both."""
        for storage in (other, *other._twins):
            storage._twins.append(self)
            self._twins.append(storage)
        self.shared = other.shared = True
        self._overlap_stand_ins(other)

    def overlap(self, other: Storage) -> None:
        """Some of the memory of the two is the same."""
        self.doubt(other)
        self.shared = other.shared = True
        self._overlap_stand_ins(other)

    def _overlap_stand_ins(self, other: Storage) -> None:
        for storage in other.stand_ins:
            self.overlap(storage)

    def may_be_directly(self) -> list[Storage]:
        """Those that it may be, not by way of others."""
        return [*(other for other, *_ in self._doubtful), *self._twins]

    def chosen_among(self) -> list[tuple[Storage, Cause]]:
        """Those that it may be as a branch or loop decides."""
        return [(other, cause) for other, _, cause in self._doubtful if cause is not UNKNOWN]

    def may_be(self, other: Storage) -> bool:
        """Whether the two are one, or may be by way of others."""
        return other in self.family(lambda _: True)

    def family(self, within: Callable[[Storage], bool]) -> list[Storage]:
        """It and those that it may be, directly or by way of others for which this holds."""
        seen, stack = {self: None}, [self]
        while stack:
            top = stack.pop()
            for known in top.may_be_directly() if within(top) else ():
                if known not in seen:
                    seen[known] = None
                    stack.append(known)
        return list(seen)

    def outdate(self, cause: Cause = UNKNOWN) -> None:
        """What the buffer holds cannot be told any more, nor what those hold that it may be."""
        if not self.stale:
            for note in outdatings:
                note(self)
            self.stale, self.cause = True, cause
            self._outdate_others(cause)
            for twin in self._twins:
                twin.outdate(cause)

    def _outdate_others(self, first: Cause = UNKNOWN) -> None:
        was, self.stale = self.stale, True  # not by itself
        for other, unless, cause in self._doubtful:
            if unless is None or not unless():
                other.outdate(first if cause is UNKNOWN else cause)
        self.stale = was


@dataclass(frozen=True, slots=True)
class View:
    """A way of looking at a storage: view ops, applied from left to right."""

    storage: Storage
    path: tuple[ViewStep, ...] = ()

    def read(self) -> Node:
        """What it shows now."""
        node = self.storage.node
        for step in self.path:
            node = _apply(step, node)
        return node

    def write(self, update: Node) -> None:
        """Replace all that it shows by ``update`` (of the same type)."""
        bases = [self.storage.node]
        for step in self.path:
            bases.append(_apply(step, bases[-1]))
        for base, step in zip(reversed(bases[:-1]), reversed(self.path), strict=True):
            update = _put(step, base, update)
        self.storage.replace(update)

    def through(self, steps: tuple[ViewStep, ...]) -> View:
        """A view of this view."""
        return View(self.storage, self.path + steps)


def _apply(step: ViewStep, base: Node) -> Node:
    if base is step.inputs[0]:
        return step
    return step.op(base, *step.inputs[1:], **step.attrs)


def _put(step: ViewStep, base: Node, update: Node) -> Node:
    put = step.op.view
    if put is None:
        raise UnsupportedError(f"cannot write through {step.op.name}", step.span)
    replaced: Node = put(base, update, *step.inputs[1:], **step.attrs)
    return replaced


def view_steps(result: Node, owner: Node) -> tuple[ViewStep, ...] | None:
    """The view ops that lead from ``owner`` to ``result``, or None if there are others between."""
    steps: list[ViewStep] = []
    node = result
    while node is not owner:
        if node.op.view is None:
            return None
        steps.append(node)
        node = node.inputs[0]
    return tuple(reversed(steps))
