"""Texts of values that are known while the code runs only: f-strings, ``%`` and `str.format`."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gradsmith.ops import syntax


@dataclass(frozen=True, slots=True)
class Whole:
    """Operand ``place`` itself."""

    place: int


@dataclass(frozen=True, slots=True)
class Piece:
    """What is written within a text: ``{x!r:>8}``, or, with ``percent``, ``%8r``."""

    what: Whole | Written
    conversion: str = ""
    spec: str = ""
    percent: bool = False

    def text(self, value: Any) -> str:
        """What is written for ``value``."""
        if self.percent:
            return self.spec % (value,)
        made = {"": value, "s": str, "r": repr, "a": ascii}[self.conversion]
        return format(made(value) if self.conversion else value, self.spec)


Written: TypeAlias = tuple["str | Piece", ...]
"""A text: what is fixed, and what is written for values."""

Given: TypeAlias = (
    "Written | Whole | str | int | float | complex | np.ufunc | np.dtype[Any] | None"
)
"""An argument of an effect; ufuncs and dtypes are those of NumPy's own errors."""


def evaluated(arguments: Iterable[Given], values: Sequence[Any]) -> list[Any]:
    """The arguments for these operands."""
    return [_value(argument, values) for argument in arguments]


def _value(argument: Given, values: Sequence[Any]) -> Any:
    if isinstance(argument, Whole):
        return values[argument.place]
    if isinstance(argument, tuple):
        parts = (p if isinstance(p, str) else p.text(_value(p.what, values)) for p in argument)
        return "".join(parts)
    return argument


def expressed(arguments: Iterable[Given], values: Sequence[ast.expr]) -> list[ast.expr]:
    """The arguments as expressions."""
    return [_expression(argument, values) for argument in arguments]


def _expression(argument: Given, values: Sequence[ast.expr]) -> ast.expr:
    if isinstance(argument, Whole):
        return values[argument.place]
    if isinstance(argument, np.ufunc):
        return syntax.name(f"np.{argument.__name__}")
    if isinstance(argument, np.dtype):
        return syntax.call("np.dtype", argument)
    if not isinstance(argument, tuple):
        return syntax.expression(argument)
    kinds = itertools.groupby(_with_text(argument), lambda pair: pair[0])
    parts = [_run([part for _, part in run], values, percent=kind) for kind, run in kinds]
    whole = parts[0]
    for part in parts[1:]:
        whole = syntax.binary("+", whole, part)
    return whole


def _with_text(written: Written) -> list[tuple[bool, str | Piece]]:
    """The parts, and whether each is written by ``%``: what is fixed goes with what is before."""
    kinds = [part.percent for part in written if isinstance(part, Piece)]
    kind, found = (kinds[0] if kinds else False), []
    for part in written:
        kind = part.percent if isinstance(part, Piece) else kind
        found.append((kind, part))
    return found


def _run(parts: Sequence[str | Piece], values: Sequence[ast.expr], *, percent: bool) -> ast.expr:
    if all(isinstance(part, str) for part in parts):
        return ast.Constant("".join(map(str, parts)))
    if percent:
        return _by_percent(parts, values)
    operands = [_expression(p.what, values) for p in parts if isinstance(p, Piece)]
    fixed = "".join(part for part in parts if isinstance(part, str))
    if _is_plain(fixed) and all(map(_is_plain_code, operands)):
        given = iter(operands)
        return ast.JoinedStr([_formatted(part, given) for part in parts])
    template = "".join(
        _field(p) if isinstance(p, Piece) else p.replace("{", "{{").replace("}", "}}")
        for p in parts
    )
    return syntax.method(ast.Constant(template), "format", *operands)


def _is_plain(text: str) -> bool:
    """Whether it can stand in an f-string of any version of Python as it is."""
    return text.isprintable() and not set(text) & set("'\"\\")


def _is_plain_code(code: ast.expr) -> bool:
    """Whether no quotes are needed to write it."""
    quoted = (ast.JoinedStr, ast.Dict, ast.Lambda)
    return not any(
        isinstance(n, quoted) or (isinstance(n, ast.Constant) and isinstance(n.value, str))
        for n in ast.walk(code)
    )


def _formatted(part: str | Piece, operands: Iterator[ast.expr]) -> ast.expr:
    if isinstance(part, str):
        return ast.Constant(part)
    spec = ast.JoinedStr([ast.Constant(part.spec)]) if part.spec else None
    conversion = ord(part.conversion) if part.conversion else -1
    return ast.FormattedValue(next(operands), conversion, spec)


def _field(piece: Piece) -> str:
    conversion = f"!{piece.conversion}" if piece.conversion else ""
    return f"{{{conversion}{f':{piece.spec}' if piece.spec else ''}}}"


def _by_percent(parts: Sequence[str | Piece], values: Sequence[ast.expr]) -> ast.expr:
    template = "".join(p.spec if isinstance(p, Piece) else p.replace("%", "%%") for p in parts)
    operands = [_expression(part.what, values) for part in parts if isinstance(part, Piece)]
    right = operands[0] if len(operands) == 1 else syntax.tuple_(operands)
    return syntax.binary("%", ast.Constant(template), right)
