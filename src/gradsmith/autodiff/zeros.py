"""Adjoints as they grow: symbolic zeros, masks that keep zeros exact, accumulation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gradsmith.autodiff.finiteness import Extent, extent_of
from gradsmith.autodiff.growth import overflowing
from gradsmith.autodiff.poles import is_partly_zero, may_be_unread, needs_guard, without_factor
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import is_number, number
from gradsmith.ir.op import Masked, Pole
from gradsmith.ir.types import broadcast, known_same_shape, result_dtype
from gradsmith.ops.arithmetic import add, multiply, negative
from gradsmith.ops.compare import (
    NEGATIONS,
    invert,
    isfinite,
    logical_and,
    logical_or,
    not_equal,
)
from gradsmith.ops.complex import conjugated
from gradsmith.ops.conditional import conditional, conditional_op, is_number_type
from gradsmith.ops.create import zeros
from gradsmith.ops.index import index_add, index_set, take_part
from gradsmith.ops.manipulate import broadcasted
from gradsmith.ops.quotients import can_divide, is_tested, masked_divide
from gradsmith.ops.repeats import writes_add_up
from gradsmith.ops.select import where
from gradsmith.ops.shape import broadcast_to, expand_dims, reshape, squeeze, transpose


def is_zero(node: Node) -> bool:
    """Whether it is the constant 0."""
    return node.op is zeros or is_number(node, 0)


def _is_scatter(node: Node) -> bool:
    """Whether it is zeros with something written or added in part, which may go elsewhere."""
    written = node.op in (index_add, index_set) and is_zero(node.inputs[0])
    return written and writes_add_up(node)


def masked_parts(node: Node) -> tuple[Node, Node] | None:
    """``(mask, value)`` of a node that is exactly 0 where the mask does not hold."""
    if node.op in (where, conditional_op) and is_zero(node.inputs[2]):
        condition, value, _ = node.inputs
        whole = broadcast(condition.shape, value.shape) == node.shape  # the zeros may be larger
        return (condition, value) if whole else None
    if node.op is negative or _is_multiple(node):
        inner = masked_parts(node.inputs[-1])
        return None if inner is None else (inner[0], node.op(*node.inputs[:-1], inner[1]))
    if node.op in LOOKS:
        inner = masked_parts(node.inputs[0])
        if inner is not None:
            seen, value = _seen_through(node, inner[0]), _seen_through(node, inner[1])
            if seen.ndim == value.ndim == 0 and node.ndim:  # one of them has the whole shape
                value = broadcast_to(value, shape=node.shape)
            return seen, value
    return None


def _is_multiple(node: Node) -> bool:
    """Whether it is a finite number times something."""
    factor = number(node.inputs[0]) if node.op is multiply else None
    return type(factor) is int or (factor is not None and bool(np.isfinite(factor)))


LOOKS = (broadcast_to, expand_dims, squeeze, reshape, transpose)
"""Ways to look at a whole array: a mask around the array is a mask around what they show."""


def _seen_through(view: Node, part: Node) -> Node:
    """``part`` of a masked value as the view of the whole shows it."""
    if part.ndim == 0:
        return part  # broadcasts by itself
    whole = view.inputs[0].shape
    return view.op(part if part.shape == whole else broadcast_to(part, shape=whole), **view.attrs)


def scale(g: Node, partial: Any, *, conjugate: bool = True) -> Node | None:
    """``g`` times the partial (conjugated, in reverse mode); None where that is zero.

    Where ``g`` or the partial is masked, the mask goes around the product: an inf or nan of the
    partial in a place that was never taken does not meet the zero there.
    """
    if isinstance(partial, Masked):
        inner = scale(g, partial.partial, conjugate=conjugate)
        return None if inner is None else mask(partial.mask, inner)
    if isinstance(partial, Pole):
        return _scale_by_pole(g, partial, conjugate=conjugate)
    if isinstance(partial, (int, float)):
        return _scale_by_number(g, partial)
    if is_zero(partial):
        return None
    if not conjugate:
        quotient = _into_quotient(g, partial)
        if quotient is not None:
            return quotient
    parts = masked_parts(g)
    factor = conjugated(partial) if conjugate else partial
    if parts is not None:
        return mask(parts[0], _product(parts[1], factor))
    return _scale_part(g, factor) if _is_taken_by_mask(g) else _product(g, factor)


def _product(g: Node, factor: Node) -> Node:
    """``g * factor``; 0 where one of them overflows, if that is the limit, or nothing reads it."""
    product = multiply(g, factor)
    large = overflowing(g, factor)
    if large is not None:
        return mask(isfinite(large), product)
    if extent_of(factor) and is_partly_zero(g) and _may_meet(factor, g):
        return mask(logical_or(not_equal(g, 0), isfinite(factor)), product)
    return product


def _may_meet(factor: Node, g: Node) -> bool:
    """Whether elements of ``g`` that are not read may be multiplied with an infinite element where
    those that are read are not: not by a number that all of ``g`` is divided by.
    """
    return not g.ndim or may_be_unread(g) or bool(extent_of(factor, single=True))


def _scale_by_pole(g: Node, pole: Pole, *, conjugate: bool) -> Node | None:
    """``g`` times a partial that may be infinite, where ``g`` may be 0."""
    parts = masked_parts(g)
    if parts is not None:
        inner = _scale_by_pole(parts[1], pole, conjugate=conjugate)
        return None if inner is None else mask(parts[0], inner)
    if _is_taken_by_mask(g) and _has_shape_of(g, pole.divisor):
        return _scale_taken(g, pole, conjugate=conjugate)
    if not needs_guard(g, pole, forward=not conjugate):
        return scale(g, pole.plain, conjugate=conjugate)
    if not pole.order:
        finite = _is_divisor(pole.divisor) if pole.finite is None else pole.finite
        some = logical_or(not_equal(g, 0), finite)
        found = scale(g, pole.plain, conjugate=conjugate)
        return None if found is None else mask(some, found)
    found = g
    for _ in range(pole.order):
        rest = without_factor(found, pole.divisor)
        found = _guarded(found, pole) if rest is None else rest
    return scale(found, pole.numerator, conjugate=conjugate)


def _scale_taken(scatter: Node, pole: Pole, *, conjugate: bool) -> Node | None:
    """The same of what is scattered by a mask: of its part alone, see `_scale_part`."""
    base, update, *arrays = scatter.inputs

    def taken(value: Any) -> Any:
        if not isinstance(value, Node) or not value.ndim:
            return value
        return take_part(broadcasted(value, scatter.shape), *arrays, **scatter.attrs)

    inside = replace(
        pole,
        plain=taken(pole.plain),
        divisor=taken(pole.divisor),
        numerator=taken(pole.numerator),
        mask=taken(pole.mask),
        finite=taken(pole.finite),
    )
    found = _scale_by_pole(update, inside, conjugate=conjugate)
    return None if found is None else index_add(base, found, *arrays, **scatter.attrs)


def _has_shape_of(scatter: Node, factor: Node) -> bool:
    """Whether a product with ``factor`` has the type of the scatter."""
    update = scatter.inputs[1]
    whole = broadcast(scatter.shape, factor.shape) == scatter.shape
    return whole and result_dtype(update.array_type, factor.array_type) == scatter.dtype


def _guarded(g: Node, pole: Pole) -> Node:
    """``g / divisor``, and 0 where both are 0; where the derivative vanishes, wherever the
    divisor is 0.
    """
    divisor = pole.divisor
    if pole.mask is not None:
        return masked_divide(pole.mask, g, divisor)
    condition = _is_divisor(divisor)
    if not pole.vanishes:
        condition = logical_or(not_equal(g, 0), condition)
    return masked_divide(condition, g, divisor)


def _is_divisor(divisor: Node) -> Node:
    """Where it can be divided by: it is not 0, and a number."""
    maybe_nan = extent_of(divisor) is Extent.NAN and not divisor.array_type.complex
    return can_divide(divisor, maybe_nan=maybe_nan)


def _into_quotient(tangent: Node, partial: Node) -> Node | None:
    """A tangent that is infinite where it is divided by 0, times a factor that may be 0 there, as
    the quotient of the product: 0 as in reverse mode.
    """
    if tangent.op is negative or _is_multiple(tangent):
        inner = _into_quotient(tangent.inputs[-1], partial)
        return None if inner is None else tangent.op(*tangent.inputs[:-1], inner)
    if tangent.op is not masked_divide or not is_tested(*tangent.inputs):
        return None
    _, numerator, divisor = tangent.inputs
    product = multiply(numerator, partial)
    condition = logical_or(not_equal(product, 0), _is_divisor(divisor))
    return masked_divide(condition, product, divisor)


def _is_taken_by_mask(node: Node) -> bool:
    """Whether it is zeros but for the part that a mask takes."""
    return _is_scatter(node) and any(array.dtype == bool for array in node.inputs[2:])


def _scale_part(scatter: Node, factor: Node) -> Node:
    """The product of what is scattered by a mask, made of its part alone: what an inf or nan of
    the factor meets elsewhere is no number, but nothing.
    """
    base, update, *arrays = scatter.inputs
    if not _has_shape_of(scatter, factor):
        return multiply(scatter, factor)
    part = take_part(broadcasted(factor, scatter.shape), *arrays, **scatter.attrs)
    return index_add(base, multiply(update, part), *arrays, **scatter.attrs)


def _scale_by_number(g: Node, number: float) -> Node | None:
    if number == 0:
        return None
    if number == 1:
        return g
    return negative(g) if number == -1 else multiply(number, g)


def mask(condition: Node, value: Node) -> Node:
    """``value`` where the condition holds, exactly 0 elsewhere."""
    parts = masked_parts(value)
    if parts is not None:
        return chosen(logical_and(condition, parts[0]), parts[1], 0)
    return chosen(condition, value, 0)


def chosen(condition: Node, x: Node, y: Any) -> Node:
    """``x`` where the condition holds, ``y`` elsewhere; of numbers a conditional expression."""
    number = not condition.ndim and is_number_type(x.array_type)
    if number and (not isinstance(y, Node) or y.type == x.type):
        return conditional(condition, x, y)
    return where(condition, x, y)


def _opposite(left: Node, right: Node) -> bool:
    """Whether one mask is written as the negation of the other."""
    negations = (*NEGATIONS, invert)
    return (left.op in negations and left.inputs[0] is right) or (
        right.op in negations and right.inputs[0] is left
    )


def _scattered(total: Node, term: Node) -> Node | None:
    """The sum where one of them is a scatter: that goes into the other."""
    if not _is_scatter(term):
        return index_add(term, *total.inputs[1:], **total.attrs) if _is_scatter(total) else None
    if _is_taken_by_mask(term) and _same_places(total, term):
        base, update, *arrays = total.inputs
        return index_add(base, add(update, term.inputs[1]), *arrays, **total.attrs)
    return index_add(total, *term.inputs[1:], **term.attrs)


def _same_places(left: Node, right: Node) -> bool:
    """Whether two scatters write to the same places."""
    places = left.inputs[2:] == right.inputs[2:] and left.attrs == right.attrs
    return _is_scatter(left) and places


def accumulate(total: Node | None, term: Node | None) -> Node | None:
    """``total + term`` with symbolic zeros; scatters go into the total, masks are kept."""
    if total is None or term is None:
        return term if total is None else total
    if is_zero(total):
        return term
    alike = known_same_shape(total.shape, term.shape) and total.dtype == term.dtype
    scattered = _scattered(total, term) if alike else None
    if scattered is not None:
        return scattered
    left, right = masked_parts(total), masked_parts(term)
    if left is not None and right is not None:
        if left[0] is right[0]:
            return chosen(left[0], add(left[1], right[1]), 0)
        if _opposite(left[0], right[0]):
            return chosen(left[0], left[1], right[1])
        return chosen(logical_or(left[0], right[0]), add(total, term), 0)
    return add(total, term)
