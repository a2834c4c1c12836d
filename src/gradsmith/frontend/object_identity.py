"""Which of several objects a value is, where the code asks: ``is``, ``id``, `object.__eq__`, keys.

A value that a branch or loop has chosen is another object while tracing than those it was chosen
from (`frontend.doubts`); so is a tuple that is made anew of its elements. The answer needs the
branch decided, or the loop written out: a plain no would be wrong for one of them.
"""

from __future__ import annotations

import itertools
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable
from typing import Any

import numpy as np

from gradsmith.frontend.classes import is_instance
from gradsmith.frontend.doubts import others
from gradsmith.frontend.frozen import (
    COMPARED,
    array_of,
    check_sites_known,
    is_same_element,
    separate,
)
from gradsmith.frontend.journal import written_part
from gradsmith.frontend.number_class import is_number, possible_types
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import Cause, Unsettled
from gradsmith.ir.graph import Node
from gradsmith.ir.types import class_of_values
from gradsmith.ops.arithmetic import positive
from gradsmith.ops.scalars import python_complex, python_float

CHOSEN = "this asks which of several objects a branch or loop has chosen"
CHOSEN_NUMBER = "this asks which of several numbers a branch or loop has chosen"
HINT = "compare what the objects hold, or a number that says which it is"

CACHED = tuple(
    next(n for n in itertools.count(step, step) if int(str(n + step)) is not int(str(n + step)))
    for step in (-1, 1)
)
"""The least and the greatest integer of which Python has one object."""


def is_cached(number: int) -> bool:
    """Whether it is one of these."""
    return CACHED[0] <= number <= CACHED[1]


def is_same_object(left: Any, right: Any) -> bool:
    """``left is right``."""
    if left is right or is_same_element(left, right):
        return True
    trace = current_trace()
    if trace is None:
        return False
    if type(left) is not type(right):
        _check_not_chosen(trace, left, right)
        _check_not_chosen(trace, right, left)
        return False
    if isinstance(left, Tracer) and is_number(left.node) and is_number(right.node):
        return _is_same_number(trace, left.node, right.node)
    if isinstance(left, tuple):
        _check_not_remade(trace, left, right)
        return False
    if array_of(left) is not None and array_of(right) is not None:
        cause = chosen_by(array_of(left), array_of(right))
    else:
        cause = _alias_by(trace, written_part(left), written_part(right))
    if cause is not None:
        raise cause.error(CHOSEN, HINT)
    return False


def _is_same_number(trace: Trace, *nodes: Node) -> bool:
    one, other = map(_itself, nodes)
    for node in (one, other) if one is not other else ():
        _check_known(trace, node)
    return one is other


def _check_not_chosen(trace: Trace, value: Any, plain: Any) -> None:
    """A number that a branch or loop has chosen may be this very one, which is an integer with a
    symbol, or not traced.
    """
    numbers = (TracedInt, int, float, complex, np.generic)
    if not isinstance(value, Tracer) or not isinstance(plain, numbers):
        return
    node, kind = value.node, int if isinstance(plain, TracedInt) else type(plain)
    if is_number(node) and any(class_of_values(t) is kind for t in possible_types(node)):
        _check_known(trace, _itself(node))


def _check_known(trace: Trace, node: Node) -> None:
    by = trace.chosen.get(node)
    if isinstance(by, Cause):
        raise by.error(CHOSEN_NUMBER, HINT)
    if by is not None:
        separate(by, COMPARED)


def _itself(node: Node) -> Node:
    """What ``+x``, ``float(x)`` and ``complex(x)`` give of such a number of Python's."""
    while node.op in _GIVING and all(
        type_.weak and type_.dtype.kind in _GIVING[node.op]
        for type_ in possible_types(node.inputs[0])
    ):
        (node,) = node.inputs
    return node


_GIVING = {positive: "fc", python_float: "f", python_complex: "c"}
"""Ops that give the very object that they are given, of numbers of these kinds."""


def _check_not_remade(trace: Trace, left: Any, right: Any) -> None:
    for value in (left, right) if len(left) == len(right) else ():
        _, by = trace.remade.get(id(value), (None, None))
        if isinstance(by, Cause):
            raise by.error(COMPARED, HINT)
        if by is not None:
            separate(by, COMPARED)


def _alias_by(trace: Trace, left: Any, right: Any) -> Cause | None:
    found = () if left is None or right is None else others(trace, left)
    return next((cause for other, cause in found if other is right), None)


def chosen_by(left: Storage | None, right: Storage | None) -> Cause | None:
    """The branch or loop on which it depends whether two buffers are one."""
    seen, stack = {left}, [left]
    while stack:
        top = stack.pop()
        for other, cause in () if top is None else top.chosen_among():
            if other is right:
                return cause
            if other not in seen:
                seen.add(other)
                stack.append(other)
    return None


def check_identity_known(value: Any) -> None:
    """The identity of an object counts (`id`, `hash`)."""
    check_sites_known(value)
    trace = current_trace()
    if trace is None:
        return
    if isinstance(value, Unsettled):
        value.refuse()
    part = None if isinstance(value, (str, bytes, int, float)) else written_part(value)
    for _, cause in () if part is None else others(trace, part):
        raise cause.error(CHOSEN, HINT)


def check_keys(values: Iterable[Any]) -> None:
    """The same of values that Python is about to look up or to compare, by identity if their
    classes say nothing else.
    """
    for value in values:
        if is_instance(value) and _is_compared_by_identity(type(value)):
            check_identity_known(value)


def check_members(*values: Any) -> None:
    """The same of what is in containers that Python is about to compare, or to make keys of."""
    trace = current_trace()
    if trace is None or not trace.doubts:
        return
    for value in values:
        if isinstance(value, _HOLDING):
            members = [*value, *value.values()] if isinstance(value, dict) else value
            check_keys(members)
            check_members(*(member for member in members if isinstance(member, _HOLDING)))


def check_future_keys(function: Any, args: Iterable[Any]) -> None:
    """The same of what a function of Python's is about to make keys of."""
    pairs = function in (dict, OrderedDict)
    for value in args if function in (*_OF_KEYS, dict, OrderedDict) else ():
        if pairs and isinstance(value, (list, tuple)):
            check_members([pair[0] for pair in value if isinstance(pair, tuple) and pair])
        elif not pairs:
            check_members(list(value) if isinstance(value, dict) else value)


_OF_KEYS = (set, frozenset, Counter)
_HOLDING = (list, tuple, set, frozenset, dict, deque)


def are_compared_by_identity(*values: Any) -> bool:
    """Whether ``==`` of these objects of the user's asks nothing else."""
    return all(is_instance(v) and _is_compared_by_identity(type(v)) for v in values)


def _is_compared_by_identity(cls: type) -> bool:
    return all("__eq__" not in vars(base) for base in cls.__mro__[:-1])
