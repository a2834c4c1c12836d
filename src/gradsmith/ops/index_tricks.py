"""What NumPy makes by brackets: ``np.mgrid``, ``np.ogrid``, ``np.r_`` and ``np.c_``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import UnsupportedError
from gradsmith.ir.graph import Node
from gradsmith.ir.types import result_dtype
from gradsmith.ops.declare import FUNCTIONS, as_node
from gradsmith.ops.grids import alone
from gradsmith.ops.join import stack
from gradsmith.ops.manipulate import broadcasted
from gradsmith.ops.ranges import integers
from gradsmith.ops.shape import cast, expand_dims

BRACKETS: dict[int, Callable[[Any], Any]] = {}
"""What each of these objects, by its `id`, makes of what stands in the brackets."""


def _brackets(owner: Any) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    def declare(meaning: Callable[[Any], Any]) -> Callable[[Any], Any]:
        BRACKETS[id(owner)] = meaning
        return meaning

    return declare


# -- grids ---------------------------------------------------------------------------------------


def _bounds(piece: slice) -> tuple[Any, Any, Any]:
    start = 0 if piece.start is None else piece.start
    return start, piece.stop, 1 if piece.step is None else piece.step


def _points(piece: slice) -> Node:
    """The points along one axis; an imaginary step is how many there are, both ends included."""
    start, stop, step = _bounds(piece)
    if not isinstance(step, complex):
        made: Node = FUNCTIONS[np.arange](start, stop, step)
        return made
    count = int(abs(step))
    places = integers(0, count, 1, np.dtype(np.float64))
    low, high = as_node(start), as_node(stop)
    return places * (1 if count == 1 else (high - low) / float(count - 1)) + low


def _axes(key: tuple[slice, ...]) -> list[Node]:
    axes = [_points(piece) for piece in key]
    common = result_dtype(*[axis.array_type for axis in axes])
    return [cast(alone(x, place, len(axes)), common) for place, x in enumerate(axes)]


@_brackets(np.mgrid)
def _mgrid(key: Any) -> Node:
    if not isinstance(key, tuple):
        return _points(key)
    axes = _axes(key)
    shape = tuple(x.shape[place] for place, x in enumerate(axes))
    return stack(*[broadcasted(x, shape) for x in axes], axis=0)


@_brackets(np.ogrid)
def _ogrid(key: Any) -> Any:
    return tuple(_axes(key)) if isinstance(key, tuple) else _points(key)


# -- parts put one after the other ---------------------------------------------------------------


def _part(item: Any) -> Node:
    if isinstance(item, str):
        raise UnsupportedError(
            f"np.r_ and np.c_ with the directive {item!r} on traced values",
            hint="use np.concatenate or np.stack",
        )
    if not isinstance(item, slice):
        return as_node(item)
    start, stop, step = _bounds(item)
    if isinstance(step, complex):
        made: Node = FUNCTIONS[np.linspace](start, stop, int(abs(step)))
        return made
    return _points(item)


def _joined(key: Any, shaped: Callable[[Node], Node]) -> Node:
    """The parts along their last axis; numbers of Python's do not widen the others."""
    parts = [_part(item) for item in (key if isinstance(key, tuple) else (key,))]
    common = result_dtype(*[part.array_type for part in parts])
    joined: Node = FUNCTIONS[np.concatenate]([cast(shaped(p), common) for p in parts], axis=-1)
    return joined


@_brackets(np.r_)
def _rows(key: Any) -> Node:
    return _joined(key, FUNCTIONS[np.atleast_1d])


@_brackets(np.c_)
def _columns(key: Any) -> Node:
    return _joined(key, _as_column)


def _as_column(part: Node) -> Node:
    vector: Node = FUNCTIONS[np.atleast_1d](part)
    return expand_dims(vector, axis=(1,)) if vector.ndim == 1 else vector
