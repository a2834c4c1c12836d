"""Python's builtins on traced values."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import ConcretizationError, TraceTimeEffectWarning, UnsupportedError
from gradsmith.frontend.dispatch import any_traced, apply, is_traced, traced
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer

BUILTINS: dict[Any, Callable[..., Any]] = {}


def builtin(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare what builtins mean when some argument is traced; else they are themselves."""

    def declare(meaning: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            BUILTINS[function] = _only_if_traced(function, meaning)
        return meaning

    return declare


def _only_if_traced(function: Any, meaning: Callable[..., Any]) -> Callable[..., Any]:
    def decide(*args: Any, **kwargs: Any) -> Any:
        if any_traced(args) or any_traced(kwargs.values()):
            return meaning(*args, **kwargs)
        return function(*args, **kwargs)

    return decide


def as_traced(value: Any) -> Tracer:
    """A constant as a traced value."""
    return traced(value)


@builtin(len)
def _len(value: Any) -> Any:
    return value.shape[0] if isinstance(value, Tracer) and value.ndim else len(value)


@builtin(abs)
def _abs(value: Any) -> Any:
    return abs(value)


@builtin(sum)
def _sum(values: Any, start: Any = 0) -> Any:
    if isinstance(values, Tracer):
        total = apply(np.sum, values, axis=0)
        return total if type(start) is int and start == 0 else start + total
    return sum(values, start)


def _extreme(ufunc: np.ufunc, reduction: Any, plain: Any) -> Callable[..., Any]:
    def extreme(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise UnsupportedError(
                f"{plain.__name__}() with key= or default= on traced values", current_span()
            )
        values = list(args) if len(args) > 1 else args[0]
        if isinstance(values, Tracer):
            return apply(reduction, values)
        values = list(values)
        if all(not isinstance(v, Tracer) for v in values):
            return plain(values)
        result = values[0]
        for value in values[1:]:
            result = apply(ufunc, result, value)
        return result

    return extreme


builtin(max)(_extreme(np.maximum, np.max, max))
builtin(min)(_extreme(np.minimum, np.min, min))


@builtin(pow)
def _pow(base: Any, exponent: Any) -> Any:
    return base**exponent


@builtin(divmod)
def _divmod(left: Any, right: Any) -> Any:
    return left // right, left % right


@builtin(round)
def _round(value: Any, digits: int = 0) -> Any:
    return value if isinstance(value, TracedInt) else apply(np.round, value, digits)


@builtin(any)
def _any(values: Any) -> Any:
    return apply(np.any, values) if isinstance(values, Tracer) else any(values)


@builtin(all)
def _all(values: Any) -> Any:
    return apply(np.all, values) if isinstance(values, Tracer) else all(values)


def _conversion(kind: type) -> Callable[..., Any]:
    def convert(value: Any, *rest: Any) -> Any:
        if isinstance(value, TracedInt):
            return value if kind is int else value * kind(1)
        if isinstance(value, Tracer) and value.type.weak and value.dtype == np.dtype(kind):
            return value
        if isinstance(value, Tracer):
            raise ConcretizationError(
                f"{kind.__name__}() would turn a traced value of type {value.type!r} into a plain "
                "number and lose its gradient",
                current_span(),
                "leave it out: NumPy functions take the value as it is",
            )
        return kind(value, *rest)

    return convert


for _kind in (int, float, complex):
    builtin(_kind)(_conversion(_kind))


@builtin(bool)
def _bool(value: Any) -> Any:
    return bool(value)


@builtin(isinstance)
def _isinstance(value: Any, classes: Any) -> Any:
    if isinstance(value, TracedInt):
        return issubclass(int, classes)
    if isinstance(value, Tracer):
        return issubclass(class_of(value), classes)
    return isinstance(value, classes)


@builtin(type)
def _type(value: Any, *rest: Any) -> Any:
    if isinstance(value, TracedInt):
        return int
    return class_of(value) if isinstance(value, Tracer) else type(value, *rest)


def class_of(value: Tracer) -> type:
    """The class that the value has when the function runs on plain arrays."""
    form = value.type.form
    if form == "array":
        return np.ndarray
    return value.dtype.type if form == "scalar" else type(value.dtype.type(0).item())


def _print(*args: Any, **kwargs: Any) -> None:
    span = current_span()
    place = f" ({span.where}: {span.text})" if span is not None else ""
    warnings.warn(
        f"print runs when the function is traced, not at each call of the compiled one{place}",
        TraceTimeEffectWarning,
        stacklevel=2,
    )
    print(*args, **kwargs)


BUILTINS[print] = _print


@builtin(str, repr, format)
def _text(value: Any, *rest: Any) -> str:
    return repr(value)


@builtin(operator.index)
def _index(value: Any) -> Any:
    return value if isinstance(value, TracedInt) else operator.index(value)


@builtin(math.prod)
def _prod(values: Any, *, start: Any = 1) -> Any:
    result = start
    for value in values:
        result = result * value
    return result


__all__ = ["BUILTINS", "as_traced", "is_traced"]
