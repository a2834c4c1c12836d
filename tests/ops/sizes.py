"""An op at other sizes than it was traced at: arguments that have grown, attributes as symbols."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Size, Symbol
from gradsmith.ir.evaluate import concretise
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType, python_number
from gradsmith.ops.data_sizes import Count, mask_count, unique_count
from gradsmith.ops.dots import cross
from gradsmith.ops.index_key import Index, numpy_key
from gradsmith.ops.keys import index_of
from gradsmith.ops.literal import array
from ops.cases import Case, results_of
from ops.graphs import Traced, bindings, fits, symbolic
from ops.references import reference
from ops.sample import Sample

SIZES = ("shape", "rows", "columns", "length", "num", "repeats", "reps")
"""The attributes that are sizes; others (axes, orders, offsets) are known when tracing."""


def grown(value: Any, type_: ArrayType) -> Any:
    """``value`` with one more element along each axis whose size is a symbol."""
    if not np.ndim(value):
        return value
    return np.pad(value, [(0, isinstance(size, Dim)) for size in type_.shape], mode="edge")


def _type(case: Case, position: int) -> ArrayType:
    whole = symbolic(case.args[position], f"n{position}")
    if case.op is cross:  # of vectors in space
        return replace(whole, shape=(*whole.shape[:-1], 3))
    return whole


def _sizes(case: Case) -> tuple[str, ...]:
    return () if case.op is array else SIZES  # so many elements as it has operands


class Sized:
    """A case with symbols for its sizes.

    Sizes in attributes are those of the arguments where they can be, else integer arguments.
    """

    def __init__(self, case: Case) -> None:
        self.case = case
        self.types = [_type(case, i) for i in range(len(case.args))]
        self.integers: dict[int, Dim] = {}
        known = _products(self.types)
        self.attrs = {
            name: self._symbolic(value, known) if name in _sizes(case) else value
            for name, value in case.sample.attrs.items()
        }

    def _symbolic(self, value: Any, known: dict[int, Size]) -> Any:
        if isinstance(value, tuple):
            return tuple(self._symbolic(v, known) for v in value)
        if value in (0, 1):
            return value
        if value not in known:
            known[value] = self.integers[value] = dims.symbol(f"s{value}", value)
        return known[value]

    @functools.cached_property
    def traced(self) -> Traced:
        symbols: list[Symbol | None] = [None] * len(self.types)
        symbols += [dims.as_symbol(dim) for dim in self.integers.values()]
        integers = [python_number(int)] * len(self.integers)
        return Traced(self._call, (*self.types, *integers), tuple(symbols))

    @property
    def dims(self) -> list[Size]:
        """The sizes of all axes."""
        return [size for type_ in self.types for size in type_.shape]

    @property
    def values(self) -> list[Any]:
        """The arguments that are traced."""
        return [*self.case.args, *self.integers]

    @functools.cached_property
    def larger(self) -> list[Any]:
        """Arguments of larger sizes."""
        return [*map(grown, self.case.args, self.types), *(n + 1 for n in self.integers)]

    @functools.cached_property
    def refused(self) -> bool:
        """Whether it cannot grow: guards forbid it, or NumPy does, where the count of a mask is
        no longer the length of what is written.
        """
        graph, case = self.traced.graph, self.anew.case
        if not fits(graph, self.larger):
            return True
        try:
            with np.errstate(all="ignore"):
                reference(case.op.name)(*case.args, **case.sample.attrs)
        except ValueError:
            return True
        return False

    @functools.cached_property
    def anew(self) -> Sized:
        """The larger arguments as a case of their own."""
        sizes = bindings(self.traced.graph, self.larger)
        attrs = {name: concretise(value, sizes) for name, value in self.attrs.items()}
        args = tuple(self.larger[: len(self.types)])
        return Sized(Case(self.case.op, Sample(args, attrs), self.case.id))

    def _call(self, *nodes: Node) -> list[Node]:
        operands = nodes[: len(self.types)]
        if "index" in self.attrs:
            return [_indexed(self.case, operands, self.attrs["index"])]
        if "count" in self.attrs:
            return results_of(_counted(self.case, operands, self.attrs))
        return results_of(self.case.op(*operands, **self.attrs))


def _products(types: Sequence[ArrayType]) -> dict[int, Size]:
    """The sizes of axes and of neighbouring axes together, by their numbers in the sample."""
    found: dict[int, Size] = {}
    for width, type_ in itertools.product((1, 2, 3), types):
        for i in range(type_.ndim - width + 1):
            size = dims.product(type_.shape[i : i + width])
            if isinstance(size, Dim):
                found.setdefault(size.hint, size)
    return found


def _counted(case: Case, operands: Sequence[Node], attrs: dict[str, Any]) -> Node:
    """The op that finds a number of elements which is known only then."""
    nonzero = attrs["count"].nonzero
    found = (mask_count if nonzero else unique_count)(operands[0])
    return case.op(*operands, **{**attrs, "count": Count(found, nonzero)})


def _indexed(case: Case, operands: Sequence[Node], index: Index) -> Node:
    """The op on a key that is normalised anew: how much a slice or a mask takes is its size."""
    writes = case.op.update is not None
    first, arrays = operands[: 1 + writes], operands[1 + writes :]
    renewed, nodes = index_of(numpy_key(index, arrays), operands[0].shape)
    return case.op(*first, *nodes, index=renewed)
