"""Marks on expressions of the emitted code: those that go through the log of effects.

The text has no place for them. They are copied to the tree that the text is parsed to, which is
the same but for numbers: ``-1.0`` is a constant in one, a sign and a constant in the other.
"""

from __future__ import annotations

import ast

from gradsmith.codegen.printer import is_comment
from gradsmith.errors import InternalError

_MARK = "is_logged"


def marked(node: ast.expr) -> ast.expr:
    """The expression, marked."""
    setattr(node, _MARK, True)
    return node


def is_marked(node: ast.AST) -> bool:
    """Whether it is marked."""
    return getattr(node, _MARK, False)


def has_marks(root: ast.AST) -> bool:
    """Whether anything in it is marked."""
    return any(map(is_marked, ast.walk(root)))


def copy_marks(source: ast.AST, target: ast.AST) -> None:
    """Mark in ``target`` what is marked in ``source``, the tree that it was printed from."""
    if isinstance(source, (ast.Constant, ast.Name)):  # a name may have dots
        return
    if type(source) is not type(target):
        raise InternalError(f"the text has {type(target).__name__} for {type(source).__name__}")
    if is_marked(source):
        setattr(target, _MARK, True)
    for one, other in zip(_children(source), _children(target), strict=True):
        copy_marks(one, other)


def _children(node: ast.AST) -> list[ast.AST]:
    """Those that are in the text, which has comments for some statements."""
    return [
        child
        for child in ast.iter_child_nodes(node)
        if not isinstance(child, ast.expr_context)
        and not (isinstance(child, ast.stmt) and is_comment(child))
    ]
