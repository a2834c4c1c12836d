"""How many elements of a mask are true: a size that is known only while running."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Dim, Size, Symbol
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import Literal
from gradsmith.ops.index_key import Index

_digests: WeakKeyDictionary[Builder, dict[Node, int]] = WeakKeyDictionary()


def mask_count(mask: Node) -> Size:
    """The number of true elements of ``mask``, the same for the same node.

    Its name is a digest of how the mask is computed: whichever builder makes it, and in
    whichever order, equal masks have equal counts and others have others.
    """
    if mask.op.name == "constant":
        return int(np.count_nonzero(mask.attrs["value"].value))
    known = _digests.setdefault(current_builder(), {})
    for node in _unseen(mask, known):
        known[node] = _digest(node, known)
    name = f"count_{known[mask]:08x}"
    return dims.symbol(name, dims.hint(mask.array_type.size), unbacked=True)


def _unseen(root: Node, known: dict[Node, int]) -> Iterator[Node]:
    """Every node under ``root`` without a digest, each after its operands."""
    stack = [root]
    while stack:
        node = stack[-1]
        below = [n for n in _below(node) if n not in known]
        if below:
            stack.extend(below)
        else:
            stack.pop()
            if node not in known:
                yield node


def _below(node: Node) -> list[Node]:
    return [*node.inputs, *(result for region in node.regions for result in region.results)]


def _digest(node: Node, known: dict[Node, int]) -> int:
    parts: list[Any] = [node.op.name, node.type]
    parts += [(key, _data(value, known)) for key, value in node.attrs.items()]
    parts += [known[operand] for operand in node.inputs]
    if not node.inputs and node.span is not None:
        parts.append(node.span.where)
    return zlib.crc32(repr(parts).encode())


def _data(value: Any, known: dict[Node, int]) -> Any:
    if isinstance(value, Literal) and isinstance(value.value, np.ndarray):
        return zlib.crc32(value.value.tobytes())
    if isinstance(value, Region):
        return [known[result] for result in value.results]
    return value


def counted_masks(nodes: Iterable[Node]) -> dict[Symbol, Node]:
    """For the counts that these nodes mention: the mask of which each is the count."""
    found: dict[Symbol, Node] = {}
    for node in nodes:
        index = node.attrs.get("index")
        if isinstance(index, Index):
            first = len(node.inputs) - len(index.arrays)
            for item in index.arrays:
                symbol = dims.as_symbol(item.count) if isinstance(item.count, Dim) else None
                if symbol is not None:
                    found.setdefault(symbol, node.inputs[first + item.position])
    return found
