"""What NumPy itself makes of an op's arguments and attributes, written without our rules."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradsmith.ops.index_key import Array, Index, Slice

Reference = Callable[..., Any]


def _key(index: Index, arrays: Sequence[Any]) -> Any:
    items = tuple(
        slice(item.start, item.stop, item.step) if isinstance(item, Slice)
        else arrays[item.position] if isinstance(item, Array)
        else item
        for item in index.items
    )  # fmt: skip
    return items or ...


def _read(x: Any, *arrays: Any, index: Index) -> Any:
    return x[_key(index, arrays)]


def _set(x: Any, update: Any, *arrays: Any, index: Index) -> Any:
    result = x.copy()
    result[_key(index, arrays)] = update
    return result


def _add(x: Any, update: Any, *arrays: Any, index: Index) -> Any:
    result, places = x.copy(), np.arange(x.size).reshape(x.shape)[_key(index, arrays)]
    flat = result.reshape(-1)
    for place, term in zip(places.flat, np.broadcast_to(update, places.shape).flat, strict=True):
        flat[place] += term  # np.add.at has a defect
    return result


def _reduction(function: Reference) -> Reference:
    def reduce(x: Any, **options: Any) -> Any:
        return function(x, **options)

    return reduce


def _cumulative(function: Reference) -> Reference:
    def cumulate(x: Any, *, axis: int, reverse: bool, dtype: Any = None) -> Any:
        if not reverse:
            return function(x, axis=axis, dtype=dtype)
        return np.flip(function(np.flip(x, axis), axis=axis, dtype=dtype), axis)

    return cumulate


def _unique(x: Any, *, parts: Sequence[str], equal_nan: bool, count: Any) -> Any:
    everything = np.unique(x, True, True, True, equal_nan=equal_nan)
    order = ("values", "index", "inverse", "counts")
    return tuple(everything[order.index(part)] for part in parts)


def _norm(x: Any, *, axis: Any, keepdims: bool, order: Any) -> Any:
    short = axis[0] if axis is not None and len(axis) == 1 else axis
    return np.linalg.norm(x, ord=order, axis=short, keepdims=keepdims)


def _log_total(x: Any, axis: Any, keepdims: bool = True) -> Any:
    return np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)


def _arange(*, start: int, length: int, step: int, dtype: Any) -> Any:
    return np.arange(start, start + length * step, step, dtype=dtype)


def _array(*elements: Any, shape: Any, dtype: Any) -> Any:
    return np.array(elements, dtype).reshape(shape)


REDUCTIONS = ("sum", "any", "all", "max", "min", "mean", "var", "std", "prod")

FOUND = ("flatnonzero", "nonzero", "argwhere")


def _sum_to(x: Any, *, shape: Any) -> Any:
    for axis, size in enumerate(shape):
        x = x if size == x.shape[axis] else x.sum(axis=axis, keepdims=True)
    return x


def _found(name: str) -> Reference:
    return lambda x, **_: getattr(np, name)(x)


def _with_part(part: str) -> Reference:
    def replaced(z, x):
        made = z.copy()
        setattr(made, part, x)
        return made

    return replaced


REFERENCES: dict[str, Reference] = {
    "getitem": _read,
    "gather": _read,
    "index_set": _set,
    "index_add": _add,
    "with_real": _with_part("real"),
    "with_imag": _with_part("imag"),
    **{f"reduce_{name}": _reduction(getattr(np, name)) for name in REDUCTIONS},
    "cumsum": _cumulative(np.cumsum),
    "cumprod": _cumulative(np.cumprod),
    "cumprod_product": lambda value, v, x, **_: value,  # an identity with a derivative of its own
    "norm": _norm,
    **{name: _found(name) for name in FOUND},
    "unique": _unique,
    "searchsorted": lambda a, v, *sorter, side: np.searchsorted(a, v, side, *sorter),
    "trace": lambda x, *, offset, dtype=None: np.trace(x, offset, -2, -1, dtype),
    "einsum": lambda *operands, subscripts: np.einsum(subscripts, *operands),
    "concatenate": lambda *arrays, axis: np.concatenate(arrays, axis=axis),
    "stack": lambda *arrays, axis: np.stack(arrays, axis=axis),
    "array": _array,
    "arange": _arange,
    "eye": lambda *, rows, columns, k, dtype: np.eye(rows, columns, k, dtype),
    "empty": np.zeros,  # in the interpreter; the emitted np.empty may hold anything
    "full": lambda fill, *, shape, dtype=None: np.full(shape, fill, dtype),
    "sum_to": _sum_to,
    "reshape": lambda x, *, shape: np.asarray(x).reshape(shape),
    "transpose": lambda x, *, axes: np.transpose(x, axes),
    "astype": lambda x, *, dtype: x.astype(dtype),
    "copy": lambda x: x.copy(),
    "clip_below": lambda x, low: np.clip(x, low, None),
    "clip_above": lambda x, high: np.clip(x, None, high),
    **{f"math_{name}": getattr(math, name) for name in dir(math)},
    "math_fsum": lambda *numbers: math.fsum(numbers),
    "math_fsum_of_array": math.fsum,
    "math_modf_0": lambda x: math.modf(x)[0],
    "math_modf_1": lambda x: math.modf(x)[1],
    "python_float": float,
    "python_complex": complex,
    "complex_of_parts": complex,
    "python_bool": bool,
    "python_round": lambda x, *, digits: round(x, digits),
    "pythons_order": lambda x: np.array(sorted(range(len(x)), key=lambda i: x[i]), int),
    "python_max": max,
    "python_min": min,
    "complex_sign": np.sign,
    "scalar_absolute": abs,
    "python_max_element": lambda x, **_: max(x),
    "python_min_element": lambda x, **_: min(x),
    "is_integer": lambda x: float(x).is_integer(),
    "has_class": lambda x, *, cls: type(x) is cls,
    "of_dtype": lambda x, *, dtype: dtype.type(x),
    "widened": lambda x, **_: x,
    "conditional": lambda condition, x, y: x if condition else y,
    "not": operator.not_,
    "real_power": lambda x, y: float(np.float_power(x, y)),
    "log_of_base": lambda x: math.log(x) if x else 0.0,
    "power": operator.pow,  # on NumPy's scalars np.power may have another last bit
    "chebyshev": lambda x, *, coefficients: np.polynomial.chebyshev.chebval(x, coefficients),
    "integer_power": lambda x, *, n: x**n,
    "masked_divide": lambda mask, x, y: np.where(mask, x, 0) / np.where(mask, y, 1),
    "softplus": lambda x: np.logaddexp(0, x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "sigmoid_slope": lambda x: np.exp(-np.logaddexp(0, x) - np.logaddexp(0, -x)),
    "logsumexp": lambda x, *, axis, keepdims: _log_total(x, axis, keepdims),
    "softmax": lambda x, *, axis, zeros=False: np.exp(x - _log_total(x, axis)),
    "log_softmax": lambda x, *, axis: x - _log_total(x, axis),
}
"""Where it is not simply the NumPy function of the op's name."""

NOT_IN_NUMPY = frozenset(
    {
        "integer_power",  # of products, not by np.power
        "softplus",
        "sigmoid",
        "sigmoid_slope",
        "logsumexp",
        "softmax",
        "log_softmax",
    }
)
"""Equal to their references up to rounding; all other ops to the last bit."""


def reference(name: str) -> Reference:
    """The NumPy function that an op of this name must agree with."""
    return REFERENCES[name] if name in REFERENCES else getattr(np, name)
