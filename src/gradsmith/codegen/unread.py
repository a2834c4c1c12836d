"""Variables set for nothing: a loop over a list does not need the number of its trips, and a size
that an expression could mention may be in none.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from gradsmith.codegen.frames import assigned


def without_unread(statements: Sequence[ast.stmt], spared: Collection[str]) -> list[ast.stmt]:
    """The statements without those that set a ``spared`` variable which is never read."""
    kept, idle = list(statements), set(spared)
    while idle:
        nodes = [n for statement in kept for n in ast.walk(statement)]
        read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        unread = idle - read
        if not unread:
            break
        kept, idle = _without(kept, unread), idle & read
    return kept


def _without(statements: Sequence[ast.stmt], idle: set[str]) -> list[ast.stmt]:
    kept = []
    for statement in statements:
        if _changed(statement) in idle:
            continue
        for block in ("body", "orelse"):
            if isinstance(statement, (ast.For, ast.While, ast.If)):
                setattr(statement, block, _without(getattr(statement, block), idle))
        kept.append(statement)
    return kept


def _changed(statement: ast.stmt) -> str | None:
    """The variable that a statement assigns or adds to."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    return assigned(statement)
