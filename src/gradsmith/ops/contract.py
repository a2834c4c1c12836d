"""Contractions of two operands with labelled axes, and the two ops for what matmul cannot do.

`contract` takes any of them to the quickest op: BLAS products are five to ten times quicker than
np.einsum, which stays for sums over axes that lie badly in memory.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import numpy as np

from gradsmith.errors import ShapeError
from gradsmith.ir import dims
from gradsmith.ir.dims import Shape, Size
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Emitter, Linear, Op
from gradsmith.ir.types import ArrayType, describe_shape
from gradsmith.ops import syntax
from gradsmith.ops.complex import conjugated
from gradsmith.ops.declare import primitive, result_form, ufunc_dtype
from gradsmith.ops.manipulate import reshaped
from gradsmith.ops.matmul import matmul, outer, swapped, vdot, vecdot
from gradsmith.ops.shape import Axes, expand_dims, squeeze, transpose

Labels = tuple[str, ...]
ALPHABET = "ijklmnopqrstuvwxyzabcdefghIJKLMNOPQRSTUVWXYZABCDEFGH"
"""In the order in which people name indices."""


# -- any contraction as the quickest op ----------------------------------------------------------


def contract(x: Node, left: Labels, y: Node, right: Labels, out: Labels) -> Node:
    """The product of ``x`` and ``y``, summed over the labels that ``out`` has not.

    No operand repeats a label, and each label stands in two of the three at least.
    """
    shared = [label for label in left if label in right]
    summed = tuple(label for label in shared if label not in out)
    if not summed:
        return _elementwise(x, left, y, right, out)
    if not out and len(summed) == 1:
        return matmul(x, y)
    if not out:
        return vdot(conjugated(x), arranged(y, right, left))
    if len(summed) < len(shared):
        return _batched(x, left, y, right, out, summed)
    found = _matrix_product(x, left, y, right, out) if len(summed) == 1 else None
    return _tensordot_of(x, left, y, right, out, summed) if found is None else found


def arranged(x: Node, labels: Labels, wanted: Sequence[str]) -> Node:
    """``x`` with its axes in the wanted order."""
    order = tuple(labels.index(label) for label in wanted)
    return x if order == tuple(range(x.ndim)) else transpose(x, axes=order)


def _elementwise(x: Node, left: Labels, y: Node, right: Labels, out: Labels) -> Node:
    if x.ndim == y.ndim == 1 and left != right:
        return outer(x, y) if out[0] in left else outer(y, x)
    return _aligned(x, left, out) * _aligned(y, right, out)


def _aligned(x: Node, labels: Labels, out: Labels) -> Node:
    """``x`` so that it broadcasts against the other operand's axes in ``out``."""
    present = [i for i, label in enumerate(out) if label in labels]
    moved = arranged(x, labels, [out[i] for i in present])
    missing = tuple(i for i in range(len(out)) if i not in present and present and i > present[0])
    return expand_dims(moved, axis=tuple(i - present[0] for i in missing)) if missing else moved


def _matrix_product(x: Node, left: Labels, y: Node, right: Labels, out: Labels) -> Node | None:
    """The contraction of one label as a matmul of views, where one operand is 1-D or 2-D."""
    (k,) = [label for label in left if label in right]
    if x.ndim == 1 or y.ndim == 1:
        pair = (x, y, right) if x.ndim == 1 else (y, x, left)
        return _vector_product(*pair, k, out)
    if x.ndim > 2 and y.ndim > 2:
        return None
    if x.ndim == y.ndim == 2 and out[0] in right:
        x, left, y, right = y, right, x, left
    stack, labels, matrix, names = (x, left, y, right) if y.ndim == 2 else (y, right, x, left)
    (n,) = [label for label in names if label != k]
    if labels[-1] == k or stack.ndim == 2:
        rows = stack if labels[-1] == k else swapped(stack)
        kept = tuple(label for label in labels if label != k)
        return arranged(matmul(rows, arranged(matrix, names, (k, n))), (*kept, n), out)
    if labels[-2] == k:
        product = matmul(arranged(matrix, names, (n, k)), stack)
        return arranged(product, (*labels[:-2], n, labels[-1]), out)
    return None


def _vector_product(v: Node, stack: Node, labels: Labels, k: str, out: Labels) -> Node | None:
    kept = tuple(label for label in labels if label != k)
    if labels[-1] == k:
        return arranged(matmul(stack, v), kept, out)
    if stack.ndim == 2:
        return matmul(swapped(stack), v)
    return arranged(matmul(v, stack), kept, out) if labels[-2] == k else None


def _tensordot_of(
    x: Node, left: Labels, y: Node, right: Labels, out: Labels, summed: Labels
) -> Node:
    if out[0] in right:
        x, left, y, right = y, right, x, left
    axes = tuple(left.index(s) for s in summed), tuple(right.index(s) for s in summed)
    natural = tuple(label for label in (*left, *right) if label not in summed)
    return arranged(tensordot(x, y, axes=axes), natural, out)


# -- contractions of many pairs at once ----------------------------------------------------------


def _batched(x: Node, left: Labels, y: Node, right: Labels, out: Labels, summed: Labels) -> Node:
    batch = tuple(label for label in out if label in left and label in right)
    free = [label for label in out if label not in batch]
    if not free:
        return _batched_dot(x, left, y, right, out, summed)
    if free[0] in right:
        x, left, y, right = y, right, x, left
    rows = tuple(label for label in free if label in left)
    columns = tuple(label for label in free if label in right)
    x = arranged(x, left, (*batch, *rows, *summed))
    y = arranged(y, right, (*batch, *summed, *columns))
    count = len(batch)
    sizes = (*x.shape[: count + len(rows)], *y.shape[count + len(summed) :])
    product = matmul(
        _matrices(x, count, len(rows), len(summed)),
        _matrices(y, count, len(summed), len(columns)),
    )
    found = _unpacked(product, sizes, count, len(rows), len(columns))
    return arranged(found, (*batch, *rows, *columns), out)


def _matrices(x: Node, batch: int, rows: int, columns: int) -> Node:
    """``x`` with so many axes as one of rows and one of columns."""
    if rows == columns == 1:
        return x
    if rows + columns == 1:
        return expand_dims(x, axis=(batch + rows,))
    shape = x.shape
    split = batch + rows
    pair = (dims.product(shape[batch:split]), dims.product(shape[split:]))
    return reshaped(x, (*shape[:batch], *pair))


def _unpacked(product: Node, sizes: Shape, batch: int, rows: int, columns: int) -> Node:
    """The opposite: so many axes for the rows and the columns of each matrix."""
    if rows == columns == 1:
        return product
    if rows + columns == 1:
        return squeeze(product, axis=(batch + rows,))
    return reshaped(product, sizes)


def _batched_dot(
    x: Node, left: Labels, y: Node, right: Labels, out: Labels, summed: Labels
) -> Node:
    """Of rows that lie together as vecdot (which conjugates), else as np.einsum."""
    count = len(summed)
    together = left[-count:] == summed and right[-count:] == summed
    if not together or x.array_type.complex or y.array_type.complex:
        return einsum(x, y, subscripts=_subscripts(left, right, out))
    batch = left[:-count]
    y = arranged(y, right, left)
    if count > 1:
        x, y = (reshaped(o, (*o.shape[:-count], dims.product(o.shape[-count:]))) for o in (x, y))
    return arranged(vecdot(x, y), batch, out)


def _subscripts(left: Labels, right: Labels, out: Labels) -> str:
    """The notation of einsum; labels that are no letters get free ones."""
    used = {*left, *right}
    spare = iter(letter for letter in ALPHABET if letter not in used)
    letters = {label: label if len(label) == 1 else next(spare) for label in sorted(used)}
    first, second, result = ("".join(letters[s] for s in side) for side in (left, right, out))
    return f"{first},{second}->{result}"


# -- tensordot -----------------------------------------------------------------------------------


def _kept(shape: Shape, axes: Axes) -> Shape:
    return tuple(size for i, size in enumerate(shape) if i not in axes)


def _tensordot_infer(x: ArrayType, y: ArrayType, *, axes: tuple[Axes, Axes]) -> ArrayType:
    pairs = zip(*axes, strict=True)
    if not all(dims.same(x.shape[i], y.shape[j]) for i, j in pairs):
        raise ShapeError(
            f"tensordot: the axes {axes} of shapes {describe_shape(x.shape)} and "
            f"{describe_shape(y.shape)} differ in size"
        )
    shape = (*_kept(x.shape, axes[0]), *_kept(y.shape, axes[1]))
    return ArrayType(ufunc_dtype(np.matmul, x, y), shape)  # without axes an array, too


def tensordot_labels(x: int, y: int, axes: tuple[Axes, Axes]) -> tuple[Labels, Labels, Labels]:
    """The axes of a tensordot as labels: of the operands of so many axes and of the result."""
    left = list(ALPHABET[:x])
    right = list(ALPHABET[x : x + y])
    for i, j in zip(*axes, strict=True):
        right[j] = left[i]
    both = set(left) & set(right)
    out = [label for label in (*left, *right) if label not in both]
    return tuple(left), tuple(right), tuple(out)


def _tensordot_left(g: Node, x: Node, y: Node, *, axes: tuple[Axes, Axes]) -> Node:
    left, right, out = tensordot_labels(x.ndim, y.ndim, axes)
    return contract(g, out, conjugated(y), right, left)


def _tensordot_right(g: Node, x: Node, y: Node, *, axes: tuple[Axes, Axes]) -> Node:
    left, right, out = tensordot_labels(x.ndim, y.ndim, axes)
    return contract(conjugated(x), left, g, out, right)


def _emit_tensordot(emitter: Emitter, node: Node, x: ast.expr, y: ast.expr) -> ast.expr:
    left, right = node.attrs["axes"]
    ndim, count = node.inputs[0].ndim, len(left)
    if left == tuple(range(ndim - count, ndim)) and right == tuple(range(count)):
        return syntax.call("np.tensordot", x, y, count)
    short = (left[0], right[0]) if count == 1 else (left, right)
    return syntax.call("np.tensordot", x, y, short)


tensordot: Op = primitive(
    "tensordot",
    infer=_tensordot_infer,
    evaluate=lambda x, y, *, axes: np.tensordot(x, y, axes),
    derivative=Linear((_tensordot_left, _tensordot_right)),
    emit=_emit_tensordot,
)


# -- einsum of two operands, where no BLAS product does it ---------------------------------------


def _split(subscripts: str) -> tuple[Labels, Labels, Labels]:
    operands, out = subscripts.split("->")
    left, right = operands.split(",")
    return tuple(left), tuple(right), tuple(out)


def _einsum_infer(x: ArrayType, y: ArrayType, *, subscripts: str) -> ArrayType:
    left, right, out = _split(subscripts)
    sizes: dict[str, Size] = dict(zip(left, x.shape, strict=True))
    for label, size in zip(right, y.shape, strict=True):
        if not dims.same(sizes.setdefault(label, size), size):
            raise ShapeError(f"einsum {subscripts!r}: two sizes for the index {label!r}")
    shape = tuple(sizes[label] for label in out)
    return ArrayType(ufunc_dtype(np.multiply, x, y), shape, result_form(shape))


def _einsum_left(g: Node, x: Node, y: Node, *, subscripts: str) -> Node:
    left, right, out = _split(subscripts)
    return contract(g, out, conjugated(y), right, left)


def _einsum_right(g: Node, x: Node, y: Node, *, subscripts: str) -> Node:
    left, right, out = _split(subscripts)
    return contract(conjugated(x), left, g, out, right)


einsum: Op = primitive(
    "einsum",
    infer=_einsum_infer,
    evaluate=lambda x, y, *, subscripts: np.einsum(subscripts, x, y),
    derivative=Linear((_einsum_left, _einsum_right)),
    emit=lambda emitter, node, x, y: syntax.call("np.einsum", node.attrs["subscripts"], x, y),
)
