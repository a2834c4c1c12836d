"""Rules for sums in adjoints: what is the same for all terms comes out of the sum.

A pass over the terms less for each; the last bit may change.
"""

from __future__ import annotations

import numpy as np

from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.types import known_same_shape
from gradsmith.ops.arithmetic import divide, multiply, negative
from gradsmith.ops.matmul import vdot
from gradsmith.ops.reduce import reduce_sum
from gradsmith.ops.shape import expand_dims, squeeze
from gradsmith.passes.algebra import as_precise, guarded
from gradsmith.passes.pattern import Apply, Wild
from gradsmith.passes.rewrite import Rule

Axes = tuple[int, ...]


def _is_constant_along(node: Node, axis: Axes, ndim: int) -> bool:
    """Whether ``node``, broadcast to ``ndim`` axes, is the same all along ``axis``."""
    lead = ndim - node.ndim
    return all(a < lead or node.shape[a - lead] == 1 for a in axis)


def _without_axes(node: Node, axis: Axes, ndim: int, *, keepdims: bool) -> Node:
    """What is constant along ``axis`` in the shape that a sum over ``axis`` leaves."""
    lead = ndim - node.ndim
    own = tuple(a - lead for a in axis if a >= lead)
    if keepdims or not own:
        return node
    free = _dropped(node, own)
    return squeeze(node, axis=own) if free is None else free


# -- axes of size one that need not have been kept ------------------------------------------------


def _dropped(node: Node, axis: Axes) -> Node | None:
    """``node`` without these axes, where that takes no step of its own."""
    attrs = node.attrs
    if not axis:
        return node
    if node.op is expand_dims and attrs["axis"] == axis:
        return node.inputs[0]
    if node.op is reduce_sum and attrs["keepdims"] and attrs["axis"] == axis:
        return reduce_sum(node.inputs[0], **{**attrs, "keepdims": False})
    return _dropped_from_operands(node, axis)


def _dropped_from_operands(node: Node, axis: Axes) -> Node | None:
    if node.op not in (multiply, divide, negative) or node in current_builder().names:
        return None
    operands: list[Node] = []
    for operand in node.inputs:
        lead = node.ndim - operand.ndim
        found = _dropped(operand, tuple(a - lead for a in axis if a >= lead))
        if found is None:
            return None
        operands.append(found)
    return node.op(*operands)


# -- factors --------------------------------------------------------------------------------------

DEEPEST = 4
"""How far a product is taken apart: the cost of each sum stays bounded."""


class _Product:
    """A product: factors that vary along ``axis``, and those that do not, over and under it."""

    def __init__(self, axis: Axes, root: Node) -> None:
        self.axis = axis
        self.root = root
        self.over: list[Node] = []
        self.under: list[Node] = []

    def varying(self, node: Node, depth: int = 0) -> Node | None:
        """``node`` without its constant factors, which are kept; None where nothing is left."""
        if self._is_constant(node):
            self.over.append(node)
            return None
        if depth == DEEPEST or (depth and node in current_builder().names):
            return node
        if not as_precise(node, self.root):
            return node  # a product of integers may have wrapped around
        if node.op is multiply:
            left, right = (self.varying(operand, depth + 1) for operand in node.inputs)
            return right if left is None else left if right is None else left * right
        if node.op is divide and self._is_constant(node.inputs[1]):
            self.under.append(node.inputs[1])
            return self.varying(node.inputs[0], depth + 1)
        return node

    def _is_constant(self, node: Node) -> bool:
        precise = as_precise(node, self.root)
        return precise and _is_constant_along(node, self.axis, self.root.ndim)


def _factored(root: Node, terms: Node, **_: Node) -> Node | None:
    """``b * sum(x) / c`` for ``sum(b * x / c)``."""
    axis, keepdims, ndim = root.attrs["axis"], root.attrs["keepdims"], terms.ndim
    if any(terms.shape[a] == 0 for a in axis):
        return None  # 0 and not inf * 0
    product = _Product(axis, terms)
    rest = product.varying(terms)
    if rest is None or rest.ndim < ndim or not (product.over or product.under):
        return None
    total = reduce_sum(rest, **root.attrs)
    for factor in product.over:
        total = _without_axes(factor, axis, ndim, keepdims=keepdims) * total
    for divisor in product.under:
        total = total / _without_axes(divisor, axis, ndim, keepdims=keepdims)
    return total


def _dot(root: Node, x: Node, y: Node) -> Node | None:
    """``vdot(x, y)`` for ``sum(x * y)``: no array of the products.

    Not in single precision, where np.sum adds in pairs to keep digits that BLAS may lose.
    """
    whole = len(root.attrs["axis"]) == x.ndim > 1 and not root.attrs["keepdims"]
    double = x.dtype == y.dtype == np.float64
    return vdot(x, y) if whole and double and known_same_shape(x.shape, y.shape) else None


X, Y = Wild("x"), Wild("y")
PRODUCTS = (Apply(multiply, (X, Y), "terms"), Apply(divide, (X, Y), "terms"))


def _sum(of: Apply) -> Apply:
    return Apply(reduce_sum, (of,), "root")


def _squeezed(root: Node, terms: Node, **_: Node) -> Node | None:
    return _dropped(terms, root.attrs["axis"])


REDUCTIONS = [
    *(
        Rule(Apply(squeeze, (product,), "root"), _squeezed)
        for product in (*PRODUCTS, Apply(negative, (X,), "terms"))
    ),
    *map(
        guarded,
        [
            Rule(_sum(Apply(negative, (X,))), lambda root, x: -reduce_sum(x, **root.attrs)),
            *(Rule(_sum(product), _factored) for product in PRODUCTS),
            Rule(_sum(Apply(multiply, (X, Y))), _dot),
        ],
    ),
]
