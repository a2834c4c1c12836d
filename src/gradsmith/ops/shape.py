"""Changing shape, axes and dtype: NumPy's "array manipulation", first part (the ops)."""

from __future__ import annotations

import ast
from typing import Any, Literal

import numpy as np

from gradsmith.errors import ArgumentValueError, ShapeError
from gradsmith.ir import dims
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Shape, Size
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Emitter, Linear, Op
from gradsmith.ir.types import ArrayType, DType, broadcast, describe_shape
from gradsmith.ops import syntax
from gradsmith.ops.declare import FUNCTIONS, check_range, primitive
from gradsmith.ops.index_key import Array, Index

Axes = tuple[int, ...]


def owner(node: Node, operand: ast.expr, position: int = 0) -> ast.expr:
    """The operand as something that has an array's methods: a Python number has none."""
    if lacks_methods(node.inputs[position]):
        return syntax.call("np.asarray", operand)
    return operand


def lacks_methods(node: Node) -> bool:
    """Whether it may be a Python number: a NumPy scalar where a number of either comes from a
    branch or a loop, and what operators make of such numbers alone.
    """
    seen, stack = {node}, [node]
    while stack:
        one = stack.pop()
        if one.array_type.weak or _is_of_either_form(one):
            continue
        by_python = "operator" in one.op.traits or one.op.name == "absolute"
        if one.array_type.form != "scalar" or not by_python:
            return False
        stack += [operand for operand in one.inputs if operand not in seen]
        seen.update(one.inputs)
    return True


def _is_of_either_form(node: Node) -> bool:
    return node.array_type.form == "scalar" and "joined" in node.op.traits


def _array(x: ArrayType, shape: Shape) -> ArrayType:
    return ArrayType(x.dtype, shape)


# -- axes of size one ----------------------------------------------------------------------------


def _expanded(shape: tuple[Any, ...], axis: Axes, filler: Any) -> tuple[Any, ...]:
    """``shape`` with ``filler`` at the positions ``axis`` of the result."""
    rest = iter(shape)
    count = len(shape) + len(axis)
    return tuple(filler if i in axis else next(rest) for i in range(count))


def _squeeze_infer(x: ArrayType, *, axis: Axes) -> ArrayType:
    if not all(dims.is_one(x.shape[a]) for a in axis):
        raise ShapeError(
            "cannot select an axis to squeeze out which has size not equal to one: "
            f"axis {axis} of an array of shape {describe_shape(x.shape)}"
        )
    return _array(x, tuple(s for i, s in enumerate(x.shape) if i not in axis))


def _emit_expand_dims(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    axis = node.attrs["axis"]
    if axis == (node.ndim - 1,) and node.ndim > 2:
        key: list[ast.expr] = [ast.Constant(...), ast.Constant(None)]
    else:
        key = [
            ast.Constant(None) if i in axis else ast.Slice(None, None, None)
            for i in range(max(axis) + 1)
        ]
    return syntax.subscript(owner(node, x), key[0] if len(key) == 1 else syntax.tuple_(key))


def _emit_squeeze(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    axis = node.attrs["axis"]
    return syntax.method(x, "squeeze", axis=axis[0] if len(axis) == 1 else axis)


expand_dims: Op = primitive(
    "expand_dims",
    infer=lambda x, *, axis: _array(x, _expanded(x.shape, axis, 1)),
    evaluate=lambda x, *, axis: np.expand_dims(x, axis),
    derivative=Linear((lambda g, x, *, axis: squeeze(g, axis=axis),)),
    emit=_emit_expand_dims,
    view=lambda base, update, *, axis: squeeze(update, axis=axis),
)
squeeze: Op = primitive(
    "squeeze",
    infer=_squeeze_infer,
    evaluate=lambda x, *, axis: np.squeeze(x, axis),
    derivative=Linear((lambda g, x, *, axis: expand_dims(g, axis=axis),)),
    emit=_emit_squeeze,
    view=lambda base, update, *, axis: expand_dims(update, axis=axis),
)


# -- broadcasting --------------------------------------------------------------------------------


def _broadcast_to_infer(x: ArrayType, *, shape: Shape) -> ArrayType:
    message = (
        f"an array of shape {describe_shape(x.shape)} cannot be broadcast "
        f"to shape {describe_shape(shape)}"
    )
    try:
        whole = broadcast(x.shape, shape)
    except ShapeError:
        raise ShapeError(message) from None
    pairs = zip(shape, whole, strict=False)
    stretched = [s != w and dims.is_one(s) and not dims.is_one(w) for s, w in pairs]
    if len(whole) != len(shape) or any(stretched):
        raise ShapeError(message)
    return _array(x, shape)


def unbroadcast(g: Node, shape: Shape, whole: Shape | None = None) -> Node:
    """The sum of ``g``, of the shape ``whole``, over the axes along which ``shape`` was broadcast
    to it; `sum_to` where only running tells of an axis.
    """
    lead = g.ndim - len(shape)
    wholes = (g.shape if whole is None else whole)[lead:]
    if any(map(may_be_broadcast, shape, wholes)):
        total: Node = FUNCTIONS[np.sum](g, axis=tuple(range(lead))) if lead else g
        return sum_to(total, shape=shape)
    stretched = [
        lead + i
        for i, (size, long) in enumerate(zip(shape, wholes, strict=True))
        if size != long  # equal ones ask for no decision, and no guard
        and dims.is_one(size)
        and (dims.is_one_at_most(long) or not dims.is_one(long))
    ]
    if lead == 0 and stretched:
        kept: Node = FUNCTIONS[np.sum](g, axis=tuple(stretched), keepdims=True)
        return kept
    axes = (*range(lead), *stretched)
    total = FUNCTIONS[np.sum](g, axis=axes) if axes else g
    return expand_dims(total, axis=tuple(a - lead for a in stretched)) if stretched else total


def may_be_broadcast(size: Size, whole: Size) -> bool:
    """Whether only running tells whether an axis is one that was broadcast."""
    if size == whole or dims.is_settled(size, whole) or dims.is_one(size):
        return False
    if whole in dims.broadcast_parts(size):  # equal, or it would not have fitted
        return False
    return not (dims.is_many(size) or dims.known_equal(size, whole))


SUM_TO = '''
def sum_to(x, shape):
    """The sum of x over the axes that a shape of as many axes was broadcast along."""
    axes = tuple(i for i, size in enumerate(shape) if size == 1 != x.shape[i])
    return x.sum(axis=axes, keepdims=True) if axes else x
'''


def _evaluate_sum_to(x: Any, *, shape: tuple[int, ...]) -> Any:
    axes = tuple(i for i, size in enumerate(shape) if size == 1)
    return np.sum(x, axis=axes, keepdims=True)


def _emit_sum_to(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    shape = emitter.shape(node.shape)
    whole = isinstance(shape, (ast.Tuple, ast.Attribute))
    return syntax.call(emitter.helper(SUM_TO), x, shape if whole else syntax.tuple_([shape]))


sum_to: Op = primitive(
    "sum_to",
    infer=lambda x, *, shape: _array(x, shape),
    evaluate=_evaluate_sum_to,
    derivative=Linear((lambda g, x, *, shape: broadcast_to(g, shape=x.shape),)),
    emit=_emit_sum_to,
    traits=("alias",),
)
"""The adjoint of a broadcast of which only running tells whether it stretched an axis."""


def read_only(*_: Any, **__: Any) -> Any:
    """The view rule of functions that return read-only views.

    Raises
    ------
    ArgumentValueError
        Always; NumPy raises ValueError.
    """
    raise ArgumentValueError(
        "assignment destination is read-only",
        hint="take a .copy() before writing to it",
    )


broadcast_to: Op = primitive(
    "broadcast_to",
    infer=_broadcast_to_infer,
    evaluate=lambda x, *, shape: np.broadcast_to(x, shape),
    derivative=Linear((lambda g, x, *, shape: unbroadcast(g, x.shape),)),
    emit=lambda emitter, node, x: syntax.call(
        "np.broadcast_to", x, emitter.shape(node.attrs["shape"])
    ),
    view=read_only,
)


# -- reshape -------------------------------------------------------------------------------------


def _reshape_infer(x: ArrayType, *, shape: Shape) -> ArrayType:
    if not dims.same(x.size, dims.product(shape)):
        raise ShapeError(
            f"cannot reshape array of size {dims.hint(x.size)} into shape {describe_shape(shape)}"
        )
    return _array(x, shape)


def _emit_reshape(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    shape = node.attrs["shape"]
    if not shape and node.inputs[0].array_type.form == "scalar":
        return syntax.call("np.asarray", x)  # the method gives a scalar again
    base = owner(node, x)
    if len(shape) == 1 and node.inputs[0].ndim > 1:
        return syntax.method(base, "ravel")
    sizes = [emitter.size(size) for size in shape]
    symbolic = [i for i, size in enumerate(shape) if not isinstance(size, int)]
    # NumPy finds one size by itself, if no other is zero; one that the data decide may not fit.
    size, total = node.inputs[0].array_type.size, dims.product(shape)
    fits = size == total or not (dims.is_unbacked(size) or dims.is_unbacked(total))
    if len(symbolic) == 1 and 0 not in shape and fits:
        sizes[symbolic[0]] = syntax.expression(-1)
    return syntax.method(base, "reshape", *(sizes or [syntax.tuple_([])]))


reshape: Op = primitive(
    "reshape",
    infer=_reshape_infer,
    evaluate=lambda x, *, shape: np.reshape(x, shape),
    derivative=Linear((lambda g, x, *, shape: reshape(g, shape=x.shape),)),
    emit=_emit_reshape,
    view=lambda base, update, *, shape: reshape(update, shape=base.shape),
)


# -- order of axes and of elements ---------------------------------------------------------------


def inverse(axes: Axes) -> Axes:
    """The order of axes that undoes this one."""
    return tuple(axes.index(i) for i in range(len(axes)))


def _emit_transpose(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    axes = node.attrs["axes"]
    if axes == tuple(reversed(range(len(axes)))):
        return syntax.attribute(owner(node, x), "T")
    return syntax.method(owner(node, x), "transpose", *axes)


def _emit_flip(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    axis = node.attrs["axis"]
    backward = syntax.expression(-1)
    key: list[ast.expr] = [
        ast.Slice(None, None, backward if i in axis else None) for i in range(max(axis) + 1)
    ]
    return syntax.subscript(x, key[0] if len(key) == 1 else syntax.tuple_(key))


transpose: Op = primitive(
    "transpose",
    infer=lambda x, *, axes: _array(x, tuple(x.shape[a] for a in axes)),
    evaluate=lambda x, *, axes: np.transpose(x, axes),
    derivative=Linear((lambda g, x, *, axes: transpose(g, axes=inverse(axes)),)),
    emit=_emit_transpose,
    view=lambda base, update, *, axes: transpose(update, axes=inverse(axes)),
)
flip: Op = primitive(
    "flip",
    infer=lambda x, *, axis: _array(x, x.shape),
    evaluate=lambda x, *, axis: np.flip(x, axis),
    derivative=Linear((lambda g, x, *, axis: flip(g, axis=axis),)),
    emit=_emit_flip,
    view=lambda base, update, *, axis: flip(update, axis=axis),
)


# -- dtype and copies ----------------------------------------------------------------------------


def private(node: Node, x: ast.expr) -> ast.expr:
    """A copy of an array that is to be written in place; its elements stay in their order in
    memory, by which sums add them.

    What has no axes may be a scalar where the code runs, as rewrites take either for the other.
    """
    if not node.ndim:
        return syntax.call("np.array", x)
    turned = node.ndim > 1 and is_turned(node)
    return syntax.method(x, "copy", **({"order": "K"} if turned else {}))


def is_turned(node: Node) -> bool:
    """Whether it may not lie in C order, being made of a transposed array element by element."""
    stack, seen = [node], {node}
    while stack:
        made = stack.pop()
        if made.op is transpose or is_picked(made):
            return True
        keeps = made.op.view is not None or made.op.update is not None
        operands = made.inputs[:1] if keeps else made.inputs if made.op.elementwise else ()
        further = [o for o in operands if o not in seen and o.array_type.ndim > 1]
        seen.update(further)
        stack += further
    return False


def is_picked(node: Node) -> bool:
    """Whether elements are picked by an array from other axes than the first ones: in memory the
    axes of the array come first.
    """
    index = node.attrs.get("index") if node.op.name == "gather" else None
    return isinstance(index, Index) and not isinstance(index.items[0], Array)


def _evaluate_astype(x: Any, *, dtype: DType) -> Any:
    if type(x) in (int, float) and dtype.kind in "iu":
        return dtype.type(x)  # which raises an error where it is too large, or NaN
    return _cast(x, dtype)


def _cast(x: Any, dtype: DType) -> Any:
    result = np.asarray(x).astype(dtype)
    return result if isinstance(x, np.ndarray) else result[()]


def _emit_astype(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    dtype = node.attrs["dtype"]
    if lacks_methods(node.inputs[0]) and (dtype.kind == "c" or node.inputs[0].dtype.kind != "c"):
        return syntax.call(f"np.{dtype.type.__name__}", x)
    return syntax.method(x, "astype", syntax.dtype(dtype))


def _evaluate_copy(x: Any, *, order: Literal["C", "K"] = "C") -> Any:
    return x.copy(order) if isinstance(x, np.ndarray) else np.asarray(x)[()]


def _emit_copy(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    if node.attrs.get("order") == "K" and node.array_type.form == "array":
        return private(node.inputs[0], owner(node, x))
    if lacks_methods(node.inputs[0]) and node.array_type.form == "scalar":
        return syntax.call(f"np.{node.dtype.type.__name__}", x)
    return syntax.method(owner(node, x), "copy")


astype: Op = primitive(
    "astype",
    infer=lambda x, *, dtype: x.with_dtype(dtype),
    evaluate=_evaluate_astype,
    # Integers and booleans have no derivative; reverse mode casts the dtype back, and takes the
    # real part where the operand is real.
    derivative=Linear((lambda g, x, *, dtype: g,)),
    emit=_emit_astype,
)
copy: Op = primitive(
    "copy",
    infer=lambda x, *, order="C": x.strong(),
    evaluate=_evaluate_copy,
    derivative=Linear((lambda g, x, *, order="C": g,)),
    emit=_emit_copy,
)


def in_order(x: Node) -> Node:
    """``x`` in C order, where it was picked by an array."""
    return copy(x) if is_picked(x) else x


def as_array(x: Node) -> Node:
    """An array without axes for a number, which it is not a view of."""
    strong = copy(x) if x.array_type.weak else x
    return strong if strong.array_type.form == "array" else reshape(strong, shape=())


def cast(x: Node, dtype: DType) -> Node:
    """``x`` in another dtype; ``x`` itself where it has that one, constants as constants."""
    if x.dtype == dtype and not x.array_type.weak:
        return x
    if x.op.name == "constant":
        value = x.attrs["value"].value
        if type(value) is int and dtype.kind in "iu":
            check_range(value, dtype)
        return current_builder().lift(_cast(value, dtype))
    return astype(x, dtype=dtype)


def wrapped(x: Node, dtype: DType) -> Node:
    """The same where NumPy lets Python's integers wrap around as those of its own."""
    whole = x.array_type.weak and not x.array_type.inexact
    return cast(copy(x), dtype) if whole and dtype.kind in "iu" else x


def squeezed_to(x: Node, ndim: int) -> Node:
    """``x`` without leading axes of size one, down to ``ndim`` axes: what assignment allows."""
    surplus = x.ndim - ndim
    return squeeze(x, axis=tuple(range(surplus))) if surplus > 0 else x
