"""The last rewrite: composite ops in terms of what NumPy has, powers as products."""

from __future__ import annotations

from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ops.arithmetic import multiply
from gradsmith.ops.powers import integer_power
from gradsmith.ops.stable import LOWERINGS

MOST_PRODUCTS = 32
"""Exponents up to here become products: np.power costs as much as a hundred of them."""


def lower_composite(node: Node) -> Node | None:
    """A stable composite (sigmoid, softmax, …) written out; what they share is made once."""
    expand = LOWERINGS.get(node.op)
    return None if expand is None else expand(*node.inputs, **node.attrs)


def lower_power(node: Node) -> Node | None:
    """``x**5`` as ``x * (x**2)**2``: binary powering, squares stay squares."""
    if node.op is not integer_power:
        return None
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


LOWERING = (lower_composite, lower_power, made_square)
