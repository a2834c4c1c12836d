"""NumPy's own error for an operation that cannot be done: asked of NumPy, on arrays of such types.

The emitted code raises it where a path that may not be taken comes to that operation.
"""

from __future__ import annotations

import copy
import math
import operator
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from gradsmith.errors import GradsmithError
from gradsmith.frontend.classes import special
from gradsmith.frontend.failures import is_refusal
from gradsmith.frontend.nested_values import leaves, mapped_arguments
from gradsmith.frontend.number_class import possible_types
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt, wrap_size
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Size
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import constant
from gradsmith.ir.types import ArrayType
from gradsmith.ops import index
from gradsmith.ops.effects import NUMPYS_ERRORS

Found = TypeVar("Found", bound=GradsmithError)
MOST_ELEMENTS = 1_000_000
"""NumPy is asked about arrays of this size at most: it might have no objections, and compute."""

OPERATIONS: dict[Any, Callable[..., Any]] = {
    index.read: operator.getitem,
    index.write: operator.setitem,
}
"""What Python calls operations that have no function in NumPy."""


def numpys_error(
    error: Exception,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    number: int = 1,
) -> Exception | None:
    """The error that ``function`` raises on arrays of the types of ``args``, as ``error`` has it.

    None where it raises none, so that ``error`` is about something that gradsmith cannot do, and
    where sizes that only running tells decide, unless a ``try`` handles the error. The sizes are
    as they are now, by guards and checks; ``number`` says of which elements (`example_of`).
    """
    sizes = [size for leaf in leaves([*args, *kwargs.values()]) for size in sizes_of(leaf)]
    called, trace = OPERATIONS.get(function, function), current_trace()
    handled = trace is not None and trace.trying > 0
    if not is_numpys(called) or (any(map(dims.is_unbacked, sizes)) and not handled):
        return None
    try:
        given, named = mapped_arguments(partial(example_of, number=number), args, kwargs)
    except ValueError:
        return None
    found = raised_by(called, given, named)
    kinds = tuple(k for k in type(error).__mro__ if k.__module__ == "builtins")[:-3]
    if found is None or not isinstance(found, kinds):
        return None
    for size in sizes:
        int(TracedInt(size))
    return _with_present_values(found, called, args, kwargs)


_OPERATORS = frozenset(
    {
        *("add", "and_", "contains", "eq", "floordiv", "ge", "getitem", "gt", "index", "invert"),
        *("le", "lshift", "lt", "matmul", "mod", "mul", "ne", "neg", "or_", "pos", "pow", "sub"),
        *("rshift", "truediv", "xor", "imatmul", "countOf", "indexOf"),
    }
)
present_number: list[Callable[[Node], Any]] = []
"""``present_number[0](node)`` is the number that a node is in this call, upon which the code is
specialised; set from `value_guards`.
"""


def _with_present_values(
    found: Exception,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Exception | None:
    """The error with the numbers of the present call, where its text says the numbers."""
    others = mapped_arguments(partial(example_of, number=2), args, kwargs)
    raised = raised_by(function, *others)
    if raised is not None and str(raised) == str(found):
        return found
    return raised_by(function, *mapped_arguments(_present, args, kwargs))


def _present(value: Any) -> Any:
    """An example with the present number for a number."""
    number = isinstance(value, Node) and value.op is not constant and not value.array_type.ndim
    return present_number[0](value) if number else example_of(value)


def refused_by_kind(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Exception | None:
    """The error that ``function`` raises on arguments of such kinds, whatever their values are: of
    attributes and classes that they do not have, and axes.
    """
    if not is_numpys(function) or isinstance(function, np.ufunc):
        return None
    found = list(leaves([*args, *kwargs.values()]))
    if not all(type(leaf) in _PLAIN or isinstance(leaf, _NUMPYS) for leaf in found):
        return None
    if any(isinstance(leaf, Node) and possible_types(leaf) != (leaf.type,) for leaf in found):
        return None  # the kind depends on the path taken
    shapes = [v.array_type.shape for v in found if isinstance(v, Node)]
    if any(dims.is_unbacked(size) for leaf in found for size in sizes_of(leaf)):
        return None
    if any(math.prod(map(_present_size, shape)) > MOST_ELEMENTS_OF_KINDS for shape in shapes):
        return None
    try:
        error = raised_by(function, *mapped_arguments(example_of, args, kwargs))
    except ValueError:
        return None
    if not isinstance(error, OF_KINDS):
        return None
    for leaf in found:
        for size in sizes_of(leaf):
            int(TracedInt(size))
    return error


def is_asked_about_kinds(function: Any) -> bool:
    """Whether a function of Python's computes with numbers, and does nothing else."""
    return any(function is known for known in _OF_NUMBERS)


_OF_NUMBERS = (
    *(abs, divmod, pow, round, int, float, complex, min, max, sum, format, len, chr),
    *(bin, hex, oct, *(f for name, f in vars(operator).items() if name in _OPERATORS)),
)
_PLAIN = frozenset({Node, Dim, np.ndarray, bool, int, float, complex, str, bytes, type(None)})
_NUMPYS = (np.generic, np.dtype, type)
OF_KINDS = (TypeError, AttributeError, np.exceptions.AxisError)
MOST_ELEMENTS_OF_KINDS = 10_000
"""So large arrays are made to ask about kinds at most: NumPy has no objections most times."""


def with_own(error: Found, function: Callable[..., Any], *operands: Any) -> Found:
    """``error`` with the error that ``function`` of such operands raises, if it raises one."""
    error.own = numpys_error(error, function, operands, {})
    return error


def is_numpys(function: Callable[..., Any]) -> bool:
    """Whether it is a function of NumPy's or Python's own."""
    of_ufunc = isinstance(getattr(function, "__self__", None), np.ufunc)
    return of_ufunc or getattr(function, "__module__", "") in _MODULES


_MODULES = ("numpy", "numpy.linalg", "numpy.fft", "math", "_operator", "builtins")


def raised_by(
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
        return _without_traceback(error) if named else in_pythons_class(error)
    return None


def _without_traceback(error: Exception) -> Exception:
    made = copy.copy(error)
    made.__cause__ = error.__cause__
    return made


def _ufunc_error() -> type[TypeError]:
    """The class that ufuncs' errors about dtypes have, which NumPy does not export."""
    try:
        np.add(np.zeros(0), 1, out=np.zeros(0, int))
    except TypeError as error:
        kinds = type(error).__mro__  # all of them have the name of the one that is asked for
        return kinds[kinds.index(TypeError) - 1]
    return TypeError


UFUNC_ERROR = _ufunc_error()


def in_pythons_class(error: Exception) -> Exception:
    """The error of a ufunc as one of Python's classes, which the emitted code can name."""
    kind: type[Exception] = next(k for k in type(error).__mro__ if _is_pythons(k))
    return kind(str(error))


def _is_pythons(kind: type) -> bool:
    return kind.__module__ == "builtins"


def sizes_of(value: Any) -> list[Dim]:
    """The symbolic sizes of an array, or the one that it is."""
    array = isinstance(value, Node) and isinstance(value.type, ArrayType)
    return [size for size in (value.type.shape if array else (value,)) if isinstance(size, Dim)]


def _present_size(size: Size) -> int:
    """The size in the present call."""
    unbacked = isinstance(size, Dim) and dims.is_unbacked(size)
    return int(wrap_size(size)) if unbacked else dims.hint(size)


_NUMBERS = ("__index__", "__float__", "__int__", "__complex__", "__array__")


def example_of(value: Any, number: int = 1) -> Any:
    """A value of that type: of floating-point numbers this one, of integers the one before.

    Raises
    ------
    ValueError
        It would be too large, or only calling a method of the user's tells.
    """
    if isinstance(value, Dim):
        return _present_size(value)
    if any(special(value, name) for name in _NUMBERS):
        raise ValueError  # which may be traced
    if not isinstance(value, Node):
        return value
    if value.op is constant:
        return value.attrs["value"].value
    type_ = value.array_type
    shape = tuple(map(_present_size, type_.shape))
    if math.prod(shape) > MOST_ELEMENTS:
        raise ValueError
    filled = np.full(shape, number if type_.inexact else number - 1, type_.dtype)
    if type_.form == "array":
        return filled
    return filled.item() if type_.weak else filled[()]
