"""The numbers that objects of the user's give where Python asks for one: ``__index__``,
``__float__``, ``__len__`` and the like. Which results it takes depends on their classes.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

from gradsmith.frontend.calling import call
from gradsmith.frontend.classes import special
from gradsmith.frontend.dispatch import unwrap
from gradsmith.frontend.exact_type import of_exact_type
from gradsmith.frontend.numpy_errors import example_of
from gradsmith.frontend.spans import in_users_name
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir.dims import Dim
from gradsmith.ir.graph import Node
from gradsmith.ops.raising import error_of

_ASKING: dict[str, Callable[[Any], Any]] = {
    "__index__": operator.index,
    "__int__": int,
    "__trunc__": int,
    "__float__": float,
    "__complex__": complex,
    "__bool__": bool,
    "__len__": len,
    "__length_hint__": operator.length_hint,
}
_MAKING = {**_ASKING, **dict.fromkeys(("__len__", "__length_hint__"), operator.index)}
"""What makes a number of Python's own class of a result."""


def number_of(value: Any, *names: str) -> Any:
    """The number that an object gives by the first of these methods that its class has; anything
    else as it is.
    """
    for name in names:
        if asks(value, name):
            return given_number(value, name, call(special(value, name), value))
    return value


def asks(value: Any, name: str) -> bool:
    """Whether Python asks this method for a number; integers of the user's are their own index."""
    integer = name == "__index__" and isinstance(value, int)
    return not integer and special(value, name) is not None


@in_users_name
def given_number(owner: Any, name: str, made: Any) -> Any:
    """What such a method of ``owner`` has given, as Python takes it.

    Raises
    ------
    TypeError, ValueError
        Python refuses it.
    """
    if name == "__len__" and isinstance(made, TracedInt):
        negative = made < 0
        if Tracer.decide(negative) if isinstance(negative, Tracer) else negative:
            raise ValueError("__len__() should return >= 0")
        return made
    made = of_exact_type(made) if isinstance(made, Tracer) else made
    refused = _refusal(owner, name, unwrap(made, {}))
    if refused is not None:
        raise refused
    return call(_MAKING[name], made)


def _refusal(owner: Any, name: str, made: Any) -> Exception | None:
    """The error of Python's for a method that gives a value of this class."""
    example = example_of(made) if isinstance(made, (Node, Dim)) else made
    asked = type(type(owner).__name__, (), {name: lambda self: example})()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numbers of subclasses
        return error_of(lambda: _ASKING[name](asked))
