"""From `ast` to text: the only file that knows astor."""

from __future__ import annotations

import ast
import warnings

_MARK = "_gradsmith_comment_"


def comment(index: int) -> ast.stmt:
    """A place for comment number ``index`` (an `ast` cannot hold comments)."""
    return ast.Expr(ast.Name(f"{_MARK}{index}", ast.Load()))


def print_module(body: list[ast.stmt], comments: list[str]) -> str:
    """The text of the statements, their comment places filled from ``comments``."""
    lines = _to_source(ast.Module(body, [])).splitlines()
    return "\n".join(_fill(line, comments) for line in lines) + "\n"


def print_expression(expression: ast.expr) -> str:
    """The text of one expression."""
    return _to_source(ast.Expr(expression)).strip()


def _fill(line: str, comments: list[str]) -> str:
    stripped = line.lstrip()
    if stripped.startswith("return ") and stripped.endswith(","):
        return f"{line[: len(line) - len(stripped)]}return ({stripped[7:]})"  # a tuple of one
    if not stripped.startswith(_MARK):
        return line
    indent = line[: len(line) - len(stripped)]
    return f"{indent}# {comments[int(stripped[len(_MARK) :])]}"


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
