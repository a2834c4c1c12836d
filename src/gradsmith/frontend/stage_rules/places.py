"""Where in the user's source a node stands."""

from __future__ import annotations

import ast
from typing import TypedDict


class Place(TypedDict):
    """A position, in the form in which nodes take it."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


def place(node: ast.expr | ast.stmt | ast.pattern) -> Place:
    """The position of ``node``, for a node that takes its place."""
    return {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }


def head(node: ast.For | ast.While | ast.If) -> Place:
    """The position of the first line, up to its colon."""
    last = node.iter if isinstance(node, ast.For) else node.test
    ends = {"end_lineno": last.end_lineno, "end_col_offset": last.end_col_offset}
    return {**place(node), **ends}  # type: ignore[typeddict-item]
