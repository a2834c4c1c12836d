"""Calls of C code, which does not take a traced integer or text for the object that it is.

It is called again with the present ones, on which the code is specialised. An error that it raises
about a traced value, and that it would not raise about the value itself, is a refusal: no handler
of the user's is for it.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

from gradsmith.errors import GradsmithError
from gradsmith.frontend.dispatch import any_traced
from gradsmith.frontend.failures import is_refusal
from gradsmith.frontend.foreign import (
    HARMLESS,
    STANDARD_LIBRARY,
    is_library,
    module_of,
    unsupported,
)
from gradsmith.frontend.nested_values import leaves, mapped, mapped_arguments
from gradsmith.frontend.numpy_errors import example_of
from gradsmith.frontend.refusals_in_c import is_raised_in_c, with_refusals
from gradsmith.frontend.spans import in_users_name, is_gradsmiths
from gradsmith.frontend.text import Text
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ops.raising import error_of

_MISFITS = (TypeError, AttributeError)
"""What C code raises about an object of a class that it does not know."""
_PLAIN = (list, tuple, dict)


@in_users_name
def called_in_c(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """``function(*args, **kwargs)`` of what is not written in Python. Where it does not take what
    stands for an integer or a text, it gets the present ones, which the emitted code checks.
    """
    try:
        return with_refusals(function, args, kwargs)
    except _MISFITS as error:
        if not is_raised_in_c(error) or not _has_no_effect(function, args, kwargs):
            raise
        if not any(map(_is_settled_on, leaves([*args, kwargs], _PLAIN))):
            raise
    return with_refusals(function, [*map(settled_within, args)], settled_within(kwargs))


def refuse_about_stand_ins(
    error: Exception, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """Refuse a call that has failed on traced values, where Python does not fail on the values.

    Raises
    ------
    UnsupportedError
        Python raises no such error on values of these classes.
    TypeError, AttributeError
        It raises one with another text, which is about its own parameters.
    """
    ours = isinstance(error, GradsmithError)
    if ours or not isinstance(error, _MISFITS) or current_trace() is None:
        return
    given = [getattr(function, "__self__", None), *args]
    if not (any_traced(given) or any_traced(kwargs.values())):
        return
    if _is_in_users_code(error.__traceback__) or not _has_no_effect(function, args, kwargs):
        return
    try:
        values, named = mapped_arguments(_example, args, kwargs, _PLAIN)
    except ValueError:  # too large
        return
    found = error_of(lambda: function(*values, **named))
    if isinstance(found, _MISFITS) and not is_refusal(found):
        if (type(found), str(found)) != (type(error), str(error)):
            raise found from None
    elif not is_refusal(error):
        raise unsupported(function) from error


def _has_no_effect(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether the function may be called once more: it changes nothing, and calls nobody."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, _CHANGING) or getattr(function, "__name__", "") in _WITH_EFFECTS:
        return False
    known = module_of(function).split(".")[0] in HARMLESS
    known = known or any(function is static for static in _STATIC)
    return known and not any(map(_may_have_effects, leaves([*args, kwargs], _PLAIN)))


_CHANGING = (list, dict, set, Iterator, Tracer, TracedInt, Text)
_STATIC = (str.maketrans, bytes.maketrans, bytearray.maketrans)
"""Methods that do not tell whose they are."""
_WITH_EFFECTS = frozenset(
    {"print", "open", "input", "exec", "eval", "setattr", "delattr", "next", "__import__"}
)


def _may_have_effects(value: Any) -> bool:
    """Whether a function that is given this may change something by it."""
    if isinstance(value, types.FunctionType):
        return not is_library(value)
    return isinstance(value, (Iterator, types.MethodType))


def _is_in_users_code(traceback: TracebackType | None) -> bool:
    """Whether an error comes out of a function of the user's."""
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not is_gradsmiths(file) and not file.startswith((STANDARD_LIBRARY, "<frozen ")):
            return True
        traceback = traceback.tb_next
    return False


def _is_settled_on(value: Any) -> bool:
    """Whether it has no derivative: an integer, or a text without traced floats, or a key."""
    if isinstance(value, Text):
        return hasattr(value, "hashed") or all(v.unknown() is None for v in value.values())
    return isinstance(value, TracedInt)


def settled_within(value: Any) -> Any:
    """An argument with the present integers and texts in it."""
    return mapped(_present, value, _PLAIN)


def _present(value: Any) -> Any:
    if isinstance(value, TracedInt):
        return int(value)
    return value.settled() if _is_settled_on(value) else value


def _example(value: Any) -> Any:
    """A value of the class that a traced one has."""
    if isinstance(value, Tracer):
        return example_of(value.node)
    if isinstance(value, TracedInt):
        return example_of(value.dim)
    return "0" if isinstance(value, Text) else value
