"""Arrays of rows that a loop appends, when nobody knows before how many there will be.

Their first axis is *open* (`ir.sizes`). At run time such an array has room for the rows there are
so far and for some more; what is behind them is never read. ``rows[:count]`` reads them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from gradsmith.ir import dims
from gradsmith.ir.dims import Shape, Size
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Emitter
from gradsmith.ir.types import ArrayType, DType
from gradsmith.ops import syntax
from gradsmith.ops.index_key import Index, Slice, emit_key

ROOM = 16
"""For so many rows there is room at first."""


@dataclass(frozen=True, slots=True)
class OpenLength:
    """The length of an open axis as an attribute of what makes the array.

    The length is known once the loop has ended, the array is there before it: that is no size
    that the node needs.
    """

    size: Size

    def __repr__(self) -> str:
        return dims.render(self.size)


@dataclass(frozen=True, slots=True)
class Row:
    """The type of a row as an attribute."""

    dtype: DType
    shape: Shape

    def map_sizes(self, fn: Callable[[Size], Size]) -> Row:
        """The same with ``fn`` applied to every size."""
        return Row(self.dtype, tuple(fn(size) for size in self.shape))


def is_all_rows(index: Index, type_: ArrayType) -> bool:
    """Whether it takes all rows that an open axis has at the end."""
    total = dims.total_of(type_.shape[0]) if type_.ndim else None
    return total is not None and index.items == (Slice(None, total),)


def append_row(emitter: Emitter, node: Node, target: ast.expr, update: ast.expr) -> list[ast.stmt]:
    """``rows[count] = update``, after room has been made."""
    key = emit_key(emitter, node.attrs["index"], ())
    store = syntax.assign(syntax.subscript(target, key), update)
    if _has_room(node):
        return [store]
    both = syntax.tuple_([target, syntax.call("np.empty_like", target)])
    room = syntax.assign(target, syntax.call("np.concatenate", both))
    full = syntax.compare("==", syntax.call("len", target), key)
    return [ast.If(full, [room], []), store]


def _has_room(node: Node) -> bool:
    """Whether it stores one of the first rows in an array that has just been made."""
    place, base = node.attrs["index"].items[0], node.inputs[0]
    while base.op is node.op and isinstance(base.attrs["index"].items[0], int):
        base = base.inputs[0]
    return isinstance(place, int) and place < ROOM and base.op.name == "no_rows"
