"""Which values cannot be negative, or are positive, by the way they are computed.

A sum of squares that is 0 has its least value there. So the derivative that belongs to its root,
a distance or a norm, is 0 at that point, where that of the root itself is infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np

from gradsmith.ir import dims
from gradsmith.ir.context import builder_at_work
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import constant, item, size
from gradsmith.ir.op import Op
from gradsmith.ir.parts import LoopView
from gradsmith.ir.types import ArrayType
from gradsmith.ops import mathematics
from gradsmith.ops.arithmetic import add, divide, fabs, multiply, positive, reciprocal
from gradsmith.ops.complex import absolute, conj, real, scalar_absolute
from gradsmith.ops.conditional import conditional_op
from gradsmith.ops.contract import einsum
from gradsmith.ops.control import at_least_zero, distinct, finished_gradient, stop_gradient
from gradsmith.ops.create import eye, full, ones, zeros
from gradsmith.ops.cumulative import cumsum
from gradsmith.ops.elementwise import cbrt, cosh, exp, exp2, hypot, sqrt
from gradsmith.ops.extremes import (
    python_max,
    python_max_element,
    python_min,
    python_min_element,
)
from gradsmith.ops.index import gather, getitem, index_add, index_set
from gradsmith.ops.join import concatenate, stack
from gradsmith.ops.matmul import dot, matmul, vdot, vecdot
from gradsmith.ops.norms import norm
from gradsmith.ops.pick import diag, diagonal
from gradsmith.ops.powers import float_power, integer_power, power, real_power, square
from gradsmith.ops.products import reduce_prod
from gradsmith.ops.rearrange import repeat, roll, tile, tril, triu
from gradsmith.ops.reduce import reduce_max, reduce_min, reduce_sum
from gradsmith.ops.regions import branch, loop, rerun
from gradsmith.ops.scalars import python_float, widened
from gradsmith.ops.select import (
    clip,
    clip_above,
    clip_below,
    fmax,
    fmin,
    maximum,
    minimum,
    where,
)
from gradsmith.ops.sets import unique
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
from gradsmith.ops.stable import sigmoid, softmax, softplus
from gradsmith.ops.statistics import reduce_mean, reduce_std, reduce_var


class Sign(IntEnum):
    """What is known of all elements of a value."""

    UNKNOWN = 0
    NONNEGATIVE = 1
    POSITIVE = 2


MOST_LEVELS = 40
"""Operations that are looked through: longer chains have no known sign."""

Ask: TypeAlias = Callable[[Node], Sign]
Results: TypeAlias = dict[tuple[Node, tuple[Sign, ...]], tuple[Sign, ...]]


class Signs:
    """The signs of the nodes of a graph, by their operands; ``given`` says those of parameters.

    ``results`` keeps what is found of nodes with regions, by the signs of their operands, so that
    regions in regions are walked once each.
    """

    def __init__(
        self, given: Mapping[Node, Sign] | None = None, results: Results | None = None
    ) -> None:
        self._known: dict[Node, Sign] = dict(given or {})
        self._results: Results = {} if results is None else results
        self._unknown_from: dict[Node, int] = {}  # the level where nothing was found
        self._level = 0

    def __call__(self, node: Node) -> Sign:
        """The sign of ``node``."""
        found = self._known.get(node)
        if found is not None:
            return found
        if self._level >= self._unknown_from.get(node, MOST_LEVELS):
            return Sign.UNKNOWN
        self._level += 1
        try:
            sign = self._found(node)
        finally:
            self._level -= 1
        if sign:
            self._known[node] = sign
        else:
            self._unknown_from[node] = self._level
        return sign

    def _found(self, node: Node) -> Sign:
        if node.op is item:
            whole = node.inputs[0]
            if whole.op is unique:
                return _of_unique(whole.attrs["parts"][node.attrs["index"]])
            results = self.of_results(whole)
            return results[node.attrs["index"]] if results else Sign.UNKNOWN
        if not isinstance(node.type, ArrayType) or node.array_type.complex:
            return Sign.UNKNOWN
        rule = _RULES.get(node.op)
        return Sign.UNKNOWN if rule is None else rule(node, self)

    def of_results(self, node: Node) -> Sequence[Sign]:
        """The signs of the results of a loop, a branch or a region that is run again; of others
        none are known.
        """
        if node.op not in (branch, rerun, loop):
            return ()
        operands = self._operands(node)
        key = node, operands
        if key not in self._results:
            ends = self._ends(node, operands)
            self._results[key] = tuple(min(signs) for signs in zip(*ends, strict=True))
        return self._results[key]

    def of_params(self, node: Node, region: Region) -> Sequence[Sign]:
        """The signs of the parameters of one of the regions of ``node``."""
        operands = self._operands(node)
        if node.op is branch:
            return operands[1:]
        if node.op is not loop:
            return operands
        view = LoopView(node)
        given = self._in_body(view, operands)
        if region is view.body:
            return given
        return [*given[: 1 + view.count], *given[1 + view.tapes.stop :]]

    def _operands(self, node: Node) -> tuple[Sign, ...]:
        return tuple(
            self(x) if isinstance(x.type, ArrayType) else Sign.UNKNOWN for x in node.inputs
        )

    def _ends(self, node: Node, operands: tuple[Sign, ...]) -> list[list[Sign]]:
        """For each way through ``node`` the signs of its results."""
        if node.op is loop:
            view = LoopView(node)
            carried = self._in_body(view, operands)[1 : 1 + view.count]
            others = len(view.symbols) - view.count
            return [[*carried, *[Sign.UNKNOWN] * others]]
        given = operands[1:] if node.op is branch else operands
        return [self._in_region(region, given, region.results) for region in node.regions]

    def _in_body(self, view: LoopView, operands: tuple[Sign, ...]) -> list[Sign]:
        """The signs of the parameters of a loop's body, in every iteration."""
        given = [Sign.UNKNOWN, *operands]
        while True:  # what a loop carries has the sign that no iteration takes from it
            after = self._in_region(view.body, given, view.results)
            before = given[1 : 1 + view.count]
            weaker = [min(pair) for pair in zip(before, after, strict=True)]
            if weaker == before:
                return given
            given[1 : 1 + view.count] = weaker

    def _in_region(
        self, region: Region, given: Sequence[Sign], results: Sequence[Node]
    ) -> list[Sign]:
        ask = Signs(dict(zip(region.params, given, strict=True)), self._results)
        return [ask(result) for result in results]


def sign_of(node: Node) -> Sign:
    """The sign of a node by itself, in whatever graph it is."""
    builder = builder_at_work()
    if builder is None:
        return Signs()(node)
    if Signs not in builder.found:
        builder.found[Signs] = Signs()
    found: Sign = builder.found[Signs](node)
    return found


def _of_unique(part: str) -> Sign:
    """Of a result of ``np.unique``: how often an element occurs, or where."""
    return {"counts": Sign.POSITIVE, "values": Sign.UNKNOWN}.get(part, Sign.NONNEGATIVE)


# -- rules: the sign of a result from those of its operands --------------------------------------


def _of_values(value: Any) -> Sign:
    array = np.asarray(value)
    if array.dtype.kind == "b" or not array.size:
        return Sign.NONNEGATIVE
    if array.dtype.kind not in "iuf" or not np.all(array >= 0):
        return Sign.UNKNOWN
    return Sign.POSITIVE if np.all(array > 0) else Sign.NONNEGATIVE


def _constant(node: Node, ask: Ask) -> Sign:
    return _of_values(node.attrs["value"].value)


def _size(node: Node, ask: Ask) -> Sign:
    value = node.attrs["value"]
    return Sign.POSITIVE if dims.settled(">", value, 0) is True else Sign.UNKNOWN


def _even(x: Node, ask: Ask) -> Sign:
    """Of an even power of ``x``."""
    if x.array_type.complex:
        return Sign.UNKNOWN
    return Sign.POSITIVE if ask(x) is Sign.POSITIVE else Sign.NONNEGATIVE


def _integer_power(node: Node, ask: Ask) -> Sign:
    n, x = node.attrs["n"], node.inputs[0]
    return _even(x, ask) if n % 2 == 0 else ask(x)


def _multiply(node: Node, ask: Ask) -> Sign:
    """Of a product, also of one whose squares are taken apart: ``2 * x * x``."""
    left, right = node.inputs
    if left is right:
        return _even(left, ask)
    found = min(ask(left), ask(right))
    if found:
        return found
    factors = _factors(node)
    odd = [factor for factor in factors if factors.count(factor) % 2]
    return min((*map(ask, odd), Sign.NONNEGATIVE))


def _factors(node: Node) -> list[Node]:
    found: list[Node] = []
    stack_ = [node]
    while stack_ and len(found) + len(stack_) <= MOST_FACTORS:
        part = stack_.pop()
        if part.op is multiply:
            stack_.extend(part.inputs)
        else:
            found.append(part)
    return found + stack_


MOST_FACTORS = 8


def _add(node: Node, ask: Ask) -> Sign:
    left, right = map(ask, node.inputs)
    return max(left, right) if left and right else Sign.UNKNOWN


def _least(node: Node, ask: Ask) -> Sign:
    """Of what is computed from values of one sign without leaving it."""
    return min(map(ask, node.inputs))


def _first(node: Node, ask: Ask) -> Sign:
    return ask(node.inputs[0])


def _greatest(node: Node, ask: Ask) -> Sign:
    return max(map(ask, node.inputs))


def _nonnegative(node: Node, ask: Ask) -> Sign:
    return Sign.NONNEGATIVE


def _absolute(node: Node, ask: Ask) -> Sign:
    return _even(node.inputs[0], ask) or Sign.NONNEGATIVE


def _vanishing(node: Node, ask: Ask) -> Sign:
    """Of what has zeros besides elements of its operand."""
    return min(ask(node.inputs[0]), Sign.NONNEGATIVE)


def _astype(node: Node, ask: Ask) -> Sign:
    x = node.inputs[0]
    if x.dtype.kind == "b":
        return Sign.NONNEGATIVE
    if x.array_type.complex:
        return Sign.UNKNOWN
    narrower = node.dtype.kind in "iu" or node.dtype.itemsize < x.dtype.itemsize
    return min(ask(x), Sign.NONNEGATIVE) if narrower else ask(x)


def _real(node: Node, ask: Ask) -> Sign:
    """``(conj(z) * z).real``."""
    product = node.inputs[0]
    if product.op is multiply:
        left, right = product.inputs
        for z, other in ((left, right), (right, left)):
            if other.op is conj and other.inputs[0] is z:
                return Sign.NONNEGATIVE
    return Sign.UNKNOWN


def _where(node: Node, ask: Ask) -> Sign:
    return min(ask(node.inputs[1]), ask(node.inputs[2]))


def _written(node: Node, ask: Ask) -> Sign:
    return min(ask(node.inputs[0]), ask(node.inputs[1]))


def _added_to(node: Node, ask: Ask) -> Sign:
    base, update = ask(node.inputs[0]), ask(node.inputs[1])
    return base if update else Sign.UNKNOWN


def _inner(node: Node, ask: Ask) -> Sign:
    """Of products that are summed: of a vector with itself it is a sum of squares."""
    left, right = node.inputs
    if left is right and (left.ndim == 1 or node.op in (vdot, vecdot)):
        return Sign.NONNEGATIVE if not left.array_type.complex else Sign.UNKNOWN
    return min(ask(left), ask(right), Sign.NONNEGATIVE)


def _einsum(node: Node, ask: Ask) -> Sign:
    left, right = node.attrs["subscripts"].split("->")[0].split(",")
    if node.inputs[0] is node.inputs[1] and left == right:
        return Sign.NONNEGATIVE
    return min((*map(ask, node.inputs), Sign.NONNEGATIVE))


_RULES: dict[Op, Callable[[Node, Ask], Sign]] = {
    constant: _constant,
    size: _size,
    integer_power: _integer_power,
    square: lambda node, ask: _even(node.inputs[0], ask),
    multiply: _multiply,
    add: _add,
    divide: _least,
    positive: _first,
    reciprocal: _first,
    absolute: _absolute,
    scalar_absolute: _absolute,
    fabs: _absolute,
    real: _real,
    norm: _nonnegative,
    hypot: _nonnegative,
    reduce_var: _nonnegative,
    reduce_std: _nonnegative,
    **dict.fromkeys((exp, exp2, sigmoid, softplus, softmax), _nonnegative),  # they underflow
    cosh: lambda node, ask: Sign.POSITIVE,
    ones: lambda node, ask: Sign.POSITIVE,
    zeros: _nonnegative,
    eye: _nonnegative,
    full: _first,
    **dict.fromkeys((sqrt, cbrt, at_least_zero), _first),
    **dict.fromkeys((mathematics.sqrt, widened), _first),
    **dict.fromkeys((mathematics.exp, mathematics.hypot), _nonnegative),
    mathematics.cosh: lambda node, ask: Sign.POSITIVE,
    mathematics.fabs: _absolute,
    real_power: lambda node, ask: min(ask(node.inputs[0]), Sign.NONNEGATIVE),
    python_max: _greatest,
    python_min: _least,
    conditional_op: _where,
    power: lambda node, ask: min(ask(node.inputs[0]), Sign.NONNEGATIVE),
    float_power: lambda node, ask: min(ask(node.inputs[0]), Sign.NONNEGATIVE),
    maximum: _greatest,
    fmax: _greatest,
    clip_below: _greatest,
    **dict.fromkeys((minimum, fmin, clip_above), _least),
    clip: lambda node, ask: min(max(map(ask, node.inputs[:2])), ask(node.inputs[2])),
    where: _where,
    mathematics.pow_: lambda node, ask: min(ask(node.inputs[0]), Sign.NONNEGATIVE),
    index_set: _written,
    index_add: _added_to,
    **dict.fromkeys((getitem, gather, reshape, transpose, expand_dims, squeeze), _first),
    **dict.fromkeys((flip, copy, broadcast_to, distinct, stop_gradient, python_float), _first),
    **dict.fromkeys((finished_gradient, diagonal, roll, repeat, tile, cumsum), _first),
    **dict.fromkeys((reduce_sum, reduce_mean, reduce_max, reduce_min, reduce_prod), _first),
    **dict.fromkeys((python_max_element, python_min_element), _first),
    **dict.fromkeys((triu, tril, diag), _vanishing),
    **dict.fromkeys((concatenate, stack), _least),
    **dict.fromkeys((matmul, dot, vdot, vecdot), _inner),
    einsum: _einsum,
    astype: _astype,
}
