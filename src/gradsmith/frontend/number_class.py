"""Numbers whose class in Python depends on the path taken, and which classes are possible.

After ``y = 0 if c else x[0]``, and after a loop that ``s = 0`` begins, a variable holds Python's
``0`` or a scalar of NumPy's. The emitted code is a branch or loop as well and converts nothing:
what is computed from the number and returned has Python's class by itself. The node has the type
that holds either, and ``trace.classes`` has the types that the number may have. Where the trace
itself depends on the class (`isinstance`, the dtype of an array made of it, an error that is
handled), the code is specialised on it
(`frontend.exact_type`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, TypeAlias

import numpy as np

from gradsmith.errors import GradsmithError, Span
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.unsettled import Cause, UndecidedError
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import number
from gradsmith.ir.sizes import least
from gradsmith.ir.types import ArrayType, python_number
from gradsmith.ops.conditional import conditional_op
from gradsmith.ops.powers import may_be_inverse, power
from gradsmith.ops.scalars import widened

Types: TypeAlias = tuple[ArrayType, ...]

MOST = 16
"""Combinations of operands' types that are tried."""


@dataclass(frozen=True, slots=True)
class Classes:
    """The types that a number may have; those ``before`` the loop where it makes no iteration."""

    types: Types
    before: Types = ()
    trips: Size | None = None
    lists: frozenset[Span] = frozenset()
    """The loops that made a stacked list, where the number is one of its elements: the array that
    stands for the list does not keep the class."""
    branch: Span | None = None
    """The branch that has joined them: an array without axes among them has become a number."""

    def all(self) -> Types:
        """Every type that it may have, without further guards."""
        if self.trips is not None and (least(self.trips) or 0) >= 1:
            return self.types
        return tuple(dict.fromkeys((*self.types, *self.before)))

    def is_decidable(self) -> bool:
        """Whether a guard on sizes tells if there is an iteration."""
        if self.trips is None or dims.is_unbacked(self.trips) or dims.changes(self.trips):
            return False
        return self.all() != self.types

    def decided(self) -> Types:
        """The types that it may have in calls like the present one: that becomes a guard."""
        assert self.trips is not None
        return self.types if dims.decide(">", self.trips, 0) else self.before


def note(node: Node, classes: Classes) -> None:
    """``node`` may be of any of these types in Python."""
    trace = current_trace()
    if trace is not None and is_number(node) and classes.all() != (node.type,):
        trace.classes[node] = classes


def note_chosen(node: Node, by: Cause | frozenset[Span]) -> None:
    """``node`` is one of several numbers, as an object of Python's, or an element of a stacked
    list, which is read again: the branch or loop, or the loops that made the list.
    """
    trace = current_trace()
    if trace is not None and is_number(node):
        trace.chosen[node] = by


def is_number(node: Node) -> bool:
    """Whether it is a number of Python's or a scalar of NumPy's."""
    return isinstance(node.type, ArrayType) and node.type.form != "array"


def is_index_class(cls: type) -> bool:
    """Whether numbers of this class have ``__index__``."""
    return issubclass(cls, (int, np.integer))


def is_truth_class(cls: type) -> bool:
    """Whether numbers of this class are truth values: in brackets of an array no positions."""
    return issubclass(cls, (bool, np.bool_))


# -- which types are possible --------------------------------------------------------------------


def possible_types(node: Node, builder: Builder | None = None) -> Types:
    """The types that a number may have, known in ``builder``, by default that at work."""
    trace = current_trace()
    if trace is None or not is_number(node):
        return (node.array_type,)
    known = trace.possible.get(node)
    return _Search(trace, builder or current_builder()).types(node) if known is None else known


class _Search:
    """Infers the types of nodes from those of the numbers that branches and loops have joined."""

    def __init__(self, trace: Trace, builder: Builder) -> None:
        self.known = trace.possible
        self.classes = trace.classes
        self.outer = builder.outer

    def types(self, node: Node) -> Types:
        """Those of one node; operands first, without recursion."""
        stack = [node]
        while stack:
            top = stack[-1]
            waiting = [n for n in self._operands(top) if n not in self.known]
            if top in self.known or not waiting:
                stack.pop()
                if top not in self.known:
                    self.known[top] = self._found(top)
            else:
                stack += waiting
        return self.known[node]

    def _operands(self, node: Node) -> Sequence[Node]:
        if node in self.classes:
            return ()
        outer = self.outer(node)
        return [i for i in (node.inputs if outer is None else (outer,)) if is_number(i)]

    def _found(self, node: Node) -> Types:
        if node in self.classes:
            return self.classes[node].all()
        outer = self.outer(node)
        if outer is not None:
            return self.known[outer]
        if not isinstance(node.type, ArrayType):
            return ()
        given: list[Any] = [self.known[i] if is_number(i) else (i.type,) for i in node.inputs]
        if node.op is widened:
            return tuple(given[0])
        if node.op is conditional_op:
            return tuple(dict.fromkeys((*given[1], *given[2])))
        if all(types == (i.type,) for types, i in zip(given, node.inputs, strict=True)):
            return (*_wider_powers(node, given), node.type)
        combined = islice(product(*given), MOST)
        found = [t for types in combined if (t := _inferred(node, types)) is not None]
        return tuple(dict.fromkeys((*_wider_powers(node, given), *found))) or (node.type,)


def _inferred(node: Node, types: Sequence[Any]) -> ArrayType | None:
    try:
        found = node.op.infer(*types, **node.attrs)
    except GradsmithError:
        return None
    return found if isinstance(found, ArrayType) else None


def _wider_powers(node: Node, given: Sequence[Types]) -> Types:
    """The type that some powers of Python's numbers have: complex of a negative base, float of
    integers with a negative exponent.
    """
    if node.op is not power or not all(any(type_.weak for type_ in types) for types in given):
        return ()
    found = []
    if node.dtype.kind == "f" and may_be_fraction(node.inputs[1]):
        found.append(python_number(complex))
    if may_be_inverse(*node.inputs) or _may_be_integers(node.inputs[1], given):
        found.append(python_number(float))
    return tuple(found)


def _may_be_integers(exponent: Node, given: Sequence[Types]) -> bool:
    """Whether some paths give a power two integers of Python's, of which the second one may be
    negative.
    """
    whole = all(any(t.weak and t.dtype.kind in "bi" for t in types) for types in given)
    return whole and exponent.dtype.kind == "f" and number(exponent) is None


def may_be_fraction(exponent: Node) -> bool:
    """Whether an exponent may be no integer."""
    value = number(exponent)
    return exponent.dtype.kind == "f" and (value is None or not float(value).is_integer())


def operands(node: Node, builder: Builder | None = None) -> dict[Node, None]:
    """The node and all that it is computed from, in ``builder`` (that at work) and around."""
    builder = builder or current_builder()
    found: dict[Node, None] = {}
    stack = [node]
    while stack:
        top = stack.pop()
        if top not in found:
            found[top] = None
            outer = builder.outer(top)
            stack += top.inputs if outer is None else (outer,)
    return found


def dtype_is_known(node: Node) -> bool:
    """Whether each path gives the number this dtype."""
    trace = current_trace()
    if trace is None:
        return True
    joined = [n for n in operands(node) if n in trace.classes]
    return not any(len({t.dtype for t in trace.classes[n].all()}) > 1 for n in joined)


def check_no_array(node: Node) -> None:
    """Ask for another trace where the number may be an array without axes in Python.

    Raises
    ------
    UndecidedError
        It may be one: the branch is to be decided.
    """
    trace = current_trace()
    if trace is None or not is_number(node):
        return
    if all(type_.form != "array" for type_ in possible_types(node)):
        return
    joined = [trace.classes[n] for n in operands(node) if n in trace.classes]
    sites = [c.branch for c in joined if any(type_.form == "array" for type_ in c.types)]
    raise UndecidedError.at(
        next(filter(None, sites), None),  # `max` and `min` join classes without a branch
        "the path taken decides whether this is an array without axes or a number",
        "make it a number: x[()]",
    )


def lists_of(node: Node, trace: Trace, builder: Builder | None = None) -> frozenset[Span]:
    """The loops that made the stacked lists whose elements decide its class."""
    if len(possible_types(node, builder)) == 1:
        return frozenset()
    joined = [n for n in operands(node, builder) if n in trace.classes]
    return frozenset().union(*[trace.classes[n].lists for n in joined])
