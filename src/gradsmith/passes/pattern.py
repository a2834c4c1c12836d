"""Patterns over nodes: the left-hand sides of rewrite rules."""

from __future__ import annotations

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


def match(
    pattern: Pattern,
    node: Node,
    bindings: Bindings | None = None,
    opaque: Container[Node] = (),
) -> Bindings | None:
    """What the pattern's names stand for where it matches ``node``, else None.

    The operands of ``opaque`` nodes are not looked at.
    """
    found = {} if bindings is None else bindings
    if isinstance(pattern, (int, float)):
        return found if is_number(node, pattern) else None
    if isinstance(pattern, Wild):
        return _bind(pattern, node, found)
    if node.op is not pattern.op or not _arity_fits(pattern, node):
        return None
    if pattern.name is not None:
        found = {**found, pattern.name: node}
    orders = [node.inputs]
    if node.op.commutative:
        orders.append(node.inputs[::-1])
    for operands in orders:
        result = _match_all(pattern.operands, operands, found, opaque)
        if result is not None:
            return result
    return None


def _arity_fits(pattern: Apply, node: Node) -> bool:
    given, wanted = len(node.inputs), len(pattern.operands)
    return given == wanted or (pattern.rest and given > wanted)


def _match_all(
    patterns: tuple[Pattern, ...],
    nodes: tuple[Node, ...],
    found: Bindings,
    opaque: Container[Node],
) -> Bindings | None:
    result: Bindings | None = dict(found)
    for pattern, node in zip(patterns, nodes, strict=False):
        if result is None:
            return None
        if isinstance(pattern, Apply) and node in opaque:
            return None
        result = match(pattern, node, result, opaque)
    return result


def _bind(pattern: Wild, node: Node, found: Bindings) -> Bindings | None:
    if pattern.name in found:
        return found if found[pattern.name] is node else None
    if pattern.where is not None and not pattern.where(node):
        return None
    return {**found, pattern.name: node}
