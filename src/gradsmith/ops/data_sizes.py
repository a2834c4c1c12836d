"""Sizes that are known only while running: how many elements of a mask are true, how many
different values an array has.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Dim, Size, Symbol
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import Literal
from gradsmith.ir.types import ArrayType
from gradsmith.ops.index_key import ELLIPSIS, NEWAXIS, Array, Index, Slice

_digests: WeakKeyDictionary[Builder, dict[Node, int]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Count:
    """As an attribute of an op: how many elements it finds, which its results show.

    ``nonzero`` says that it is the number of elements of its operand that are not zero, which
    can be counted where no variable shows it.
    """

    size: Size = field(compare=False)
    nonzero: bool

    @property
    def counts(self) -> tuple[Symbol, ...]:
        """The symbol that it is; none where the operand is known."""
        symbol = dims.as_symbol(self.size)
        return () if symbol is None else (symbol,)

    def map_sizes(self, fn: Callable[[Size], Size]) -> Count:
        """The same: it is known only once the op has run, and says nothing to NumPy."""
        return self

    def __repr__(self) -> str:
        return dims.render(self.size)


def mask_count(mask: Node) -> Size:
    """The number of true elements of ``mask`` (of those that are not zero)."""
    if mask.op.name == "constant":
        return int(np.count_nonzero(mask.attrs["value"].value))
    return _size("count", mask)


def unique_count(x: Node) -> Size:
    """The number of different values in ``x``."""
    return _size("unique", x)


def _size(prefix: str, source: Node) -> Size:
    """One size for what is computed in one way.

    Its name is a digest of how ``source`` is computed: whichever builder makes it, and in
    whichever order, equal masks have equal counts and others have others.
    """
    known = _digests.setdefault(current_builder(), {})
    for node in _unseen(source, known):
        known[node] = _digest(node, known)
    name = f"{prefix}_{known[source]:08x}"
    return dims.symbol(name, dims.hint(source.array_type.size), unbacked=True)


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
        index, count = node.attrs.get("index"), node.attrs.get("count")
        if isinstance(index, Index):
            first = len(node.inputs) - len(index.arrays)
            for item in index.arrays:
                symbol = dims.as_symbol(item.count) if isinstance(item.count, Dim) else None
                if symbol is not None:
                    found.setdefault(symbol, node.inputs[first + item.position])
        elif isinstance(count, Count) and count.nonzero:
            found.update(
                {symbol: node.inputs[0] for symbol in count.counts if symbol not in found}
            )
    return found


@dataclass(frozen=True, slots=True)
class Taken:
    """A slice of an axis of this size: what a length that only running tells is the length of."""

    part: Slice
    extent: Size

    @property
    def symbols(self) -> list[Symbol]:
        """The sizes in it."""
        sizes = (self.part.start, self.part.stop, self.extent)
        return [symbol for size in sizes if size is not None for symbol in dims.symbols(size)]


def slices_of(nodes: Iterable[Node]) -> dict[Symbol, Taken]:
    """For the lengths of slices that these nodes take or write to: the slices."""
    found: dict[Symbol, Taken] = {}
    for node in nodes:
        index = node.attrs.get("index")
        if not (isinstance(index, Index) and index.opaque):
            continue
        if not isinstance(node.inputs[0].type, ArrayType):
            continue
        for part, extent in _sliced_axes(index, node):
            symbol = None if part.length is None else dims.as_symbol(part.length)
            if part.opaque and symbol is not None:
                found.setdefault(symbol, Taken(part, extent))
    return found


def _sliced_axes(index: Index, node: Node) -> Iterator[tuple[Slice, Size]]:
    shape = node.inputs[0].array_type.shape
    first, axis = len(node.inputs) - len(index.arrays), 0
    for item in index.items:
        if item is NEWAXIS or item is ELLIPSIS:
            continue
        if isinstance(item, Slice) and axis < len(shape):
            yield item, shape[axis]
        masked = isinstance(item, Array) and item.count is not None
        axis += node.inputs[first + item.position].array_type.ndim if masked else 1  # type: ignore[union-attr]
