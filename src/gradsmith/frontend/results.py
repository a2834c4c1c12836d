"""What traced functions return: where, and whether it can be a result."""

from __future__ import annotations

import enum
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from gradsmith.errors import ArgumentTypeError, GradsmithError, Span
from gradsmith.frontend.arguments import is_input
from gradsmith.frontend.classes import is_instance, is_own_number
from gradsmith.frontend.opaque import OpaqueObject, is_returnable, present_object
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.text import Text
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trips import Trips
from gradsmith.frontend.unsettled import Refusing
from gradsmith.frontend.value_guards import plain_key
from gradsmith.ops.syntax import class_name, is_written
from gradsmith.tree import Tree

_PARTS = "return numbers, arrays, or dicts, lists, tuples and dataclasses of these"
_PLAIN = "return a plain number, and make one of its class where the function is called"
_WRITABLE = (enum.Enum, str, bool, type(None), np.dtype)


def returned() -> Span | None:
    """The place of the latest ``return``, else where Python is."""
    trace = current_trace()
    return current_span() if trace is None or trace.returned is None else trace.returned


def with_plain_keys(shape: Tree) -> Tree:
    """The shape with numbers for traced ones among the keys of dicts."""
    keys = tuple(map(plain_key, shape.keys))
    return replace(shape, keys=keys, children=tuple(map(with_plain_keys, shape.children)))


def is_number_or_array(value: Any) -> bool:
    """Whether it can be a result, traced or not: a number that the function makes of a class of
    the user's is none, as a result has Python's or NumPy's class.
    """
    known = isinstance(value, (Tracer, TracedInt))
    return known or (is_input(value) and not is_own_number(value))


def check_results(shape: Tree, *, writable: bool) -> None:
    """Refuse results that are neither numbers nor arrays.

    ``writable`` says that strings and the like, which emitted code can write, may be among them.

    Raises
    ------
    ArgumentTypeError
        Part of the result is something else.
    ControlFlowError
        It is what a loop or branch does not tell.
    """
    value = shape.value
    if isinstance(value, Refusing):
        _refuse(value)
    if shape.cls is Trips:
        raise ArgumentTypeError(
            "the function returns a range", returned(), "return its ends, or a list of its numbers"
        )
    named = isinstance(value, type) and class_name(value) is not None
    text = isinstance(value, Text) or is_returnable(value)
    own_text = isinstance(value, str) and is_instance(value) and not isinstance(value, enum.Enum)
    known = (isinstance(value, _WRITABLE) and not own_text) or (
        type(value) in (set, frozenset) and all(map(is_written, value))
    )
    fine = named or text or known if writable else value is None
    if shape.kind == "static" and not fine:
        found = present_object(value) if type(value) is OpaqueObject else value
        raise ArgumentTypeError(
            f"the function returns {found!r:.60} of type {type(found).__name__}",
            returned(),
            _PLAIN if is_own_number(found) else _PARTS,
        )
    for child in shape.children:
        check_results(child, writable=writable)


def _refuse(value: Refusing) -> NoReturn:
    try:
        value.refuse()
    except GradsmithError as error:
        error.span = error.span or returned()
        raise
