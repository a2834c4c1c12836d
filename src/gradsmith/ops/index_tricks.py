"""What NumPy makes by brackets: ``np.mgrid``, ``np.ogrid``, ``np.r_`` and ``np.c_``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ArgumentValueError
from gradsmith.ir.graph import Node
from gradsmith.ir.types import result_dtype
from gradsmith.ops.declare import FUNCTIONS, as_node
from gradsmith.ops.grids import alone
from gradsmith.ops.join import stack
from gradsmith.ops.manipulate import broadcasted
from gradsmith.ops.ranges import integers
from gradsmith.ops.shape import as_array, cast, expand_dims

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


@dataclass(frozen=True, slots=True)
class _Joining:
    """What the directive of ``np.r_`` says: along which axis, of how many at least, and where the
    axes of a part with fewer go: the last of them is that at ``place``.
    """

    axis: int = 0
    ndim: int = 1
    place: int = -1

    def directed(self, directive: str) -> _Joining:
        """The same with what a directive like ``'0,2'`` gives."""
        if directive in ("r", "c"):
            raise ArgumentTypeError(
                f"np.r_ with the directive {directive!r} makes an np.matrix",
                hint="use np.concatenate, or the directive '0,2'",
            )
        try:
            numbers = [int(number) for number in directive.split(",")]
        except ValueError:
            raise ArgumentValueError(f"unknown special directive {directive!r}") from None
        if len(numbers) > 3:
            raise ArgumentValueError(f"unknown special directive {directive!r}")
        return replace(self, **dict(zip(("axis", "ndim", "place"), numbers, strict=False)))

    def join(self, items: Sequence[Any]) -> Node:
        """The parts one after the other; numbers of Python's do not widen the others."""
        parts = [self._of_slice(i) if isinstance(i, slice) else as_node(i) for i in items]
        common = result_dtype(*[part.array_type for part in parts])
        shaped = [
            cast(self._shaped(part, i), common) for part, i in zip(parts, items, strict=True)
        ]
        joined: Node = FUNCTIONS[np.concatenate](shaped, axis=self.axis)
        return joined

    def _of_slice(self, item: slice) -> Node:
        start, stop, step = _bounds(item)
        if not isinstance(step, complex):
            return _points(item)
        made: Node = FUNCTIONS[np.linspace](start, stop, int(abs(step)))
        return made

    def _shaped(self, part: Node, item: Any) -> Node:
        """The part with new axes; NumPy puts those of slices elsewhere."""
        missing = self.ndim - part.ndim
        if missing <= 0:
            return FUNCTIONS[np.atleast_1d](part) if not part.ndim else part
        new = expand_dims(as_array(part), axis=tuple(range(missing)))
        if self.place == -1 or not part.ndim:
            return new
        axes = list(range(self.ndim))
        if isinstance(item, slice):
            axes[-1], axes[self.place] = axes[self.place], axes[-1]
        else:
            first = self.place + (missing + 1 if self.place < 0 else 0)
            axes = axes[:first] + axes[missing:] + axes[first:missing]
        moved: Node = FUNCTIONS[np.transpose](new, tuple(axes))
        return moved


def _joined(key: Any, joining: _Joining) -> Node:
    items = key if isinstance(key, tuple) else (key,)
    if isinstance(items[0], str):
        joining, items = joining.directed(items[0]), items[1:]
    if any(isinstance(item, str) for item in items):
        raise ArgumentValueError("special directives must be the first entry")
    return joining.join(items)


@_brackets(np.r_)
def _rows(key: Any) -> Node:
    return _joined(key, _Joining())


@_brackets(np.c_)
def _columns(key: Any) -> Node:
    return _joined(key, _Joining(axis=-1, ndim=2, place=0))
