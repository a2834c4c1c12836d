"""Arrays and lists as the value of a single element of an array: ``x[0] = w``.

NumPy then converts the value as `float` and `int` do, and broadcasts nothing. Whether an array of
one element is taken for a number depends on the version of NumPy, and on the dtype.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ArgumentValueError, GradsmithError
from gradsmith.ir import dims
from gradsmith.ir.graph import Node
from gradsmith.ir.types import DType
from gradsmith.ops.declare import as_node
from gradsmith.ops.index_key import Array, Index, is_mask


def is_element(index: Index, arrays: tuple[Node, ...], ndim: int) -> bool:
    """Whether the index is one integer for each axis: a view of an element is none."""
    return len(index.items) == ndim and all(_is_integer(item, arrays) for item in index.items)


def _is_integer(item: Any, arrays: tuple[Node, ...]) -> bool:
    if isinstance(item, Array):
        operand = arrays[item.position]
        return not (operand.ndim or is_mask(operand.array_type))
    return dims.is_size(item)


def as_element(value: Any, dtype: DType) -> Any:
    """The value of an element of an array of this dtype.

    Raises
    ------
    ArgumentTypeError, ArgumentValueError
        NumPy raises an error of this kind for such a value.
    """
    example = _example(value)
    refusal = None if example is None else _refusal(example, dtype)
    if refusal is not None:
        raise refusal
    truth = isinstance(value, (list, tuple)) and dtype.kind == "b"
    return bool(value) if truth else value


def _example(value: Any) -> Any:
    """A list, or an array with axes, of the same length and dtype; None for a number."""
    if isinstance(value, (list, tuple)):
        kind = list if isinstance(value, list) else tuple
        return kind([0.0] * len(value))
    if not isinstance(value, (Node, np.ndarray)):
        return None
    node = as_node(value)
    few = [min(dims.hint(size), 2) for size in node.shape]
    return np.ones(few, node.dtype) if few else None


def _refusal(example: Any, dtype: DType) -> GradsmithError | None:
    """NumPy's error for a value of this kind, as one of gradsmith's."""
    hint = "an element takes a number: take one of the value's elements, or write to a slice"
    try:
        np.zeros((), dtype)[()] = example
    except TypeError as error:
        return ArgumentTypeError(str(error), hint=hint)
    except ValueError as error:
        return ArgumentValueError(str(error), hint=hint)
    return None
