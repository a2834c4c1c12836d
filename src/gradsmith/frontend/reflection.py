"""Which attributes and names there are outside the function: relied on, as values are.

``hasattr``, ``getattr`` and ``vars`` of objects from outside, and names that have no value when
the function is traced.
"""

from __future__ import annotations

import builtins
import dis
import operator
import types
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

from gradsmith.frontend.calling import call
from gradsmith.frontend.captures import global_or_cell
from gradsmith.frontend.failures import is_refusal
from gradsmith.frontend.trace import Reliance, Trace, current_trace, handling

Attribute = Callable[[Any, str], Any]


def rely_on_attribute(trace: Trace, owner: Any, name: str) -> bool:
    """Whether an object from outside has the attribute now, and in calls that use the code."""
    found = hasattr(owner, name)
    key = ("has", id(owner), name)
    trace.reliances[key] = Reliance(lambda: hasattr(owner, name), found, by_identity=False)
    return found


def reflection(
    function: Any, args: Sequence[Any], attribute: Attribute, is_external: Callable[..., bool]
) -> Callable[..., Any] | None:
    """The meaning of getters of attributes, and of ``getattr`` and the like for an object from
    outside; else None.

    ``attribute`` reads an attribute, which of an object from outside becomes an input or is relied
    on.
    """
    trace = current_trace()
    if trace is None or not args:
        return None
    if type(function) is operator.attrgetter:
        return partial(_gotten, attribute, function.__reduce__()[1])
    if type(function) is operator.methodcaller:
        return partial(_called_by_name, attribute, function)
    builtin = isinstance(function, types.BuiltinFunctionType)
    if not builtin or not is_external(trace, args[0]):
        return None
    if function is builtins.hasattr:
        return partial(_has, attribute)
    if function is builtins.getattr:
        return partial(_get, attribute)
    if function is builtins.vars:
        return partial(vars_of, attribute)
    return None


def vars_of(attribute: Attribute, owner: Any) -> Any:
    """``vars(owner)``."""
    try:
        return attribute(owner, "__dict__")
    except AttributeError:
        return vars(object())  # which raises Python's error


def _has(attribute: Attribute, owner: Any, name: str) -> bool:
    trace = current_trace()
    try:
        with handling():
            attribute(owner, name)
    except AttributeError:
        return False
    if trace is not None:
        rely_on_attribute(trace, owner, name)  # what is not read is no input
    return True


def _get(attribute: Attribute, owner: Any, name: str, *default: Any) -> Any:
    if not default:
        return attribute(owner, name)
    try:
        with handling():
            return attribute(owner, name)
    except AttributeError as error:
        if is_refusal(error):
            raise
        return default[0]


def _gotten(attribute: Attribute, names: Sequence[str], owner: Any) -> Any:
    found = [_path(attribute, owner, name) for name in names]
    return found[0] if len(found) == 1 else tuple(found)


def _path(attribute: Attribute, owner: Any, names: str) -> Any:
    for name in names.split("."):
        owner = attribute(owner, name)
    return owner


def _called_by_name(attribute: Attribute, caller: operator.methodcaller, owner: Any) -> Any:
    """``operator.methodcaller(name, *args, **kwargs)(owner)``."""
    parts: Any = caller.__reduce__()
    made, args = parts
    if not isinstance(made, partial):  # it has no arguments by keyword
        return call(attribute(owner, args[0]), *args[1:])
    return call(attribute(owner, made.args[0]), *args, **made.keywords)


def rely_on_absent_names(trace: Trace, function: types.FunctionType) -> None:
    """Names that the function reads and that have no value: reading them raises an error."""
    for name in _names_read(function.__code__):
        key, read = global_or_cell(function, name)
        is_absent = partial(_is_absent, read, name)
        if is_absent():
            trace.reliances["absent", key] = Reliance(is_absent, True, by_identity=False)


def _is_absent(read: Callable[[], Any], name: str) -> bool:
    try:
        read()
    except (LookupError, ValueError):
        return not hasattr(builtins, name)
    return False


@lru_cache(maxsize=4096)
def _names_read(code: types.CodeType) -> tuple[str, ...]:
    """The globals and variables of outer functions that the code reads."""
    opcodes = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_FROM_DICT_OR_DEREF")
    own = (*code.co_varnames, *code.co_cellvars)
    read = (i.argval for i in dis.get_instructions(code) if i.opname in opcodes)
    return tuple(dict.fromkeys(name for name in read if name not in own))
