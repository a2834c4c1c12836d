"""Functions of NumPy's that call a function of the user's for elements or slices of arrays.

``np.vectorize``, ``np.apply_along_axis`` and the like: their calls are iterations of a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.calling import call
from gradsmith.frontend.choices import choose
from gradsmith.frontend.dispatch import apply, traced
from gradsmith.frontend.elements import Elements, listed
from gradsmith.frontend.exact_type import exact_type
from gradsmith.frontend.failing import raise_if
from gradsmith.frontend.failures import name_of
from gradsmith.frontend.number_class import dtype_is_known
from gradsmith.frontend.number_methods import number_of
from gradsmith.frontend.spans import current_span, in_users_name
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trips import zipped
from gradsmith.frontend.value_guards import decide

MAPPERS: dict[Any, Callable[..., Any]] = {}


def meaning_of_mapper(function: Any) -> Callable[..., Any] | None:
    """What a function means that calls others, while a function is traced."""
    if current_trace() is None:
        return None
    if type(function) is np.vectorize:
        return partial(_vectorized, function)
    return MAPPERS.get(function) if callable(function) and _is_hashable(function) else None


def _is_hashable(value: Any) -> bool:
    return type(value).__hash__ is not None


def mapper(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare what a function of NumPy's means while a function is traced."""

    def declare(meaning: Callable[..., Any]) -> Callable[..., Any]:
        MAPPERS[function] = in_users_name(meaning)
        return meaning

    return declare


# -- np.vectorize --------------------------------------------------------------------------------


@in_users_name
def _vectorized(vectorize: Any, *args: Any, **kwargs: Any) -> Any:
    """``np.vectorize(function)(*args, **kwargs)``: NumPy calls the function with the first
    elements to learn the dtypes of the results, and then with all of them.
    """
    _check_options(vectorize)
    function, given = _with_varying(vectorize, args, kwargs)
    if vectorize.signature is not None:
        return _by_signature(vectorize, function, given)
    if not given:
        return function()
    arrays = [apply(np.asarray, value) for value in given]
    if vectorize.otypes is None:
        for array in arrays:
            raise_if(wrap_size(array.type.size) == 0, partial(ValueError, _NO_ELEMENTS))
    dtypes: Any = vectorize.otypes
    single = dtypes is None or len(dtypes) == 1
    if dtypes is None:
        first = function(*[apply(np.ravel, a)[0] for a in arrays])
        single = not isinstance(first, tuple)
        dtypes = [_dtype_of(out, vectorize) for out in ((first,) if single else first)]
    whole = apply(np.broadcast_arrays, *arrays) if len(arrays) > 1 else arrays
    rows = _rows(function, [apply(np.ravel, a) for a in whole])
    columns = [rows] if single else [_column(rows, k) for k in range(len(dtypes))]
    pairs = zip(columns, dtypes, strict=True)
    shaped = [apply(np.reshape, apply(np.array, c, dtype=d), whole[0].shape) for c, d in pairs]
    return shaped[0] if single else tuple(shaped)


_NO_ELEMENTS = "cannot call `vectorize` on size 0 inputs unless `otypes` is set"


def _check_options(vectorize: Any) -> None:
    """Refuse what is not traced."""
    if vectorize.cache:
        raise UnsupportedError(
            "np.vectorize with cache= is not supported on traced values",
            current_span(),
            "leave it out",
        )


def _by_signature(vectorize: Any, function: Callable[..., Any], given: Sequence[Any]) -> Any:
    """``np.vectorize(function, signature="(n),(n)->()")``: the function takes the last axes."""
    cores, outputs = vectorize._in_and_out_core_dims
    if len(given) != len(cores):
        raise TypeError(
            f"wrong number of positional arguments: expected {len(cores)!r}, got {len(given)!r}"
        )
    arrays = [apply(np.asarray, value) for value in given]
    _check_cores(arrays, cores)
    split = [(a, a.ndim - len(core)) for a, core in zip(arrays, cores, strict=True)]
    empty = [apply(np.zeros, a.shape[:count]) for a, count in split]
    outer = apply(np.broadcast_arrays, *empty)[0].shape if len(empty) > 1 else empty[0].shape
    spread = [apply(np.broadcast_to, a, (*outer, *a.shape[count:])) for a, count in split]
    if not outer:
        return _each_output(outputs, function(*(a[()] for a in spread)), lambda a: a)
    for size in outer:
        raise_if(size == 0, partial(ValueError, _NO_ELEMENTS))
    rows = [apply(np.reshape, a, (-1, *a.shape[len(outer) :])) for a in spread]

    def element(items: Any) -> Any:
        made = function(*items)
        return _each_output(
            outputs, made, lambda row: _as_row(_of_one_dtype(vectorize.pyfunc, row))
        )

    made = listed(Elements(element, [(zipped(*rows), "element", ())], lazy=True))
    single = len(outputs) == 1
    columns = [made] if single else [_column(made, k) for k in range(len(outputs))]
    stacked = [apply(np.array, column) for column in columns]
    shaped = [apply(np.reshape, s, (*outer, *s.shape[1:])) for s in stacked]
    return shaped[0] if single else tuple(shaped)


def _check_cores(arrays: Sequence[Tracer], cores: Sequence[tuple[str, ...]]) -> None:
    """NumPy's errors about the last axes of the arguments."""
    sizes: dict[str, Any] = {}
    for array, core in zip(arrays, cores, strict=True):
        if array.ndim < len(core):
            raise ValueError(
                f"{array.ndim}-dimensional argument does not have enough dimensions for all core "
                f"dimensions {core!r}"
            )
        for name, size in zip(core, array.shape[array.ndim - len(core) :], strict=True):
            if sizes.setdefault(name, size) != size:
                raise ValueError(
                    f"inconsistent size for core dimension {name!r}: {size!r} vs {sizes[name]!r}"
                )


def _each_output(outputs: Sequence[Any], made: Any, convert: Callable[[Any], Any]) -> Any:
    """What the function has returned, each of its results as an array."""
    count = len(made) if isinstance(made, tuple) else 1
    if count != len(outputs):
        raise ValueError(
            f"wrong number of outputs from pyfunc: expected {len(outputs)!r}, got {count!r}"
        )
    made = [apply(np.array, part) for part in (made if isinstance(made, tuple) else (made,))]
    return convert(made[0]) if count == 1 else tuple(map(convert, made))


def _of_one_dtype(function: Any, made: Any) -> Any:
    if not dtype_is_known(made.node):
        raise _of_many_dtypes("np.vectorize", function, "convert it with float()")
    return made


def _as_row(made: Any) -> Any:
    """A result as the row of an array: a number where it has no axes."""
    return made if made.ndim else made[()]


def _with_varying(
    vectorize: Any, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], list[Any]]:
    """The function of the arguments that vary, and these."""
    excluded = vectorize.excluded
    places = [k for k in range(len(args)) if k not in excluded]
    names = [name for name in kwargs if name not in excluded]

    def function(*varying: Any) -> Any:
        first, named = list(args), dict(kwargs)
        for place, value in zip(places, varying, strict=False):
            first[place] = value
        named.update(zip(names, varying[len(places) :], strict=True))
        return call(vectorize.pyfunc, *first, **named)

    return function, [*(args[k] for k in places), *(kwargs[name] for name in names)]


def _rows(function: Callable[..., Any], columns: list[Tracer]) -> Any:
    """What the function gives for the elements, as numbers of Python's."""

    def element(items: Any) -> Any:
        return function(*map(number_of, items))

    return listed(Elements(element, [(zipped(*columns), "element", ())], lazy=True))


def _column(rows: Any, place: int) -> Any:
    return listed(Elements(lambda row: row[place], [(rows, "element", ())], lazy=True))


def _dtype_of(out: Any, vectorize: Any) -> Any:
    """The dtype of the results, by the first of them."""
    number = isinstance(out, (TracedInt, bool, int, float, complex, np.generic))
    if not number and not (isinstance(out, Tracer) and not out.ndim):
        raise UnsupportedError(
            f"{name_of(vectorize.pyfunc)} gives np.vectorize something else than numbers",
            current_span(),
            "write a loop that fills an array",
        )
    return exact_type(traced(out), decide).dtype


def _of_many_dtypes(mapper: str, function: Any, hint: str) -> UnsupportedError:
    return UnsupportedError(
        f"the dtype of what {mapper} makes of {name_of(function)} is that of its first result, "
        "which is an integer on one path and no integer on another",
        current_span(),
        f"{hint}, or return 0.0 for 0",
    )


@mapper(np.fromiter)
def _fromiter(iter: Any, dtype: Any, count: Any = -1, *, like: Any = None) -> Any:
    made = apply(np.array, call(list, iter), dtype=dtype)
    if made.ndim != 1:
        raise ValueError("setting an array element with a sequence.")
    if count < 0:
        return made
    if len(made) < count:
        raise ValueError(
            f"iterator too short: Expected {count} but iterator had only {len(made)} items."
        )
    return made[:count]


# -- slices of arrays ----------------------------------------------------------------------------


_NO_SLICES = "Cannot apply_along_axis when any iteration dimensions are 0"


@mapper(np.apply_along_axis)
def _apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    array = apply(np.asarray, arr)
    moved = apply(np.moveaxis, array, axis, -1)
    axis = axis % array.ndim
    outer = moved.shape[:-1]
    for size in moved.type.shape[:-1]:
        raise_if(wrap_size(size) == 0, partial(ValueError, _NO_SLICES))
    slices = apply(np.reshape, moved, (-1, moved.shape[-1]))

    def element(part: Any) -> Any:
        made = apply(np.asarray, call(func1d, part, *args, **kwargs))
        if not dtype_is_known(made.node):
            raise _of_many_dtypes("np.apply_along_axis", func1d, "convert it with float()")
        return _as_row(made)

    made = apply(np.array, listed(Elements(element, [(slices, "part", ())], lazy=True)))
    result = apply(np.reshape, made, (*outer, *made.shape[1:]))
    inner = made.ndim - 1
    places = list(range(len(outer), len(outer) + inner))
    return apply(np.moveaxis, result, places, [axis + k for k in range(inner)])


@mapper(np.apply_over_axes)
def _apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    value = apply(np.asarray, a)
    ndim = value.ndim
    for axis in [axes] if np.ndim(axes) == 0 else axes:
        place = axis + ndim if axis < 0 else axis
        made = call(func, value, place)
        value = made if made.ndim == ndim else apply(np.expand_dims, made, place)
        if value.ndim != ndim:
            raise ValueError("function is not returning an array of the correct shape")
    return value


@mapper(np.fromfunction)
def _fromfunction(function: Any, shape: Any, *, dtype: Any = float, **kwargs: Any) -> Any:
    kwargs.pop("like", None)
    places = apply(np.indices, tuple(shape), dtype=dtype)
    return call(function, *[places[k] for k in range(len(tuple(shape)))], **kwargs)


@mapper(np.piecewise)
def _piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kwargs: Any) -> Any:
    given = apply(np.asarray, x)
    conditions = [apply(np.atleast_1d, c) for c in _conditions(given, condlist)]
    array = apply(np.atleast_1d, given)
    if len(conditions) == len(funclist) - 1:
        others = apply(np.any, apply(np.stack, conditions), axis=0)
        conditions.append(apply(np.logical_not, others))
    elif len(conditions) != len(funclist):
        raise ValueError(
            f"with {len(conditions)} condition(s), either {len(conditions)} or "
            f"{len(conditions) + 1} functions are expected"
        )
    result = apply(np.zeros_like, array)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            result[condition] = function
            continue
        part = array[condition]
        write = partial(_write_part, result, condition, function, part, args, kwargs)
        choose(part.size > 0, write, lambda: 0)
    return apply(np.reshape, result, given.shape)


def _write_part(
    result: Tracer, condition: Any, function: Any, part: Any, args: Any, kwargs: Any
) -> int:
    result[condition] = call(function, part, *args, **kwargs)
    return 0


def _conditions(array: Tracer, given: Any) -> list[Any]:
    """The conditions, each an array."""
    one = np.isscalar(given) or (isinstance(given, Tracer) and not given.ndim)
    if not one:
        first = given[0]
        one = not (isinstance(first, (list, np.ndarray)) or _is_array(first)) and array.ndim != 0
    conditions = [given] if one else list(given)
    return [apply(np.asarray, c, dtype=bool) for c in conditions]


def _is_array(value: Any) -> bool:
    return isinstance(value, Tracer) and value.type.form == "array"
