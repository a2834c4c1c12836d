"""Texts of traced values as strings that the emitted code makes.

Calls, results and operators take such a string as they take what a call without a rule returns.
Where Python itself needs its characters (as a key), the code is specialised on them.
"""

from __future__ import annotations

from typing import Any

from gradsmith.errors import ConcretizationError
from gradsmith.frontend.opaque import OpaqueObject, is_string, known_object, recorded
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.text import Text, Value
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ObjectType
from gradsmith.ops.calls import Callee

_FORMAT = Callee("function", "builtins:format", "format")
_CONVERSIONS = {
    letter: Callee("function", f"builtins:{name}", name)
    for letter, name in {"s": "str", "r": "repr", "a": "ascii"}.items()
}
_JOIN, _PERCENT = (Callee("operator", sign, f"`{sign}`") for sign in "+%")


def _string_of(text: Text) -> Any:
    """The text as an object that the emitted code makes."""
    made: Any = None
    for part in text.parts:
        string = part if isinstance(part, str) else _piece(part)
        made = string if made is None else recorded(_JOIN, [made, string], {})
    return made


def _piece(part: Value) -> Any:
    value = _operand(part)
    if part.percent:
        return recorded(_PERCENT, [part.spec, (value,)], {})
    if part.conversion and not (is_string(value) and part.conversion == "s"):
        value = recorded(_CONVERSIONS[part.conversion], [value], {})
    if is_string(value) and not part.spec:
        return value
    return recorded(_FORMAT, [value, part.spec], {})


def _operand(part: Value) -> Any:
    trace = current_trace()
    if trace is None or not trace.builder.is_inside(part.home):
        raise ConcretizationError(
            f"a text that says the number of {part.shown} was made in a branch or loop on "
            "traced values, and is used outside of it",
            current_span(),
            "make the text where it is used",
        )
    if isinstance(part.value, Text):
        return _string_of(part.value)
    if not isinstance(part.value, Node):
        return part.value
    node = trace.builder.inner(part.value)
    return OpaqueObject(node) if isinstance(node.type, ObjectType) else Tracer(View(Storage(node)))


def characters(text: Text) -> str:
    """The present string, on which the code is specialised."""
    found: str = known_object(_string_of(text))
    return found


Text.string, Text.characters = staticmethod(_string_of), staticmethod(characters)
