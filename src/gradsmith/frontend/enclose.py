"""A function's syntax tree compiled as if where the user wrote it: same scopes, same positions."""

from __future__ import annotations
import __future__

import ast
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any, TypeAlias, TypeVar

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
AnyNode = TypeVar("AnyNode", bound=ast.AST)

# What `from __future__ import ...` leaves in the flags of every code object of a file.
_FUTURE = 0
for _feature in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _feature).compiler_flag

_lock = threading.RLock()


def replaced(node: AnyNode, **fields: Any) -> AnyNode:
    """A copy of ``node``, position included, with other ``fields``."""
    return type(node)(**{**vars(node), **fields})


@contextmanager
def quietly() -> Iterator[None]:
    """Without the warnings of Python's compiler: the user saw them at the import.

    The lock is there since `warnings.catch_warnings` is not safe with threads.
    """
    with _lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def compile_function(
    node: FunctionNode,
    code: CodeType,
    owner: str | None,
    free: Iterable[str] = (),
    imported: Iterable[str] = (),
) -> CodeType:
    """The code object of ``node``; nothing is run.

    Parameters
    ----------
    node : FunctionDef, AsyncFunctionDef or Lambda
        Its decorators, defaults and annotations are left out.
    code : CodeType
        The user's: for its file, its free variables, and the ``__future__`` of its file.
    owner : str, optional
        The class around it, for which Python mangles names like ``__weight``.
    free : iterable of str
        More names that are variables of an enclosing function.
    imported : iterable of str
        What the file imports: Python has other instructions for calls into modules.
    """
    definition, name = _statement(node)
    if owner is not None:
        definition, name = _class(owner, definition, node), owner
    parameters = [*code.co_freevars, *free]
    factory = _factory(parameters, definition, name, node)
    imports = [ast.Import([ast.alias(i, **_place(node))], **_place(node)) for i in imported]
    with quietly():
        module = ast.Module([*imports, factory], [])
        flags = code.co_flags & _FUTURE
        made: CodeType = compile(module, code.co_filename, "exec", flags, dont_inherit=True)
    for _ in range(2 if owner is None else 3):  # into the factory, the class, the function
        made = next(c for c in made.co_consts if isinstance(c, CodeType))
    return made


def _statement(node: FunctionNode) -> tuple[ast.stmt, str | None]:
    """The definition without what it evaluates: that has happened, and had its effects."""
    arguments = _without_values(node.args)
    if isinstance(node, ast.Lambda):
        return ast.Expr(replaced(node, args=arguments), **_place(node)), None
    # A code object starts at the line of the first decorator: None, there, keeps it so.
    decorators = [ast.copy_location(ast.Constant(None), d) for d in node.decorator_list[:1]]
    changes = {"args": arguments, "decorator_list": decorators, "returns": None}
    if hasattr(node, "type_params"):
        changes["type_params"] = []
    return replaced(node, **changes), node.name


def _without_values(arguments: ast.arguments) -> ast.arguments:
    def bare(argument: ast.arg | None) -> ast.arg | None:
        return argument and replaced(argument, annotation=None)

    return ast.arguments(
        posonlyargs=[replaced(a, annotation=None) for a in arguments.posonlyargs],
        args=[replaced(a, annotation=None) for a in arguments.args],
        vararg=bare(arguments.vararg),
        kwonlyargs=[replaced(a, annotation=None) for a in arguments.kwonlyargs],
        kw_defaults=[None] * len(arguments.kwonlyargs),
        kwarg=bare(arguments.kwarg),
        defaults=[],
    )


# Parsed rather than built: each version of Python has fields of its own that may not be missing.
_CLASS = ast.parse("class Class: pass").body[0]
_FACTORY = ast.parse("def factory(): pass").body[0]


def _class(name: str, definition: ast.stmt, node: FunctionNode) -> ast.stmt:
    return replaced(_CLASS, name=name, body=[definition], **_place(node))


def _factory(
    parameters: list[str], definition: ast.stmt, name: str | None, node: FunctionNode
) -> ast.stmt:
    """The function around ``definition`` whose parameters are its free variables."""
    place = _place(node)
    arguments = ast.arguments(
        [], [ast.arg(p, **place) for p in parameters], None, [], [], None, []
    )
    body = [definition]
    if name is not None and name not in parameters:
        # Else what calls itself would find itself in the factory, and not in the globals.
        body = [ast.Global([name], **place), definition]
    return replaced(_FACTORY, args=arguments, body=body, **place)


def _place(node: FunctionNode) -> dict[str, Any]:
    line = node.lineno
    return {"lineno": line, "col_offset": 0, "end_lineno": line, "end_col_offset": 0}
