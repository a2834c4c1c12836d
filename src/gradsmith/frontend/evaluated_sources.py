"""Source that the function gives to `eval` and `exec`: Python runs it as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.dispatch import is_traced
from gradsmith.frontend.opaque import apply, present_object
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.text import Text, settled
from gradsmith.frontend.trace import current_trace

_ASKING = frozenset(
    {"isinstance", "issubclass", "type", "hasattr", "getattr", "dir", "vars", "repr", "ascii"}
    | {"__class__", "__doc__"}
)
"""What tells the class of a value, which code that is not staged asks of its stand-in."""


def arguments_of_eval(source: Any, namespaces: Sequence[Any], variables: Any) -> tuple[Any, ...]:
    """What `eval` gets for these arguments; ``variables`` are those of the function.

    The emitted code evaluates a text with traced floats in it, which has no derivative.
    """
    if not _says_floats(source):
        return arguments_of_exec(source, namespaces, variables)
    string = Text.string(source)
    if frozenset(_names_in(_compiled(present_object(string)))):
        raise _with_floats("eval")
    return "value", {"value": apply(eval, [string], {})}


def arguments_of_exec(source: Any, namespaces: Sequence[Any], variables: Any) -> tuple[Any, ...]:
    """The same of `exec`."""
    if _says_floats(source):
        raise _with_floats("exec")
    source = settled(source)
    if current_trace() is not None:
        _check_source(source, namespaces or (variables,))
    return source, *namespaces


def _says_floats(source: Any) -> bool:
    """Whether it is a text with traced values in it that are no integers."""
    return isinstance(source, Text) and any(part.unknown() for part in source.values())


def _with_floats(function: str) -> UnsupportedError:
    return UnsupportedError(
        f"{function} of a text that says a traced number beside names",
        current_span(),
        "use the variable in the text, or write it in the function itself",
    )


def _check_source(source: Any, namespaces: Sequence[Any]) -> None:
    """Refuse source that asks for the class of traced values.

    Raises
    ------
    UnsupportedError
        It does, and a name in it is that of a traced value.
    """
    names = frozenset(_names_in(_compiled(source)))
    held = [space for space in namespaces if isinstance(space, dict)]
    if not names & _ASKING or not any(_holds_traced(space, names) for space in held):
        return
    raise UnsupportedError(
        f"source given to eval or exec calls {', '.join(sorted(names & _ASKING))} where it has "
        "traced values",
        current_span(),
        "write it in the function itself",
    )


def _compiled(source: Any) -> CodeType | None:
    """The code of a source; None where Python raises an error about it."""
    if isinstance(source, CodeType):
        return source
    try:
        made: CodeType = compile(source, "<string>", "exec", dont_inherit=True)
    except (SyntaxError, TypeError, ValueError):
        return None
    return made


def _names_in(code: Any) -> Iterator[str]:
    """The names that code reads, and functions in it."""
    if isinstance(code, CodeType):
        yield from code.co_names
        for constant in code.co_consts:
            yield from _names_in(constant)


def _holds_traced(namespace: dict[str, Any], names: frozenset[str]) -> bool:
    return any(is_traced(namespace.get(name)) for name in names)
