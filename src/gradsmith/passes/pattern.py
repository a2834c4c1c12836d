"""Patterns over nodes: the left-hand sides of rewrite rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import TypeAlias

from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import is_number
from gradsmith.ir.op import Op

Bindings: TypeAlias = dict[str, Node]


@dataclass(frozen=True, slots=True)
class Wild:
    """Matches every node that satisfies ``where`` and binds it; the same name twice means the
    same node.
    """

    name: str
    where: Callable[[Node], bool] | None = None


@dataclass(frozen=True, slots=True)
class Apply:
    """Matches a node of ``op`` whose operands match; commutative ops in either order.

    ``name`` binds the node itself; with ``rest`` it may have further operands (index arrays).
    """

    op: Op
    operands: tuple[Pattern, ...]
    name: str | None = None
    rest: bool = False


Pattern: TypeAlias = Wild | Apply | int | float


Matcher: TypeAlias = Callable[[Node, Bindings, Container[Node]], bool]
"""Whether a node matches, and what the names stand for then: these are put into the bindings.

The operands of nodes in the container are not looked at. Where nothing matches, what is in the
bindings means nothing.
"""


def matcher(pattern: Pattern) -> Matcher:
    """The pattern as a function: patterns are made once, and matched thousands of times."""
    if isinstance(pattern, (int, float)):
        return _number(pattern)
    return _wild(pattern) if isinstance(pattern, Wild) else _applied(pattern)


def _number(value: float) -> Matcher:
    return lambda node, found, opaque: is_number(node, value)


def _wild(pattern: Wild) -> Matcher:
    name, where = pattern.name, pattern.where

    def matches(node: Node, found: Bindings, opaque: Container[Node]) -> bool:
        known = found.get(name)
        if known is not None:
            return known is node
        if where is not None and not where(node):
            return False
        found[name] = node
        return True

    return matches


def _applied(pattern: Apply) -> Matcher:
    op, name = pattern.op, pattern.name
    parts = [(matcher(p), isinstance(p, Apply)) for p in pattern.operands]
    count, most = len(parts), math.inf if pattern.rest else len(parts)

    def all_match(nodes: tuple[Node, ...], found: Bindings, opaque: Container[Node]) -> bool:
        for (matches, looks_inside), node in zip(parts, nodes, strict=False):
            if (looks_inside and node in opaque) or not matches(node, found, opaque):
                return False
        return True

    def matches(node: Node, found: Bindings, opaque: Container[Node]) -> bool:
        if node.op is not op or not count <= len(node.inputs) <= most:
            return False
        if name is not None:
            found[name] = node
        if not op.commutative:
            return all_match(node.inputs, found, opaque)
        before = dict(found)
        if all_match(node.inputs, found, opaque):
            return True
        found.clear()
        found.update(before)
        return all_match(node.inputs[::-1], found, opaque)

    return matches
