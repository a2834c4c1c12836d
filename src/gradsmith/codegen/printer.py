"""From `ast` to text: the only file that knows astor."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings

from gradsmith.codegen.wrap import LONGEST, wrapped

_MARK = "_gradsmith_comment_"
_PLACE = re.compile(rf"{_MARK}(\w+)")
DOCSTRING = "docstring"
SHORTEST_COMMENT = 40
"""So much of a comment is written, however deep its line is."""


def comment(index: int | str) -> ast.stmt:
    """A place for comment number ``index`` (an `ast` cannot hold comments)."""
    return ast.Expr(ast.Name(f"{_MARK}{index}", ast.Load()))


def is_comment(statement: ast.stmt) -> bool:
    """Whether it is a place for a comment."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Name) and value.id.startswith(_MARK)


def print_module(body: list[ast.stmt], comments: list[str]) -> str:
    """The text of the statements, their comment places filled from ``comments``."""
    docstrings: list[str] = []
    text = _to_source(ast.Module([_without_docstring(s, docstrings) for s in body], []))
    lines: list[str] = []
    within = _within_strings(text)
    for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
        lines += [line] if number in within else _finished(line, comments, docstrings)
    return "\n".join(lines) + "\n"


def _without_docstring(statement: ast.stmt, docstrings: list[str]) -> ast.stmt:
    """The function with a place for its docstring, which is written apart: in it lines are not
    statements.
    """
    if not isinstance(statement, ast.FunctionDef) or ast.get_docstring(statement) is None:
        return statement
    first, *rest = statement.body
    docstrings.append(ast.unparse(ast.Module([first], [])))
    fields = {**dict(ast.iter_fields(statement)), "body": [comment(DOCSTRING), *rest]}
    return ast.FunctionDef(**fields, lineno=0)


def _within_strings(text: str) -> set[int]:
    """The lines that belong to a string of several lines."""
    if '"""' not in text and "'''" not in text:
        return set()
    strings = (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in strings and token.end[0] > token.start[0]:
            found.update(range(token.start[0], token.end[0] + 1))
    return found


def print_expression(expression: ast.expr) -> str:
    """The text of one expression."""
    return _to_source(ast.Expr(expression)).strip()


def _finished(line: str, comments: list[str], docstrings: list[str]) -> list[str]:
    """A statement, which is one line, as it is written."""
    stripped = line.lstrip()
    indent = line[: len(line) - len(stripped)]
    place = _PLACE.fullmatch(stripped)
    if place is not None and place[1] == DOCSTRING:
        return [indent + docstrings.pop(0)]
    if place is not None:
        text = f"{indent}# {comments[int(place[1])]}"
        room = max(LONGEST, len(indent) + SHORTEST_COMMENT)
        return [text if len(text) <= room else f"{text[: room - 2]} …"]
    if stripped.startswith("return ") and stripped.endswith(","):
        return wrapped(f"{indent}return ({stripped[7:]})")  # a tuple of one
    return wrapped(line)


def _to_source(tree: ast.AST) -> str:
    with warnings.catch_warnings():
        # astor reads names that Python 3.12 deprecates (ast.Num and its kin)
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            import astor
        except (ImportError, AttributeError):  # Python 3.14 removed what astor reads
            return ast.unparse(ast.fix_missing_locations(tree))
        text: str = astor.to_source(tree, indent_with="    ", pretty_source="".join)
        return text
