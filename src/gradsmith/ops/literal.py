"""Arrays from what Python holds: nested lists (``np.array``), scalars (``np.float32(x)``)."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ShapeError
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Dim
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Each, Emitter, Linear, Op
from gradsmith.ir.types import ArrayType, DType, result_dtype
from gradsmith.ops import shape as ops
from gradsmith.ops import syntax
from gradsmith.ops.arguments import as_dtype, joint_dtype
from gradsmith.ops.declare import as_node, implements, primitive
from gradsmith.ops.index import getitem
from gradsmith.ops.index_key import Index
from gradsmith.ops.join import stack
from gradsmith.ops.raising import may_be_unbounded
from gradsmith.ops.scalars import python_bool

Numbers = tuple[int, ...]

# -- the op: an array of scalars -----------------------------------------------------------------


def _nested(items: Sequence[Any], shape: Numbers) -> Any:
    """``items`` in row-major order as nested lists."""
    if not shape:
        return items[0]
    step = len(items) // shape[0] if shape[0] else 0
    rows = [items[i * step : (i + 1) * step] for i in range(shape[0])]
    return [_nested(row, shape[1:]) for row in rows]


def _element(position: int, g: Node, *elements: Node, shape: Numbers, dtype: DType) -> Node:
    place = np.unravel_index(position, shape)
    return getitem(g, index=Index(tuple(int(i) for i in place)))


def _evaluate_array(*elements: Any, shape: Numbers, dtype: DType) -> Any:
    return np.array(elements, dtype).reshape(shape)


def _emit_array(emitter: Emitter, node: Node, *elements: ast.expr) -> ast.expr:
    natural = joint_dtype(*[x.array_type for x in node.inputs])
    dtype = None if natural == node.dtype else node.dtype
    return syntax.call("np.array", _nested(elements, node.attrs["shape"]), dtype=dtype)


array: Op = primitive(
    "array",
    infer=lambda *elements, shape, dtype: ArrayType(dtype, shape),
    evaluate=_evaluate_array,
    derivative=Linear(Each(_element), joint=True),
    emit=_emit_array,
)


# -- nested lists --------------------------------------------------------------------------------


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _is_static(value: Any) -> bool:
    return not any(isinstance(leaf, (Node, Dim)) for leaf in _leaves(value))


def _static(value: Any, dtype: DType | None) -> Node:
    try:
        made = np.array(value, dtype)
    except ValueError as error:
        raise ShapeError(str(error)) from None
    if made.dtype.kind not in "biufc":
        raise ArgumentTypeError(f"np.array of dtype {made.dtype} cannot be differentiated")
    return current_builder().lift(made)


def _shape(value: Any) -> Numbers | None:
    """The shape of regularly nested lists, None where they are not."""
    if not isinstance(value, (list, tuple)):
        return ()
    shapes = {_shape(part) for part in value}
    inner = shapes.pop() if len(shapes) == 1 else None
    return None if inner is None else (len(value), *inner)


def joined(value: Any, dtype: DType | None = None) -> Node:
    """The array that NumPy makes of (nested) lists in which nodes or sizes take part."""
    if _is_static(value):
        return _static(value, dtype)
    if not isinstance(value, (list, tuple)):
        return _from_node(current_builder().lift(value), dtype)
    lift = current_builder().lift
    leaves = [lift(leaf) for leaf in _leaves(value)]
    shape = _shape(value)
    if shape is not None and all(leaf.ndim == 0 for leaf in leaves):
        natural = joint_dtype(*[leaf.array_type for leaf in leaves])
        if dtype is not None and dtype.kind in "iu":  # an integer may have more bits
            leaves = [ops.cast(leaf, dtype) if may_be_unbounded(leaf) else leaf for leaf in leaves]
        return array(*leaves, shape=shape, dtype=natural if dtype is None else dtype)
    rows = [joined(part) for part in value]
    if len({row.ndim for row in rows}) > 1:
        raise ShapeError(
            "setting an array element with a sequence. The requested array has an "
            f"inhomogeneous shape after {1} dimensions."
        )
    whole = stack(*rows, axis=0)
    return whole if dtype is None else ops.cast(whole, dtype)


def _from_node(node: Node, dtype: DType | None) -> Node:
    return node if dtype is None else ops.cast(node, dtype)


# -- NumPy's functions ---------------------------------------------------------------------------


@implements(np.array)
def _array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
    like: Any = None,
) -> Node:
    kind = None if dtype is None else as_dtype(dtype)
    made = ops.as_array(joined(object, kind))
    if made is object and copy:
        made = ops.copy(made, **({"order": "K"} if order == "K" else {}))
    missing = ndmin - made.ndim
    return ops.expand_dims(made, axis=tuple(range(missing))) if missing > 0 else made


@implements(np.asarray, np.asanyarray)
def _asarray(
    a: Any,
    dtype: Any = None,
    order: Any = None,
    *,
    device: Any = None,
    copy: bool | None = None,
    like: Any = None,
) -> Node:
    made = ops.as_array(joined(a, None if dtype is None else as_dtype(dtype)))
    return ops.copy(made) if made is a and copy else made


@implements(np.ascontiguousarray, np.asfortranarray)
def _ascontiguousarray(a: Any, dtype: Any = None, *, like: Any = None) -> Node:
    made = _asarray(a, dtype)
    return made if made.ndim else ops.expand_dims(made, axis=(0,))


def _of_complex(value: Node, dtype: DType) -> Node:
    """A complex number of Python's as NumPy's ``dtype`` takes it: all but real numbers do."""
    if dtype.kind == "b":
        return python_bool(value)
    if dtype.kind != "c":
        raise ArgumentTypeError(f"np.{dtype} takes a real number, not a complex one of Python's")
    return value


def _scalar_type(dtype: DType) -> Any:
    """``np.float32(x)``: the value in that dtype."""

    def convert(value: Any = 0, /) -> Node:
        if isinstance(value, Node) and value.array_type.weak and value.array_type.complex:
            value = _of_complex(value, dtype)
        made = joined(value, dtype)
        if not made.ndim and made.array_type.form == "array":
            return getitem(made, index=Index(()))
        return ops.copy(made) if made is value and made.ndim else made

    return convert


for _type in (
    np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
    np.float16, np.float32, np.float64, np.complex64, np.complex128,
):  # fmt: skip
    implements(_type)(_scalar_type(np.dtype(_type)))


# -- questions about types -----------------------------------------------------------------------


@implements(np.result_type)
def _result_type(*arrays_and_dtypes: Any) -> DType:
    dtypes = [a if isinstance(a, (np.dtype, type, str)) else None for a in arrays_and_dtypes]
    types = [
        as_node(a).array_type if dtype is None else ArrayType(np.dtype(dtype))
        for a, dtype in zip(arrays_and_dtypes, dtypes, strict=True)
    ]
    return result_dtype(*types)
