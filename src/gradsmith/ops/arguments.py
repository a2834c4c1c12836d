"""Static arguments of NumPy functions as user code gives them: sizes, shapes, axes, dtypes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from gradsmith.errors import ArgumentTypeError, ShapeError, UnsupportedError
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Shape, Size
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType, DType, describe, result_dtype

_DTYPES = "use a boolean, integer, floating or complex dtype"


def size_of(value: Any) -> Size | None:
    """``value`` as a size, where it is an integer that is known apart from the data."""
    if isinstance(value, Dim):
        return value
    if isinstance(value, Node):
        return _node_size(value)
    try:
        return operator.index(value)
    except TypeError:
        return None


def _node_size(node: Node) -> Size | None:
    if node.op.name == "size":
        value: Size = node.attrs["value"]
        return value
    if node.op.name == "constant":
        return size_of(node.attrs["value"].value)
    symbol = node.attrs.get("symbol") if node.op.name == "parameter" else None
    return None if symbol is None else Dim((((symbol,), 1),), symbol.hint)


def as_size(value: Any, what: str) -> Size:
    """``value`` as a size.

    Raises
    ------
    ArgumentTypeError
        It is no integer.
    UnsupportedError
        It depends on the data.
    """
    size = size_of(value)
    if size is not None:
        return size
    if isinstance(value, Node):
        raise UnsupportedError(
            f"{what} is a traced {describe(value.type)}: it depends on the values of an array",
            hint="sizes must follow from shapes and integer arguments",
        )
    raise ArgumentTypeError(f"{what} must be an integer, not {value!r}", hint="pass an int")


def as_static_int(value: Any, what: str) -> int:
    """``value`` as a number that is known for good; a symbolic size gets a guard."""
    return dims.concrete(as_size(value, what))


def as_shape(value: Any, what: str = "shape") -> Shape:
    """``value`` (a size or a sequence of sizes) as a shape."""
    if size_of(value) is not None:
        return (as_size(value, what),)
    if isinstance(value, (Sequence, np.ndarray)):
        return tuple(as_size(v, what) for v in value)
    return (as_size(value, what),)


def normalize_axis(axis: Any, ndim: int) -> int:
    """``axis`` counted from the front.

    Raises
    ------
    ShapeError
        There is no such axis (NumPy raises AxisError, a ValueError, there).
    """
    number = as_static_int(axis, "axis")
    if not -ndim <= number < ndim:
        raise ShapeError(
            f"axis {number} is out of bounds for array of dimension {ndim}",
            hint=f"axes count from 0 to {ndim - 1}, or from -1 down" if ndim else "leave axis out",
        )
    return number % ndim


def normalize_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """``axis`` (None: all of them, an integer or several) counted from the front."""
    if axis is None:
        return tuple(range(ndim))
    if size_of(axis) is not None:
        return (normalize_axis(axis, ndim),)
    axes = tuple(normalize_axis(a, ndim) for a in axis)
    if len(set(axes)) < len(axes):
        raise ShapeError("repeated axis")
    return axes


def as_dtype(value: Any) -> DType:
    """``value`` as a boolean or numerical dtype.

    Raises
    ------
    ArgumentTypeError
        It is another kind of dtype.
    """
    if isinstance(value, Node):
        raise ArgumentTypeError(
            f"a traced {describe(value.type)} is no dtype", hint="pass its .dtype"
        )
    try:
        dtype: DType = np.dtype(value)
    except TypeError as error:
        raise ArgumentTypeError(str(error), hint=_DTYPES) from None
    if dtype.kind not in "biufc":
        raise ArgumentTypeError(f"arrays of dtype {dtype} cannot be differentiated", hint=_DTYPES)
    return dtype


def joint_dtype(*types: ArrayType) -> DType:
    """What several arrays become when joined: promotion where Python numbers are not weak."""
    return result_dtype(*[t.strong() for t in types])


def refuse(function: str, argument: str, value: object, hint: str | None = None) -> NoReturn:
    """Raise the error that says which argument value of a function is not handled.

    Raises
    ------
    UnsupportedError
        Always.
    """
    text = f"a traced {describe(value.type)}" if isinstance(value, Node) else f"{value!r:.60}"
    raise UnsupportedError(
        f"{function} does not support {argument}={text}",
        hint=hint or f"leave {argument} out, or write what it does with other NumPy functions",
    )


def require_default(function: str, **given: tuple[object, Sequence[object]]) -> None:
    """Refuse every argument whose (value, accepted values) do not fit each other."""
    for argument, (value, accepted) in given.items():
        if value not in accepted:
            refuse(function, argument, value)
