"""Rules for scattered adjoints: what is written into zeros goes into what it is added to."""

from __future__ import annotations

from collections.abc import Callable

from gradsmith.ir import dims
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import is_number
from gradsmith.ir.op import Op
from gradsmith.ir.types import ArrayType, known_same_shape
from gradsmith.ops.arithmetic import add, multiply, subtract
from gradsmith.ops.complex import with_imag, with_real
from gradsmith.ops.create import zeros
from gradsmith.ops.index import getitem, index_add, index_set, take_part
from gradsmith.ops.index_key import Array
from gradsmith.ops.ranges import arange
from gradsmith.ops.reduce import reduce_sum
from gradsmith.ops.repeats import may_repeat, writes_add_up
from gradsmith.ops.shape import broadcast_to, expand_dims, flip, inverse, squeeze, transpose
from gradsmith.passes.pattern import Apply, Wild
from gradsmith.passes.rewrite import Rule


def _is_scatter(node: Node) -> bool:
    written = node.op in (index_add, index_set) and node.inputs[0].op is zeros
    return written and writes_add_up(node)


def _is_turned_scatter(node: Node) -> bool:
    """Whether it is a scatter, added to or looked at in another way."""
    while node.op in VIEWED_BACK or (node.op is index_add and node.inputs[0].op is not zeros):
        node = node.inputs[0]
    return _is_scatter(node)


X, U, V = Wild("x"), Wild("u"), Wild("v")
P, T = Wild("p", _is_scatter), Wild("p", _is_turned_scatter)


def _added(x: Node, p: Node) -> Node:
    """``x`` with what is scattered added in its place."""
    if p.op in VIEWED_BACK:
        inner = VIEWED_BACK[p.op](x, p)
        return p.op(_added(inner, p.inputs[0]), **p.attrs)
    before = x if p.inputs[0].op is zeros else _added(x, p.inputs[0])
    return index_add(before, *p.inputs[1:], **p.attrs)


VIEWED_BACK: dict[Op, Callable[[Node, Node], Node]] = {
    transpose: lambda x, p: transpose(x, axes=inverse(p.attrs["axes"])),
    flip: lambda x, p: flip(x, **p.attrs),
    expand_dims: lambda x, p: squeeze(x, **p.attrs),
    squeeze: lambda x, p: expand_dims(x, **p.attrs),
}
"""How to look at what one of these is added to as at its operand."""


def _fits(x: Node, p: Node, root: Node) -> bool:
    """Whether neither operand broadcasts, and the sum can be made where ``x`` is."""
    same = x.shape == p.shape == root.shape
    return same and x.dtype == root.dtype and x.op is not zeros


def _add(root: Node, x: Node, p: Node) -> Node | None:
    """``x + scatter(v)``: ``x`` with ``v`` added in place; no zeros, no second array."""
    return _added(x, p) if _fits(x, p, root) else None


def _add_to_part(root: Node, x: Node, p: Node) -> Node | None:
    """``x[i][j] += v`` for ``x[i] += scatter(v)``."""
    part = take_part(x, *root.inputs[2:], index=root.attrs["index"])
    fits = part.op is getitem and part.dtype == p.dtype and known_same_shape(part.shape, p.shape)
    if not fits:
        return None
    return index_set(x, _added(part, p), *root.inputs[2:], **root.attrs)


def _take_from(root: Node, x: Node, p: Node) -> Node | None:
    if not _fits(x, p, root):
        return None
    if root.inputs[0] is p and not _is_scatter(x):
        return index_add(-x, *p.inputs[1:], **p.attrs)
    if root.inputs[1] is not p:
        return None
    return index_add(x, -p.inputs[1], *p.inputs[2:], **p.attrs)


def _set_again(root: Node, x: Node, v: Node) -> Node | None:
    """Adding to what was just set to 0 is setting it."""
    cleared = root.inputs[0]
    same = cleared.attrs == root.attrs and cleared.inputs[2:] == root.inputs[2:]
    if not same or may_repeat(root.attrs["index"], root.inputs[2:]):
        return None
    return index_set(x, v, *root.inputs[2:], **root.attrs)


def _add_to_set(root: Node, x: Node, u: Node, v: Node, **_: Node) -> Node | None:
    """The real or imaginary part set to the sum for what is set and then added to."""
    set_there = next(i.op for i in root.inputs if i.op in (with_real, with_imag))
    if v.shape != root.shape or v.array_type.complex:
        return None
    return set_there(x, v if is_number(u, 0) else u + v)


def _add_at_once(root: Node, x: Node, u: Node, v: Node) -> Node | None:
    """``x[i] += u + v`` for ``x[i] += u`` and ``x[i] += v``: the part is gone through once."""
    first = root.inputs[0]
    same = first.attrs == root.attrs and first.inputs[2:] == root.inputs[2:]
    if not same or u.type != v.type:
        return None
    both = 2 * u if u is v else u + v
    return index_add(x, both, *root.inputs[2:], **root.attrs)


def _sum_of_rows(root: Node, p: Node) -> Node | None:
    """Rows with one element each (``z[np.arange(n), labels]``): their sums are these elements."""
    items = p.attrs["index"].items
    pairs = len(p.inputs) == 4 and all(isinstance(item, Array) for item in items)
    if p.ndim != 2 or not pairs or root.attrs["axis"] != (1,):
        return None
    if any(index.ndim > 1 for index in p.inputs[2:]):  # several elements of each row
        return None
    rows = p.inputs[2 + items[0].position]
    if not _counts(rows, p.array_type):
        return None
    values = broadcast_to(p.inputs[1], shape=p.shape[:1])
    return expand_dims(values, axis=(1,)) if root.attrs["keepdims"] else values


def _counts(rows: Node, matrix: ArrayType) -> bool:
    """Whether the index array is 0, 1, …, n - 1."""
    if rows.op is not arange:
        return False
    start, step, length = (rows.attrs[key] for key in ("start", "step", "length"))
    return start == 0 and step == 1 and dims.same(length, matrix.shape[0])


I = Wild("i", lambda n: is_number(n, 1j))  # noqa: E741

SCATTER = [
    Rule(Apply(add, (Apply(with_real, (X, U)), Apply(add, (V, 0))), "root"), _add_to_set),
    Rule(Apply(add, (Apply(with_imag, (X, U)), Apply(multiply, (I, V))), "root"), _add_to_set),
    Rule(
        Apply(index_add, (Apply(index_set, (X, 0), rest=True), V), "root", rest=True),
        _set_again,
    ),
    Rule(
        Apply(index_add, (Apply(index_add, (X, U), rest=True), V), "root", rest=True), _add_at_once
    ),
    Rule(Apply(index_add, (X, T), "root", rest=True), _add_to_part),
    Rule(Apply(add, (X, T), "root"), _add),
    Rule(Apply(subtract, (X, P), "root"), _take_from),
    Rule(Apply(subtract, (P, X), "root"), _take_from),
    Rule(Apply(reduce_sum, (P,), "root"), _sum_of_rows),
]
