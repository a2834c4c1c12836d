"""Calls before which the emitted code asks for an error that NumPy or Python would raise.

What is emitted for them alone would raise another one, or none: an array of which only the size is
read is never made.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradsmith.frontend import operators
from gradsmith.frontend.exact_type import as_pythons, by_numpy, of_exact_type
from gradsmith.frontend.failing import raise_if
from gradsmith.frontend.grown import length_of
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt, as_size, wrap_size
from gradsmith.frontend.tracer import METHODS, Tracer
from gradsmith.frontend.trips import Trips
from gradsmith.ir import dims
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType
from gradsmith.ops.manipulate import may_be_negative
from gradsmith.ops.raising import error_of

CHECKED: dict[Any, Callable[..., Any]] = {}


_NEGATIVE = "negative dimensions are not allowed"


def _of_shape(function: Any, *args: Any, **kwargs: Any) -> Any:
    """An array of this shape, whose sizes are not negative."""
    begin = _count()
    made = by_numpy(function, *args, **kwargs)
    return _not_negative(made, begin)


def _count() -> int:
    trace = current_trace()
    return 0 if trace is None else len(trace.builder.nodes)


def _not_negative(made: Any, begin: int, text: str = _NEGATIVE) -> Any:
    """The array, whose sizes the code asks for before it makes what has been traced from ``begin``
    on.
    """
    asked, trace = _count(), current_trace()
    try:
        _check_sizes(made, text)
    except ValueError:
        if trace is not None:  # it is never made
            trace.raised.update(trace.builder.nodes[begin:asked])
        raise
    if trace is None or _count() == asked:
        return made
    nodes, after = trace.builder.nodes, _of_its_sizes(made, trace.builder.nodes[begin:asked])
    before = [node for node in nodes[begin:asked] if node not in after]
    nodes[begin:] = [*before, *nodes[asked:], *after]
    return made


def _of_its_sizes(made: Tracer, nodes: Sequence[Node]) -> dict[Node, None]:
    """The arrays among the nodes that have a size of the one made, and what is made of them."""
    sizes = {symbol for size in made.type.shape for symbol in dims.symbols(size)}
    found: dict[Node, None] = {}
    for node in nodes:
        shape = node.type.shape if isinstance(node.type, ArrayType) else ()
        sized = any(symbol in sizes for size in shape for symbol in dims.symbols(size))
        if sized or any(operand in found for operand in node.inputs):
            found[node] = None
    return found


def _check_sizes(made: Any, text: str) -> None:
    for size in made.type.shape if isinstance(made, Tracer) else ():
        if may_be_negative(size) or dims.is_below(size, 0):
            raise_if(wrap_size(size) < 0, partial(ValueError, text))


SHAPED = (
    *(np.zeros, np.ones, np.empty, np.full, np.eye, np.identity, np.tile, np.indices),
    *(np.zeros_like, np.ones_like, np.empty_like, np.full_like),
)
CHECKED.update({made: partial(_of_shape, made) for made in SHAPED})


def _of_samples(
    function: Any, start: Any, stop: Any, num: Any = 50, *rest: Any, **more: Any
) -> Any:
    """So many samples, which is no negative number, and none of them 0 in geometric ones."""
    if _may_be_negative(num):
        raise_if(
            num < 0, lambda: ValueError(f"Number of samples, {int(num)}, must be non-negative.")
        )
    for end in (start, stop) if function is np.geomspace else ():
        error = partial(ValueError, "Geometric sequence cannot include zero")
        raise_if(by_numpy(np.any, by_numpy(np.equal, end, 0)), error)
    return by_numpy(function, start, stop, num, *rest, **more)


SAMPLING = (np.linspace, np.logspace, np.geomspace)
CHECKED.update({made: partial(_of_samples, made) for made in SAMPLING})


def _may_be_negative(number: Any) -> bool:
    if isinstance(number, TracedInt):
        return dims.settled(">=", number.dim, 0) is not True
    return isinstance(number, int) and number < 0


def _pad(array: Any, pad_width: Any, *mode: Any, **options: Any) -> Any:
    """``np.pad(array, pad_width, ...)`` by widths that are not negative."""
    for width in _numbers_in(pad_width):
        if _may_be_negative(width):
            raise_if(width < 0, partial(ValueError, "index can't contain negative values"))
    return by_numpy(np.pad, array, pad_width, *mode, **options)


def _numbers_in(nested: Any) -> Iterator[Any]:
    if isinstance(nested, (list, tuple)):
        for part in nested:
            yield from _numbers_in(part)
    else:
        yield nested


def _divmod(left: Any, right: Any) -> Any:
    """``divmod(left, right)``, which has a text of its own for floats that are divided by 0."""
    if _is_pythons(left) and _is_pythons(right):
        raise_if(right == 0, partial(ZeroDivisionError, _DIVMOD))
    return by_numpy(divmod, left, right)


def _is_pythons(value: Any) -> bool:
    """Whether it is a real number of Python's for certain."""
    if isinstance(value, Tracer):
        return value.type.weak and not value.type.complex
    return isinstance(value, TracedInt) or type(value) in (int, float)


_DIVMOD = str(error_of(lambda: divmod(1.0, 0.0)))
if str(error_of(lambda: 1.0 // 0.0)) != _DIVMOD:
    CHECKED[divmod] = _divmod


def _of_types(function: Any, *args: Any, **kwargs: Any) -> Any:
    """What depends on the types of the arguments alone."""
    return by_numpy(function, *map(of_exact_type, args), **kwargs)


OF_TYPES = (np.result_type, np.can_cast)
CHECKED.update({asked: partial(_of_types, asked) for asked in OF_TYPES})


def _scalar_of(kind: Any, *value: Any) -> Any:
    """``np.float64(value)``: a conversion also where the number has that type on some paths."""
    return by_numpy(kind, *map(as_pythons, value))


KINDS = (np.float16, np.float32, np.float64, np.complex64, np.complex128, np.bool_, np.int64)
CHECKED.update({kind: partial(_scalar_of, kind) for kind in KINDS})


def _repeat(values: Any, repeats: Any, axis: Any = None) -> Any:
    """``np.repeat(values, repeats)``, not so often as a negative number."""
    if _may_be_negative(repeats):
        raise_if(repeats < 0, partial(ValueError, _NEGATIVE))
    return by_numpy(np.repeat, values, repeats, axis)


assert operators.__name__, "methods that are asked for nothing"
METHODS["repeat"] = _repeat


def _arange(*bounds: Any, **options: Any) -> Any:
    """``np.arange``, the length of which is a number: asked where a ``try`` may handle that."""
    trace, named = current_trace(), {**dict(zip(_BOUNDS, bounds, strict=False)), **options}
    floats = [b for b in bounds if isinstance(b, Tracer) and b.dtype.kind == "f"]
    if trace is not None and trace.trying and floats:
        start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
        length = (stop - start) / named.get("step", 1)
        raise_if(by_numpy(np.isnan, length), partial(ValueError, _NO_LENGTH))
        raise_if(by_numpy(np.absolute, length) >= 2.0**63, partial(ValueError, _TOO_LONG))
    return by_numpy(np.arange, *bounds, **options)


_BOUNDS = ("start", "stop", "step")
_NO_LENGTH = "arange: cannot compute length"
_TOO_LONG = "Maximum allowed size exceeded"


def _broadcast_to(array: Any, *shape: Any, **options: Any) -> Any:
    """``np.broadcast_to(array, shape)``: of a number, too, it is a view, and read-only."""
    number = isinstance(array, Tracer) and array.type.form != "array"
    shown = by_numpy(np.array, array) if number else array
    begin = _count()
    made = by_numpy(np.broadcast_to, shown, *shape, **options)
    return _not_negative(made, begin, "all elements of broadcast shape must be non-negative")


def _average(a: Any, axis: Any = None, weights: Any = None, *more: Any, **options: Any) -> Any:
    """``np.average``: the weights must not add up to zero."""
    if weights is not None:
        total = by_numpy(np.sum, weights, axis if np.ndim(weights) > 1 else None)
        error = partial(ZeroDivisionError, "Weights sum to zero, can't be normalized")
        raise_if(by_numpy(np.any, by_numpy(np.equal, total, 0)), error)
    return by_numpy(np.average, a, axis, weights, *more, **options)


def _unravel_index(indices: Any, shape: Any, order: str = "C") -> Any:
    """``np.unravel_index`` of an index that is in range."""
    sizes = shape if isinstance(shape, (list, tuple)) else (shape,)
    count: Any = functools.reduce(operator.mul, sizes, 1)
    if isinstance(indices, (int, TracedInt)):
        error = partial(_no_index, indices, count)
        raise_if(indices >= count, error)
        raise_if(indices < 0, error)
    elif isinstance(indices, Tracer) and indices.dtype.kind in "iu":
        misfit = partial(_outside, count)
        raise_if(by_numpy(np.any, indices >= count), misfit)
        raise_if(by_numpy(np.any, by_numpy(np.less, indices, 0)), misfit)
    return by_numpy(np.unravel_index, indices, shape, order)


def _no_index(index: Any, count: Any) -> ValueError:
    return ValueError(f"index {int(index)} is out of bounds for array with size {int(count)}")


def _outside(count: Any) -> ValueError:
    return ValueError(f"an index is out of bounds for array with size {int(count)}")


def _ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    """``np.ravel_multi_index`` of indices that are in range."""
    if mode == "raise" and isinstance(multi_index, tuple) and isinstance(dims, (list, tuple)):
        for given, size in zip(multi_index, dims, strict=False):
            index = by_numpy(np.asarray, given) if type(given) in (list, tuple) else given
            for condition in (index < 0, index >= size):
                raise_if(by_numpy(np.any, condition), partial(ValueError, _COORDS))
    return by_numpy(np.ravel_multi_index, multi_index, dims, mode, order)


def _power(x1: Any, x2: Any, /, **options: Any) -> Any:
    """``np.power`` of truth values by an integer of Python's: of integers, unlike ``x ** 2``."""
    truths = isinstance(x1, Tracer) and x1.dtype.kind == "b" and not x1.type.weak
    if truths and type(x2) in (int, TracedInt):
        x1 = x1.astype(np.int64)
    return by_numpy(np.power, x1, x2, **options)


_COORDS = "invalid entry in coordinates array"
CHECKED.update(
    {
        np.arange: _arange,
        np.repeat: _repeat,
        np.average: _average,
        np.broadcast_to: _broadcast_to,
        np.pad: _pad,
        np.power: _power,
        np.unravel_index: _unravel_index,
        np.ravel_multi_index: _ravel_multi_index,
    }
)


def check_range(owner: Trips, key: Any) -> None:
    """Whether ``range(...)`` has an element at ``key``."""
    if not owner.counts or not isinstance(key, (int, TracedInt)):
        return
    number, error = wrap_size(owner.length), partial(IndexError, _RANGE)
    if _may_hold(key, ">=", number):
        raise_if(key >= number, error)
    if _may_hold(key, "<", -number):
        raise_if(key < -number, error)


_RANGE = "range object index out of range"


def _may_hold(left: Any, relation: str, right: Any) -> bool:
    """Whether integers may be so in some iteration of the loops around."""
    one, other = as_size(left), as_size(right)
    return one is None or other is None or dims.settled(relation, one, other) is not False


def check_place(values: Any, key: Any) -> None:
    """Whether a list whose length the data decide has an element at ``key``: the array that stands
    for it would raise NumPy's error. In loops that is not asked, for the time that it takes.
    """
    trace = current_trace()
    if trace is None or trace.trying or any(b in trace.bodies for b in trace.builders()):
        return
    length = length_of(values) if isinstance(key, (int, TracedInt)) else 0
    if not dims.is_unbacked(length):
        return
    number = wrap_size(length)
    error = partial(IndexError, f"{type(values).__name__} index out of range")
    if not isinstance(key, int):
        raise_if(key < -number, error)
    negative = isinstance(key, int) and key < 0
    raise_if(number < -key if negative else number <= key, error)
