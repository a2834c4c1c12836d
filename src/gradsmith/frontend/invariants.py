"""Values that no iteration of a loop changes: the same computed before the loop.

A check of such a value stands before the loop, which stays one. Only what cannot raise an error is
computed there: the loop may have no iterations, or do something else first.
"""

from __future__ import annotations

from dataclasses import dataclass

from gradsmith.frontend.present import present_values
from gradsmith.frontend.trace import Trace
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.dims import Dim, Symbol
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import constant, parameter, size
from gradsmith.ir.mentions import mentioned, said_by
from gradsmith.ir.op import Op
from gradsmith.ir.types import ArrayType
from gradsmith.ops.arithmetic import add, multiply, negative, subtract
from gradsmith.ops.compare import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    not_equal,
)
from gradsmith.ops.complex import absolute
from gradsmith.ops.index import getitem
from gradsmith.ops.raising import raises
from gradsmith.ops.regions import whole
from gradsmith.ops.rounding import ceil, floor, rint, trunc
from gradsmith.ops.scalars import widened

_SAFE = frozenset(
    (
        *(add, subtract, multiply, negative, absolute, widened),
        *(equal, not_equal, less, less_equal, greater, greater_equal),
        *(logical_and, logical_or, logical_not, raises),
    )
)
"""These never raise an error, whatever numbers they are given, Python's or NumPy's."""
_ROUNDED: dict[str, Op] = {
    "int": trunc,
    "math.trunc": trunc,
    "math.floor": floor,
    "math.ceil": ceil,
    "round": rint,
}


@dataclass(frozen=True, slots=True)
class Invariant:
    """A node that has the value of one in a loop, and the region before the loop where it is."""

    node: Node
    home: Builder


def before_loops(trace: Trace, node: Node) -> Invariant | None:
    """The same before the loops whose iterations do not change the value of ``node``; None where
    iterations may change it.

    An integer that is made of a float is the float rounded, as nan is no integer.
    """
    values = present_values(trace)
    home, found = values.owner(node), None
    while home is not None and _is_in_loop(trace, home):
        made = _outside(trace, home, node)
        if made is None:
            break
        node = values.unwrapped(made)
        home = values.owner(node)
        found = None if home is None else Invariant(node, home)
    return None if found is None or _is_in_loop(trace, found.home) else found


def _is_in_loop(trace: Trace, home: Builder | None) -> bool:
    """Whether a region is the body of a loop, or a path of a branch in one."""
    while home is not None:
        if home in trace.bodies:
            return True
        home = home.parent
    return False


def integers_before_loops(trace: Trace, size: Dim) -> list[Node]:
    """The integers that ``size`` is computed from, if all of them are made in loops that do not
    change them; else none.
    """
    made = [_maker(trace, symbol) for symbol in dims.symbols(size)]
    found = [node for node in made if node is not None and before_loops(trace, node) is not None]
    return found if len(found) == len(made) else []


def _maker(trace: Trace, symbol: Symbol) -> Node | None:
    """The node in a loop that makes the integer of this symbol."""
    for body in trace.builders():
        node = said_by(body.nodes).get(symbol)
        if node is not None:
            return node if node.op is whole and _is_in_loop(trace, body) else None
    return None


def _outside(trace: Trace, body: Builder, node: Node) -> Node | None:
    """``node`` of a loop's body made before the loop; None where that may be another value."""
    outer = {inner: value for value, inner in body.captured.items()}
    cone = _cone(body, node, outer)
    if cone is None or body.parent is None:
        return None
    with trace.within(body.parent):
        for inner in cone:
            outer[inner] = _made(trace, inner, [outer[i] for i in inner.inputs])
    return outer[node]


def _cone(body: Builder, node: Node, outer: dict[Node, Node]) -> list[Node] | None:
    """What is computed from captured values alone to make ``node``, in order."""
    bound = {param.attrs["symbol"] for param in body.params} | said_by(body.nodes).keys()
    needed: set[Node] = set()
    stack = [node]
    while stack:
        inner = stack.pop()
        if inner in outer or inner in needed:
            continue
        ends = inner is node and inner.op is whole and "digits" not in inner.attrs
        sizes = set(mentioned([inner])) - {inner.attrs.get("symbol") if ends else None}
        if not (ends or _never_raises(inner)) or not bound.isdisjoint(sizes):
            return None
        needed.add(inner)
        stack += inner.inputs
    return [inner for inner in body.nodes if inner in needed]


def _never_raises(node: Node) -> bool:
    """Whether computing it is silent and free of errors, whatever its operands are."""
    if node.op is parameter or not isinstance(node.type, ArrayType):
        return False
    if node.op is getitem:
        return len(node.inputs) == 1
    known = node.op in _SAFE or node.op in (constant, size)
    return known or node.op.name.startswith("reduce_")


def _made(trace: Trace, node: Node, operands: list[Node]) -> Node:
    """``node`` on other operands in the builder at work, each time the same one."""
    builder = trace.builder
    if node.op is whole:
        (number,) = operands
        if number.dtype.kind in "biu":
            return number
        return _ROUNDED[node.attrs.get("function", "int")](number)
    key = builder, node.op, *operands, *node.attrs.items()
    known = trace.invariants.get(key)
    if known is None:
        known = trace.invariants[key] = builder.again(node, operands)
    return known
