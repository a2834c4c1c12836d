"""Where an adjoint may be exactly 0 while a partial is infinite: the two must not be multiplied.

Elements that nothing reads have an adjoint of 0, whatever they are: those that ``np.triu`` or a
mask leaves out, that a slice does not take, that a store replaces. So ``1 / r`` may be infinite
there, and its derivative is of no matter. Where an op is finite and its partial is not, as the
root's at 0, any factor of 0 may meet it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

from gradsmith.autodiff.finiteness import Extent, extent_of
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import is_number, item, number, size
from gradsmith.ir.op import Op, Pole
from gradsmith.ir.parts import BranchView, LoopView
from gradsmith.ir.types import ArrayType, known_same_shape
from gradsmith.ops.arithmetic import add, divide, multiply, negative, subtract
from gradsmith.ops.complex import imag, real
from gradsmith.ops.conditional import conditional_op
from gradsmith.ops.control import distinct
from gradsmith.ops.create import full, ones, zeros
from gradsmith.ops.index import gather, getitem, index_add, index_set
from gradsmith.ops.join import concatenate, stack
from gradsmith.ops.pick import diag
from gradsmith.ops.powers import integer_power
from gradsmith.ops.quotients import masked_divide
from gradsmith.ops.rearrange import repeat, roll, tile, tril, triu
from gradsmith.ops.reduce import reduce_sum
from gradsmith.ops.regions import branch, loop, rerun
from gradsmith.ops.select import where
from gradsmith.ops.shape import (
    astype,
    broadcast_to,
    copy,
    expand_dims,
    flip,
    reshape,
    squeeze,
    transpose,
)
from gradsmith.ops.signs import Sign, sign_of

MOST_LEVELS = 24
"""Operations that are looked through."""

VIEWS: frozenset[Op] = frozenset(
    (
        *(broadcast_to, expand_dims, squeeze, reshape, transpose, flip, copy, astype, distinct),
        *(negative, real, imag, roll, repeat, tile, diag, getitem, gather, reduce_sum),
    )
)
"""Ops that give elements of their operand, or sums of them."""


def needs_guard(g: Node, pole: Pole, *, forward: bool) -> bool:
    """Whether ``g`` times this partial may be 0 * inf at a point where it has to be 0.

    In forward mode factors are still to come that may be 0.
    """
    if pole.mask is not None or pole.finite is not None:
        return pole.mask is not None or (forward and not sign_of(pole.divisor))
    if g.array_type.complex or pole.divisor.array_type.complex:
        return False
    if extent_of(pole.divisor) is Extent.NAN and is_partly_zero(g):
        return True
    if sign_of(pole.divisor) is Sign.POSITIVE or number(pole.divisor) is not None:
        return False
    if pole.vanishes:
        return True
    if pole.bounded:
        return forward or not (_is_nonzero(g) or _is_divided_by(g, pole.divisor))
    if g.ndim and not pole.divisor.ndim:
        return may_be_unread(g)
    return is_partly_zero(g)


# -- adjoints that are nowhere 0 -----------------------------------------------------------------


def _is_nonzero(node: Node, levels: int = MOST_LEVELS) -> bool:
    """Whether no element is 0, by the way it is computed."""
    value = number(node)
    if value is not None:
        return bool(value != 0)
    if not levels:
        return False
    if node.op in (ones, size):  # there are no elements where a size is 0
        return True
    if node.op in (multiply, divide, negative, full) or node.op in _WHOLE_VIEWS:
        return all(_is_nonzero(operand, levels - 1) for operand in node.inputs)
    return False


_WHOLE_VIEWS = frozenset(
    (broadcast_to, expand_dims, squeeze, reshape, transpose, astype, distinct)
)


def _is_divided_by(node: Node, divisor: Node, levels: int = MOST_LEVELS) -> bool:
    """Whether a quotient by ``divisor`` is a factor of it: then it is no number where that is 0,
    and nothing is to be saved.
    """
    if not levels:
        return False
    if node.op is divide and node.inputs[1] is divisor:
        return True
    if node.op in (multiply, divide, add, subtract):
        return any(_is_divided_by(operand, divisor, levels - 1) for operand in node.inputs)
    if node.op in VIEWS:
        return _is_divided_by(node.inputs[0], divisor, levels - 1)
    return False


# -- adjoints of values of which some elements are not read ---------------------------------------


class Clears(IntEnum):
    """Which stores of 0 count: an adjoint forgets elements that a store of the user's replaced.

    An element that is read by its index is hardly one of them, if the store is made in any case.
    """

    NONE = 0
    CONDITIONAL = 1
    ALL = 2


def is_partly_zero(node: Node, clears: Clears = Clears.ALL) -> bool:
    """Whether elements are 0 for not being read, as far as the way it is computed shows."""
    work = current_builder()
    given = dict.fromkeys(work.partly_zero, True)
    known = work.found.setdefault((Unread, len(given)), {})
    return Unread(given, known)(node, clears)


def is_partly_zero_tape(tape: Node) -> bool:
    """Whether the values that a loop has recorded on it are so."""
    if tape.op is not item or tape.inputs[0].op is not loop:
        return False
    place = tape.attrs["index"] - LoopView(tape.inputs[0]).place(0)
    return place >= 0 and is_partly_zero(tape, Clears.CONDITIONAL)


class Unread:
    """Which adjoints have elements that are 0 for not being read; ``given`` says it of parameters
    of regions, ``proved`` what is known of nodes whatever is looked through above them.
    """

    def __init__(
        self, given: Mapping[Node, bool], proved: dict[tuple[Node, Clears], bool] | None = None
    ) -> None:
        self._given = given
        self._proved = {} if proved is None else proved
        self._known: dict[tuple[Node, Clears], bool] = {}
        self._level = 0
        self._incomplete = 0
        """How often nothing was found for there being too many levels."""

    def __call__(self, node: Node, clears: Clears) -> bool:
        """Whether some elements of ``node`` are."""
        if node in self._given:
            return self._given[node]
        key = node, clears
        if key in self._proved:
            return self._proved[key]
        if key not in self._known and self._level < MOST_LEVELS:
            before = self._incomplete
            self._level += 1
            found = self._found(node, clears)
            self._level -= 1
            if found or self._incomplete == before:
                self._proved[key] = found
                return found
            self._known[key] = found
        self._incomplete += 1
        return self._known.get(key, False)

    def _found(self, node: Node, clears: Clears) -> bool:
        op = node.op
        if op in (triu, tril, masked_divide):
            return True
        if op is item:
            return self._of_result(node.inputs[0], node.attrs["index"], clears)
        if op is divide or op in VIEWS:
            single = op is getitem and not node.ndim
            return self(node.inputs[0], min(clears, Clears.CONDITIONAL) if single else clears)
        if op in _WRITTEN:
            return self._of_written(node, clears)
        if op in (add, subtract):
            return all(self(operand, clears) for operand in node.inputs)
        return op in _JOINING and any(self(operand, clears) for operand in node.inputs)

    def _of_written(self, node: Node, clears: Clears) -> bool:
        """Whether some of the elements are zeros into which the others are written."""
        if node.op in (where, conditional_op):
            return self._have_zeros(node.inputs[1:], clears)
        counts = node.op is index_set and clears >= _clears_by(node)
        if counts and self._have_zeros(node.inputs[1:2], clears):
            return True
        return self._have_zeros(node.inputs[:1], clears)

    def _have_zeros(self, nodes: Iterable[Node], clears: Clears) -> bool:
        return any(_is_zero(n) or self(n, clears) for n in nodes)

    def _of_result(self, node: Node, index: int, clears: Clears) -> bool:
        """Whether this is so of a result of a loop or a branch, which may add nothing to it."""
        if node.op is loop:
            return self._of_loop(LoopView(node), index, clears)
        if node.op is branch:
            inside = Clears.ALL if clears else clears
            return any(
                self._in(arm, node.inputs[1:], arm.results[index], inside)
                for arm in BranchView(node).arms
            )
        if node.op is rerun:
            block = node.attrs["block"]
            return self._in(block, node.inputs, block.results[index], clears)
        return False

    def _in(self, region: Region, given: Sequence[Node], result: Node, clears: Clears) -> bool:
        """Of a result of a region; nothing that it is given there is a tape."""
        if _is_zero(result):
            return True
        known = {p: self(v, clears) for p, v in zip(region.params, given, strict=True)}
        return self._inside(known, result, clears)

    def _inside(self, given: Mapping[Node, bool], result: Node, clears: Clears) -> bool:
        """Of a result of a region, by what is known of its parameters."""
        inner = Unread(given)
        found = inner(result, clears)
        self._incomplete += inner._incomplete
        return found

    def _of_loop(self, view: LoopView, index: int, clears: Clears) -> bool:
        """Of a carried value or a tape. What an iteration changes need not be the whole."""
        if index == view.count:
            return False
        carried = index < view.count
        if carried:
            if self._have_zeros([view.node.inputs[index]], clears) and view.params[index].ndim:
                return True
            result = view.results[index]
        else:
            result = view.recorded[index - view.place(0)]
        if not isinstance(result.type, ArrayType):
            return False
        given = dict.fromkeys(view.params, False)
        for k, (param, operand) in enumerate(zip(view.params, view.node.inputs, strict=True)):
            if k >= view.count or param.array_type.ndim:
                given[param] = self(operand, clears)
        return self._inside(given, result, clears)


_JOINING = frozenset((multiply, concatenate, stack))
_WRITTEN = frozenset((where, conditional_op, index_set, index_add))


def _clears_by(node: Node) -> Clears:
    """Which stores have to count for this one to do so."""
    masked = any(array.dtype.kind == "b" for array in node.inputs[2:])
    return Clears.CONDITIONAL if masked else Clears.ALL


def _is_zero(node: Node) -> bool:
    return node.op is zeros or is_number(node, 0)


def may_be_unread(node: Node, levels: int = MOST_LEVELS) -> bool:
    """Whether all of it is 0 where a branch is taken that does not read the value."""
    if not levels:
        return False
    if node.op is item and node.inputs[0].op is branch:
        arms = BranchView(node.inputs[0]).arms
        return any(_is_zero(arm.results[node.attrs["index"]]) for arm in arms)
    if node.op in (multiply, divide) or node.op in VIEWS:
        return any(may_be_unread(operand, levels - 1) for operand in node.inputs[:2])
    return False


# -- quotients that cancel -----------------------------------------------------------------------


def without_factor(node: Node, factor: Node, levels: int = MOST_LEVELS) -> Node | None:
    """``node / factor`` where that stands in each of its terms, in the shape of ``node``: the
    limit where the factor is 0. None where it does not.
    """
    found = _cancelled(node, factor, levels)
    if found is None or known_same_shape(found.shape, node.shape):
        return found
    return broadcast_to(found, shape=node.shape)


def _cancelled(node: Node, factor: Node, levels: int) -> Node | None:
    if node is factor:
        return current_builder().lift(node.dtype.type(1))
    if not levels:
        return None
    below = levels - 1
    if node.op is integer_power and node.inputs[0] is factor and node.attrs["n"] > 1:
        return integer_power(factor, n=node.attrs["n"] - 1)
    if node.op is negative:
        rest = _cancelled(node.inputs[0], factor, below)
        return None if rest is None else -rest
    if node.op is multiply:
        for left, right in (node.inputs, node.inputs[::-1]):
            rest = _cancelled(left, factor, below)
            if rest is not None:
                return rest * right
    if node.op is divide:
        rest = _cancelled(node.inputs[0], factor, below)
        return None if rest is None else rest / node.inputs[1]
    if node.op in (add, subtract):
        return _sum_without(node, factor, below)
    return None


def _sum_without(node: Node, factor: Node, levels: int) -> Node | None:
    left, right = (_cancelled(operand, factor, levels) for operand in node.inputs)
    if left is None or right is None:
        return None
    made: Node = node.op(left, right)
    return made
