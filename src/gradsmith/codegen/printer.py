"""From `ast` to text: the only file that knows astor."""

from __future__ import annotations

import ast
import warnings

from gradsmith.codegen.wrap import LONGEST, wrapped

_MARK = "_gradsmith_comment_"


def comment(index: int) -> ast.stmt:
    """A place for comment number ``index`` (an `ast` cannot hold comments)."""
    return ast.Expr(ast.Name(f"{_MARK}{index}", ast.Load()))


def is_comment(statement: ast.stmt) -> bool:
    """Whether it is a place for a comment."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Name) and value.id.startswith(_MARK)


def print_module(body: list[ast.stmt], comments: list[str]) -> str:
    """The text of the statements, their comment places filled from ``comments``."""
    lines: list[str] = []
    quoted = False
    for line in _to_source(ast.Module(body, [])).splitlines():
        quotes = line.count('"""')
        lines += [line] if quoted or quotes else _finished(line, comments)
        quoted ^= quotes % 2 == 1
    return "\n".join(lines) + "\n"


def print_expression(expression: ast.expr) -> str:
    """The text of one expression."""
    return _to_source(ast.Expr(expression)).strip()


def _finished(line: str, comments: list[str]) -> list[str]:
    """A line outside of docstrings as it is written."""
    stripped = line.lstrip()
    indent = line[: len(line) - len(stripped)]
    if stripped.startswith(_MARK):
        text = f"{indent}# {comments[int(stripped[len(_MARK) :])]}"
        return [text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"]
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
