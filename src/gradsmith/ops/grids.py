"""Grids of coordinates and of positions, and spaced numbers made of ranges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ShapeError,
)
from gradsmith.ir import dims
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.types import broadcast, describe
from gradsmith.ops import shape as ops
from gradsmith.ops.arguments import (
    as_dtype,
    as_shape,
    as_size,
    as_static_int,
    require_default,
    size_of,
)
from gradsmith.ops.create import ones
from gradsmith.ops.declare import FUNCTIONS, as_node, implements
from gradsmith.ops.index import write
from gradsmith.ops.join import stack
from gradsmith.ops.manipulate import broadcasted, not_negative, ravel
from gradsmith.ops.ranges import integers
from gradsmith.ops.rearrange import tril


def alone(x: Node, axis: int, ndim: int) -> Node:
    """A vector along ``axis``, the other axes of size one."""
    others = tuple(i for i in range(ndim) if i != axis)
    return ops.expand_dims(x, axis=others) if others else x


# -- coordinates ---------------------------------------------------------------------------------


@implements(np.meshgrid)
def _meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Node, ...]:
    if indexing not in ("xy", "ij"):
        raise ArgumentValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    vectors = [ravel(x) for x in xi]
    places = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        places[:2] = [1, 0]
    grids = [alone(v, place, len(vectors)) for v, place in zip(vectors, places, strict=True)]
    if not sparse:
        whole = broadcast(*[g.shape for g in grids])
        grids = [broadcasted(g, whole) for g in grids]
    return tuple(ops.copy(g) if copy else g for g in grids)


@implements(np.indices)
def _indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    if size_of(dimensions) is not None:
        raise ArgumentTypeError(
            "np.indices takes a sequence of sizes, not a single one", hint="write np.indices((n,))"
        )
    shape = as_shape(dimensions, "dimensions")
    vectors = [integers(0, size, 1, as_dtype(dtype)) for size in shape]
    grids = [alone(v, axis, len(shape)) for axis, v in enumerate(vectors)]
    if sparse:
        return tuple(grids)
    return stack(*[broadcasted(g, shape) for g in grids], axis=0)


# -- positions -----------------------------------------------------------------------------------


@implements(np.ix_)
def _ix(*args: Any) -> tuple[Node, ...]:
    vectors = [_positions(as_node(a)) for a in args]
    return tuple(alone(v, axis, len(vectors)) for axis, v in enumerate(vectors))


def _positions(node: Node) -> Node:
    if node.ndim != 1:
        raise ShapeError("Cross index must be 1 dimensional")
    if node.shape[0] == 0:
        return ops.cast(node, np.dtype(np.intp))
    positions: Node = FUNCTIONS[np.flatnonzero](node) if node.dtype.kind == "b" else node
    return positions


@implements(np.diag_indices)
def _diag_indices(n: Any, ndim: Any = 2) -> tuple[Node, ...]:
    return (integers(0, as_size(n, "n")),) * as_static_int(ndim, "ndim")


@implements(np.diag_indices_from)
def _diag_indices_from(arr: Any) -> tuple[Node, ...]:
    x = as_node(arr)
    if x.ndim < 2:
        raise ShapeError("input array must be at least 2-d")
    if not all(dims.same(size, x.shape[0]) for size in x.shape):
        raise ShapeError("All dimensions of input must be of equal length")
    return _diag_indices(x.shape[0], x.ndim)


def _triangle_indices(function: Callable[..., Any]) -> Any:
    def positions(n: Any, k: Any = 0, m: Any = None) -> tuple[Node, ...]:
        rows, offset = as_static_int(n, "n"), as_static_int(k, "k")
        columns = rows if m is None else as_static_int(m, "m")
        lift = current_builder().lift
        return tuple(lift(place) for place in function(rows, offset, columns))

    return positions


def _triangle_indices_from(indices: Callable[..., Any]) -> Any:
    def positions(arr: Any, k: Any = 0) -> tuple[Node, ...]:
        x = as_node(arr)
        if x.ndim != 2:
            raise ShapeError("input array must be 2-d")
        places: tuple[Node, ...] = indices(x.shape[0], k, x.shape[1])
        return places

    return positions


for _function, _from in (
    (np.tril_indices, np.tril_indices_from),
    (np.triu_indices, np.triu_indices_from),
):
    _places = implements(_function)(_triangle_indices(_function))
    implements(_from)(_triangle_indices_from(_places))


def _of_numpy(index: Node) -> Node:
    """An integer of Python's as one of NumPy's, which these functions give."""
    return ops.cast(index, np.dtype(np.intp)) if index.array_type.weak else index


@implements(np.unravel_index)
def _unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Node, ...]:
    require_default("np.unravel_index", order=(order, "C"))
    rest, sizes = as_node(indices), as_shape(shape)
    if rest.dtype.kind not in "iu":
        raise ArgumentTypeError(
            f"np.unravel_index takes integers, not a {describe(rest.type)}",
            hint="convert the indices with .astype(int)",
        )
    rest = _of_numpy(rest)
    places: list[Node] = []
    for size in reversed(sizes[1:]):
        places.append(FUNCTIONS[np.remainder](rest, as_node(size)))
        rest = FUNCTIONS[np.floor_divide](rest, as_node(size))
    return (*[rest][: len(sizes)], *reversed(places))


@implements(np.ravel_multi_index)
def _ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Node:
    require_default("np.ravel_multi_index", mode=(mode, ("raise",)), order=(order, "C"))
    first, *rest = map(FUNCTIONS[np.asarray], multi_index)
    place = _of_numpy(first)
    for size, index in zip(as_shape(dims)[1:], rest, strict=True):
        place = place * as_node(size) + index
    return place


@implements(np.tri)
def _tri(
    N: Any,  # noqa: N803 (NumPy's name)
    M: Any = None,  # noqa: N803
    k: Any = 0,
    dtype: Any = float,
    *,
    like: Any = None,
) -> Node:
    rows = not_negative(as_size(N, "N"))
    columns = rows if M is None else not_negative(as_size(M, "M"))
    whole = ones(shape=(rows, columns), dtype=as_dtype(dtype))
    return tril(whole, k=as_size(k, "k"))


# -- spaced numbers ------------------------------------------------------------------------------


@implements(np.logspace)
def _logspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: Any = 0,
) -> Node:
    exponents = FUNCTIONS[np.linspace](start, stop, num, endpoint, axis=axis)
    result: Node = FUNCTIONS[np.power](as_node(base), exponents)
    return result if dtype is None else ops.cast(result, as_dtype(dtype))


@implements(np.geomspace)
def _geomspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: Any = 0,
) -> Node:
    """Equal ratios; the ends are exact, as NumPy's are. Both must be real and of one sign."""
    first, last = _in_one_dtype([as_node(start), as_node(stop)], dtype)
    sign = FUNCTIONS[np.sign](first)
    low, high = (FUNCTIONS[np.log10](end / sign) for end in (first, last))
    result = FUNCTIONS[np.logspace](low, high, num, endpoint) * sign
    result = _with_ends(result, first, last if endpoint else None)
    result = FUNCTIONS[np.moveaxis](result, 0, axis)
    return result if dtype is None else ops.cast(result, as_dtype(dtype))


def _in_one_dtype(ends: list[Node], dtype: Any) -> list[Node]:
    """The ends in the dtype that NumPy computes in: at least float64, unless one is given."""
    given = [np.dtype(float) if e.array_type.weak else e.dtype for e in ends]
    found = np.result_type(*given, np.dtype(float) if dtype is None else as_dtype(dtype))
    found = found if found.kind in "fc" else np.dtype(float)
    return [e if e.dtype == found else ops.cast(e, found) for e in ends]


def _with_ends(numbers: Node, first: Node, last: Node | None) -> Node:
    """The numbers with exact ends, if there are any: the only one of them is the first."""
    count = numbers.shape[0]
    head, tail = (0, -1) if not dims.is_unbacked(count) else (slice(None, 1), slice(-1, None))
    if not dims.is_unbacked(count) and not dims.decide("!=", count, 0):
        return numbers
    if last is not None:
        numbers = write(numbers, tail, last)
    return write(numbers, head, first)
