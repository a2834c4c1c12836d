"""Order of elements in memory: what NumPy decides by strides, as far as it can be foreseen.

Whether ``x.reshape(-1)`` is a view of ``x`` or a copy only matters where one of the two is
written. Where it cannot be told, such a write, or a read after it, is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradsmith.frontend.storage import ALWAYS, Order, Storage, View, ViewStep
from gradsmith.frontend.trace import current_trace
from gradsmith.ir.dims import Shape
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import constant, item, parameter
from gradsmith.ops.index import gather, getitem
from gradsmith.ops.index_key import ELLIPSIS, NEWAXIS, Array, Slice
from gradsmith.ops.matmul import dot, matmul
from gradsmith.ops.shape import broadcast_to, expand_dims, reshape, squeeze
from gradsmith.ops.sorting import argwhere

LIKE = (np.zeros_like, np.ones_like, np.full_like, np.empty_like)
"""Functions whose result is laid out as their first argument."""
CONVERSIONS = (np.ravel, np.ascontiguousarray, np.asfortranarray)
"""Functions that copy what does not lie in memory so, and return what does or a view of it."""
COPYING = (np.take,)
"""Functions that copy what an index of integers alone would show as a view."""
WRITABLE = (np.einsum, np.broadcast_arrays, np.meshgrid)
"""Functions whose views NumPy lets be written to, also those that show an element twice."""
DEEPEST = 12
"""Nodes that one NumPy function may be made of, from its result down to its arguments."""


# -- what is a view ------------------------------------------------------------------------------


def is_view(view: View, step: ViewStep) -> bool:
    """Whether ``step``, a reshape of ``view``, surely shares its memory."""
    before = _without_ones(step.inputs[0].shape)
    if len(before) < 2 or before == _without_ones(step.shape):  # whatever the strides
        return True
    return _relied_on(view.storage) if _is_contiguous(view.path) else False


def is_converted(function: Any, view: View, shape: Shape) -> bool:
    """Whether the view, of that shape, surely lies in memory as ``function`` converts to."""
    flat = len(_without_ones(shape)) < 2
    if not _is_contiguous(view.path) or (function is np.asfortranarray and not flat):
        return False
    return _relied_on(view.storage)


def _relied_on(storage: Storage) -> bool:
    """Whether its elements lie in C order; the next call must agree if it is ever written to."""
    trace = current_trace()
    if storage.order is None or trace is None:
        return storage.order is not None
    for name in sorted(storage.order):
        trace.layouts[name, storage] = None
    return True


def _is_contiguous(path: tuple[ViewStep, ...]) -> bool:
    """Whether the path, from an array in C order, shows elements that lie next to each other."""
    return all(
        step.op in (reshape, expand_dims, squeeze)
        or (step.op is getitem and _is_block(step.attrs["index"].items))
        for step in path
    )


def _is_block(items: tuple[Any, ...]) -> bool:
    """``x[i, a:b]``: integers, then one slice; all else is whole."""
    cut = [item for item in items if item not in (NEWAXIS, ELLIPSIS, Slice(None, None))]
    wholes = [i for i, item in enumerate(items) if item == Slice(None, None)]
    slices = [i for i, item in enumerate(items) if isinstance(item, Slice) and i not in wholes]
    if any(isinstance(item, Array) for item in cut) or len(slices) > 1:
        return False
    last = max((i for i, item in enumerate(items) if item in cut), default=-1)
    one_step = all(items[i].step in (None, 1) for i in slices)
    return one_step and all(i == last for i in slices) and all(i > last for i in wholes)


# -- the order of new arrays ---------------------------------------------------------------------


def order_of_view(view: View) -> Order:
    """That of what NumPy makes of the view element by element."""
    return view.storage.order if all(map(_keeps_order, view.path)) else None


def order_of_copy(view: View) -> Order:
    """That of a copy as it lies in memory."""
    contiguous = _is_contiguous(view.path) or len(_without_ones(view.read().shape)) < 2
    return view.storage.order if contiguous else None


def _keeps_order(step: ViewStep) -> bool:
    if step.op in (reshape, expand_dims, squeeze, broadcast_to):
        return True
    items = step.attrs["index"].items if step.op is getitem else None
    return items is not None and not any(isinstance(item, Array) for item in items)


def order_of_result(result: Node, owners: Mapping[Node, View], levels: int = DEEPEST) -> Order:
    """That of a new array: C where all that it is made of is in C order, else unknown."""
    if len(_without_ones(result.shape)) < 2 or result.op in (matmul, dot):
        return ALWAYS
    if result in owners:
        return order_of_view(owners[result])
    if result.op is constant:
        return ALWAYS if result.attrs["value"].value.flags.c_contiguous else None
    if not levels or not _makes_c_order(result):
        return None
    orders = [order_of_result(operand, owners, levels - 1) for operand in result.inputs]
    known = [order for order in orders if order is not None]
    return frozenset().union(*known) if len(known) == len(orders) else None


def _makes_c_order(node: Node) -> bool:
    """Whether it makes an array in C order of such arrays."""
    if node.op in (parameter, item, argwhere):
        return False
    if node.op is gather:  # axes that are picked from come first in memory
        return isinstance(node.attrs["index"].items[0], Array)
    return node.op.view is None or _keeps_order(node)


def _without_ones(shape: Shape) -> Shape:
    return tuple(size for size in shape if size != 1)
