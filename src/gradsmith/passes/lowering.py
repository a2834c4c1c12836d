"""The last rewrite: composite ops in terms of what NumPy has, powers as products."""

from __future__ import annotations

from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node, is_users
from gradsmith.ir.intrinsics import is_number, number
from gradsmith.ops.arithmetic import add, divide, multiply, negative, subtract
from gradsmith.ops.compare import isfinite, logical_or, not_equal
from gradsmith.ops.conditional import conditional_op
from gradsmith.ops.powers import integer_power
from gradsmith.ops.quotients import is_tested, masked_divide
from gradsmith.ops.select import where
from gradsmith.ops.stable import LOWERINGS

MOST_PRODUCTS = 32
"""Exponents up to here become products: np.power costs as much as a hundred of them."""


def lower_composite(node: Node) -> Node | None:
    """A stable composite (sigmoid, softmax, …) written out; what they share is made once."""
    expand = LOWERINGS.get(node.op)
    return None if expand is None else expand(*node.inputs, **node.attrs)


def lower_power(node: Node) -> Node | None:
    """``x**5`` as ``x * (x**2)**2``: binary powering, squares stay squares."""
    if node.op is not integer_power or node.ndim == 0:
        return None  # of numbers the operator is as quick, and the last bit the user's
    if node.array_type.complex and is_users(node):
        return None  # products have other signs of zeros
    n = node.attrs["n"]
    if not 2 < n <= MOST_PRODUCTS:
        return None
    x = node.inputs[0]
    half = integer_power(integer_power(x, n=n // 2), n=2)
    return multiply(x, half) if n % 2 else half


def made_square(node: Node) -> Node | None:
    """The ``x * x`` there is for ``x**2``, and the other way round: the same bits."""
    if node.op not in (multiply, integer_power) or node.ndim == 0 or node.dtype.kind != "f":
        return None
    find = current_builder().find
    if node.op is integer_power and node.attrs["n"] == 2:
        return find(multiply, node.inputs[0], node.inputs[0])
    if node.op is multiply and node.inputs[0] is node.inputs[1]:
        return find(integer_power, node.inputs[0], n=2)
    return None


def shorter_mask(node: Node) -> Node | None:
    """``0 / y`` is 0 for all ``y`` but 0, so that ``x != 0`` is mask enough for ``x / y``.

    For derivatives it is not: where ``x`` is 0 by chance its own derivative counts.
    """
    if node.op is not masked_divide:
        return None
    mask, x, y = node.inputs
    shorter = is_tested(mask, _without_factor(x), y)
    return masked_divide(not_equal(x, 0), x, y) if shorter else None


def _without_factor(x: Node) -> Node:
    """``x`` but for a sign and a number as its factor."""
    while x.op is negative or (x.op is multiply and number(x.inputs[0])):
        x = x.inputs[-1]
    return x


def shorter_condition(node: Node) -> Node | None:
    """``0 * y`` is 0 for all finite ``y``, so that ``x != 0`` is enough for ``x * y`` as well."""
    if node.op not in (where, conditional_op) or node.inputs[0].op is not logical_or:
        return None
    nonzero, finite = node.inputs[0].inputs
    if not (_is_nonzero(nonzero) and finite.op is isfinite and is_number(node.inputs[2], 0)):
        return None
    product = _without_factor(node.inputs[1])
    wanted = {_without_factor(nonzero.inputs[0]), _without_factor(finite.inputs[0])}
    alike = product.op is multiply and set(map(_without_factor, product.inputs)) == wanted
    made: Node = node.op(nonzero, *node.inputs[1:])
    return made if alike else None


def _is_nonzero(node: Node) -> bool:
    return node.op is not_equal and is_number(node.inputs[1], 0)


def without_joint_mask(node: Node) -> Node | None:
    """The sum of ``x`` under one mask and ``y`` under another is 0 by itself where neither holds.

    Derivatives ask for the joint mask; what is computed does not.
    """
    if node.op not in (where, conditional_op) or node.inputs[0].op is not logical_or:
        return None
    mask, total, other = node.inputs
    return total if is_number(other, 0) and _is_masked(total, _alternatives(mask)) else None


def _alternatives(mask: Node) -> set[Node]:
    """The conditions of which one has to hold."""
    if mask.op is not logical_or:
        return {mask}
    return set.union(*map(_alternatives, mask.inputs))


def _is_masked(node: Node, masks: set[Node]) -> bool:
    """Whether it is a sum of terms that are 0 where their own one of the masks does not hold."""
    if node.op in (add, subtract, negative):
        return all(_is_masked(operand, masks) for operand in node.inputs)
    if node.op not in (where, conditional_op) or not is_number(node.inputs[2], 0):
        return False
    return _alternatives(node.inputs[0]) <= masks


def with_factor(node: Node) -> Node | None:
    """The numerator of an adjoint's quotient is a number: a factor is multiplied by it."""
    if node.op is not multiply or node.inputs[1].op not in (masked_divide, divide):
        return None
    factor, quotient = node.inputs
    *mask, x, y = quotient.inputs
    adjoint = mask or (node.span is not None and node.span.adjoint)
    if not adjoint or number(factor) is None or number(x) is None:
        return None
    made: Node = quotient.op(*mask, factor * x, y)
    return made


LOWERING = (
    *(lower_composite, lower_power, made_square),
    *(shorter_mask, shorter_condition, without_joint_mask, with_factor),
)
