"""Which values may be infinite, or no numbers, where what they are computed from is finite.

An exponential overflows, a logarithm and a root have a domain, a quotient has poles. A program
computes such a value for all elements, or ahead of a branch, and reads it where it is a number: a
partial derivative that is computed from it must not be multiplied with the adjoint of 0 elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import TypeAlias

from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import item, number
from gradsmith.ir.op import Op
from gradsmith.ir.parts import LoopView
from gradsmith.ir.types import ArrayType
from gradsmith.ops import elementwise as elements
from gradsmith.ops.arithmetic import divide, multiply, negative, reciprocal
from gradsmith.ops.conditional import conditional_op
from gradsmith.ops.powers import float_power, integer_power, power
from gradsmith.ops.quotients import masked_divide
from gradsmith.ops.regions import branch, loop, rerun
from gradsmith.ops.select import where
from gradsmith.ops.signs import Sign, sign_of
from gradsmith.ops.stable import sigmoid, softmax


class Extent(IntEnum):
    """The worst that elements of a value may be."""

    FINITE = 0
    INFINITE = 1
    NAN = 2


MOST_LEVELS = 32
"""Operations that are looked through: what is computed from more is taken to be finite."""

MOST_EXPONENT = 16
"""Powers up to it are taken not to overflow."""


def extent_of(node: Node, *, single: bool = False) -> Extent:
    """The extent of a node in the builder at work; of single elements, if not all are alike."""
    return _at_work(single=single)(node)


def extents_of(operands: Mapping[Node, Node]) -> dict[Node, int]:
    """Those of the parameters of a region that may not be finite, by what they stand for."""
    ask = _at_work(single=False)
    found = {param: ask(value) for param, value in operands.items()}
    return {param: extent for param, extent in found.items() if extent}


def _at_work(*, single: bool) -> Extents:
    """The extents of the builder at work, which keeps what is found."""
    builder = current_builder()
    found: Extents | None = builder.found.get((Extents, single))
    if found is None or found.given != builder.extents:
        found = Extents(dict(builder.extents), single=single)
        builder.found[Extents, single] = found
    return found


def is_not_positive(x: Node) -> bool:
    """Whether ``x`` is 0 at most, so that its exponential cannot overflow."""
    if x.op is negative:
        return sign_of(x.inputs[0]) > Sign.UNKNOWN
    if x.op is divide:
        return is_not_positive(x.inputs[0]) and sign_of(x.inputs[1]) > Sign.UNKNOWN
    if x.op is multiply:
        left, right = x.inputs
        factor = number(left)
        falls = factor < 0 if isinstance(factor, (int, float)) else is_not_positive(left)
        return bool(falls) and sign_of(right) > Sign.UNKNOWN
    return False


Results: TypeAlias = dict[tuple[Node, tuple[Extent, ...]], Extent]


class Extents:
    """The extents of nodes; ``given`` are those of parameters, others are finite.

    With ``single`` they are those of elements of which others are finite: a number that an array
    is divided by does not count.

    What is found is kept, with the level that it was found at: from a level further out, more
    operations are looked through. ``results`` keeps what is found of the results of regions, by
    the extents of their parameters.
    """

    def __init__(
        self, given: Mapping[Node, int], results: Results | None = None, *, single: bool = False
    ) -> None:
        self.given = given
        self._single = single
        self._known: dict[Node, tuple[Extent, int]] = {}
        self._results: Results = {} if results is None else results
        self._level = 0

    def __call__(self, node: Node) -> Extent:
        """The extent of ``node``; of a tape, that of its items."""
        if node in self.given:
            return Extent(self.given[node])
        found, level = self._known.get(node, (Extent.FINITE, MOST_LEVELS))
        if found is not Extent.NAN and self._level < level:
            self._level += 1
            try:
                found = self._found(node)
            finally:
                self._level -= 1
            self._known[node] = found, self._level
        return found

    def _found(self, node: Node) -> Extent:
        if node.op is item:
            return self._of_result(node.inputs[0], node.attrs["index"])
        if not isinstance(node.type, ArrayType) or node.dtype.kind not in "fc":
            return Extent.FINITE
        if node.op in (where, conditional_op) and number(node.inputs[2]) == 0:
            return Extent.FINITE  # the mask of an adjoint, or of one who knows
        if self._single and not node.ndim:
            return Extent.FINITE
        operands = node.inputs[1:] if node.op in _CHOOSING else node.inputs
        worst = self._worst(operands)
        by_number = self._single and node.op is divide and not node.inputs[1].ndim
        own = None if by_number else _OWN.get(node.op)
        if node.op in _BOUNDED and worst is Extent.INFINITE:
            return Extent.FINITE
        return worst if own is None else max(worst, own(node))

    def _worst(self, nodes: Sequence[Node]) -> Extent:
        return max(map(self, nodes), default=Extent.FINITE)

    def _of_result(self, node: Node, index: int) -> Extent:
        if node.op is branch:
            regions = [(region, node.inputs[1:]) for region in node.regions]
        elif node.op is rerun:
            regions = [(node.attrs["block"], node.inputs)]
        else:
            return self._of_loop(LoopView(node), index) if node.op is loop else Extent.FINITE
        return max(self._in(region, given, region.results[index]) for region, given in regions)

    def _in(self, region: Region, given: Sequence[Node], result: Node) -> Extent:
        return self._within(dict(zip(region.params, map(self, given), strict=True)), result)

    def _within(self, known: Mapping[Node, Extent], result: Node) -> Extent:
        """Of a result of a region, of whose parameters these are known."""
        key = result, tuple(known.values())
        if key not in self._results:
            self._results[key] = Extents(known, self._results, single=self._single)(result)
        return self._results[key]

    def _of_loop(self, view: LoopView, index: int) -> Extent:
        """Of what a loop carries or records; before a trip it is taken to be what it was first."""
        results = view.body.results
        place = index if index < view.count else index - 1 + view.leaves
        if index == view.count or place >= len(results):
            return Extent.FINITE
        known = dict(zip(view.params, map(self, view.node.inputs), strict=True))
        own = self._within(known, results[place])
        return max(own, known[view.params[index]]) if index < view.count else own


def _if_unknown(sign: Sign, extent: Extent) -> Callable[[Node], Extent]:
    """What an op is where the sign of its operand is less than ``sign``."""

    def own(node: Node) -> Extent:
        return Extent.FINITE if sign_of(node.inputs[-1]) >= sign else extent

    return own


def _exponential(node: Node) -> Extent:
    return Extent.FINITE if is_not_positive(node.inputs[0]) else Extent.INFINITE


def _logarithm(node: Node) -> Extent:
    sign = sign_of(node.inputs[0])
    if sign is Sign.POSITIVE:
        return Extent.FINITE
    return Extent.INFINITE if sign else Extent.NAN


def _quotient(node: Node) -> Extent:
    divisor = node.inputs[-1]
    value = number(divisor)
    if (value is not None and value != 0) or sign_of(divisor) is Sign.POSITIVE:
        return Extent.FINITE
    whole = node.op is not divide or number(node.inputs[0])
    return Extent.INFINITE if whole else Extent.NAN  # 0 / 0 is no number


def _whole_power(node: Node) -> Extent:
    n = node.attrs["n"]
    if 0 <= n <= MOST_EXPONENT:
        return Extent.FINITE
    return _quotient(node) if n < 0 else Extent.INFINITE


def _power(node: Node) -> Extent:
    base, exponent = node.inputs[0], number(node.inputs[1])
    if sign_of(base) is Sign.UNKNOWN and not isinstance(exponent, int):
        return Extent.NAN
    small = isinstance(exponent, (int, float)) and 0 <= exponent <= MOST_EXPONENT
    return Extent.FINITE if small else Extent.INFINITE


def _never_nan(node: Node) -> Extent:
    return Extent.INFINITE


def _maybe_nan(node: Node) -> Extent:
    return Extent.NAN


_CHOOSING = frozenset((where, conditional_op, masked_divide))
_BOUNDED = frozenset((elements.tanh, elements.arctan, sigmoid, softmax))
_OWN: dict[Op, Callable[[Node], Extent]] = {
    elements.exp: _exponential,
    elements.exp2: _exponential,
    elements.expm1: _exponential,
    elements.sinh: _never_nan,
    elements.cosh: _never_nan,
    elements.log: _logarithm,
    elements.log2: _logarithm,
    elements.log10: _logarithm,
    elements.log1p: _if_unknown(Sign.NONNEGATIVE, Extent.NAN),
    elements.sqrt: _if_unknown(Sign.NONNEGATIVE, Extent.NAN),
    **dict.fromkeys(
        (elements.arcsin, elements.arccos, elements.arccosh, elements.arctanh), _maybe_nan
    ),
    divide: _quotient,
    reciprocal: _quotient,
    integer_power: _whole_power,
    power: _power,
    float_power: _power,
}
