"""Rules for scattered adjoints: what is written into zeros goes into what it is added to."""

from __future__ import annotations

from gradsmith.ir import dims
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType
from gradsmith.ops.arithmetic import add, subtract
from gradsmith.ops.create import zeros
from gradsmith.ops.index import index_add, index_set
from gradsmith.ops.index_key import Array
from gradsmith.ops.ranges import arange
from gradsmith.ops.reduce import reduce_sum
from gradsmith.ops.repeats import may_repeat, writes_add_up
from gradsmith.ops.shape import broadcast_to, expand_dims
from gradsmith.passes.pattern import Apply, Wild
from gradsmith.passes.rewrite import Rule


def _is_scatter(node: Node) -> bool:
    written = node.op in (index_add, index_set) and node.inputs[0].op is zeros
    return written and writes_add_up(node)


X, U, V, P = Wild("x"), Wild("u"), Wild("v"), Wild("p", _is_scatter)


def _fits(x: Node, p: Node, root: Node) -> bool:
    """Whether neither operand broadcasts, and the sum can be made where ``x`` is."""
    same = x.shape == p.shape == root.shape
    return same and x.dtype == root.dtype and x.op is not zeros


def _add(root: Node, x: Node, p: Node) -> Node | None:
    """``x + scatter(v)``: ``x`` with ``v`` added in place; no zeros, no second array."""
    return index_add(x, *p.inputs[1:], **p.attrs) if _fits(x, p, root) else None


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


SCATTER = [
    Rule(
        Apply(index_add, (Apply(index_set, (X, 0), rest=True), V), "root", rest=True),
        _set_again,
    ),
    Rule(
        Apply(index_add, (Apply(index_add, (X, U), rest=True), V), "root", rest=True), _add_at_once
    ),
    Rule(Apply(add, (X, P), "root"), _add),
    Rule(Apply(subtract, (X, P), "root"), _take_from),
    Rule(Apply(subtract, (P, X), "root"), _take_from),
    Rule(Apply(reduce_sum, (P,), "root"), _sum_of_rows),
]
