"""Arrays that a loop fills with one number: ``np.ones(n)`` for a store in each iteration.

The adjoint of a sum over elements is such an array.
"""

from __future__ import annotations

import numpy as np

from gradsmith.ir import dims
from gradsmith.ir.graph import Graph, Node, users
from gradsmith.ir.intrinsics import item, number
from gradsmith.ir.parts import LoopView
from gradsmith.ops.create import full, ones, zeros
from gradsmith.ops.declare import as_node
from gradsmith.ops.index import index_set
from gradsmith.ops.index_key import Index
from gradsmith.ops.regions import loop
from gradsmith.passes.rewrite import rebuild


def filled_at_once(graph: Graph) -> Graph:
    """The graph with a new array for each that a loop fills with a number."""
    return rebuild(graph, _filled) if any(map(_is_filled, graph.nodes)) else graph


def _is_filled(node: Node) -> bool:
    return _filling(node) is not None


def _filled(node: Node) -> Node | None:
    value = _filling(node)
    if value is None:
        return None
    if value == 1:
        return ones(shape=node.shape, dtype=node.dtype)
    return full(as_node(np.asarray(value).item()), shape=node.shape, dtype=node.dtype)


def _filling(node: Node) -> complex | None:
    """The number that the result of a loop is filled with, if it is one."""
    if node.op is not item or node.inputs[0].op is not loop:
        return None
    view, k = LoopView(node.inputs[0]), node.attrs["index"]
    if k >= view.count or view.node.inputs[k].op is not zeros or not _is_over(view, node):
        return None
    param, store = view.params[k], view.results[k]
    if store.op is not index_set or store.inputs[0] is not param:
        return None
    if not _is_element(store, view) or users(view.body.nodes)[param] != [store]:
        return None
    found: complex | None = number(store.inputs[1])
    return found


def _is_over(view: LoopView, node: Node) -> bool:
    """Whether the loop goes once through the first axis of ``node``, and to its end."""
    whole = view.test is None and not view.leaves and node.ndim > 0
    return whole and view.range == (0, node.shape[0], 1)


def _is_element(store: Node, view: LoopView) -> bool:
    """Whether it writes the whole of the element at the loop's index."""
    symbol = view.index.attrs["symbol"]
    items = store.attrs["index"].items
    if symbol is None or len(store.inputs) > 2 or not items or items[0] != dims.of_atom(symbol):
        return False
    return Index(items[1:]).whole and not store.attrs["index"].grows
