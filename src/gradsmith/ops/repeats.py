"""Whether an index may name an element twice: then writes collide and additions accumulate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradsmith.ir.graph import Node
from gradsmith.ops.index_key import Index, Slice, is_mask


def may_repeat(index: Index, arrays: Sequence[Node]) -> bool:
    """False only where all indexed elements are known to be different ones.

    The index arrays are broadcast together. An axis of theirs is settled by an array that varies
    along it alone and never takes a value twice; with all axes but one settled, it is enough for
    the last one that some array does not repeat along it (``x[np.arange(n)[:, None], order]``).
    """
    operands = [arrays[item.position] for item in index.arrays]
    ndim = max((_ndim(a) for a in operands), default=0)
    settled: set[int] = set()
    distinct: set[int] = set()
    for operand in operands:
        lead = ndim - _ndim(operand)
        axes = {a + lead for a in _distinct_axes(operand) if not _is_one(operand, a)}
        distinct |= axes
        if len(axes) == 1 and _varies_along_one(operand):
            settled |= axes
    if _are_positions(operands):
        settled.add(ndim - 1)
    sizes_of_one = {
        axis for axis in range(ndim) if all(_is_one(a, axis - ndim + _ndim(a)) for a in operands)
    }
    open_axes = set(range(ndim)) - settled - sizes_of_one
    return len(open_axes) > 1 or not open_axes <= distinct


def writes_add_up(write: Node) -> bool:
    """Whether what ``write`` writes into zeros may as well be added to something else: not where
    an element is set twice, of which the last one stays.
    """
    return write.op.name == "index_add" or not may_repeat(write.attrs["index"], write.inputs[2:])


def _are_positions(operands: Sequence[Node]) -> bool:
    """Whether they are all that np.nonzero gives: no position comes twice."""
    items = [a for a in operands if a.op.name == "item" and a.inputs[0].op.name == "nonzero"]
    axes: dict[Node, set[int]] = {}
    for part in items:
        axes.setdefault(part.inputs[0], set()).add(part.attrs["index"])
    return any(len(found) == whole.inputs[0].ndim for whole, found in axes.items())


def _ndim(operand: Node) -> int:
    return 1 if is_mask(operand.array_type) else operand.ndim


def _is_one(operand: Node, axis: int) -> bool:
    return axis < 0 or (not is_mask(operand.array_type) and operand.shape[axis] == 1)


def _varies_along_one(operand: Node) -> bool:
    if is_mask(operand.array_type):
        return True
    return sum(size != 1 for size in operand.shape) <= 1


# -- along which axes an array of indices has no value twice -------------------------------------


def _distinct_axes(node: Node) -> set[int]:
    """The axes along which no two elements are equal, whatever the other positions."""
    return {0} if is_mask(node.array_type) else _of_numbers(node)


def _of_numbers(node: Node) -> set[int]:
    """The same of an array whose elements are taken as numbers, as truth values may be too."""
    rule = None if is_mask(node.array_type) else _RULES.get(node.op.name)
    return rule(node) if rule else set()


def _constant(node: Node) -> set[int]:
    values = np.asarray(node.attrs["value"].value)
    if values.size == 0 or (values.min() < 0 <= values.max()):
        return set()  # -1 and n - 1 may be the same place
    return {a for a in range(values.ndim) if np.all(np.diff(np.sort(values, axis=a), axis=a))}


def _arange(node: Node) -> set[int]:
    start, step = node.attrs["start"], node.attrs["step"]
    return {0} if isinstance(start, int) and start >= 0 and step > 0 else set()


def _argsort(node: Node) -> set[int]:
    axis = node.attrs.get("axis", -1)
    return {axis % node.ndim} if isinstance(axis, int) else set()


def _flatnonzero(node: Node) -> set[int]:
    return {0}


def _argwhere(node: Node) -> set[int]:
    return {0} if node.inputs[0].ndim == 1 else set()


def _item(node: Node) -> set[int]:
    """The first occurrences that np.unique finds."""
    whole = node.inputs[0]
    parts = whole.attrs["parts"] if whole.op.name == "unique" else ()
    return {0} if parts[node.attrs["index"] :][:1] == ("index",) else set()


def _expand_dims(node: Node) -> set[int]:
    old = [axis for axis in range(node.ndim) if axis not in node.attrs["axis"]]
    return {old[axis] for axis in _of_numbers(node.inputs[0])}


def _transpose(node: Node) -> set[int]:
    return {node.attrs["axes"].index(axis) for axis in _of_numbers(node.inputs[0])}


def _broadcast_to(node: Node) -> set[int]:
    operand = node.inputs[0]
    lead = node.ndim - operand.ndim
    return {a + lead for a in _of_numbers(operand) if operand.shape[a] == node.shape[a + lead]}


def _reshape(node: Node) -> set[int]:
    """Only where axes of size one come or go."""
    operand = node.inputs[0]
    old = [a for a, size in enumerate(operand.shape) if size != 1]
    new = [a for a, size in enumerate(node.shape) if size != 1]
    if [operand.shape[a] for a in old] != [node.shape[a] for a in new]:
        return set()
    return {new[old.index(a)] for a in _of_numbers(operand) if a in old}


def _getitem(node: Node) -> set[int]:
    """Slices and new axes keep what they read distinct."""
    items = list(node.attrs["index"].items)
    if not all(item is None or isinstance(item, Slice) for item in items):
        return set()
    items += [Slice(None, None)] * (node.ndim - len(items))
    kept = [axis for axis, item in enumerate(items) if item is not None]
    return {kept[axis] for axis in _of_numbers(node.inputs[0])}


def _same(node: Node) -> set[int]:
    return _of_numbers(node.inputs[0])


def _astype(node: Node) -> set[int]:
    """Positions are as different in another class of integers that has room for them; what a mask
    or fractions are as integers is not.
    """
    operand = node.inputs[0]
    room = node.dtype.kind in "iu" and node.dtype.itemsize >= min(operand.dtype.itemsize, 4)
    return _distinct_axes(operand) if operand.dtype.kind in "iu" and room else set()


def _add(node: Node) -> set[int]:
    """Adding a number that is not negative keeps distinct positions distinct."""
    if any(operand.dtype.kind not in "iu" for operand in node.inputs):
        return set()
    for operand, other in (node.inputs, reversed(node.inputs)):
        value: Any = other.attrs["value"].value if other.op.name == "constant" else -1
        if np.ndim(value) == 0 and value >= 0:
            return _of_numbers(operand)
    return set()


_RULES: dict[str, Callable[[Node], set[int]]] = {
    "constant": _constant,
    "arange": _arange,
    "argsort": _argsort,
    "flatnonzero": _flatnonzero,
    "argwhere": _argwhere,
    "item": _item,
    "expand_dims": _expand_dims,
    "transpose": _transpose,
    "broadcast_to": _broadcast_to,
    "reshape": _reshape,
    "getitem": _getitem,
    "copy": _same,
    "flip": _same,
    "astype": _astype,
    "add": _add,
}
