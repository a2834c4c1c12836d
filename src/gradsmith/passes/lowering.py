"""The last rewrite: composite ops in terms of what NumPy has, powers as products."""

from __future__ import annotations

from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import is_number, number
from gradsmith.ops.arithmetic import multiply, negative
from gradsmith.ops.compare import isfinite, logical_or, not_equal
from gradsmith.ops.conditional import conditional_op
from gradsmith.ops.powers import integer_power
from gradsmith.ops.quotients import masked_divide
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
    if node.op is not masked_divide or node.inputs[0].op is not logical_or:
        return None
    mask, x, y = node.inputs
    sides = {side.inputs[0] for side in mask.inputs if _is_nonzero(side)}
    return masked_divide(not_equal(x, 0), x, y) if sides == {_without_factor(x), y} else None


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


def with_factor(node: Node) -> Node | None:
    """The numerator of a masked quotient is a number: a factor is multiplied by it."""
    if node.op is not multiply or node.inputs[1].op is not masked_divide:
        return None
    factor, quotient = node.inputs
    mask, x, y = quotient.inputs
    if number(factor) is None or number(x) is None:
        return None
    return masked_divide(mask, factor * x, y)


LOWERING = (
    *(lower_composite, lower_power, made_square),
    *(shorter_mask, shorter_condition, with_factor),
)
