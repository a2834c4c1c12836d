"""Reading and writing parts of arrays: NumPy's "indexing routines", first part (the ops)."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ShapeError
from gradsmith.ir import dims
from gradsmith.ir.dims import Shape, Size
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import constant
from gradsmith.ir.op import NON_DIFF, ArgumentRule, Emitter, Linear, Op
from gradsmith.ir.types import ArrayType, DType, broadcast, describe, describe_shape, same_shape
from gradsmith.ops import syntax
from gradsmith.ops.create import zeros
from gradsmith.ops.declare import FUNCTIONS, as_node, as_stored, primitive
from gradsmith.ops.element_writes import as_element, is_element
from gradsmith.ops.index_key import (
    ELLIPSIS,
    Index,
    Slice,
    emit_key,
    indexed_shape,
    is_advanced,
    is_mask,
    numpy_key,
)
from gradsmith.ops.index_writing import update_add, update_set
from gradsmith.ops.keys import index_of, is_truth, masks_as_axes
from gradsmith.ops.manipulate import broadcasted, reshaped
from gradsmith.ops.open_axes import ROOM, OpenLength, Row, is_all_rows
from gradsmith.ops.ranges import integers
from gradsmith.ops.repeats import may_repeat
from gradsmith.ops.scalars import as_float
from gradsmith.ops.shape import (
    astype,
    cast,
    copy,
    expand_dims,
    is_turned,
    owner,
    private,
    squeeze,
    squeezed_to,
    unbroadcast,
    wrapped,
)

# NumPy allows 64 axes, and so that many index arrays.
ARRAYS: tuple[ArgumentRule, ...] = (NON_DIFF,) * 64


# -- reading -------------------------------------------------------------------------------------


def _read_infer(x: ArrayType, *arrays: ArrayType, index: Index) -> ArrayType:
    shape = indexed_shape(x.shape, index, arrays)
    scalar = not shape and ELLIPSIS not in index.items
    return ArrayType(x.dtype, shape, "scalar" if scalar else "array")


def _evaluate_read(x: Any, *arrays: Any, index: Index) -> Any:
    return np.asarray(x)[numpy_key(index, arrays)]


def _emit_read(emitter: Emitter, node: Node, x: ast.expr, *arrays: ast.expr) -> ast.expr:
    index = node.attrs["index"]
    # x[()] is a scalar where x[...] is an array without axes
    whole = not index.items and not node.ndim
    key = syntax.tuple_([]) if whole else emit_key(emitter, index, arrays)
    return syntax.subscript(owner(node, x), key)


def _scatter(g: Node, x: Node, *arrays: Node, index: Index) -> Node:
    if is_all_rows(index, x.array_type):
        return _open_rows(g, length=OpenLength(x.shape[0]))
    return index_add(zeros(shape=x.shape, dtype=g.dtype), g, *arrays, index=index)


getitem: Op = primitive(
    "getitem",
    infer=_read_infer,
    evaluate=_evaluate_read,
    derivative=Linear((_scatter, *ARRAYS)),
    emit=_emit_read,
    view=lambda base, update, *arrays, index: _stored(base, update, *arrays, index=index),
)
gather: Op = primitive(
    "gather",
    infer=_read_infer,
    evaluate=_evaluate_read,
    derivative=Linear((_scatter, *ARRAYS)),
    emit=_emit_read,
)


def take_part(x: Node, *arrays: Node, index: Index) -> Node:
    """``x[index]``, a view where NumPy gives one."""
    advanced = is_advanced(index, [a.array_type for a in arrays])
    return (gather if advanced else getitem)(x, *arrays, index=index)


def first_rows(x: Node, count: Size) -> Node:
    """``x[:count]``, where there are so many rows."""
    return getitem(x, index=Index((Slice(None, count, None, count),)))


def is_first_rows(node: Node) -> bool:
    """Whether it is ``x[:count]``, by `first_rows` or as NumPy has it."""
    if node.op is not getitem or len(node.attrs["index"].items) != 1:
        return False
    (part,) = node.attrs["index"].items
    return isinstance(part, Slice) and part.start in (None, 0) and part.step in (None, 1)


_open_rows: Op = primitive(
    "open_rows",
    infer=lambda x, *, length: ArrayType(x.dtype, (length.size, *x.shape[1:])),
    evaluate=lambda x, *, length: x,
    derivative=Linear((lambda g, x, *, length: first_rows(g, x.shape[0]),)),
    emit=lambda emitter, node, x: x,
    traits=("alias", "retyped"),
)


def _emit_with_room(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    room = syntax.call("np.empty", emitter.shape((ROOM, *node.shape[1:])), dtype=node.dtype)
    return syntax.call("np.concatenate", syntax.tuple_([x, room]))


_with_room: Op = primitive(
    "open_rows_with_room",
    infer=lambda x, *, length: ArrayType(x.dtype, (length.size, *x.shape[1:])),
    evaluate=lambda x, *, length: x,
    derivative=Linear((lambda g, x, *, length: first_rows(g, x.shape[0]),)),
    emit=_emit_with_room,
)
"""The same of rows of which there may be none: room is made for more by doubling what there is."""


no_rows: Op = primitive(
    "no_rows",
    infer=lambda *, row, length: ArrayType(row.dtype, (length.size, *row.shape)),
    evaluate=lambda *, row, length: np.zeros((0, *row.shape), row.dtype),
    derivative=NON_DIFF,
    emit=lambda emitter, node: syntax.call(
        "np.empty",
        emitter.shape((ROOM, *node.shape[1:])),
        dtype=None if node.dtype == float else node.dtype,
    ),
)
"""An array with an open axis and without rows yet, but with room for some."""


def without_rows(row: ArrayType, length: Size) -> Node:
    """An array for rows of this type, with an open axis of this length."""
    return no_rows(row=Row(row.dtype, row.shape), length=OpenLength(length))


def zero_tangent(node: Node) -> Node | None:
    """The tangent, zero, of rows that are there before their loop; None of any other value."""
    if node.op is no_rows:
        row: Row = node.attrs["row"]
        moving = Row(node.array_type.tangent_dtype, row.shape)
        return no_rows(row=moving, length=node.attrs["length"])
    if node.op in (_open_rows, _with_room):
        x = node.inputs[0]
        tangent = zeros(shape=x.shape, dtype=x.array_type.tangent_dtype)
        return node.op(tangent, **node.attrs)
    return None


def open_rows(x: Node, length: Size) -> Node:
    """``x`` as the first rows of an array with an open axis of this length, to which a loop
    appends others.
    """
    may_be_none = dims.is_unbacked(x.shape[0]) and not dims.least(x.shape[0])
    return (_with_room if may_be_none else _open_rows)(x, length=OpenLength(length))


def reading(node: Node) -> Node:
    """The read of the part that a node reads or writes, which has the same errors of indices."""
    if node.op in (getitem, gather):
        return node
    return take_part(node.inputs[0], *node.inputs[2:], index=Index(node.attrs["index"].items))


# -- writing -------------------------------------------------------------------------------------


def _write_infer(x: ArrayType, update: ArrayType, *arrays: ArrayType, index: Index) -> ArrayType:
    target = indexed_shape(x.shape, index, arrays)
    message = (
        f"could not broadcast input array from shape {describe_shape(update.shape)} "
        f"into shape {describe_shape(target)}"
    )
    try:
        fits = same_shape(broadcast(update.shape, target), target)
    except ShapeError:
        fits = False
    if not fits:
        raise ShapeError(message)
    return ArrayType(x.dtype, x.shape)  # of NumPy's scalars an array, too: they take no writes


def _evaluate_set(x: Any, update: Any, *arrays: Any, index: Index) -> Any:
    result = np.array(x)
    if index.grows and index.items[0] == len(result):
        result = np.concatenate((result, np.zeros((1, *result.shape[1:]), result.dtype)))
    result[numpy_key(index, arrays) or ...] = update
    return result


def _evaluate_add(x: Any, update: Any, *arrays: Any, index: Index) -> Any:
    result = np.array(x)
    key: Any = numpy_key(index, arrays) or ...
    if any(np.asarray(a).dtype.kind != "b" for a in arrays):
        np.add.at(result, key, np.broadcast_to(update, result[key].shape))  # see `update_add`
    else:
        result[key] += update
    return result


def _emit_copy(emitter: Emitter, node: Node, x: ast.expr, *_: ast.expr) -> ast.expr:
    """The code generator writes into this copy."""
    return private(node.inputs[0], x)


def _gradient_of_overwritten(g: Node, x: Node, update: Node, *arrays: Node, index: Index) -> Node:
    # The gradient of the update reads what is cleared here. Read first, and the clearing may
    # work in place.
    index = Index(index.items)  # an adjoint has room for all rows
    take_part(g, *arrays, index=index)
    return index_set(g, 0, *arrays, index=index)


def _gradient_of_written(g: Node, x: Node, update: Node, *arrays: Node, index: Index) -> Node:
    part = take_part(g, *arrays, index=index)
    if may_repeat(index, arrays):
        part = FUNCTIONS[np.where](_last_writes(part, x, *arrays, index=index), part, 0)
    return unbroadcast(part, update.shape)


def _last_writes(part: Node, x: Node, *arrays: Node, index: Index) -> Node:
    """Where among the indexed elements is the last one that was written to its place.

    Found by writing everyone's number and looking whose is left.
    """
    numbers = reshaped(integers(0, part.array_type.size), part.shape)
    places = zeros(shape=x.shape, dtype=numbers.dtype)
    written = index_set(places, numbers, *arrays, index=index)
    mask: Node = FUNCTIONS[np.equal](take_part(written, *arrays, index=index), numbers)
    return mask


def _gradient_of_added(g: Node, x: Node, update: Node, *arrays: Node, index: Index) -> Node:
    return unbroadcast(take_part(g, *arrays, index=index), update.shape)


index_set: Op = primitive(
    "index_set",
    infer=_write_infer,
    evaluate=_evaluate_set,
    derivative=Linear(
        (
            _gradient_of_overwritten,
            _gradient_of_written,
            *ARRAYS,
        ),
        joint=True,
    ),
    emit=_emit_copy,
    update=update_set,
)
index_add: Op = primitive(
    "index_add",
    infer=_write_infer,
    evaluate=_evaluate_add,
    derivative=Linear((lambda g, *_, index: g, _gradient_of_added, *ARRAYS), joint=True),
    emit=_emit_copy,
    update=update_add,
)


def _is_part(node: Node, x: Node, arrays: tuple[Node, ...], index: Index) -> bool:
    """Whether ``node`` is ``x[index]``."""
    return (
        node.op in (getitem, gather)
        and node.inputs == (x, *arrays)
        and node.attrs["index"] == index
    )


def _stored(x: Node, update: Node, *arrays: Node, index: Index) -> Node:
    """``x`` with a part replaced; after ``x[index] += term`` as one addition, whose adjoint (and
    code) leaves the rest of the array alone.
    """
    if _is_part(update, x, arrays, index):
        return x
    result = _augmented(update)
    if result is None or not _is_part(result.inputs[0], x, arrays, index):
        return index_set(x, update, *arrays, index=index)
    if may_repeat(index, arrays):  # NumPy then stores one of the sums
        return index_set(x, update, *arrays, index=index)
    term = result.inputs[1]
    if result.op.name == "subtract":
        opposite = _opposite(term, x)
        if opposite is None:
            return index_set(x, update, *arrays, index=index)
        term = opposite
    return index_add(x, term, *arrays, index=index)


def _opposite(term: Node, x: Node) -> Node | None:
    """``-term`` where adding it is taking ``term`` away: 0 has two signs as a float alone, and
    unsigned integers have one.
    """
    if term.array_type.inexact or _is_known_integer(term):
        return -term
    return -cast(term, x.dtype) if x.array_type.inexact else None


def _is_known_integer(term: Node) -> bool:
    return term.op is constant and term.array_type.weak and bool(term.attrs["value"])


def _augmented(update: Node) -> Node | None:
    """The sum or difference that an augmented assignment stores, where it has the right dtype.

    NOTE: the frontend casts what ``part += term`` stores, to whatever dtype. A sum that the user
    stores by ``x[index] = total`` stays a value of its own: gradients in it may be asked for.
    """
    if update.op is not astype or update.inputs[0].dtype != update.dtype:
        return None
    result = update.inputs[0]
    return result if result.op.name in ("add", "subtract") else None


# -- what x[key] and x[key] = value mean ---------------------------------------------------------


def read(x: Node, key: Any) -> Node:
    """``x[key]``: a view for slices and integers, a copy for index arrays and masks.

    ``x`` itself where the key takes all of it.
    """
    if _has_truths(key):
        places, key = masks_as_axes(key, x.ndim)
        return read(expand_dims(x, axis=places), key)
    index, arrays = index_of(key, x.shape)
    if not index.items and (x.ndim or x.array_type.form != "array" or key is ELLIPSIS):
        return x
    return take_part(x, *arrays, index=index)


def write(x: Node, key: Any, value: Any) -> Node:
    """``x`` after ``x[key] = value``."""
    if _has_truths(key):
        places, key = masks_as_axes(key, x.ndim)
        return squeeze(write(expand_dims(x, axis=places), key, value), axis=places)
    index, arrays, update = _writing(x, key, value)
    if not index.items and x.ndim:
        whole = broadcasted(cast(_as_stored(update, x.dtype), x.dtype), x.shape)
        return copy(whole) if is_turned(whole) and not is_turned(x) else whole
    return _stored(x, update, *arrays, index=index)


def _as_stored(update: Node, dtype: DType) -> Node:
    """``update`` such that its conversion raises NumPy's error: a number for an array of signed
    integers is converted as one of Python's, which may be NaN.
    """
    type_ = update.array_type
    number = type_.form == "scalar" and type_.dtype.kind == "f" and dtype.kind == "i"
    return as_float(update) if number else update


def _has_truths(key: Any) -> bool:
    return any(map(is_truth, key if isinstance(key, tuple) else (key,)))


def write_added(x: Node, key: Any, value: Any) -> Node:
    """``x`` after ``np.add.at(x, key, value)``: repeated indices accumulate."""
    index, arrays = index_of(key, x.shape)
    update = wrapped(as_node(value), x.dtype)
    if update.ndim > len(_shape_written(x, index, arrays)):
        raise ShapeError("array is not broadcastable to correct shape")
    return index_add(x, update, *arrays, index=index)


def _writing(x: Node, key: Any, value: Any) -> tuple[Index, tuple[Node, ...], Node]:
    if x.array_type.form != "array":
        raise ArgumentTypeError(
            f"a {describe(x.type)} does not support item assignment",
            hint="only arrays can be written to: make one with np.array",
        )
    index, arrays = index_of(key, x.shape)
    if is_element(index, arrays, x.ndim):
        value = as_element(value, x.dtype)
    update = as_stored(value, x.dtype)
    _check_axes_for_mask(x, arrays, update)
    if update.array_type.weak and update.array_type.complex and not x.array_type.complex:
        raise ArgumentTypeError(
            f"a Python complex number cannot be stored in a {describe(x.type)}",
            hint="make the array complex, or store the number's .real",
        )
    return index, arrays, squeezed_to(update, len(_shape_written(x, index, arrays)))


def _shape_written(x: Node, index: Index, arrays: tuple[Node, ...]) -> Shape:
    return indexed_shape(x.shape, index, [a.array_type for a in arrays])


def _check_axes_for_mask(x: Node, arrays: tuple[Node, ...], update: Node) -> None:
    """A mask of all elements takes its values in order, which have one axis at most."""
    whole = [a for a in arrays if is_mask(a.array_type) and a.ndim == x.ndim]
    if whole and update.ndim > 1:
        raise ArgumentTypeError(
            "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input "
            f"has {update.ndim} dimensions",
            hint="flatten the values with .ravel()",
        )
