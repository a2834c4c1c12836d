"""Where in the user's source Python is: what nodes, errors and comments point back to."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeAlias, TypeVar

import numpy as np

from gradsmith.errors import GradsmithError, Span
from gradsmith.frontend.codes import CodeTable

# Line, end line, column, end column, as `CodeType.co_positions` gives them: columns in bytes of
# UTF-8, None where not known (before Python 3.11, and under -X no_debug_ranges).
Position: TypeAlias = tuple[int | None, int | None, int | None, int | None]

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])

# Files below these are never "where the user is".
_GRADSMITHS = f"{Path(__file__).parents[1]}/"
_NOT_THE_USERS = (_GRADSMITHS, f"{Path(np.__file__).parent}/")


_USERS: set[CodeType] = set()
"""Functions of the compiler in which Python does what the user wrote: errors are the user's."""


def in_users_name(function: AnyFunction) -> AnyFunction:
    """Declare that errors of Python's which are raised in ``function`` are the user's."""
    _USERS.add(function.__code__)
    return function


def is_users_own(code: CodeType) -> bool:
    """Whether errors raised in it are the user's: it is no code of the compiler."""
    return code in _USERS or not code.co_filename.startswith(_GRADSMITHS)


def is_gradsmiths(file: str) -> bool:
    """Whether it is a file of the compiler's."""
    return file.startswith(_GRADSMITHS)


@dataclass(slots=True)
class StagedCode:
    """What is known about a code object that staging made."""

    function: str
    definition: ast.AST
    positions: list[Position] | None = None
    spans: dict[int, Span] = field(default_factory=dict)

    def span(self, frame: FrameType) -> Span:
        """The place of the instruction that ``frame`` is at, worked out once."""
        found = self.spans.get(frame.f_lasti)
        if found is None:
            found = self.spans[frame.f_lasti] = self._span(frame)
        return found

    def _span(self, frame: FrameType) -> Span:
        if self.positions is None:
            self.positions = positions_of(frame.f_code)
        position = _position(self.positions, frame)
        if position[2] is None:
            position = _statement_at(self.definition, frame.f_lineno)
        return span_at(frame.f_code.co_filename, position, self.function)


_staged: CodeTable[StagedCode] = CodeTable()


def register(code: CodeType, function: str, definition: ast.AST) -> None:
    """Remember ``code``, and that of the functions inside, as made by staging."""
    _staged[code] = StagedCode(function, definition)
    _register_methods(code)
    for inner in functions_in(code):
        named = inner.co_name if inner.co_name.isidentifier() else function
        register(inner, named, definition)


def functions_in(code: CodeType) -> Iterator[CodeType]:
    """The code of functions, lambdas and comprehensions directly inside ``code``.

    Not that of classes, nor of what is in these: staging leaves the bodies of classes alone.
    """
    for constant in code.co_consts:
        if isinstance(constant, CodeType) and constant.co_flags & _CO_OPTIMIZED:
            yield constant


_CO_OPTIMIZED = 1  # inspect.CO_OPTIMIZED: local variables have fixed places, as in functions


def is_staged_code(code: CodeType) -> bool:
    """Whether staging made this code object."""
    return code in _staged


def _register_methods(code: CodeType) -> None:
    """Remember the code of what is in the bodies of classes inside ``code``."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType) and not constant.co_flags & _CO_OPTIMIZED:
            _register_all(constant)


def _register_all(code: CodeType) -> None:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _in_classes[constant] = None
            _register_all(constant)


_in_classes: CodeTable[None] = CodeTable()
"""The code of methods in classes that staged functions define: that of the user's source."""


def is_made_code(code: CodeType) -> bool:
    """Whether a staged function makes the functions with this code, and their variables of
    enclosing functions are in general those of staged functions.
    """
    return code in _staged or code in _in_classes


def staged_frame() -> FrameType | None:
    """The nearest caller that was staged."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and id(frame.f_code) not in _staged.entries:
        frame = frame.f_back
    return frame


def current_span() -> Span | None:
    """Where in the user's source Python is now.

    That is the nearest caller that was staged; with none, the nearest one that is part of
    neither gradsmith nor NumPy.
    """
    frame: FrameType | None = sys._getframe(1)
    entries = _staged.entries
    while frame is not None:
        entry = entries.get(id(frame.f_code))
        if entry is not None:
            return entry[0].span(frame)
        frame = frame.f_back
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_NOT_THE_USERS):
        frame = frame.f_back
    return None if frame is None else _span_of(frame)


def span_in(frame: FrameType) -> Span | None:
    """Where ``frame`` is, if it runs code of the user's."""
    entry = _staged.entries.get(id(frame.f_code))
    if entry is not None:
        return entry[0].span(frame)
    return None if frame.f_code.co_filename.startswith(_NOT_THE_USERS) else _span_of(frame)


def span_of(traceback: TracebackType | None) -> Span | None:
    """Where in the user's source an exception was raised."""
    staged = nearest = None
    while traceback is not None:
        frame = traceback.tb_frame
        entry = _staged.entries.get(id(frame.f_code))
        if entry is not None:
            staged = entry[0].span(frame)
        elif not frame.f_code.co_filename.startswith(_NOT_THE_USERS):
            nearest = frame
        traceback = traceback.tb_next
    if staged is not None or nearest is None:
        return staged
    return _span_of(nearest)


def _span_of(frame: FrameType) -> Span:
    code = frame.f_code
    if code not in _positions:
        _positions[code] = positions_of(code)
    position = _position(_positions[code], frame)
    if position[2] is None:
        position = (frame.f_lineno, frame.f_lineno, None, None)
    return span_at(code.co_filename, position, code.co_name)


_positions: CodeTable[list[Position]] = CodeTable()
"""Those of code that was not staged: it is asked once for every operation."""


def positions_of(code: CodeType) -> list[Position]:
    """The place of every instruction; empty where Python does not keep it."""
    places: Iterable[Position] = code.co_positions() if sys.version_info >= (3, 11) else ()
    return list(places)


def _position(positions: list[Position], frame: FrameType) -> Position:
    index = frame.f_lasti // 2  # code units have two bytes
    return positions[index] if 0 <= index < len(positions) else (None, None, None, None)


def _statement_at(definition: ast.AST, line: int) -> Position:
    """The statement (or lambda) that is alone on ``line``, else the line as a whole."""
    for node in ast.walk(definition):
        if isinstance(node, (ast.stmt, ast.Lambda)) and node.lineno == node.end_lineno == line:
            return position_of(node)
    return (line, line, None, None)


def position_of(node: ast.expr | ast.stmt) -> Position:
    """The place of a syntax node."""
    return (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)


def span_at(file: str, position: Position, function: str) -> Span:
    """The span of a position: its columns count characters, not bytes."""
    line, end_line, column, end_column = position
    line = line or 0
    end_line = end_line or line
    return Span(
        file,
        line,
        column=_characters(file, line, column),
        end_line=end_line,
        end_column=_characters(file, end_line, end_column),
        function=function,
    )


def _characters(file: str, line: int, column: int | None) -> int:
    if not column:
        return 0
    text = linecache.getline(file, line)
    return column if text.isascii() else len(text.encode()[:column].decode(errors="replace"))


GradsmithError.locate = staticmethod(current_span)
