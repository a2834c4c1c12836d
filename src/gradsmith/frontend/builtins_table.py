"""Python's builtins on traced values."""

from __future__ import annotations

import functools
import inspect
import math
import operator
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradsmith.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    AttributeMissingError,
    UnsupportedError,
)
from gradsmith.frontend.arguments import argument_behind
from gradsmith.frontend.choices import choose, identical
from gradsmith.frontend.class_checks import by_metaclass, is_object_of, is_subclass
from gradsmith.frontend.classes import special
from gradsmith.frontend.container_iterators import is_watched
from gradsmith.frontend.dispatch import (
    any_traced,
    apply,
    is_traced,
    raise_own,
    run,
    run_as,
    traced,
    unwrap,
)
from gradsmith.frontend.exact_type import exact_type, of_class, of_exact_type, of_one_meaning
from gradsmith.frontend.grown import is_grown
from gradsmith.frontend.joint import as_condition
from gradsmith.frontend.messages import instance_of, no_attribute, shown
from gradsmith.frontend.methods import Method
from gradsmith.frontend.number_class import (
    Classes,
    check_no_array,
    note,
    note_chosen,
    possible_types,
)
from gradsmith.frontend.numpy_errors import numpys_error, with_own
from gradsmith.frontend.object_identity import check_identity_known, is_cached
from gradsmith.frontend.opaque import OpaqueObject, present_object
from gradsmith.frontend.planned import Planned, with_plan
from gradsmith.frontend.quantified import of_all
from gradsmith.frontend.spans import current_span, in_users_name
from gradsmith.frontend.stacked_joins import MEANINGS
from gradsmith.frontend.summing import summed
from gradsmith.frontend.text import STAND_INS, Text
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt, as_size, wrap_size
from gradsmith.frontend.tracer import METHODS, Flat, Tracer
from gradsmith.frontend.trips import (
    TripIterator,
    Trips,
    enumerated,
    of_range,
    reversed_trips,
    zipped,
)
from gradsmith.frontend.unsettled import Cause, Unsettled
from gradsmith.ir import dims
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType, class_of_values, describe
from gradsmith.ops.declare import as_node
from gradsmith.ops.extremes import extreme_element, extreme_of
from gradsmith.ops.raising import error_of
from gradsmith.ops.reduce import reduce_sum
from gradsmith.ops.scalars import (
    as_complex,
    as_float,
    python_bool,
    rounded_of,
    rounded_to,
    whole_of,
)

BUILTINS: dict[Any, Callable[..., Any]] = {}


def builtin(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare what builtins mean when some argument is traced; else they are themselves."""

    def declare(meaning: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            BUILTINS[function] = _only_if_traced(function, in_users_name(meaning))
        return meaning

    return declare


def _only_if_traced(function: Any, meaning: Callable[..., Any]) -> Callable[..., Any]:
    def decide(*args: Any, **kwargs: Any) -> Any:
        lazy = any(isinstance(a, _LAZY) or is_grown(a) for a in args)
        lazy = lazy or (function in (enumerate, zip) and any(map(is_watched, args)))
        if not (lazy or any_traced(args) or any_traced(kwargs.values())):
            return function(*args, **kwargs)
        try:
            return meaning(*args, **kwargs)
        except TypeError:
            _check_signature(function, meaning, args, kwargs)
            raise

    return in_users_name(decide)


@in_users_name
def _check_signature(function: Any, meaning: Any, args: Any, kwargs: Any) -> None:
    """Raise Python's own error where a builtin does not take such arguments."""
    try:
        inspect.signature(meaning).bind(*args, **kwargs)
    except TypeError as error:
        given = [unwrap(value, {}) for value in args]
        named = {key: unwrap(value, {}) for key, value in kwargs.items()}
        own = numpys_error(error, function, given, named)
        if own is not None:
            raise own from None


_LAZY = (Planned, Trips, TripIterator, Unsettled, Flat)


def as_traced(value: Any) -> Tracer:
    """A constant as a traced value."""
    return traced(value)


@builtin(len)
def _len(value: Any) -> Any:
    if isinstance(value, Tracer) and value.ndim:
        return value.shape[0]
    if isinstance(value, Flat):
        return value.base.size
    if is_grown(value):
        return MEANINGS[len](value)
    return wrap_size(value.length) if isinstance(value, Trips) else len(value)


@builtin(range)
def _range(*bounds: Any) -> Any:
    trips = of_range(*bounds)
    return range(*bounds) if trips is None else trips


builtin(enumerate)(with_plan(enumerated))
builtin(zip)(with_plan(zipped))
builtin(reversed)(with_plan(reversed_trips))


@builtin(abs)
def _abs(value: Any) -> Any:
    return abs(value)


def _added_in_order(x: Any) -> Node:
    return reduce_sum(as_node(x), axis=(0,), keepdims=False, in_order=True)


def _sum(values: Any, start: Any = 0) -> Any:
    if not (isinstance(values, Tracer) and values.ndim):
        return summed(values, start)
    length = wrap_size(values.type.shape[0])
    return choose(length >= 1, lambda: _sum_of_some(values, start), lambda: start)


def _sum_of_some(values: Tracer, start: Any) -> Any:
    """The sum of an array that has an element."""
    if not (type(start) is int and start == 0):
        return _sum_from(values, start)
    ordered = values.ndim == 1 and values.dtype.kind in "fc"  # which the last bit depends on
    if ordered:
        total = run(_added_in_order, values)
    else:  # integers wrap around as their elements do: np.sum by itself takes a wider dtype
        wraps = values.dtype.kind in "iu"
        total = apply(np.sum, values, axis=0, dtype=values.dtype if wraps else None)
    return total


def _sum_from(values: Tracer, start: Any) -> Any:
    """The same from a start: what this and the first element give says in which dtype."""
    first = start + values[0]
    shape = values.type.shape[1:]
    if not isinstance(first, Tracer) or first.type.shape != shape:
        return summed(list(values), start)
    row = apply(np.reshape, first, (1, *map(wrap_size, shape)))
    rows = apply(np.concatenate, [row, values[1:].astype(first.dtype)])
    if first.dtype.kind == "b":
        return apply(np.any, rows, axis=0)
    if first.dtype.kind in "iu":
        return apply(np.sum, rows, axis=0, dtype=first.dtype)
    total = apply(np.cumsum, rows, axis=0)[-1]
    return _complex(total) if first.type.weak and first.type.complex else total


BUILTINS[sum] = _sum


def _extreme(ufunc: np.ufunc, plain: Any) -> Callable[..., Any]:
    def extreme(*args: Any) -> Any:
        values = list(args) if len(args) > 1 else args[0]
        if isinstance(values, Tracer) and values.ndim == 1:
            return run(functools.partial(extreme_element, plain), values)
        values = list(values)
        if not values:
            return plain(values)  # which raises Python's error
        if len(values) == 1:
            return values[0]
        _check_numbers(values, plain.__name__, ufunc)
        if all(not isinstance(v, Tracer) for v in values):
            return functools.reduce(functools.partial(_extreme_size, plain), values)
        if not all(map(_is_number, values)):
            return functools.reduce(functools.partial(_later, plain), values)
        site, trace = current_span(), current_trace()
        if trace is not None and site in trace.decided:
            return functools.reduce(functools.partial(_later, plain), values)
        result = run(functools.partial(extreme_of, plain), *values)
        note_chosen(result.node, Cause(site))
        given: list[Any] = [as_traced(value) for value in values]
        types = [type_ for value in given for type_ in possible_types(value.node)]
        note(result.node, Classes(tuple(dict.fromkeys(types))))
        return result

    return extreme


def _is_number(value: Any) -> bool:
    if isinstance(value, Tracer):
        return value.type.form != "array"
    return isinstance(value, (int, float, complex, np.generic, TracedInt))


def _later(plain: Any, best: Any, value: Any) -> Any:
    """``value``, where `max` or `min` finds it better than the best so far."""
    better = value > best if plain is max else value < best
    return choose(better, lambda: value, lambda: best)


def _extreme_size(plain: Any, left: Any, right: Any) -> Any:
    """``min`` or ``max`` of two numbers; which one may be known only while running."""
    one, other = as_size(left), as_size(right)
    if one is None or other is None or not dims.is_unbacked(one - other):
        return plain(left, right)
    if isinstance(left, bool) or isinstance(right, bool):
        return _later(plain, left, right)
    ordered = dims.settled("<=", one, other)
    if ordered is None:
        return wrap_size(dims.compound(plain.__name__, one, other))
    return left if ordered is (plain is min) else right


def _check_numbers(values: list[Any], name: str, ufunc: np.ufunc) -> None:
    for value in values:
        if isinstance(value, Tracer) and not dims.same(value.type.size, 1):
            error = ArgumentValueError(
                f"{name}() compares {shown(value)}: Python cannot tell which array is larger",
                current_span(),
                f"use np.{ufunc.__name__}, which goes element by element",
            )
            error.own = numpys_error(error, bool, [value.node], {})
            raise_own(error)
            raise error


builtin(max)(_extreme(np.maximum, max))
builtin(min)(_extreme(np.minimum, min))


@builtin(pow)
def _pow(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None:
        return base**exp
    operands = [of_exact_type(value) for value in (base, exp, mod)]
    if all(isinstance(value, int) or _is_pythons_integer(value) for value in operands):
        return pow(*map(operator.index, operands))
    error = ArgumentTypeError(
        "pow() 3rd argument not allowed unless all arguments are integers", current_span()
    )
    raise with_own(error, pow, *[unwrap(operand, {}) for operand in operands])


@builtin(divmod)
def _divmod(left: Any, right: Any) -> Any:
    return left // right, left % right


@builtin(round)
def _round(number: Any, ndigits: Any = None) -> Any:
    if isinstance(number, (int, float, np.generic)):
        plain: Any = round
        return plain(number, None if ndigits is None else operator.index(ndigits))
    if isinstance(number, TracedInt):
        ndigits = None if ndigits is None else operator.index(ndigits)
        whole = ndigits is None or ndigits >= 0
        return number if whole else run(rounded_of, as_traced(number), digits=ndigits)
    if isinstance(number, Tracer):
        check_no_array(number.node)
        number = of_one_meaning(number, lambda cls: hasattr(cls, "__round__"))
    if not isinstance(number, Tracer) or not _is_rounded(number.type):
        error = ArgumentTypeError(
            f"round() of {shown(number)}", current_span(), "use np.round for arrays"
        )
        raise with_own(error, round, getattr(number, "node", number))
    if ndigits is None:
        return run(rounded_of, number)
    return run(rounded_to, number, digits=operator.index(ndigits))


def _is_rounded(type_: ArrayType) -> bool:
    """Whether numbers of this type have a method ``__round__``."""
    kinds = "biuf" if type_.weak else "iuf"
    return type_.form != "array" and type_.dtype.kind in kinds


BUILTINS[any] = of_all(any, np.any, ends_at=True)
BUILTINS[all] = of_all(all, np.all, ends_at=False)


def _single(value: Any, function: str) -> Any:
    """An array of one element as a number: the functions that make numbers take it, before NumPy
    2.4 with axes as well.
    """
    if not (isinstance(value, Tracer) and value.ndim):
        return value
    if _WITHOUT_AXES is not None:
        error = ArgumentTypeError(
            f"{function}() takes numbers, not a {describe(value.type)}",
            current_span(),
            "take an element of it: x[0]",
        )
        error.own = TypeError(_WITHOUT_AXES)
        raise_own(error)
        raise error
    return _one(value)


def _one(value: Any) -> Any:
    many = isinstance(value, Tracer) and value.ndim
    return apply(np.reshape, value, ()) if many and dims.same(value.type.size, 1) else value


def _refusal_of_axes() -> str | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            float(np.ones(1))
        except TypeError as error:
            return str(error)
    return None


_WITHOUT_AXES = _refusal_of_axes()
"""What NumPy says of numbers that are to be made of arrays with axes; None where it makes them."""


_DECIMAL = object()
"""Stands for a base that is not given: 10 is one of strings."""


@builtin(int)
def _int(value: Any, /, base: Any = _DECIMAL) -> Any:
    if base is not _DECIMAL and isinstance(value, (str, bytes, bytearray)):
        return int(value, operator.index(base))
    if base is not _DECIMAL:
        plain: Any = int
        own = error_of(lambda: plain(0.5, base))  # which may be about the base
        error = ArgumentTypeError(str(own), current_span())
        error.own = own
        raise_own(error)
        raise error
    if isinstance(value, TracedInt):
        return value
    number = _single(value, "int")
    try:
        return run(whole_of, number)
    except ArgumentTypeError as error:
        raise with_own(error, int, getattr(number, "node", number)) from None


@builtin(float)
def _float(value: Any) -> Any:
    return run(lambda x: as_float(as_node(x)), _single(value, "float"))


@builtin(complex)
def _complex(real: Any = 0, imag: Any = None) -> Any:
    parts = [real] if imag is None else [real, imag]
    numbers = [_single(part, "complex") for part in parts]
    return run(lambda *x: as_complex(*map(as_node, x)), *numbers)


@builtin(bool)
def _bool(value: Any) -> Any:
    if isinstance(value, TracedInt) or is_grown(value):
        value = as_condition(value)
    return run_as(bool, python_bool, _one(value)) if isinstance(value, Tracer) else bool(value)


@builtin(bytes)
def _bytes(*args: Any, **kwargs: Any) -> bytes:
    _check_no_buffer("bytes", args)
    return bytes(*args, **kwargs)


@builtin(bytearray)
def _bytearray(*args: Any, **kwargs: Any) -> bytearray:
    _check_no_buffer("bytearray", args)
    return bytearray(*args, **kwargs)


def _check_no_buffer(name: str, args: Any) -> None:
    """Refuse ``bytes(x)`` of an array, which is its memory, not its elements."""
    if args and isinstance(args[0], Tracer) and not args[0].is_index():
        raise UnsupportedError(
            f"{name}() of {shown(args[0])}: the memory of an array is not known",
            current_span(),
            f"take the elements as a list: {name}(x.tolist())",
        )


def _isinstance(value: Any, classes: Any) -> Any:
    if isinstance(value, Unsettled):
        value.refuse()
    asked = by_metaclass("__instancecheck__", value, classes, _is_object)
    return _is_object(value, classes) if asked is None else asked


def _is_object(value: Any, classes: Any) -> bool:
    if isinstance(value, TracedInt):
        return is_subclass(_class_of_integer(value), classes)
    if isinstance(value, (Text, Trips, Flat)):
        return is_subclass(_STANDS_FOR[type(value)], classes)
    if isinstance(value, Tracer):
        behind = argument_behind(current_trace(), value)
        plain = behind is None
        return of_class(value, lambda cls: is_subclass(cls if plain else type(behind), classes))
    return is_object_of(value, classes)


def _issubclass(cls: Any, classes: Any) -> Any:
    asked = by_metaclass("__subclasscheck__", cls, classes, is_subclass)
    return is_subclass(cls, classes) if asked is None else asked


BUILTINS[isinstance] = in_users_name(_isinstance)
BUILTINS[issubclass] = in_users_name(_issubclass)


@builtin(type)
def _type(value: Any, *rest: Any) -> Any:
    if isinstance(value, Unsettled):
        value.refuse()
    if isinstance(value, TracedInt):
        return _class_of_integer(value)
    if isinstance(value, (Text, Trips, Flat)):
        return _STANDS_FOR[type(value)]
    return class_of(value) if isinstance(value, Tracer) else type(value, *rest)


_STANDS_FOR = {Text: str, Trips: range, Flat: np.flatiter}


def _class_of_integer(value: TracedInt) -> type:
    behind = argument_behind(current_trace(), value)
    return int if behind is None or isinstance(behind, np.ndarray) else type(behind)


def class_of(value: Tracer) -> type:
    """The class that the value has when the function runs on plain arrays."""
    behind = argument_behind(current_trace(), value)
    return class_of_values(exact_type(value)) if behind is None else type(behind)


def attribute_of(owner: Any, name: str) -> Any:
    """An attribute of a traced value: only what the array, number or string would have."""
    owner = _of_class_with(owner, name)
    if name == "__class__":
        return _type(owner)
    if isinstance(owner, Text) and not hasattr("", name):
        raise AttributeError(f"'str' object has no attribute {name!r}", name=name, obj=owner)
    if is_of_object(owner, name):
        return _of_object(owner, name)
    if isinstance(owner, Text):
        return getattr(owner if hasattr(type(owner), name) else owner.used(), name)
    if name == "dtype" and isinstance(owner, Tracer) and not owner.type.weak:
        return owner.dtype
    numpys = isinstance(owner, Tracer) and not owner.type.weak
    if numpys and name in METHODS and (owner.type.form == "array" or _has(owner, name)):
        return Method(owner, METHODS[name])
    if isinstance(owner, (Tracer, TracedInt)) and not _has(owner, name):
        owner = of_exact_type(owner)
        raise no_attribute(owner, name, argument_behind(current_trace(), owner))
    if _is_pythons_integer(owner) and not hasattr(owner, name):
        number = int(owner) if isinstance(owner, TracedInt) else owner.known(owner)
        return getattr(number, name)
    if isinstance(owner, Tracer) and _is_of_the_number(owner, name):
        return getattr(_present_number(owner), name)
    try:
        return getattr(owner, name)
    except AttributeMissingError:
        raise
    except AttributeError:
        raise no_attribute(owner, name, argument_behind(current_trace(), owner)) from None


def _of_class_with(owner: Any, name: str) -> Any:
    """A number as one of the class that it has in this call, where that decides what the attribute
    is.
    """
    if name in _ALIKE:
        return of_one_meaning(owner, lambda cls: hasattr(cls, name))
    return of_exact_type(owner)


def is_of_object(owner: Any, name: str) -> bool:
    """Whether the stand-in has the attribute from `object`, where the value has one of its own."""
    inherited = getattr(type(owner), name, None) is getattr(object, name, type)
    return name in _OF_CLASSES or (inherited and name not in _WRITTEN)


_OF_CLASSES = frozenset({"__doc__", "__module__", "__init__", "__slots__"})
"""What the classes of stand-ins have of their own."""


_WRITTEN = frozenset({"__repr__", "__str__", "__format__"})
"""What makes texts of a value: see `text_calls`."""


def _of_object(owner: Any, name: str) -> Any:
    """An attribute that all objects have, as the class of the value has it."""
    if name == "__getattribute__":
        return lambda asked: attribute_of(owner, asked)
    if not _has(owner, name):
        raise no_attribute(owner, name, argument_behind(current_trace(), owner))
    found = getattr(instance_of(_type(owner)), name)
    methods = (types.BuiltinMethodType, types.MethodWrapperType)
    if not isinstance(found, methods) or name in ("__dir__", "__init__"):
        return found
    if isinstance(owner, Text):
        return getattr(owner.settled(), name)
    if isinstance(owner, TracedInt):
        return getattr(int(owner), name)
    raise no_attribute(owner, name, argument_behind(current_trace(), owner))


def _is_pythons_integer(value: Any) -> bool:
    if isinstance(value, Tracer):
        return value.type.weak and value.dtype.kind in "bi"
    return isinstance(value, TracedInt)


def _is_of_the_number(owner: Tracer, name: str) -> bool:
    """Whether it is a method that Python needs the number for, and that has no derivative."""
    if owner.type.form == "array":
        return False
    return name == "as_integer_ratio" or (owner.dtype.kind in "biu" and name in _OF_INTEGERS)


_OF_FLOATS = ("as_integer_ratio", "hex", "is_integer")
_OF_INTEGERS = frozenset({"bit_length", "bit_count", "to_bytes"})


def _present_number(owner: Tracer) -> Any:
    """The number in its class, which the emitted code checks."""
    present = Tracer.known(owner)
    return present if owner.type.weak else owner.dtype.type(present)


def _unbound(name: str) -> Callable[..., Any]:
    """``int.bit_length(k)`` as ``k.bit_length()``."""
    return lambda number, *args, **kwargs: attribute_of(number, name)(*args, **kwargs)


for _class, _names in ((int, (*_OF_INTEGERS, "as_integer_ratio")), (float, _OF_FLOATS)):
    for _name in _names:
        BUILTINS[vars(_class)[_name]] = _unbound(_name)

_ALIKE = frozenset({"real", "imag", "is_integer", "as_integer_ratio"})
"""What numbers of Python's and of NumPy's have in common."""


def _has(owner: Any, name: str) -> bool:
    if isinstance(owner, (TracedInt, Text)):
        return hasattr(0 if isinstance(owner, TracedInt) else "", name)
    if isinstance(owner, Flat):
        return hasattr(np.flatiter, name)
    return of_class(owner, lambda cls: hasattr(instance_of(cls), name))


@builtin(hasattr)
def _hasattr(owner: Any, name: str) -> bool:
    if isinstance(owner, Unsettled):
        owner.refuse()
    traced_owner = isinstance(owner, STAND_INS)
    return _has_in_call(owner, name) if traced_owner else hasattr(owner, name)


def _has_in_call(owner: Any, name: str) -> bool:
    """Whether it has the attribute, or the argument that it is: of a class of the user's."""
    return _has(owner, name) or hasattr(argument_behind(current_trace(), owner), name)


@builtin(getattr)
def _getattr(owner: Any, name: str, *default: Any) -> Any:
    if isinstance(owner, Unsettled):
        owner.refuse()
    if not isinstance(owner, STAND_INS):
        return getattr(owner, name, *default)
    missing = default and not _has_in_call(owner, name)
    return default[0] if missing else attribute_of(owner, name)


def _callable(value: Any) -> bool:
    if type(value) is OpaqueObject:
        return callable(present_object(value))
    if isinstance(value, (Text, Tracer, TracedInt)):
        return False  # what stands for them has methods that say so
    special(value, "__call__")  # which the next call must find the same
    return callable(value)


BUILTINS[callable] = _callable


@builtin(dir)
def _dir(value: Any) -> list[str]:
    behind = argument_behind(current_trace(), value)
    found: list[str] = dir(_type(value) if behind is None else behind)
    return found


def _id(value: Any) -> int:
    check_identity_known(value)
    if isinstance(value, Tracer) and value.type.form == "array":
        value = _first_of(value)
    known = int(value) if isinstance(value, TracedInt) else None
    return id(value if known is None or not is_cached(known) else known)


def _first_of(array: Tracer) -> Tracer:
    """The first one whose ``id`` has been asked for that is the same object."""
    trace = current_trace()
    asked: list[Tracer] = [] if trace is None else trace.identified
    for known in asked:
        if identical(known, array):
            return known
    asked.append(array)
    return array


BUILTINS[id] = _id


@builtin(np.isscalar)
def _isscalar(element: Any) -> bool:
    if isinstance(element, (Tracer, TracedInt)):
        return isinstance(element, TracedInt) or element.type.form != "array"
    return bool(np.isscalar(element))


@builtin(operator.index)
def _index(value: Any) -> Any:
    return value if isinstance(value, TracedInt) else operator.index(value)


def _of_integers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Functions of Python's integers: what they are called with must be known."""
    return lambda *args: function(*[int(a) if isinstance(a, TracedInt) else a for a in args])


for _name in ("factorial", "gcd", "lcm", "comb", "perm", "isqrt"):
    builtin(getattr(math, _name))(_of_integers(getattr(math, _name)))


@builtin(math.prod)
def _prod(values: Any, *, start: Any = 1) -> Any:
    result = start
    for value in values:
        result = result * value
    return result


@builtin(math.fsum)
def _fsum(values: Any) -> Any:
    return apply(math.fsum, list(values) if isinstance(values, Iterator) else values)


__all__ = ["BUILTINS", "as_traced", "is_traced"]
