"""NumPy's own error for an operation that cannot be done: asked of NumPy, on arrays of such types.

The emitted code raises it where a path that may not be taken comes to that operation.
"""

from __future__ import annotations

import copy
import math
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from gradsmith.errors import GradsmithError
from gradsmith.frontend.failures import is_refusal
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import constant
from gradsmith.ir.types import ArrayType
from gradsmith.ops import index
from gradsmith.ops.effects import NUMPYS_ERRORS

Found = TypeVar("Found", bound=GradsmithError)
MOST_ELEMENTS = 1_000_000
"""NumPy is asked about arrays of this size at most: it might have no objections, and compute."""

_OPERATIONS: dict[Any, Callable[..., Any]] = {
    index.read: operator.getitem,
    index.write: operator.setitem,
}
"""What Python calls operations that have no function in NumPy."""


def numpys_error(
    error: Exception, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Exception | None:
    """The error that ``function`` raises on arrays of the types of ``args``, as ``error`` has it.

    None where it raises none, so that ``error`` is about something that gradsmith cannot do, and
    where sizes that only running tells decide. The sizes are as they are now, by guards.
    """
    sizes = [size for value in (*args, *kwargs.values()) for size in _sizes(value)]
    called = _OPERATIONS.get(function, function)
    if any(map(dims.is_unbacked, sizes)) or getattr(called, "__module__", "") not in _MODULES:
        return None
    try:
        given = [example(value) for value in args]
        named = {key: example(value) for key, value in kwargs.items()}
    except ValueError:
        return None
    found = _raised(called, given, named)
    kinds = tuple(k for k in type(error).__mro__ if k.__module__ == "builtins")[:-3]
    if found is None or not isinstance(found, kinds):
        return None
    for size in sizes:
        dims.concrete(size)
    return found


def with_own(error: Found, function: Callable[..., Any], *operands: Any) -> Found:
    """``error`` with the error that ``function`` of such operands raises, if it raises one."""
    error.own = numpys_error(error, function, operands, {})
    return error


_MODULES = ("numpy", "numpy.linalg", "numpy.fft", "math", "_operator", "builtins")


def _raised(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Exception | None:
    """The error of a call, as one of a class that users can name."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*args, **kwargs)
    except Exception as error:
        if is_refusal(error):  # an object among the arguments holds traced values
            return None
        if isinstance(error, (KeyError, UFUNC_ERROR)):
            return error
        named = type(error).__module__ == "builtins" or type(error) in NUMPYS_ERRORS
        return copy.copy(error) if named else in_pythons_class(error)
    return None


def _ufunc_error() -> type[TypeError]:
    """The class that ufuncs' errors about dtypes have, which NumPy does not export."""
    try:
        np.add(np.zeros(0), 1, out=np.zeros(0, int))
    except TypeError as error:
        return next(kind for kind in type(error).__mro__ if not kind.__name__.startswith("_"))
    return TypeError


UFUNC_ERROR = _ufunc_error()


def in_pythons_class(error: Exception) -> Exception:
    """The error of a ufunc as one of Python's classes, which the emitted code can name."""
    kind: type[Exception] = next(k for k in type(error).__mro__ if _is_pythons(k))
    return kind(str(error))


def _is_pythons(kind: type) -> bool:
    return kind.__module__ == "builtins"


def _sizes(value: Any) -> Iterator[Dim]:
    """The symbolic sizes in an argument."""
    if isinstance(value, Dim):
        yield value
    elif isinstance(value, Node) and isinstance(value.type, ArrayType):
        yield from (size for size in value.type.shape if isinstance(size, Dim))
    elif isinstance(value, slice):
        yield from _sizes((value.start, value.stop, value.step))
    elif isinstance(value, (list, tuple)):
        yield from (size for part in value for size in _sizes(part))


def example(value: Any) -> Any:
    """A value of that type.

    Raises
    ------
    ValueError
        It would be too large.
    """
    if isinstance(value, Dim):
        return dims.hint(value)
    if isinstance(value, slice):
        return slice(example(value.start), example(value.stop), example(value.step))
    if type(value) in (list, tuple):
        return type(value)(map(example, value))
    if not isinstance(value, Node):
        return value
    if value.op is constant:
        return value.attrs["value"].value
    type_ = value.array_type
    shape = tuple(map(dims.hint, type_.shape))
    if math.prod(shape) > MOST_ELEMENTS:
        raise ValueError
    filled = np.full(shape, 1 if type_.inexact else 0, type_.dtype)
    if type_.form == "array":
        return filled
    return filled.item() if type_.weak else filled[()]
