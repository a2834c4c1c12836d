"""The code of writes to parts of arrays: ``x[i] = y``, ``x[i] *= y``, ``np.add.at(x, i, y)``."""

from __future__ import annotations

import ast

from gradsmith.ir import dims
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Emitter
from gradsmith.ops import syntax
from gradsmith.ops.arithmetic import without_sign
from gradsmith.ops.emission import commutes
from gradsmith.ops.index_key import Slice, emit_argument, emit_key, indexed_shape
from gradsmith.ops.open_axes import append_row
from gradsmith.ops.repeats import may_repeat

AUGMENTING: dict[type[ast.operator], str] = {
    syntax.BINARY[symbol]: symbol for symbol in ("+", "-", "*", "/")
}


UFUNCS: dict[type[ast.operator], str] = {
    ast.Add: "np.add",
    ast.Sub: "np.subtract",
    ast.Mult: "np.multiply",
    ast.Div: "np.divide",
}


def update_set(
    emitter: Emitter, node: Node, target: ast.expr, update: ast.expr, *arrays: ast.expr
) -> list[ast.stmt]:
    """The statement that stores ``update`` in a part of ``target``."""
    if node.attrs["index"].grows:
        return append_row(emitter, node, target, update)
    part = syntax.subscript(target, emit_key(emitter, node.attrs["index"], arrays))
    known = emitter.shown(node)
    better = (
        _augmenting(emitter, node, part, part, update)
        or (known and _augmenting(emitter, node, known[0] if known[1] else part, known[0], update))
        or _computed_there(emitter, node, part, update)
    )
    return [better or syntax.assign(part, update)]


def _computed_there(
    emitter: Emitter, node: Node, part: ast.expr, update: ast.expr
) -> ast.stmt | None:
    """``np.multiply(x, y, out=g[k])`` for ``g[k] = x * y`` in an adjoint, where nothing is cast
    or broadcast: no temporary, and no copy of it.
    """
    value = node.inputs[1]
    if value.span is None or not value.span.adjoint or not _is_whole_part(emitter, node, value):
        return None
    if not isinstance(update, ast.BinOp) or "operator" not in value.op.traits:
        return None
    function = UFUNCS.get(type(update.op))
    if function is None:
        return None
    return ast.Expr(syntax.call(function, update.left, update.right, out=part))


def _is_whole_part(emitter: Emitter, node: Node, value: Node) -> bool:
    """Whether ``value`` is an array of the type of the part, which is a view."""
    index = node.attrs["index"]
    basic = all(isinstance(item, Slice) or dims.is_size(item) for item in index.items)
    if not basic or value.ndim == 0:
        return False
    whole = indexed_shape(node.shape, index, ())
    return value.dtype == node.dtype and emitter.same(value.shape, whole)


def _augmenting(
    emitter: Emitter, node: Node, part: ast.expr, old: ast.expr, update: ast.expr
) -> ast.stmt | None:
    """``y[k] *= 2`` for ``y[k] = 2 * y[k]``, where NumPy casts and broadcasts nothing; ``old`` is
    how ``y[k]`` is read.
    """
    value = node.inputs[1]
    if value.dtype != node.dtype or not isinstance(update, ast.BinOp):
        return None
    if any(i.ndim and not emitter.same(i.shape, value.shape) for i in value.inputs):
        return None
    symbol = AUGMENTING.get(type(update.op))
    if symbol is not None and syntax.same(update.left, old):
        return syntax.augment(part, symbol, update.right)
    if symbol in ("+", "*") and commutes(value) and syntax.same(update.right, old):
        return syntax.augment(part, symbol, update.left)
    return None


def update_add(
    emitter: Emitter, node: Node, target: ast.expr, update: ast.expr, *arrays: ast.expr
) -> list[ast.stmt]:
    """The statement that adds ``update`` to a part of ``target``."""
    index = node.attrs["index"]
    if may_repeat(index, node.inputs[2:]):
        key = emit_argument(emitter, index, arrays)
        whole = _whole_update(emitter, node, update)
        return [ast.Expr(syntax.call("np.add.at", target, key, whole))]
    part = syntax.subscript(target, emit_key(emitter, index, arrays))
    opposite = without_sign(node.inputs[1], update)
    if opposite is not None:
        return [syntax.augment(part, "-", opposite)]
    return [syntax.augment(part, "+", update)]


def _whole_update(emitter: Emitter, node: Node, update: ast.expr) -> ast.expr:
    """``update`` in the shape of what ``np.add.at`` adds it to.

    NOTE: of an operand with fewer axes than a single index array, NumPy 2.0 to 2.4 adds the first
    row alone, and reads on behind its end (``np.add.at(x, [[0, 1], [1, 0]], [1.0, 3.0])``).
    """
    value = node.inputs[1]
    shape = indexed_shape(node.shape, node.attrs["index"], [a.array_type for a in node.inputs[2:]])
    if value.ndim == 0 or emitter.same(value.shape, shape):
        return update
    return syntax.call("np.broadcast_to", update, emitter.shape(shape))
