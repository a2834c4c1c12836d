"""Functions that the traced function defines, given to calls that are not traced.

The emitted code makes the user's own function anew, with the values that its variables of the
function around it have there.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.codes import CodeTable
from gradsmith.frontend.effects import MUTATORS
from gradsmith.frontend.failures import name_of
from gradsmith.frontend.source import find_source
from gradsmith.frontend.spans import current_span

_users: CodeTable[types.CodeType] = CodeTable()
"""The code that the user has written, for that of functions in staged functions."""
_templates: CodeTable[types.FunctionType] = CodeTable()


def note_inner_functions(users: types.CodeType, staged: types.CodeType) -> None:
    """Remember which of the user's functions those in a staged function are."""
    written, made = _by_place(users), _by_place(staged)
    for place, codes in made.items():
        if len(codes) == len(written.get(place, ())) == 1:
            _users[codes[0]] = written[place][0]


def users_code(code: types.CodeType) -> types.CodeType:
    """The code that the user has written, of which this one may have been made."""
    known = code in _users
    return _users[code] if known else code


def with_qualified_names(users: types.CodeType, staged: types.CodeType) -> types.CodeType:
    """The staged code, with the user's qualified names of the functions in it: errors about
    arguments say them.
    """
    if not hasattr(users, "co_qualname"):  # before Python 3.11 it is no part of the code
        return staged
    written = _by_place(users)

    def renamed(code: types.CodeType) -> types.CodeType:
        made = [renamed(c) if isinstance(c, types.CodeType) else c for c in code.co_consts]
        names = {inner.co_qualname for inner in written.get(_place(code), ())}
        name = names.pop() if len(names) == 1 else code.co_qualname
        return code.replace(co_consts=tuple(made), co_qualname=name)

    return renamed(staged)


def _place(code: types.CodeType) -> tuple[Any, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    return code.co_name, code.co_firstlineno, code.co_varnames[:count]


def _by_place(code: types.CodeType) -> dict[Any, list[types.CodeType]]:
    found: dict[Any, list[types.CodeType]] = {}
    for inner in _inner(code):
        found.setdefault(_place(inner), []).append(inner)
    return found


def _inner(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _inner(constant)


@dataclass(frozen=True, slots=True)
class MadeFunction:
    """The user's function without its variables, and the values that these have."""

    template: types.FunctionType
    defaults: tuple[Any, ...]
    values: tuple[Any, ...]


def made_function(function: Any) -> MadeFunction | None:
    """What a function that the traced one has defined is made of; None of all others.

    Raises
    ------
    UnsupportedError
        It writes to variables of the function around it.
    """
    if not isinstance(function, types.FunctionType) or function.__code__ not in _users:
        return None
    template = _template(function, _users[function.__code__])
    names = template.__code__.co_freevars
    closure = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    if function.__kwdefaults__ or not all(name in closure for name in names):
        return None
    _check_writes(template, names)
    try:
        values = tuple(closure[name].cell_contents for name in names)
    except ValueError:  # a variable without a value
        return None
    return MadeFunction(template, function.__defaults__ or (), values)


def _template(function: types.FunctionType, code: types.CodeType) -> types.FunctionType:
    if code not in _templates:
        cells = tuple(types.CellType() for _ in code.co_freevars)
        name = code.co_name
        _templates[code] = types.FunctionType(code, function.__globals__, name, None, cells)
    return _templates[code]


def _check_writes(template: types.FunctionType, names: tuple[str, ...]) -> None:
    source = find_source(template)
    node = None if source is None else source.node
    if node is None or any(_writes(part, names) for part in ast.walk(node)):
        raise UnsupportedError(
            f"{name_of(template)} is called where gradsmith does not trace, and may write to "
            "variables of the function around it",
            current_span(),
            "let it compute with its arguments only, or define it outside the function",
        )


def _writes(node: ast.AST, names: tuple[str, ...]) -> bool:
    if isinstance(node, (ast.Nonlocal, ast.Global)):
        return True
    if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
        return _root(node) in names
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in MUTATORS and _root(node.func) in names
    return isinstance(node, ast.AugAssign) and _root(node.target) in names


def _root(node: ast.AST) -> str:
    """The variable that an expression such as ``a.b[c]`` begins with."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
