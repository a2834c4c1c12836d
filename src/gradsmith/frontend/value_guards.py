"""Specialising on a value: the trace goes on with the present one, and the emitted code checks it.

This is for what Python needs as a plain value (a truth, a length, an axis, a key) and the graph
cannot keep symbolic. A call in which a check fails gets a specialisation of its own
(`driver.compiled`); an emitted file raises the error.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Any

import numpy as np

from gradsmith.errors import (
    ControlFlowError,
    InternalError,
    Span,
    SpecialisationError,
    UnsupportedError,
)
from gradsmith.frontend.captures import rely
from gradsmith.frontend.classes import is_instance
from gradsmith.frontend.hashed import is_nan
from gradsmith.frontend.invariants import before_loops, integers_before_loops
from gradsmith.frontend.joint import condition_of, make_branch
from gradsmith.frontend.messages import shown
from gradsmith.frontend.numpy_errors import present_number
from gradsmith.frontend.object_identity import is_same_object
from gradsmith.frontend.present import present_values
from gradsmith.frontend.recursion import note_guard
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.stand_ins import ObjectStandIn
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.text import Text
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import UndecidedError
from gradsmith.ir.builder import Builder
from gradsmith.ir.dims import Dim
from gradsmith.ir.graph import Node
from gradsmith.ir.types import PYTHON_TYPES
from gradsmith.ops.compare import isnan, logical_not, logical_or, negation, not_equal, signbit
from gradsmith.ops.complex import imag, real
from gradsmith.ops.effects import fail
from gradsmith.ops.regions import present_integers
from gradsmith.ops.scalars import has_class
from gradsmith.ops.syntax import class_name


class TentativeError(ControlFlowError):
    """A value is needed in an iteration of the loop ``looping`` that may yet become one of a loop
    in the graph.
    """

    looping: object = None

    @classmethod
    def within(cls, looping: object, what: str) -> TentativeError:
        """The error about a value in an iteration of ``looping``."""
        error = cls(
            f"Python needs the value of {what} in an iteration of a loop",
            current_span(),
            "use NumPy functions, which take it as it is",
        )
        error.looping = looping
        return error


def known(value: Any) -> Any:
    """The plain value of a traced number or truth value, which the emitted code checks.

    Raises
    ------
    ControlFlowError
        It is needed in an iteration of a loop in the graph, which stands for all of them: the
        loop is to be written out. Or on a path that the present values do not take: the branch
        is to be decided (`UndecidedError`).
    """
    trace = current_trace()
    if trace is None:
        raise InternalError("a traced value outside a trace")
    values = present_values(trace)
    if isinstance(value, TracedInt):
        return _known_size(trace, value.dim, shown(value))
    node = values.unwrapped(value.node)
    if _is_known_before(trace, node, shown(value)):
        return _plain(values.of(node), node)
    with trace.within(_home(trace, node)):
        _check_reached(trace, shown(value))
        present = _plain(values.of(node), node)
        _make_sure(trace, node, present, shown(value))
    return present


def _known_size(trace: Trace, size: Dim, what: str) -> int:
    values = present_values(trace)
    integers = integers_before_loops(trace, size)
    if integers:
        for node in integers:
            _is_known_before(trace, node, what, node.span)
        return values.of_size(size)
    with trace.within(_home(trace, size)):
        _check_reached(trace, what)
        present = values.of_size(size)
        _make_sure(trace, trace.builder.lift(size), present, what)
    return present


def _is_known_before(trace: Trace, node: Node, what: str, span: Span | None = None) -> bool:
    """Whether the loops around do not change the value of a node, which is then checked before
    them; ``span`` is what the error shows, by default the place of the trace.
    """
    before = before_loops(trace, node)
    if before is None:
        return False
    with trace.within(before.home):
        _check_reached(trace, what)
    present = _plain(present_values(trace).of(node), node)
    with trace.within(before.home):
        _make_sure(trace, before.node, present, what, span)
    return True


def _make_sure(
    trace: Trace, node: Node, present: Any, what: str, span: Span | None = None
) -> None:
    """The code goes on only where the node has its present value."""
    if trace.builder.is_sure(node):
        return
    if trace.unrolling.tentative and trace.unrolling.tentative[-1].is_tentative:
        raise TentativeError.within(trace.unrolling.tentative[-1], what)
    note_guard(trace)
    _check(trace, node, present, span or current_span())
    trace.builder.make_sure(node)


def _home(trace: Trace, what: Node | Dim) -> Builder:
    """Where a value is checked: here, or before the loops in whose iterations it is the same."""
    builder, values = trace.builder, present_values(trace)
    if not any(outer in trace.bodies for outer in trace.builders()):
        return builder
    owner = values.owner(what) if isinstance(what, Node) else values.owner_of_size(what)
    if owner is None or owner is builder:
        return builder
    between = takewhile(lambda inner: inner is not owner, trace.builders())
    return owner if any(inner in trace.bodies for inner in between) else builder


def plain_key(key: Any) -> Any:
    """The key of a dict, or a member of a set, as it is outside of the trace: a traced number in
    it is on record as the present one since it has been hashed.
    """
    if isinstance(key, TracedInt):
        return int(key)
    if isinstance(key, Text):
        return key.settled()
    if isinstance(key, ObjectStandIn):
        return _present_object(key)
    if isinstance(key, Tracer):
        return _key(Tracer.of_exact_type(key))
    if isinstance(key, frozenset):
        return frozenset(map(plain_key, key))
    if not isinstance(key, tuple):
        _check_from_outside(key)
        return key
    parts = tuple(map(plain_key, key))
    return tuple.__new__(type(key), parts)


def _check_from_outside(key: Any) -> None:
    """Refuse an object that the function has made: each call makes another one."""
    trace = current_trace()
    if trace is not None and id(key) in trace.made and is_instance(key):
        raise UnsupportedError(
            f"an object of the class {type(key).__name__} that the function makes is the key of a "
            "dict, or the member of a set, that leaves it",
            current_span(),
            "use a number, a text or a tuple of these as the key",
        )


def _key(value: Tracer) -> Any:
    """The present value of a number, as one of its class."""
    present, cls = known(value), value.dtype.type
    key = present if value.type.weak or type(present) is cls else cls(present)
    return _nan_of(value, key) if is_nan(key) else key


def _nan_of(value: Tracer, present: Any) -> Any:
    """What stands for a nan: Python looks nans up by identity."""
    trace = current_trace()
    if trace is None:
        return present
    for other, key in trace.nans:
        if is_same_object(other, value):
            return key
    trace.nans.append((value, present))
    for capture in trace.inputs:
        if capture.node is value.node:
            rely(trace, ("nan", capture.name), capture.read, present)
    return present


def _present_object(value: ObjectStandIn) -> Any:
    trace = current_trace()
    return value if trace is None else present_values(trace).of(value.node)


def _plain(present: Any, node: Node) -> Any:
    """As Python's number, where that is the same number."""
    kind = node.dtype.kind
    python = node.array_type.weak or kind in "biu"
    return PYTHON_TYPES.get(kind, int)(present) if python else present


def not_taken(trace: Trace, what: str) -> UndecidedError | None:
    """The error about ``what`` on a path that the present call does not take, if this is one.

    Iterations of loops may be the first.
    """
    for builder in trace.builders():
        if not _is_taken(trace, builder):
            return UndecidedError.at(
                trace.sites[builder],
                f"{what} is asked for on a path that these arguments do not take",
                "make the call before the branch",
            )
    return None


def _is_taken(trace: Trace, builder: Builder) -> bool:
    """Whether the present call takes the path that ``builder`` records, where it is one; whether
    it makes an iteration, where that is the body of a loop. True within a path that is not taken,
    where nothing is known.
    """
    return _known_to_be_taken(trace, builder) is not False


def _known_to_be_taken(trace: Trace, builder: Builder) -> bool | None:
    """The same, None within a path that is not taken."""
    if builder.parent is not None and not _known_to_be_taken(trace, builder.parent):
        return None
    path, entered = trace.ways.get(builder), trace.entered.get(builder, 1)
    if path is not None:
        return bool(present_values(trace).of(path[0])) is path[1]
    if isinstance(entered, Node):
        return bool(present_values(trace).of(entered))
    return present_values(trace).of_size(entered) > 0


def _check_reached(trace: Trace, what: str) -> None:
    """Refuse a place that the present call does not reach exactly once.

    Raises
    ------
    ControlFlowError
        It is within a loop of the graph, or on a path that is not taken.
    """
    builder: Builder | None = trace.builder
    while builder is not None and builder.parent is not None:
        if builder in trace.bodies:
            raise ControlFlowError(
                f"Python needs the value of {what}, which differs from iteration to iteration of "
                "a loop",
                current_span(),
                "use NumPy functions, which take it as it is",
            )
        if not _is_taken(trace, builder):
            raise UndecidedError.at(
                trace.sites[builder],
                f"Python needs the value of {what} on a path that these arguments do not take",
                "use NumPy functions, which take it as it is",
            )
        builder = builder.parent


def _check(trace: Trace, node: Node, present: Any, span: Span | None) -> None:
    """``if node != present: raise SpecialisationError(...)``."""
    changed = _changed(node, present)
    text = f"this code was made for a call in which {_fact(trace, node, present, span)}"
    with trace.region((changed, True)) as failing:
        fail(error=SpecialisationError, arguments=(text,))
    passing = Builder(intern=False, parent=trace.builder)
    make_branch(trace, changed, [failing, passing], [(), ()], ())


def _changed(node: Node, present: Any) -> Node:
    if node.dtype.kind == "b":
        return logical_not(node) if present else node
    if node.dtype.kind not in "fc" or not (is_nan(present) or _has_zero(present)):
        return not_equal(node, present)
    if node.dtype.kind == "c":
        return logical_or(_changed(real(node), present.real), _changed(imag(node), present.imag))
    if is_nan(present):
        return logical_not(isnan(node))
    negative = signbit(node)  # 0.0 and -0.0 are equal, and not the same
    other_sign = logical_not(negative) if np.signbit(present) else negative
    return logical_or(not_equal(node, 0), other_sign)


def _has_zero(number: Any) -> bool:
    return 0 in (number.real, number.imag) if np.iscomplexobj(number) else number == 0


def _fact(trace: Trace, node: Node, present: Any, span: Span | None) -> str:
    """What the code relies on, in words."""
    if node in trace.flags and span is not None:
        return f"`{trace.flags[node]}` in {span.where} has {'a' if present else 'no'} value"
    if node.op is has_class:
        name = class_name(node.attrs["cls"])
        return f"a number in {_where(span)} is {'' if present else 'not '}of the class {name}"
    value = present.item() if isinstance(present, np.generic) else present
    return f"{_where(span)} is {value!r}"


def _where(span: Span | None) -> str:
    if span is None:
        return "a value"
    return f"`{span.expression}` in {span.where}"


def decide(condition: Any) -> bool:
    """The truth of a condition, on which the code is specialised where it is traced."""
    if not isinstance(condition, Tracer):
        return bool(condition)
    node, truth = condition_of(condition), True
    trace = current_trace()
    while trace is not None and node.op is negation and node.inputs[0] in trace.flags:
        node, truth = node.inputs[0], not truth
    return bool(known(Tracer(View(Storage(node))))) is truth


def _present_integer(made: Node) -> int | None:
    """The value of an integer that the function makes of a number, if another run has shown that
    something cannot be done without.
    """
    trace = current_trace()
    if trace is None or made.span is None:
        return None
    if made.span in trace.decided:
        return int(known(Tracer(View(Storage(made)))))
    trace.integers[made.attrs["symbol"].name] = made.span
    return None


def _number_in_its_class(node: Node) -> Any:
    present, type_ = known(Tracer(View(Storage(node)))), node.array_type
    if type_.form == "array":
        return np.array(present, type_.dtype)
    return present if type_.weak else type_.dtype.type(present)


present_integers.append(_present_integer)
present_number.append(_number_in_its_class)
Tracer.known, Tracer.decide = staticmethod(known), staticmethod(decide)
Tracer.key = staticmethod(_key)
TracedInt.known = staticmethod(known)
