"""Staging: a user's function rewritten so that what happens in it goes through a runtime.

The rules are in ``stage_rules``. Here the rewritten tree becomes a function that shares the
globals, the variables of enclosing functions and the defaults with the user's own, which stays
as it was.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import CellType, CodeType, FunctionType
from typing import Any, Protocol, TypeVar

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.codes import CodeTable
from gradsmith.frontend.enclose import compile_function, replaced
from gradsmith.frontend.source import Source, find_source
from gradsmith.frontend.spans import is_staged_code, register
from gradsmith.frontend.stage_rules.refused import asynchronous
from gradsmith.frontend.stage_rules.rewriter import RUNTIME, SCRATCH, Rewriter

Value = TypeVar("Value")


class BoundRuntime(Protocol):
    """What the code of one staged function (and of functions defined in it) calls."""

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """``function(*args, **kwargs)``; a method comes bound."""

    def read(self, name: str, value: Any, /) -> Any:
        """The value of a global, a builtin or a variable of a function outside."""

    def attribute(self, owner: Any, name: str, /) -> Any:
        """``owner.name``."""

    def item(self, owner: Any, key: Any, /) -> Any:
        """``owner[key]``."""

    def target(self, owner: Any, name: str | None, /) -> Any:
        """What is written to, or deleted from, where the user does that to ``owner``.

        ``name`` is the attribute, None for items. The writing is Python's: ``target(x, None)[i] =
        e``, and with ``+=`` the reading, too.
        """

    def bind(self, name: str, value: Any, /) -> Any:
        """What is stored in the variable ``name`` of the function, which gets ``value``."""

    def result(self, value: Any, /) -> Any:
        """What this function, or one defined in it, returns."""

    def truth(self, value: Any, kind: str, /) -> bool:
        """Whether ``value`` is true.

        ``kind`` says who asks: "if", "while", "ifexp", "assert", "comprehension", "and", "or"
        or "not". Operands of ``and`` say "and" wherever they stand, as do chained comparisons.
        """

    def matched(self, subject: Any, /) -> Any:
        """The subject of a ``match`` that asks for its class."""

    def iterate(self, iterable: Any, /) -> Iterable[Any]:
        """What ``for`` goes through."""

    def effect(self, kind: str, name: str, /) -> None:
        """The variable ``name``, of kind "global" or "nonlocal", is about to be changed."""


class Runtime(Protocol):
    """What makes a runtime for each function."""

    def for_function(self, function: FunctionType, /) -> BoundRuntime:
        """The runtime for one function, the user's own object."""


class Scratch:
    """Where operands wait that an expression needs twice, and how it writes slices."""

    __slots__ = ("_kept", "pop")

    refusal = UnsupportedError

    def __init__(self) -> None:
        self._kept: list[Any] = []
        self.pop = self._kept.pop

    def keep(self, value: Value) -> Value:
        """``value``, which the next ``pop()`` returns, too."""
        self._kept.append(value)
        return value

    def passing(self, manager: Any) -> Any:
        """``manager``, but where it would swallow what gradsmith refuses."""
        kind = type(manager)
        sound = hasattr(kind, "__enter__") and hasattr(kind, "__exit__")
        return Passing(manager) if sound else manager

    def __getitem__(self, key: Any) -> Any:
        return key


class Passing:
    """A context manager that lets errors pass which say that gradsmith refuses something.

    ``contextlib.suppress(TypeError)`` would take a way that the function on arrays does not take.
    """

    __slots__ = ("_manager",)

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    def __enter__(self) -> Any:
        return self._manager.__enter__()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any:
        swallowed = self._manager.__exit__(kind, error, traceback)
        return swallowed and not isinstance(error, UnsupportedError)


def stage(function: FunctionType, runtime: Runtime) -> FunctionType:
    """``function`` such that what happens in it goes through ``runtime``.

    Where its source cannot be had, or where it is staged already, it is returned as it is.

    Raises
    ------
    UnsupportedError
        It uses syntax that has no rule.
    """
    original = function.__code__
    code = None if is_staged_code(original) else _rewritten(function)
    if code is None:
        return function
    cells = dict(zip(original.co_freevars, function.__closure__ or (), strict=True))
    cells[RUNTIME] = CellType(runtime.for_function(function))
    cells[SCRATCH] = CellType(Scratch())
    closure = tuple(cells[name] for name in code.co_freevars)
    name, defaults = function.__name__, function.__defaults__
    staged = FunctionType(code, function.__globals__, name, defaults, closure)
    staged.__kwdefaults__ = function.__kwdefaults__
    staged.__qualname__ = function.__qualname__
    staged.__module__ = function.__module__
    return staged


def is_staged(function: object) -> bool:
    """Whether staging made ``function``: `stage` itself, or a ``def`` in a staged function."""
    return isinstance(function, FunctionType) and is_staged_code(function.__code__)


_cache: CodeTable[CodeType | None] = CodeTable()


def _rewritten(function: FunctionType) -> CodeType | None:
    """The rewritten code of ``function``; None without source."""
    original = function.__code__
    if original not in _cache:
        source = find_source(function)
        _cache[original] = None if source is None else _compiled(source, function)
    return _cache[original]


def _compiled(source: Source, function: FunctionType) -> CodeType:
    original = function.__code__
    rewriter = Rewriter(source, {*function.__globals__, *original.co_freevars})
    if isinstance(source.node, ast.AsyncFunctionDef):
        raise asynchronous(rewriter, source.node)
    node = replaced(source.node, body=rewriter.function_body(source.node))
    code = compile_function(node, original, source.owner, free=(RUNTIME, SCRATCH))
    register(code, original.co_name, source.node)
    return code
