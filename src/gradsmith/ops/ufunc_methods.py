"""Methods of ufuncs: ``np.add.reduce``, ``np.add.accumulate``, ``np.subtract.outer``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError
from gradsmith.ir.graph import Node
from gradsmith.ops.arguments import require_default
from gradsmith.ops.cumulative import cumsum_
from gradsmith.ops.declare import FUNCTIONS, as_node, implements
from gradsmith.ops.dots import outer_
from gradsmith.ops.products import cumprod_, prod
from gradsmith.ops.reductions import all_, any_, max_, min_, sum_
from gradsmith.ops.shape import cast, expand_dims

Method = Callable[..., Node]


def _reduce(function: Callable[..., Node], ufunc: np.ufunc, *, typed: bool) -> Method:
    """``ufunc.reduce`` by the function that does the same, whose axis is None if not given."""

    def reduce(
        array: Any, /, axis: Any = 0, dtype: Any = None, *, keepdims: bool = False, **options: Any
    ) -> Node:
        if typed:
            return function(array, axis, dtype, keepdims=keepdims, **options)
        require_default(f"np.{ufunc.__name__}.reduce", dtype=(dtype, [None]))
        return function(array, axis, keepdims=keepdims, **options)

    return reduce


for _ufunc, _function, _typed in (
    (np.add, sum_, True),
    (np.multiply, prod, True),
    (np.maximum, max_, False),
    (np.minimum, min_, False),
    (np.logical_or, any_, False),
    (np.logical_and, all_, False),
):
    implements(_ufunc.reduce)(_reduce(_function, _ufunc, typed=_typed))


def _with_axes(array: Any) -> Node:
    node = as_node(array)
    if not node.ndim:
        raise ArgumentTypeError(
            "cannot accumulate on a scalar", hint="np.cumsum and np.cumprod take scalars, too"
        )
    return node


@implements(np.add.accumulate)
def _add_accumulate(array: Any, /, axis: Any = 0, dtype: Any = None) -> Node:
    return cumsum_(_with_axes(array), axis, dtype)


@implements(np.multiply.accumulate)
def _multiply_accumulate(array: Any, /, axis: Any = 0, dtype: Any = None) -> Node:
    return cumprod_(_with_axes(array), axis, dtype)


def _outer(ufunc: np.ufunc) -> Method:
    def outer(A: Any, B: Any, /) -> Node:  # noqa: N803  NumPy calls them so
        x, y = (cast(node, node.dtype) for node in (as_node(A), as_node(B)))  # no weak numbers
        if ufunc is np.multiply and x.ndim == y.ndim == 1:
            return outer_(x, y)
        later = tuple(range(x.ndim, x.ndim + y.ndim))
        pairs: Node = FUNCTIONS[ufunc](expand_dims(x, axis=later) if x.ndim and later else x, y)
        return pairs

    return outer


for _binary in (
    *(np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum, np.minimum),
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
    *(np.hypot, np.arctan2, np.logaddexp),
):
    implements(_binary.outer)(_outer(_binary))
