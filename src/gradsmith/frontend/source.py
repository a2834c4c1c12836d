"""The syntax tree of a function object: that of this very function, or none at all."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FunctionType

from gradsmith.errors import Span
from gradsmith.frontend.enclose import FunctionNode, compile_function, quietly
from gradsmith.frontend.spans import position_of, positions_of, span_at


@dataclass(frozen=True, slots=True)
class Source:
    """Where and how a function is written; lines and columns are those of the user's file.

    The tree is shared between everything that was written in the file: nobody may change it.
    """

    node: FunctionNode
    file: str
    owner: str | None
    function: str
    imported: frozenset[str] = frozenset()
    """The names that the file imports."""

    @property
    def line(self) -> int:
        """The first line, decorators included."""
        return _first_line(self.node)

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """The place of a part of it."""
        return span_at(self.file, position_of(node), self.function)


MIXINS = "collections.abc"
"""The module whose classes call methods of the user's in theirs: they are staged as well."""


def find_source(function: object) -> Source | None:
    """The source of ``function``, or None where it cannot be had for sure.

    What is found in the file is compiled again and compared with the code of the function: a
    file that was edited since, or another lambda on the same line, is not its source. Wrappers
    are not looked through: the source of a wrapper is that of the wrapper.
    """
    if not isinstance(function, FunctionType):
        return None
    code, file = function.__code__, _file_of(function)
    lines = linecache.getlines(file, function.__globals__)
    found = _find(code, lines)
    if found is None and lines and _stale(file):
        found = _find(code, linecache.getlines(file, function.__globals__))
    return found


def _file_of(function: FunctionType) -> str:
    """The file of its source, which Python's frozen code of `collections.abc` does not name."""
    if function.__module__ == MIXINS:
        return str(function.__globals__.get("__file__", ""))
    return function.__code__.co_filename


def _stale(file: str) -> bool:
    """Whether linecache held an older state of the file, and let go of it."""
    linecache.checkcache(file)
    return file not in linecache.cache


def _find(code: CodeType, lines: Sequence[str]) -> Source | None:
    file = _parsed("".join(lines)) if lines else None
    if file is None:
        return None
    matching: list[tuple[bool, Source]] = []
    for node, owner in _definitions_at(file.tree, code.co_firstlineno):
        made = _compiled(node, owner, code, file.imported)
        if made is not None and _same(code, made):
            source = Source(node, code.co_filename, owner, code.co_name, file.imported)
            matching.append((positions_of(code) == positions_of(made), source))
    # Equal lambdas on one line are told apart by their columns, and before Python 3.11, which
    # does not keep these, they are the same function anyway.
    return max(matching, key=lambda match: match[0])[1] if matching else None


@dataclass(frozen=True, slots=True)
class _File:
    tree: ast.Module
    imported: frozenset[str]


# Keyed by the text: right for files, notebook cells and doctests alike.
@lru_cache(maxsize=32)
def _parsed(text: str) -> _File | None:
    try:
        with quietly():
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _File(tree, frozenset(_imported(tree)))


def _imported(tree: ast.Module) -> Iterator[str]:
    """The names that are imported anywhere at the top level."""
    stack: list[ast.AST] = [tree]
    while stack:
        for node in ast.iter_child_nodes(stack.pop()):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = (a.asname or a.name.partition(".")[0] for a in node.names)
                yield from (name for name in names if name != "*")
            elif not isinstance(node, _NEW_SCOPES):
                stack.append(node)


# Expressions hold no imports.
_NEW_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)


def _compiled(
    node: FunctionNode, owner: str | None, code: CodeType, imported: frozenset[str]
) -> CodeType | None:
    try:
        return compile_function(node, code, owner, imported=imported)
    except SyntaxError:  # another function, to which these free variables mean nothing
        return None


def _definitions_at(tree: ast.AST, line: int) -> Iterator[tuple[FunctionNode, str | None]]:
    """The functions and lambdas that start on a line, each with the class around it."""
    stack: list[tuple[ast.AST, str | None]] = [(tree, None)]
    while stack:
        node, owner = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            if _first_line(node) == line:
                yield node, owner
        elif isinstance(node, ast.ClassDef):
            owner = node.name
        stack += [(child, owner) for child in ast.iter_child_nodes(node) if _covers(child, line)]


def _covers(node: ast.AST, line: int) -> bool:
    # Arguments and clauses of comprehensions have no position, but are never large.
    first = getattr(node, "lineno", line)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        first = _first_line(node)
    return first <= line <= (getattr(node, "end_lineno", None) or line)


def _first_line(node: FunctionNode | ast.ClassDef) -> int:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(d.lineno for d in decorators)])


def _same(code: CodeType, made: CodeType) -> bool:
    """Whether ``made`` from the source is, but for its place, the user's ``code``."""
    if any(name.startswith("@py") for name in (*code.co_names, *code.co_varnames)):
        return _same_before_pytest(code, made)
    inner, inner_made = _codes(code), _codes(made)
    return (
        _signature(code) == _signature(made)
        and code.co_code == made.co_code
        and code.co_names == made.co_names
        and code.co_varnames == made.co_varnames
        and _constants(code) == _constants(made)
        and len(inner) == len(inner_made)
        and all(map(_same, inner, inner_made))
    )


def _same_before_pytest(code: CodeType, made: CodeType) -> bool:
    """The same for a function whose ``assert`` pytest has rewritten: only additions."""
    inner, inner_made = _codes(code), _codes(made)
    return (
        _signature(code) == _signature(made)
        and set(made.co_names) <= set(code.co_names)
        and set(made.co_varnames) <= set(code.co_varnames)
        and set(_constants(made)) <= set(_constants(code))
        and len(inner) == len(inner_made)
        and all(map(_same, inner, inner_made))
    )


def _signature(code: CodeType) -> tuple[object, ...]:
    return (
        code.co_name,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_varnames[: code.co_argcount + code.co_kwonlyargcount],
        code.co_flags & _KIND,
        code.co_freevars,
        code.co_cellvars,
    )


_KIND = 0x04 | 0x08 | 0x20 | 0x80 | 0x200  # *args, **kwargs, generators, coroutines, both


def _codes(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _constants(code: CodeType) -> list[tuple[object, ...]]:
    """Constants that can be compared: 1, 1.0 and True differ, nan equals itself."""
    constants: list[tuple[object, ...]] = []
    for value in code.co_consts:
        if isinstance(value, frozenset):  # its order depends on the run
            constants.append((frozenset, *sorted(map(repr, value))))
        elif isinstance(value, str):  # names of inner functions tell where they are defined
            constants.append((str, value.rpartition("<locals>.")[2]))
        elif not isinstance(value, CodeType):
            constants.append((type(value), repr(value)))
    return constants
