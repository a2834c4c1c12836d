"""Where an exponential overflows and its adjoint vanishes: ``0 * inf`` in ``1 / (exp(x) - 1)``.

The adjoint of ``e = exp(x)`` in ``1 / (e - 1)`` is ``-1 / (e - 1)**2``, of degree -2 in ``e``:
times ``e`` it has the limit 0 where ``e`` is infinite. Of ``log(e + 2)`` it has degree -1, and its
limit is 1: what is no number there stays so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from gradsmith.autodiff.finiteness import is_not_positive
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import is_number, item, number
from gradsmith.ir.op import Op
from gradsmith.ir.parts import LoopView
from gradsmith.ir.types import ArrayType
from gradsmith.ops.arithmetic import add, divide, multiply, negative, reciprocal, subtract
from gradsmith.ops.conditional import conditional_op
from gradsmith.ops.control import at_least_zero, distinct
from gradsmith.ops.create import zeros
from gradsmith.ops.elementwise import cosh, exp, expm1, sinh, sqrt, tanh
from gradsmith.ops.powers import integer_power, power
from gradsmith.ops.quotients import masked_divide
from gradsmith.ops.reduce import reduce_sum
from gradsmith.ops.regions import branch, loop, rerun
from gradsmith.ops.select import where
from gradsmith.ops.shape import astype, broadcast_to, expand_dims, reshape, squeeze, transpose
from gradsmith.ops.stable import sigmoid_slope

_VIEWS = (broadcast_to, expand_dims, squeeze, reshape, transpose, astype, at_least_zero, distinct)
_OF_FIRST = frozenset((divide, integer_power, reduce_sum, *_VIEWS))

MOST_LEVELS = 16
"""Operations that are looked through."""

Degree: TypeAlias = "float | None"
"""The exponent of the exponential in what a value grows like; None where it is not known."""


def overflowing(left: Node, right: Node) -> Node | None:
    """The factor that overflows with an exponential, if their product has the limit 0 there."""
    for large, small in ((left, right), (right, left)):
        for exponential in _exponentials(large):
            degree = Degrees({**dict.fromkeys(_nearest(exponential), 0.0), exponential: 1.0})
            down, up = degree(small), degree(large)
            if down is not None and up is not None and up > 0 and down + up < 0:
                return large
    return None


def _nearest(node: Node) -> list[Node]:
    """What it is computed from, the nearest nodes first: these do not depend on it."""
    found = list(dict.fromkeys(node.inputs))
    for operand in found:
        if len(found) >= MOST_NEAREST:
            break
        found += [deeper for deeper in operand.inputs if deeper not in found]
    return found


MOST_NEAREST = 32
"""Nodes that are known not to depend on an exponential without a longer search."""


def is_exponential(node: Node) -> bool:
    """Whether it grows like an exponential; so do values of other regions that are one there."""
    if node.op in _GROWING:
        return not (node.op in (exp, expm1) and is_not_positive(node.inputs[0]))
    if node in current_builder().exponentials:
        return True
    if node.op is not item or node.inputs[0].op not in (branch, rerun):
        return False
    index = node.attrs["index"]
    return any(region.results[index].op in _GROWING for region in node.inputs[0].regions)


def is_tape_of_exponentials(node: Node) -> bool:
    """Whether a loop has recorded values on it that are exponentials."""
    if node.op is not item or node.inputs[0].op is not loop:
        return False
    view = LoopView(node.inputs[0])
    place = node.attrs["index"] - view.place(0)
    return place >= 0 and view.recorded[place].op in _GROWING


def is_vanishing_tape(tape: Node) -> bool:
    """Whether what a loop has recorded on it vanishes quicker than exponentials grow there."""
    if tape.op is not item or tape.inputs[0].op is not loop:
        return False
    view = LoopView(tape.inputs[0])
    place = tape.attrs["index"] - view.place(0)
    tapes = [p for p in view.tapes if is_tape_of_exponentials(view.node.inputs[p])]
    if not tapes or place < 0:
        return False
    degree = Degrees({view.params[p]: 1.0 for p in tapes})(view.recorded[place])
    return degree is not None and degree < -1


def _exponentials(node: Node) -> list[Node]:
    """Those among the factors of ``node``."""
    found: list[Node] = []
    stack = [node]
    for _ in range(MOST_LEVELS):
        if not stack:
            break
        part = stack.pop()
        if is_exponential(part):
            found.append(part)
        elif part.op in (multiply, negative, subtract, add):
            stack.extend(part.inputs)
        elif part.op in (where, conditional_op, masked_divide):
            stack.extend(part.inputs[1:])
        elif part.op in _OF_FIRST:
            stack.append(part.inputs[0])
    return found


class Degrees:
    """The degrees of nodes in one exponential, or a hyperbolic function; ``known`` are those of
    this one and of parameters.
    """

    def __init__(self, known: Mapping[Node, Degree]) -> None:
        self._known: dict[Node, Degree] = dict(known)
        self._same = {node.inputs for node in known if node.op in _GROWING}
        self._level = 0

    def __call__(self, node: Node) -> Degree:
        """The degree of ``node``."""
        if node not in self._known:
            self._level += 1
            self._known[node] = self._found(node) if self._level < MOST_LEVELS else None
            self._level -= 1
        return self._known[node]

    def _found(self, node: Node) -> Degree:
        if node.op is zeros or is_number(node, 0):
            return -math.inf
        if not node.inputs or (isinstance(node.type, ArrayType) and node.dtype == bool):
            return 0.0
        if node.op in _GROWING and node.inputs in self._same:
            return 1.0
        if node.op is item:
            return self._of_result(node.inputs[0], node.attrs["index"])
        degrees = [self(operand) for operand in _slope_of(node) or node.inputs]
        if all(degree == 0 for degree in degrees):
            return 0.0
        rule = _saturated if _slope_of(node) else _RULES.get(node.op)
        if rule is None or any(degree is None for degree in degrees):
            return None
        return rule(node, [degree for degree in degrees if degree is not None])

    def _of_result(self, node: Node, index: int) -> Degree:
        """Of a result of a branch, of a region that is run again or of a loop."""
        if node.op is branch:
            ends = [self._in_region(r, node.inputs[1:], index) for r in node.regions]
            return None if None in ends else max(end for end in ends if end is not None)
        if node.op is rerun:
            return self._in_region(node.attrs["block"], node.inputs, index)
        return self._of_loop(LoopView(node), index) if node.op is loop else None

    def _in_region(self, region: Region, operands: Sequence[Node], index: int) -> Degree:
        given = dict(zip(region.params, map(self, operands), strict=True))
        return Degrees(given)(region.results[index])

    def _of_loop(self, view: LoopView, index: int) -> Degree:
        """Of a value that a loop carries: the greatest that no iteration exceeds."""
        if index >= view.count:
            return None
        given: dict[Node, Degree] = {view.index: 0.0} | dict.fromkeys(view.params)
        for place in (*range(view.count), *view.captured):
            given[view.params[place]] = self(view.node.inputs[place])
        for _ in range(MOST_ROUNDS):
            after = list(map(Degrees(given), view.results))
            greater = [_greatest(given[p], d) for p, d in zip(view.carried, after, strict=True)]
            if greater == [given[p] for p in view.carried]:
                return greater[index]
            given |= zip(view.carried, greater, strict=True)
        return None


def _greatest(one: Degree, other: Degree) -> Degree:
    return None if one is None or other is None else max(one, other)


MOST_ROUNDS = 4
"""What grows from iteration to iteration has no degree."""

_GROWING = frozenset((exp, expm1, cosh, sinh))


def _power(node: Node, degrees: list[float]) -> Degree:
    exponent = number(node.inputs[1])
    return degrees[0] * exponent if isinstance(exponent, (int, float)) and not degrees[1] else None


def _exponential(node: Node, degrees: list[float]) -> Degree:
    """``exp(-e)`` falls quicker than any power of ``e`` grows; as does ``exp(1 - 2 * e)``."""
    return -math.inf if degrees[0] > 0 and _falls(node.inputs[0]) else None


def _slope_of(node: Node) -> tuple[Node, ...]:
    """``(x,)`` for the slope of ``tanh(x)``, ``1 - tanh(x)**2``, or of its like; else nothing."""
    if node.op is sigmoid_slope:
        return node.inputs
    if node.op is not subtract or not is_number(node.inputs[0], 1):
        return ()
    square = node.inputs[1]
    if square.op is not integer_power or square.attrs["n"] != 2 or square.inputs[0].op is not tanh:
        return ()
    return square.inputs[0].inputs


def _saturated(node: Node, degrees: list[float]) -> Degree:
    """A slope that falls exponentially where its argument grows."""
    return -math.inf if degrees[0] > 0 else None


def _falls(x: Node) -> bool:
    if x.op is negative:
        return True
    if x.op is subtract:
        return number(x.inputs[0]) is not None
    if x.op in (multiply, divide):
        factor = number(x.inputs[0])
        return bool(factor < 0) if factor is not None else _falls(x.inputs[0])
    return False


_RULES: dict[Op, Callable[[Node, list[float]], Degree]] = {
    multiply: lambda node, degrees: degrees[0] + degrees[1],
    divide: lambda node, degrees: degrees[0] - degrees[1],
    reciprocal: lambda node, degrees: -degrees[0],
    masked_divide: lambda node, degrees: degrees[1] - degrees[2],
    add: lambda node, degrees: max(degrees),
    subtract: lambda node, degrees: max(degrees),
    integer_power: lambda node, degrees: degrees[0] * node.attrs["n"],
    power: _power,
    sqrt: lambda node, degrees: degrees[0] / 2,
    exp: _exponential,
    where: lambda node, degrees: max(degrees[1:]),
    conditional_op: lambda node, degrees: max(degrees[1:]),
    **dict.fromkeys((negative, reduce_sum, *_VIEWS), lambda node, degrees: degrees[0]),
}
