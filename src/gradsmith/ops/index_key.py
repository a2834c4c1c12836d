"""What stands between the brackets of ``x[...]``, normalised: frozen, hashable, with sizes.

An `Index` has one item per axis that it reads, besides new axes; trailing full slices are left
out. An ellipsis stands only where it has no width and yet matters: ``x[0, ...]`` is an array
where ``x[0]`` is a scalar, and between two index arrays it keeps them apart.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import EllipsisType
from typing import Any, TypeAlias

from gradsmith.errors import IndexRangeError, InternalError, ShapeError
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Shape, Size, Symbol
from gradsmith.ir.op import Emitter
from gradsmith.ir.types import ArrayType, broadcast, describe_shape
from gradsmith.ops import syntax

SizeMap: TypeAlias = Callable[[Size], Size]

NEWAXIS = None
ELLIPSIS = ...


def _maybe(fn: SizeMap, size: Size | None) -> Size | None:
    return None if size is None else fn(size)


@dataclass(frozen=True, slots=True)
class Slice:
    """``start:stop:step`` as the user wrote it; ``length`` is how many elements it takes.

    An *opaque* length is a symbol of its own, which the slice itself shows once it is taken.
    """

    start: Size | None
    stop: Size | None
    step: int | None = None
    length: Size | None = field(default=None, compare=False)
    opaque: bool = field(default=False, compare=False)

    def map_sizes(self, fn: SizeMap) -> Slice:
        """The same with ``fn`` applied to every size."""
        start, stop = _maybe(fn, self.start), _maybe(fn, self.stop)
        length = self.length if self.opaque else _maybe(fn, self.length)
        return Slice(start, stop, self.step, length, self.opaque)

    def __repr__(self) -> str:
        parts = ["" if p is None else dims.render(p) for p in (self.start, self.stop)]
        return ":".join(parts if self.step is None else [*parts, str(self.step)])


@dataclass(frozen=True, slots=True)
class Array:
    """The extra operand at ``position``: integers, or a mask with ``count`` true elements."""

    position: int
    count: Size | None = field(default=None, compare=False)

    def map_sizes(self, fn: SizeMap) -> Array:
        """The same: a count is known only once the mask is, and says nothing to NumPy."""
        return self

    def __repr__(self) -> str:
        return f"#{self.position}"


Item: TypeAlias = Size | Slice | Array | EllipsisType | None


@dataclass(frozen=True, slots=True)
class Index:
    """The normalised key of a read or a write.

    A write that ``grows`` puts a row behind the others of an open axis: room is made for it.
    """

    items: tuple[Item, ...]
    grows: bool = field(default=False, compare=False)
    # Found when first asked for: passes ask every node, and most indices have no such sizes.
    _symbolic: bool | None = field(default=None, init=False, repr=False, compare=False)
    _counts: tuple[Symbol, ...] | None = field(default=None, init=False, repr=False, compare=False)

    def map_sizes(self, fn: SizeMap) -> Index:
        """The same with ``fn`` applied to every symbolic size."""
        if self._symbolic is None:
            object.__setattr__(self, "_symbolic", any(map(_is_symbolic, self.items)))
        if not self._symbolic:
            return self
        return Index(tuple(_map_item(item, fn) for item in self.items), self.grows)

    @property
    def whole(self) -> bool:
        """Whether it takes all of an array, in whatever order: twice, that is the old order."""
        return all(item in (Slice(None, None), Slice(None, None, -1)) for item in self.items)

    @property
    def arrays(self) -> tuple[Array, ...]:
        """The items that are operands."""
        return tuple([item for item in self.items if isinstance(item, Array)])

    @property
    def counts(self) -> tuple[Symbol, ...]:
        """The sizes that the masks and the opaque slices in it say."""
        if self._counts is None:
            sizes = [array.count for array in self.arrays] + [part.length for part in self.opaque]
            found = [None if size is None else dims.as_symbol(size) for size in sizes]
            symbols = tuple([symbol for symbol in found if symbol is not None])
            object.__setattr__(self, "_counts", symbols)
            return symbols
        return self._counts

    @property
    def opaque(self) -> tuple[Slice, ...]:
        """The slices of which only taking them tells the length."""
        return tuple([item for item in self.items if isinstance(item, Slice) and item.opaque])

    def __repr__(self) -> str:
        texts = ["..." if item is ELLIPSIS else _text(item) for item in self.items]
        return f"[{', '.join(texts)}]"


def _is_symbolic(item: Item) -> bool:
    if isinstance(item, Slice):
        return any(isinstance(size, Dim) for size in (item.start, item.stop, item.length))
    return isinstance(item, Dim)


def _map_item(item: Item, fn: SizeMap) -> Item:
    if isinstance(item, (Slice, Array)):
        return item.map_sizes(fn)
    return fn(item) if isinstance(item, (int, Dim)) else item


def _text(item: Any) -> str:
    return dims.render(item) if dims.is_size(item) else repr(item)


# -- parts of parts ------------------------------------------------------------------------------


def composed(outer: Index, inner: Index, arrays: int) -> Index | None:
    """The index of ``x[outer][inner]``, the operands of ``outer`` (``arrays`` of them) first;
    None where it takes two steps. All operands are single integers.
    """
    rest = [_shifted(item, arrays) for item in inner.items]
    items: list[Item] = []
    for item in outer.items:
        if isinstance(item, Slice) and rest:
            joined = _joined(item, rest.pop(0))
            if joined is None:
                return None
            items.append(joined)
        else:
            items.append(item)
    known = all(i is not NEWAXIS and i is not ELLIPSIS for i in (*items, *rest))
    return Index((*items, *rest)) if known else None


_FULL = Slice(None, None)


def _joined(outer: Slice, inner: Item) -> Item:
    """What ``inner`` takes of what ``outer`` takes of one axis; None where that is unknown."""
    if _FULL in (outer, inner):
        return inner if outer == _FULL else outer
    if not isinstance(inner, (int, Dim)) or outer.opaque or outer.length is None:
        return None
    start = 0 if outer.start is None else outer.start
    place = outer.length + inner if isinstance(inner, int) and inner < 0 else inner
    inside = (start, place, outer.length - place - 1)
    return start + place if outer.step in (None, 1) and all(map(_is_nonnegative, inside)) else None


def _is_nonnegative(size: Size) -> bool:
    """Whether it is at least 0 in every trip of every call."""
    low = dims.extreme(size, lowest=True)
    bound = None if low is None else dims.least(low)
    return bound is not None and bound >= 0


def _shifted(item: Item, by: int) -> Item:
    return Array(item.position + by, item.count) if isinstance(item, Array) else item


# -- shapes --------------------------------------------------------------------------------------


def is_mask(type_: ArrayType) -> bool:
    """Whether an operand selects by truth."""
    return type_.dtype.kind == "b"


def is_advanced(index: Index, types: Sequence[ArrayType]) -> bool:
    """Whether NumPy copies what it reads: an index array or a mask takes part."""
    operands = [types[item.position] for item in index.arrays]
    return any(t.ndim > 0 or t.form == "array" or is_mask(t) for t in operands)


def indexed_shape(shape: Shape, index: Index, types: Sequence[ArrayType]) -> Shape:
    """The shape of ``x[index]`` for ``x`` of this shape."""
    plain: list[Size] = []
    blocks: list[Shape] = []
    positions: list[int] = []  # where, among the items, an integer or an array stands
    place = axis = 0
    for position, item in enumerate(index.items):
        if item is NEWAXIS:
            plain.append(1)
        elif isinstance(item, Slice):
            plain.append(shape[axis] if item.length is None else item.length)
            axis += 1
        elif item is not ELLIPSIS:
            place = place if positions else len(plain)
            positions.append(position)
            blocks.append(_block(item, shape[axis:], types))
            axis += _width(item, types)
    block = _broadcast_block(blocks)
    # NumPy puts the axes of the index arrays first where something stands between them.
    apart = bool(positions) and positions[-1] - positions[0] >= len(positions)
    place = 0 if apart else place
    return (*plain[:place], *block, *plain[place:], *shape[axis:])


def _block(item: Any, shape: Shape, types: Sequence[ArrayType]) -> Shape:
    if not isinstance(item, Array):
        return ()
    type_ = types[item.position]
    if not is_mask(type_):
        return type_.shape
    for axis, (size, wanted) in enumerate(zip(type_.shape, shape, strict=False)):
        if not dims.same(size, wanted):
            raise IndexRangeError(
                f"boolean index did not match indexed array along axis {axis}; size of axis is "
                f"{dims.hint(wanted)} but size of corresponding boolean axis is {dims.hint(size)}"
            )
    if item.count is None:
        raise InternalError("a mask as an index does not say how many elements it takes")
    return (item.count,)


def _width(item: Any, types: Sequence[ArrayType]) -> int:
    """How many axes of the array the item reads."""
    if isinstance(item, Array) and is_mask(types[item.position]):
        return types[item.position].ndim
    return 1


def _broadcast_block(blocks: list[Shape]) -> Shape:
    try:
        return broadcast(*blocks)
    except ShapeError:
        shapes = " ".join(describe_shape(b) for b in blocks if b)
        raise IndexRangeError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes}"
        ) from None


# -- keys as NumPy and as the emitted code take them ---------------------------------------------


def numpy_key(index: Index, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """The key for NumPy, all its sizes being numbers."""
    return tuple(_numpy_item(item, arrays) for item in index.items)


def _numpy_item(item: Item, arrays: Sequence[Any]) -> Any:
    if isinstance(item, Slice):
        return slice(item.start, item.stop, item.step)
    return arrays[item.position] if isinstance(item, Array) else item


def emit_key(emitter: Emitter, index: Index, arrays: Sequence[ast.expr]) -> ast.expr:
    """The key as it stands between brackets."""
    if not index.items:
        return ast.Constant(...)
    items = [_emit_item(emitter, item, arrays) for item in index.items]
    return items[0] if len(items) == 1 else syntax.tuple_(items)


def emit_argument(emitter: Emitter, index: Index, arrays: Sequence[ast.expr]) -> ast.expr:
    """The key as an argument of a function: slices are called ``slice(...)`` there."""
    key = emit_key(emitter, index, arrays)
    if isinstance(key, ast.Tuple):
        return syntax.tuple_([_as_call(item) for item in key.elts])
    return _as_call(key)


def _emit_item(emitter: Emitter, item: Any, arrays: Sequence[ast.expr]) -> ast.expr:
    if isinstance(item, Array):
        return arrays[item.position]
    if isinstance(item, Slice):
        start, stop, step = (
            None if bound is None else emitter.size(bound)
            for bound in (item.start, item.stop, item.step)
        )
        return ast.Slice(start, stop, step)
    return emitter.size(item) if dims.is_size(item) else ast.Constant(item)


def _as_call(key: ast.expr) -> ast.expr:
    if not isinstance(key, ast.Slice):
        return key
    if key.step is not None:
        return syntax.call("slice", key.lower, key.upper, key.step)
    bounds = [key.lower, key.upper] if key.lower or key.upper else [None]
    return syntax.call("slice", *bounds)
