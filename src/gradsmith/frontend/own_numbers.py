"""Operators beside numbers of the user's classes that derive from ``int``, ``float`` or
``complex``: which class Python asks first, and what the numbers are that its own classes take.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradsmith.frontend.calling import call
from gradsmith.frontend.classes import (
    class_attribute,
    is_instance,
    is_own_number,
    plain_number,
    special,
)
from gradsmith.frontend.text import Text
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir.types import class_of_values
from gradsmith.ops.scalars import as_python

_NUMBERS = (int, float, complex)
"""Python's classes of numbers; the operators of each take numbers of those before it."""


def has_own_operators(left: Any, right: Any, *names: str) -> bool:
    """Whether one of two numbers, both of Python's classes or of classes that derive from these,
    has methods of the user's of these names.
    """
    operands = left, right
    if not any(is_own_number(v) and any(special(v, n) for n in names) for v in operands):
        return False
    return all(isinstance(v, _NUMBERS) or is_pythons(v) for v in operands)


def asked_in_turn(
    name: str, reflected: str, plain: Callable[..., Any], left: Any, right: Any
) -> Any:
    """What the operator of two such numbers gives: the method ``name`` of the left one, or
    ``reflected`` of the right one, as Python orders and tries them.
    """
    kinds = _class_of(left), _class_of(right)
    ways = [(left, name, right), (right, reflected, left)]
    comparing = name in ("__eq__", "__ne__", *_ORDERING)
    if kinds[0] is kinds[1]:
        ways = ways if comparing else ways[:1]
    elif issubclass(kinds[1], kinds[0]):
        mine, theirs = (class_attribute(kind, reflected) for kind in kinds)
        if comparing or mine is not theirs:
            ways.reverse()
    for owner, method, other in ways:
        mine = special(owner, method)
        if mine is not None:
            given = call(mine, owner, other)
            if given is not NotImplemented:
                return given
        elif _takes(owner, other, name):
            break
    return plain(_plain(left), _plain(right))


def beside_own_numbers(left: Any, right: Any) -> tuple[Any, Any]:
    """Two operands of which one may be a number or text of a class of the user's, without
    operators of its own: it is a plain one beside numbers and texts of Python's.

    On the left it takes NumPy's scalars that are numbers of Python's as well for such.
    """
    if is_own_number(left) and isinstance(right, (Tracer, TracedInt)):
        if _is_number_of(left, right):
            right = Tracer.run(as_python, Tracer.of_exact_type(right))
        return (plain_number(left) if is_pythons(right) else left), right
    if is_own_number(right) and is_pythons(left):
        return left, plain_number(right)
    if isinstance(left, Text) or isinstance(right, Text):
        return _plain_text(left), _plain_text(right)
    return left, right


def _plain_text(value: Any) -> Any:
    return str.__str__(value) if isinstance(value, str) and is_instance(value) else value


def is_pythons(value: Any) -> bool:
    """Whether it is a traced number of Python's."""
    if not isinstance(value, Tracer) or value.type.form == "array":
        return isinstance(value, TracedInt)
    weak: bool = Tracer.of_exact_type(value).type.weak
    return weak


def _is_number_of(own: Any, value: Any) -> bool:
    """Whether the operators of Python's class of ``own`` take this scalar of NumPy's."""
    if not isinstance(value, Tracer) or value.type.form == "array" or isinstance(own, int):
        return False
    exact = Tracer.of_exact_type(value).type
    kinds = (float, complex) if isinstance(own, complex) else (float,)
    return not exact.weak and issubclass(exact.dtype.type, kinds)


def _class_of(value: Any) -> type:
    if isinstance(value, TracedInt):
        return int
    return (
        class_of_values(Tracer.of_exact_type(value).type)
        if isinstance(value, Tracer)
        else type(value)
    )


_ORDERING = ("__lt__", "__le__", "__gt__", "__ge__")
_OF_REAL_NUMBERS = (
    *_ORDERING,
    "__mod__",
    "__rmod__",
    "__floordiv__",
    "__rfloordiv__",
    "__divmod__",
)


def _takes(number: Any, other: Any, name: str) -> bool:
    """Whether an operator of Python's class of ``number`` takes the other one."""
    rank = _rank(number)
    real_only = name in _OF_REAL_NUMBERS and _NUMBERS[rank] is complex
    return _rank(other) <= rank and not real_only


def _rank(value: Any) -> int:
    cls = _class_of(value)
    return next(place for place, kind in enumerate(_NUMBERS) if issubclass(cls, kind))


def _plain(value: Any) -> Any:
    return plain_number(value) if is_own_number(value) else value
