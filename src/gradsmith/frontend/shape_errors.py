"""Shapes that the data decide, where a ``try`` handles the errors of those that do not fit.

Operations take sizes that only running tells to be what they must be. Under a ``try`` the code is
specialised on each such assumption; where one does not hold in the present call, NumPy itself
raises the error, or the code is made for the present sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gradsmith.frontend.nested_values import leaves, mapped_arguments
from gradsmith.frontend.numpy_errors import OPERATIONS, is_numpys, raised_by
from gradsmith.frontend.present import present_values
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Size
from gradsmith.ir.graph import Node
from gradsmith.ir.mentions import said_by
from gradsmith.ops.index import reading
from gradsmith.ops.index_key import Index
from gradsmith.ops.shape import reshape


@dataclass(frozen=True, slots=True)
class Asked:
    """A call of the user's: what raises its errors."""

    function: Callable[..., Any]
    args: Sequence[Any]
    kwargs: Mapping[str, Any]

    def error(self, trace: Trace) -> Exception | None:
        """The error that it raises on the present values; None if none, or if it is no call of
        NumPy's.
        """
        called = OPERATIONS.get(self.function, self.function)
        if not is_numpys(called):
            return None
        present = partial(_present, trace)
        return raised_by(called, *mapped_arguments(present, self.args, self.kwargs))


@contextmanager
def asking(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """What is computed inside belongs to this call, whose errors are raised."""
    trace = current_trace()
    if trace is None:
        yield
        return
    before, trace.asked = trace.asked, trace.asked or Asked(function, args, kwargs)
    try:
        yield
    finally:
        trace.asked = before


def _present(trace: Trace, value: Any) -> Any:
    """What an argument is in the present call; arrays as copies, as the call may write to them."""
    if isinstance(value, Tracer):
        value = value.node
    if isinstance(value, Node):
        found = present_values(trace).of(value)
        return np.array(found) if isinstance(found, np.ndarray) else found
    if isinstance(value, TracedInt):
        value = value.dim
    if isinstance(value, Dim):
        return present_values(trace).of_size(value)
    return value


@contextmanager
def assumptions(trace: Trace) -> Iterator[Assumptions]:
    """What is assumed inside of shapes that the data decide, where a ``try`` may handle errors."""
    made = Assumptions(trace)
    if trace.handled["ValueError"] or trace.handled["IndexError"]:
        with dims.noting_assumptions(made.note):
            yield made
    else:
        yield made


def with_shapes_known(assumed: Assumptions, asked: Asked) -> tuple[Sequence[Any], dict[str, Any]]:
    """The arguments of a call, of which an assumption does not hold: arrays of known shapes.

    Raises
    ------
    Exception
        NumPy's error: the shapes do not fit in the present call.
    """
    trace = assumed.trace
    args, kwargs = mapped_arguments(_of_known_shape, asked.args, asked.kwargs)
    assumed.make_known()
    error = (trace.asked or asked).error(trace)
    if error is not None:
        raise error
    return args, kwargs


def of_known_shapes(
    args: Sequence[Any], kwargs: Mapping[str, Any], begin: int
) -> tuple[Sequence[Any], dict[str, Any]] | None:
    """The arguments of a call with arrays of the present shapes, upon which the code is
    specialised; None where the data decide none. The nodes from ``begin`` on are not used.
    """
    trace = current_trace()
    if trace is None or not any(map(_is_of_the_data, leaves([*args, *kwargs.values()]))):
        return None
    trace.raised.update(trace.builder.nodes[begin:])
    return mapped_arguments(_of_known_shape, args, kwargs)


class Assumptions:
    """Pairs of sizes that are taken to be equal, each with its place among the nodes."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self._builder = trace, trace.builder
        self._begin = len(trace.builder.nodes)
        self._found: dict[tuple[Size, Size], int] = {}

    def note(self, left: Size, right: Size) -> None:
        """The next node assumes that the two are equal."""
        self._found.setdefault((left, right), len(self._builder.nodes))

    def hold(self) -> bool:
        """Whether all are equal in the present call; the code is specialised on it. It asks before
        it computes.
        """
        nodes, inserted = self._builder.nodes, 0
        for (left, right), place in self._found.items():
            made = len(nodes)
            self._define_counts(nodes[place + inserted : place + inserted + 1])
            holds = _are_equal(left, right)
            if not holds:
                return False
            checks = nodes[made:]
            del nodes[made:]
            nodes[place + inserted : place + inserted] = checks
            inserted += len(checks)
        return True

    def make_known(self) -> None:
        """The code is for these sizes, and what has been computed is not used."""
        self.trace.raised.update(self._builder.nodes[self._begin :])
        for pair in self._found:
            for size in pair:
                _known(size)

    def _define_counts(self, nodes: Sequence[Node]) -> None:
        """Have a node that shows how many elements each mask takes, by which these nodes write."""
        for node in nodes:
            index = node.attrs.get("index")
            if isinstance(index, Index) and any(s not in said_by([node]) for s in index.counts):
                reading(node)


def _are_equal(left: Size, right: Size) -> bool:
    """Whether two sizes are equal in the present call, on which the code is specialised."""
    trace = current_trace()
    assert trace is not None
    pair = left, right
    fact = trace.agreements.setdefault(pair, pair)
    if trace.builder.is_sure(fact):
        return True
    holds = Tracer.decide(wrap_size(left) == wrap_size(right))
    if holds:
        trace.builder.make_sure(fact)
    return holds


def is_same(left: Size, right: Size) -> bool:
    """Whether two sizes are equal, where Python raises a ValueError if they are not: those that
    the data decide are taken to be, unless a ``try`` handles the error.
    """
    trace = current_trace()
    if trace is None or not trace.handled["ValueError"]:
        return dims.same(left, right)
    assumed = Assumptions(trace)
    with dims.noting_assumptions(assumed.note):
        return dims.same(left, right) and assumed.hold()


def _known(size: Size) -> int:
    return int(wrap_size(size))


def _is_of_the_data(value: Any) -> bool:
    return isinstance(value, Tracer) and any(map(dims.is_unbacked, value.type.shape))


def _of_known_shape(value: Any) -> Any:
    """An operand, its sizes being known."""
    if not _is_of_the_data(value):
        return value
    return Tracer.run(reshape, value, shape=tuple(map(_known, value.type.shape)))


Tracer.asking = staticmethod(asking)
