"""Iterators over several indices: ``itertools.product``, ``combinations``, ``np.ndindex`` and
``np.ndenumerate``.

Where the sizes are those of a call, they are one loop whose index counts all of them.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.dispatch import any_traced, apply
from gradsmith.frontend.function_mappers import mapper
from gradsmith.frontend.iterator_functions import meaning
from gradsmith.frontend.opaque import apply as apply_opaque
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.traced_int import TracedInt, as_size, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trips import Trips, as_trips, iterator_of
from gradsmith.ir import dims
from gradsmith.ir.dims import Size
from gradsmith.ops.regions import as_whole


def _apart(place: Any, sizes: Sequence[Any]) -> list[Any]:
    """The indices of an element of a grid in C order."""
    found: list[Any] = []
    for size in reversed(sizes[1:]):
        found.insert(0, place % size)
        place = place // size
    return [place, *found]


def _is_symbolic(lengths: Sequence[Size]) -> bool:
    """Whether a loop is worth it: the number of trips is not known for good."""
    return not all(isinstance(length, int) for length in lengths) and not any(
        length == 0 for length in lengths
    )


@meaning(itertools.product)
def _product(*iterables: Any, repeat: Any = 1) -> Any:
    trips = [as_trips(value) for value in iterables]
    counted = [t.from_zero() for t in trips if t is not None]
    lengths = [t.stop for t in counted] * (repeat if isinstance(repeat, int) else 0)
    if len(counted) < len(trips) or not _is_symbolic(lengths):
        return itertools.product(*iterables, repeat=repeat)
    sizes = [wrap_size(length) for length in lengths]
    grid = Trips(0, dims.product(tuple(lengths)), 1)

    def element(place: Any) -> tuple[Any, ...]:
        pairs = zip(counted * repeat, _apart(place, sizes), strict=True)
        return tuple(t.item(index) for t, index in pairs)

    return iterator_of(itertools.product, grid, element)


def _pairs(plain: Any, ufunc: np.ufunc, extra: int) -> Callable[..., Any]:
    """``plain(iterable, 2)``: the places in the order in which NumPy finds them in a table."""

    def pairs(iterable: Any, r: Any) -> Any:
        trips = None if not isinstance(r, int) or r != 2 else as_trips(iterable)
        if trips is None or not _is_symbolic([trips.length]):
            return plain(iterable, r)
        counted = trips.from_zero()
        n = counted.stop
        places = apply(np.arange, wrap_size(n))
        chosen = apply(np.nonzero, apply(ufunc, places[:, None], places))
        number = n * (n + extra) // 2 if plain is not itertools.permutations else n * (n - 1)

        def element(place: Any) -> tuple[Any, ...]:
            return tuple(counted.item(_as_integer(axis[place])) for axis in chosen)

        return iterator_of(plain, Trips(0, number, 1), element)

    return pairs


def _as_integer(value: Tracer) -> Any:
    size = as_whole(value.node)
    return TracedInt(size) if isinstance(size, dims.Dim) else size


meaning(itertools.combinations)(_pairs(itertools.combinations, np.less, -1))
meaning(itertools.combinations_with_replacement)(
    _pairs(itertools.combinations_with_replacement, np.less_equal, 1)
)


@meaning(itertools.permutations)
def _permutations(iterable: Any, r: Any = None) -> Any:
    if r == 2:
        return _pairs(itertools.permutations, np.not_equal, 0)(iterable, 2)
    return itertools.permutations(iterable, None if r is None else operator.index(r))


@mapper(np.ndindex)
def _ndindex(*shape: Any) -> Any:
    given = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    sizes = [as_size(size) for size in given]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes) or not _is_symbolic(known):
        return np.ndindex(*shape)
    grid = Trips(0, dims.product(tuple(known)), 1)
    return iterator_of(np.ndindex, grid, lambda place: tuple(_apart(place, list(given))))


@mapper(np.ndenumerate)
def _ndenumerate(arr: Any) -> Any:
    array = apply(np.asarray, arr)
    if not array.ndim:
        return iter([((), array[()])])
    shape, flat = array.shape, array.flat
    grid = Trips(0, array.type.size, 1)
    if any(size == 0 for size in array.type.shape):
        return iter(())
    return iterator_of(
        np.ndenumerate, grid, lambda place: (tuple(_apart(place, shape)), flat[place])
    )


@mapper(np.nditer)
def _nditer(*args: Any, **kwargs: Any) -> Any:
    """NumPy's iterator goes through memory in the order that it finds there."""
    if not any_traced([*args, *kwargs.values()]):
        return np.nditer(*args, **kwargs)
    if len(args) == 1 and isinstance(args[0], Tracer) and not kwargs:
        return apply_opaque(np.nditer, args, kwargs)
    raise UnsupportedError(
        "np.nditer with options or of several arrays is not supported on traced values",
        current_span(),
        "go over x.flat, np.ndenumerate(x) or np.ndindex(x.shape)",
    )
